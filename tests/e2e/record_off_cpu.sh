#!/bin/bash
# record --off-cpu: where threads sleep and how long, by thread and stack; long sleeps have a sample
# of their own.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can switches
must "$STROBE" record -q -N -e cpu-clock --off-cpu -o try.data true
cat >sleeps.c <<'EOF2'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
/* The C library keeps no frame pointer: it is whom nap returns to that stands in the stacks. */
__attribute__((noinline)) static void nap(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, 0);
	__asm__ volatile("");
}
__attribute__((noinline)) void short_sleeps(void) { for (int i = 0; i < 10; i++) nap(20); __asm__ volatile(""); }
__attribute__((noinline)) void long_sleep(void) { nap(400); __asm__ volatile(""); }
__attribute__((noinline)) void *other_sleep(void *p) { nap(100); __asm__ volatile(""); return p; }
static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
/* Prints how long each of them took. */
int main(void)
{
	pthread_t t;
	long long start = now(), joined, awake;

	pthread_create(&t, 0, other_sleep, 0);
	pthread_join(t, 0);
	joined = now();
	short_sleeps();
	awake = now();
	long_sleep();
	printf("%lld %lld %lld\n", joined - start, awake - joined, now() - awake);
	return 0;
}
EOF2
cc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o sleeps sleeps.c -lpthread || exit 1

# ns FUNCTION FILE: sum of the offcpu-time samples that have this function in their stacks
ns() { "$STROBE" script -F event,period,ip,sym -i "$2" 2>/dev/null | awk -v f="$1" '
	/offcpu-time/ { p = $1; hit = 0 } $2 == f && p && !hit { sum += p; hit = 1 } /^$/ { p = 0 }
	END { print sum + 0 }'
	}
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { echo "$1 is not between $2 and $3"; return 1; }; }
offcpu_samples() { "$STROBE" script -F event -i "$1" | grep -c offcpu-time; }

run "$STROBE" record -N -e cpu-clock --off-cpu --off-cpu-thresh 300 -o o.data ./sleeps
check "recorded: $(head -1 err)" test $rc = 0
# The program took longer: it ran, too. Where it loses its CPU between setting its timer and sleeping, it sleeps less.
read -r other short long <out
check "ten short sleeps are summed up" between "$(ns short_sleeps o.data)" 180000000 "$short"
check "a long sleep has its time" between "$(ns long_sleep o.data)" 360000000 "$long"
check "the sleep of another thread has its time" between "$(ns other_sleep o.data)" 90000000 "$other"
n=$(offcpu_samples o.data)
check "one sample per thread and stack: $n" test "$n" -ge 3 -a "$n" -le 16
run "$STROBE" record -q -N -e cpu-clock --off-cpu --off-cpu-thresh 0 -o all.data ./sleeps
check "a limit of 0: a sample for each" at_least "$(offcpu_samples all.data)" 12
check "report shows the event offcpu-time" \
	sh -c '"$STROBE" report --stdio -g none -i o.data | grep -q "of event .offcpu-time"'
check "times of the recording are those of its samples" \
	sh -c '"$STROBE" report --header-only -I -i o.data | grep -q "^# time of last sample : [0-9]\{1,9\}\.[0-9]*$"'
reads_cleanly o.data "--off-cpu" "script" "report --stdio"
for reader in $readers; do
	check "${reader##*/} names the event" \
		sh -c "'$reader' report --stdio -g none -i o.data 2>/dev/null | grep -q \"of event 'offcpu-time'\""
done

"$STROBE" record -q -N -e cpu-clock --off-cpu -o w.data -p "$(sh -c 'sleep 0.5 >/dev/null & echo $!')" 2>/dev/null
check "a process that sleeps already" test -s w.data
if [ "$(id -u)" = 0 ]; then
	run "$STROBE" record -q -N -a -e cpu-clock --off-cpu --off-cpu-thresh 300 -o a.data ./sleeps
	read -r other short long <out
	check "-a records the long sleep" between "$(ns long_sleep a.data)" 360000000 "$long"
fi
run "$STROBE" record -q -N -e cpu-clock --off-cpu --switch-output=1s -o r.data ./sleeps
check "--off-cpu works with --switch-output" test $rc = 0
run "$STROBE" record --off-cpu --off-cpu-thresh soon true
check "a bad --off-cpu-thresh is bad usage" test $rc = 129
finish
