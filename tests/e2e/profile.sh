#!/bin/bash
# strobe profile: one command from a program to a brief and a page.
. "$(dirname "$0")/lib.sh"
need gcc
need_can sample
workload spin

run taskset -c 0 "$STROBE" profile -o data/perf.data ./spin 1
check "a missing directory is told" test "$rc" = 255
mkdir data
run taskset -c 0 "$STROBE" profile -F 500 -o data/perf.data ./spin 1
check "it succeeds" test "$rc" = 0
check "the brief is on standard output" grep -q '^Own time' out
check "with the program's function" grep -q '%  .*spin' out
check "the recording is there" test -s data/perf.data
check "the page is beside it" grep -q '<html' data/profile.html
check "no progress in a pipe" sh -c "! grep -q 'recording: ' err"
run "$STROBE" script -i data/perf.data -F ip,sym
check "whole stacks" sh -c "grep -q main out"

./spin 30 & child=$!; later_kill $child
"$STROBE" profile -q -o pid.data -p $child >pid.out 2>pid.err & own=$!; later_kill $own
counting $own && "$while_working" $child 0.3 && kill -INT $own
wait $own
check "a process, until ^C: the brief comes" grep -q '^Own time' pid.out
kill -9 $child; wait $child 2>/dev/null
check "and the page" test -s profile.html

printf '#!/bin/sh\necho "$1" >opened\n' >browser && chmod +x browser
BROWSER=$PWD/browser run "$STROBE" profile -q -F 200 -o open.data --open ./spin 0.2
for _ in $(seq 50); do [ -s opened ] && break; sleep 0.05; done
check "the browser gets the page" grep -q profile.html opened
BROWSER=/nonexistent run "$STROBE" profile -q -F 200 -o open.data --open ./spin 0.2
check "without a browser it says so" sh -c "test $rc = 255 && grep -q 'cannot start' err"
run "$STROBE" profile -o - true
check "not into a pipe" test "$rc" = 129
if command -v script >/dev/null 2>&1; then
	taskset -c 0 script -qec "$STROBE profile -o tty.data ./spin 2" tty.log >/dev/null 2>&1 </dev/null
	check "progress on a terminal" grep -q 'recording: .* MB, own cost' tty.log
fi
finish
