#!/bin/bash
# report on the stream of record, and on input without samples: messages are on lines of their own.
. "$(dirname "$0")/lib.sh"
workload spin -O1 -fno-omit-frame-pointer

need_can sample
must "$STROBE" record -q -e cpu-clock:u -g -o whole.data ./spin 0.2
"$STROBE" record -q -e cpu-clock:u -g -o - ./spin 0.2 >pipe.data

# perf counts no children on a pipe, yet it draws callers first, as for a file; -g callee and
# --no-children reverse that.
# The lines of the first call graph, joined.
chain() { sed -n '/^ .*---/,/^$/{/^$/q;p}' out | tr '\n' ' '; }
run "$STROBE" report -i pipe.data --stdio
check "a pipe draws callers first" grep -q 'outer .*leaf' <<<"$(chain)"
run "$STROBE" report -i pipe.data --stdio --no-children
check "--no-children prints the function first" grep -q 'leaf .*outer' <<<"$(chain)"
run "$STROBE" report -i pipe.data --stdio -g callee
check "-g callee is obeyed" grep -q 'leaf .*outer' <<<"$(chain)"

# A stream describes the machine in records of their own: -I shows them without --header, as in perf.
run "$STROBE" report -i pipe.data --stdio -I
check "-I: what a pipe's records say of the machine" \
	sh -c 'grep -q "^# hostname : " out && grep -q "^# sibling threads : \|^# CPU 0: Core" out'
run "$STROBE" report -i whole.data --stdio -I
check "-I: nothing of a file, whose header is asked for by --header" sh -c '! grep -q "^# hostname" out'

# Samples without memory data: every part of it is unknown, even whether the access was locked.
run "$STROBE" report -i pipe.data --stdio --mem-mode -s locked,mem,snoop,tlb,blocked -t,
check "--mem-mode on other data: N/A in every part" \
	sh -c 'grep -q "%,N/A *,N/A *,N/A *,N/A *, N/A *$" out && ! grep -q ",No " out'

for f in whole pipe; do
	"$STROBE" report -D -i $f.data >dump; "$STROBE" report --stats -i $f.data >stats
	sed -n '/^Aggregated stats:/,$p' dump >ours; sed 1d stats >wanted
	check "-D ends with the statistics: $f.data" sh -c 'grep -q "SAMPLE events" wanted && diff wanted ours'
done

run "$STROBE" record -q -e dummy:u -o none.data true
run "$STROBE" report -i none.data --stdio
check "a message on its own line about a file without samples" grep -qx 'The none.data data has no samples!' err
finish
