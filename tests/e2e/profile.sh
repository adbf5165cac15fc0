#!/bin/bash
# strobe profile: one command from a program to a brief and a page.
. "$(dirname "$0")/lib.sh"
need gcc
need_can sample
workload spin

run taskset -c $one_cpu "$STROBE" profile -o data/perf.data ./spin 1
check "a missing directory is reported" test "$rc" = 255
mkdir data
run taskset -c $one_cpu "$STROBE" profile -F 500 -o data/perf.data ./spin 1
check "profile succeeds" test "$rc" = 0
check "the brief is on standard output" grep -q '^Own time' out
check "the table names the program's function" grep -q '%  .*spin' out
check "the recording is there" test -s data/perf.data
check "the page is beside it" grep -q '<html' data/profile.html
check "no progress in a pipe" sh -c "! grep -q 'recording: ' err"
run "$STROBE" script -i data/perf.data -F ip,sym
check "script shows whole stacks" sh -c "grep -q main out"

run "$STROBE" report -i data/perf.data --header-only -I
check "the header tells that stacks were unwound while recording" grep -q 'unwound while recording' out
# A recorder that stands still loses samples.
taskset -c $one_cpu "$STROBE" profile -o lost.data ./spin 3 >lost.out 2>lost.err & own=$!; later_kill $own
until_true test -s lost.data
kill -STOP $own; sleep 1; kill -CONT $own
wait $own
if grep -q 'were lost' lost.err; then
	check "a warning about the recording comes once" test "$(grep -c 'were lost' lost.err)" = 1
else skip_part "no sample was lost"; fi # asks strobe: only records of the kernel tell
keep_level
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null 2>&1 && [ "$paranoid" = 2 ]; then
	mkdir -m 777 user && cp spin user/
	cp "$STROBE" user/strobe
	chmod 755 . user/spin user/strobe
	run setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		sh -c 'cd user && HOME=. exec ./strobe profile -F 500 -o u.data ./spin 0.5'
	check "an ordinary user: it succeeds" test "$rc" = 0
	check "an ordinary user: user space is what is permitted" grep -q 'only user space is measured' err
	check "an ordinary user: whole stacks" grep -qE '^ .* < .* < main' out
	check "an ordinary user: the page" test -s user/profile.html
else
	skip_part "an ordinary user: needs root, setpriv and perf_event_paranoid 2"
fi
let_level

./spin 900 & child=$!; later_kill $child
"$STROBE" profile -q -o pid.data -p $child >pid.out 2>pid.err & own=$!; later_kill $own
counting $own && "$while_working" $child 0.3 && kill -INT $own
wait $own
check "a process, until ^C: the brief comes" grep -q '^Own time' pid.out
kill -9 $child; wait $child 2>/dev/null
check "after the end of its parent the page exists" test -s profile.html

printf '#!/bin/sh\necho "$1" >opened\n' >browser && chmod +x browser
BROWSER=$PWD/browser run "$STROBE" profile -q -F 200 -o open.data --open ./spin 0.2
until_true test -s opened
check "the browser gets the page" grep -q profile.html opened
BROWSER=/nonexistent run "$STROBE" profile -q -F 200 -o open.data --open ./spin 0.2
check "a browser that does not start is reported" sh -c "test $rc = 255 && grep -q 'cannot start' err"
run "$STROBE" profile -o - true
check "not into a pipe" test "$rc" = 129
if command -v script >/dev/null 2>&1; then
	taskset -c $one_cpu script -qec "$STROBE profile -o tty.data ./spin 2" tty.log >/dev/null 2>&1 </dev/null
	check "progress on a terminal" \
		grep -qE 'recording: [0-9]+ s, [1-9][0-9]* samples/s, [0-9.]+ MB, 0 lost, own cost [0-9.]+ %' tty.log
fi
if can system sched:sched_waking; then
	cat >sleeps.c <<'C'
#include <time.h>
int main(void)
{
	volatile long s = 0;
	for (int i = 0; i < 20; i++) {
		nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
		for (long k = 0; k < 10000000; k++)
			s += k;
	}
	return 0;
}
C
	gcc -O1 -g sleeps.c -o sleeps
	run taskset -c $one_cpu "$STROBE" profile --wall -q -o wall.data ./sleeps
	check "profile --wall succeeds" test "$rc" = 0
	check "--wall: the brief shows the waits" grep -qE '^Waits of [0-9.]+ s on the wall clock' out
	. "$STROBE_SOURCE/tests/e2e/lib_page.sh"
	page_get profile.html >page.json
	check "--wall: the page has what threads did" python3 - <<'EOF'
import json
d = json.load(open("page.json"))
waits = [w["label"] for w in d["waits"]]
did = {waits[w] for w in d["piece_what"]}
assert d["unit"] == "ns" and {"[timer]", "[running]"} <= did, did
EOF
else
	skip_part "--wall: this machine cannot: $why_not"
fi
finish
