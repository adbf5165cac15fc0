#!/bin/bash
# report on what record streams and on what has no samples: messages on lines of their own.
. "$(dirname "$0")/lib.sh"
workload spin -O1 -fno-omit-frame-pointer

if ! "$STROBE" record -q -e cpu-clock:u -g -o whole.data ./spin 0.2 2>err; then
	skip "cannot record here: $(head -1 err)"
fi
"$STROBE" record -q -e cpu-clock:u -g -o - ./spin 0.2 >pipe.data

# perf counts no children on a pipe, yet draws callers first, as on a file; -g callee and --no-children turn that round.
# The lines of the first call graph in one line.
chain() { sed -n '/^ .*---/,/^$/{/^$/q;p}' out | tr '\n' ' '; }
run "$STROBE" report -i pipe.data --stdio
check "a pipe draws callers first" grep -q 'outer .*leaf' <<<"$(chain)"
run "$STROBE" report -i pipe.data --stdio --no-children
check "without children, the function comes first" grep -q 'leaf .*outer' <<<"$(chain)"
run "$STROBE" report -i pipe.data --stdio -g callee
check "-g callee is obeyed" grep -q 'leaf .*outer' <<<"$(chain)"

run "$STROBE" record -q -e dummy:u -o none.data true
run "$STROBE" report -i none.data --stdio
check "a file without samples is told on lines of their own" grep -qx 'The none.data data has no samples!' err
finish
