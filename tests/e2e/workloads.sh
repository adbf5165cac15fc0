#!/bin/bash
# strobe test: each workload runs, and its profile is as its name says.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"

run "$STROBE" test --list-workloads
for w in noploop thloop named_threads leafloop sqrtloop brstack datasym landlock traploop inlineloop \
	jitdump context_switch_loop \
	deterministic known; do
	check "--list-workloads has $w" grep -qx "$w" out
done
cp out names
while read -r w; do
	case $w in	# argument: seconds, loops or nothing
	noploop|thloop|leafloop|sqrtloop|datasym|inlineloop|jitdump) arg=0.01 ;;
	deterministic|landlock) arg= ;;
	*) arg=3 ;;
	esac
	run timeout 20 "$STROBE" test -w "$w" $arg
	check "$w $arg ends well and prints nothing" test "$rc/$(cat out err)" = 0/
done <names
run "$STROBE" test -v --list-workloads
check "-v shows the arguments" grep -q '^thloop  *\[SECONDS\] \[THREADS\] ' out

# Scripts know these lines: statements of the first function, of the second, and of their caller
# before and between the calls.
lines=$(awk '/^\tsum/ || /^\treturn sum/ { printf "%s ", NR }' "$STROBE_SOURCE/cmd/test/deterministic.c")
check "deterministic.c has its lines where scripts look for them" \
	test "$lines" = "9 10 11 16 17 18 24 25 26 30 31 32 36 "
run "$STROBE" test -vv -F Symbols
check "the symbols of the program are found" test "$rc" = 0
for name in noploop test_loop thfunc brstack brstack_bench leafloop workload_datasym_buf1; do
	check "$name is among them" grep -q "[[:space:]]$name\$" err
done
run "$STROBE" test list; check "list names the test" grep -q '^  1: Symbols' out
run "$STROBE" test 1; check "a number chooses it" test "$rc" = 0
run "$STROBE" test nosuch; check "an unknown test is an error" test "$rc" = 255
check "the error says where tests are listed" grep -q "test list" err
# Results for machines.
xml() { python3 -c 'import sys, xml.etree.ElementTree as t
s = t.parse(sys.argv[1]).find("testsuite")
print(s.get("tests"), s.get("failures"), *[c.get("name") for c in s])' "$1"; }
if command -v python3 >/dev/null; then
	run "$STROBE" test -jresult.xml Symbols
	check "-j writes the results" test "$rc $(xml result.xml)" = "0 1 0 Symbols"
	run "$STROBE" test --junit nosuch
	check "--junit writes an empty result for an unknown test" test "$rc $(xml test.xml)" = "255 0 0"
	run "$STROBE" test -j/nowhere/result.xml Symbols; check "a result that cannot be written is an error" \
		test "$rc" = 255
else
	skip_part "no python3: --junit"
fi
run "$STROBE" test -w noplop
check "an unknown workload is bad usage" test "$rc" = 129
check "the error suggests a near name" grep -q "'noploop'" err
run "$STROBE" test -w noploop x; check "noploop with a word is bad usage" test "$rc" = 129
run "$STROBE" test -w noploop -- -1; check "noploop with a negative number is bad usage" test "$rc" = 129
run "$STROBE" test -w noploop nan; check "noploop with nan is bad usage" test "$rc" = 129
run "$STROBE" test -w thloop 0.01 2 3; check "thloop with too many arguments is bad usage" test "$rc" = 129
run "$STROBE" test --record-ctl fifo:x; check "--record-ctl without a workload" test "$rc" = 129
run "$STROBE" test --record-ctl no -w noploop 0.1
check "a bad --record-ctl does not ask for --control" sh -c "[ $rc = 129 ] && ! grep -q -e --control err"
if command -v strip >/dev/null && [ -z "${STROBE_SANITIZED:-}" ]; then
	strip -o stripped "$STROBE"
	run ./stripped test Symbols; check "a stripped binary still has the names" test "$rc" = 0
fi

may_record
# profile SORT NAME ARGS...
profile() {
	sort=$1; shift
	run "$STROBE" record -q -N -e cpu-clock:u -F 2000 -o x.data -- "$STROBE" test -w "$@"
	"$STROBE" report -i x.data --stdio -g none -q -s "$sort" >table 2>/dev/null
}
# most NAME: it has more than half of the samples
most() { awk -v n="$1" '$NF == n && $1 + 0 > 50 { found = 1 } END { exit !found }' table || { cat table; return 1; }; }
profile sym noploop 0.3; check "noploop is in noploop" most noploop
profile comm noploop 0.3; check "its thread has perf's name" most perf-noploop
profile sym thloop 0.3 3; check "thloop is in test_loop" most test_loop
profile pid thloop 0.3 3; check "thloop runs three threads" test "$(grep -c '%' table)" -ge 3
profile sym datasym 0.3; check "datasym is in datasym" most datasym
run "$STROBE" record -q -N -g -e cpu-clock:u -F 2000 -o x.data -- "$STROBE" test -w leafloop 0.3
"$STROBE" script -i x.data -F ip,sym 2>/dev/null | awk '{ print $2 }' | tr '\n' ' ' >chains
check "leafloop: leaf, parent, leafloop" grep -q "leaf parent leafloop " chains
run "$STROBE" record -q -N -e cpu-clock:u -F 20000 -o x.data -- "$STROBE" test -w named_threads 3 2000
"$STROBE" report -i x.data --stdio -g none -q -s comm,sym 2>/dev/null >table
for i in 1 2 3; do
	check "thread$i runs its function named_threads_thread$i" grep -q "thread$i .*named_threads_thread$i\$" table
done
if [ "$("$STROBE" check feature dwarf | grep -c on)" = 1 ]; then
	run "$STROBE" record -q -N -g -e cpu-clock:u -F 2000 -o x.data -- "$STROBE" test -w inlineloop 0.3
	"$STROBE" script -i x.data -F +srcline >lines 2>/dev/null
	check "inlineloop: the inlined lines are in the twenties" grep -q 'inlineloop.c:2. (inlined)' lines
	check "inlineloop: the function's lines are in the thirties" grep -q 'inlineloop.c:3.$' lines
fi
(mkdir jit && cd jit &&
	"$STROBE" record -q -N -k mono -e cpu-clock:u -F 2000 -o ../jit.data -- "$STROBE" test -w jitdump 0.3) \
	>/dev/null 2>&1
"$STROBE" report -i jit.data --stdio -g none -q -s sym >table 2>/dev/null
check "jitdump: its samples have the name that the dump has" most jit_loop

# Through the FIFOs, only the program itself is recorded.
mkfifo ctl ack
run timeout 60 "$STROBE" record -q -N -D -1 -e cpu-clock:u -F 2000 --control fifo:ctl,ack -o x.data -- \
	"$STROBE" test --record-ctl fifo:ctl,ack -w noploop 0.3
"$STROBE" report -i x.data --stdio -g none -q -s sym >table 2>/dev/null
check "--record-ctl: noploop is recorded" most noploop
finish
