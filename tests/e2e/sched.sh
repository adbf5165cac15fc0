#!/bin/bash
# sched: the results for a program with known sleeps, and compared with perf on one recording.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_switch
need taskset
# On a busy machine a thread may lose its CPU between starting the timer and going to sleep, and then sleeps less or not
# at all. So naps repeats such naps until five were whole, and prints how many milliseconds all its naps took.
cat >naps.c <<'EOF2'
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
int main(void)
{
	struct rusage before, after;
	double asleep = 0;
	for (int whole = 0; whole < 5;) {
		getrusage(RUSAGE_SELF, &before);
		asleep -= now();
		nanosleep(&(struct timespec){ 0, 20000000 }, 0);
		asleep += now();
		getrusage(RUSAGE_SELF, &after);
		whole += after.ru_nvcsw - before.ru_nvcsw == 1 && after.ru_nivcsw == before.ru_nivcsw;
		for (volatile int k = 0; k < 3000000; k++)
			;
	}
	printf("%.3f\n", asleep);
	return 0;
}
EOF2
cc -O1 -o naps naps.c || exit 1
# In some virtual machines a CPU that idles reports nothing, except for the first.
must "$STROBE" sched record -q -g -o s.data sh -c "exec taskset -c $one_cpu ./naps >naps.out"
check "the events that perf records" \
	sh -c '"$1" evlist -i s.data | grep -c "^sched:sched_" | grep -qx "[6-9]"' sh "$STROBE"
columns() { "$STROBE" sched timehist -i s.data "$@" 2>/dev/null; }

# Each of the five whole sleeps is one wait of 20 ms or more.
columns >lines
waits() { awk '$3 ~ /^naps\[/ && $4 >= 20' lines | wc -l; }
check "each of five sleeps is a wait of 20 ms" at_least "$(waits)" 5
columns -s --state >sums
asleep() { awk -v most="$(cat naps.out)" '$1 ~ /^naps\[/ { print ($5 >= 100 && $5 <= most + 20) }' sums; }
check "together they are 100 ms, and not more than the program measured" test "$(asleep)" = 1
columns -w >wakes
check "something wakes it from each sleep" at_least "$(grep -c 'awakened: naps\[' wakes)" 5
check "chains show the sleep" grep -q 'naps\[.*do_nanosleep' lines
check "the delay is a part of the wait" awk '$3 ~ /^naps\[/ && $4 > 0 && $5 > $4 { bad = 1 } END { exit bad }' lines
pid=$(sed -n 's/.*awakened: naps\[\([0-9]*\)\].*/\1/p' wakes | head -1)
columns -p "$pid" >one
check "-p shows that process alone" \
	awk '/\[[0-9]{4}\]/ && $3 !~ /naps\[|perf-exec|strobe|taskset|sh\[/ { bad = 1 } END { exit bad }' one
check "-n names who comes next" sh -c 'grep -q "next: naps\[" "$1"' sh <(columns -n)
"$STROBE" sched latency -i s.data -p >latency
check "latency has the task" grep -q "^  naps:$pid " latency
"$STROBE" sched map -i s.data >map
check "the map announces it" grep -q "=> .*:$pid$" map

# The same text as perf for one file, except for what perf forgets about tasks that ended: see
# docs/compat.md.
same() {	# what perf's-text ours
	check "$1: the text is perf's" diff -u "$2" "$3"
}
"$STROBE" script --show-task-events -i s.data 2>/dev/null |
	sed -n 's/.*PERF_RECORD_EXIT([0-9]*:\([0-9]*\)).*/\\[\1[]\/]/p' | sort -u >gone
echo '\[-1/' >>gone
living() { grep -v -f gone; }
# Fresh recordings differ in what perf forgets: STROBE_LIVE=1 compares, and a person reads the differences.
if [ -n "${STROBE_PERF72:-}" ] && [ -n "${STROBE_LIVE:-}" ]; then
	for options in "" "-p" "-s max" "-s runtime,avg"; do
		# shellcheck disable=SC2086
		"$STROBE_PERF72" sched latency -i s.data $options 2>/dev/null | grep -v INFO >theirs
		# shellcheck disable=SC2086
		"$STROBE" sched latency -i s.data $options | grep -v INFO >ours
		same "latency $options as perf 7.2" theirs ours
	done
	for options in "" "-n" "-M" "--state" "-P" "--show-prio" "-C 0"; do
		# shellcheck disable=SC2086
		"$STROBE_PERF72" sched timehist --no-call-graph -i s.data $options 2>/dev/null | living >theirs
		# shellcheck disable=SC2086
		columns --no-call-graph $options | living >ours
		same "timehist $options as perf 7.2" theirs ours
	done
else
	skip_part "text beside perf 7.2: STROBE_PERF72 and STROBE_LIVE=1 are not set"
fi

# A pipe gives the same answers as the file. Call chains may name programs of other tests, which come and go.
for words in latency map "timehist -s" "timehist -w --no-call-graph"; do
	# shellcheck disable=SC2086
	"$STROBE" sched $words -i s.data >file 2>/dev/null
	# shellcheck disable=SC2086
	"$STROBE" inject -i s.data -o - 2>/dev/null | "$STROBE" sched $words -i - >pipe 2>/dev/null
	check "$words of a pipe" cmp file pipe
done

run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" sched latency -i plain.data
check "a recording without switches is refused" test $rc = 255
check "the message says what to record" grep -q 'try: .*sched record' err
run "$STROBE" sched nosuch
check "an unknown word: status 129" test $rc = 129
run "$STROBE" sched latency -s nosuch -i s.data
check "an unknown key: status 129" test $rc = 129
check "--prio names its list" fails 129 "bad list of priorities 'x'" sched timehist --prio x -i s.data
head -c $(($(stat -c %s s.data) / 2)) s.data >cut.data
check "a recording without its end says so" \
	fails 255 'it is cut short, and the formats of its tracepoints were at its end' sched latency -i cut.data
finish
