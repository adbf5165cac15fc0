#!/bin/bash
# top as text: what is hot now, of whom it was asked for, page after page.
. "$(dirname "$0")/lib.sh"
workload spin -O1 -fno-omit-frame-pointer
need_can sample
top() { timeout 60 "$STROBE" top --batch "$@"; }
row() { grep -E "^ +[0-9.]+%.* $1" "${2:-out}"; }
share() { sed -n "s/^ *\([0-9]*\)\.[0-9]*%.* $1\$/\1/p" "${2:-out}" | head -1; }

./spin 900 & spinner=$!
later_kill $spinner
run top -p $spinner -d 0.5 --rounds 3
check "top ends well after its rounds" test "$rc" = 0
check "--rounds 3 prints three pages" test "$(grep -c PerfTop: out)" = 3
head='^   PerfTop: +[0-9]+ irqs/sec  kernel: *[0-9.]+%  exact: *[0-9.]+% lost: [0-9]+/[0-9]+ drop: 0/0 '
check "the head has perf's form" grep -qE "$head\[[0-9]+Hz [^]]+\],  \(target_pid: $spinner\)" out
check "a hot function stands at the top" sh -c "grep -A4 PerfTop: out | grep -q '\[\.\] leaf'"
check "the cost of strobe is shown" grep -qE '^   (strobe|perf) itself: [0-9.]+% of one CPU' out
check "no control characters in a log" sh -c '! grep -q "$(printf "\033")" out'
# One page. On a busy machine the program may not run at once: without any row, look once more, for longer.
page() {
	run top -p $spinner -d 0.5 --rounds 1 "$@"
	grep -qE '^ +[0-9.]+%' out || run top -p $spinner -d 3 --rounds 1 "$@"
}
page -g --no-children
check "-g prints call graphs" sh -c 'grep -q -- "--.*outer\|---.*leaf" out'
page --call-graph dwarf,4096,caller
check "call graphs from copied stacks" grep -q outer out
page -s comm,sym -n -E 1
check "sort keys, samples, one row" test "$(grep -cE '^ +[0-9.]+% +[0-9]+  spin ' out)" = 1
page --hierarchy -s comm,sym
check "--hierarchy prints a tree" sh -c 'grep -qE "^ +[0-9.]+% +spin *$" out && grep -qE "^ +[0-9.]+% +\[\.\] leaf" out'
run top -p $spinner -d 0.5 --rounds 1 -U
check "-U: no rows of user space" sh -c '! grep -q "\[\.\]" out && grep -q PerfTop out'
page -K
check "-K: no rows of the kernel" sh -c '! grep -q "\[k\]" out && grep -q "\[\.\]" out'
run top -p $spinner -d 0.5 --rounds 1 -f 1000000
check "-f: rows of few samples are hidden" sh -c 'grep -q PerfTop out && ! grep -q "\[\.\]" out'
run top -p $spinner -d 0.5 --rounds 2 -c 1000000
check "-c: the head shows the period" grep -q '\[1000000 ' out

# Fading: what ended counts less with each page; -z shows the new samples alone.
./spin 1 & short=$!
later_kill $short
run top -p $short,$spinner -s pid -d 1 --rounds 4
check "rows of ended tasks fade and are not forgotten at once" sh -c "tail -4 out | grep -q ' $short:spin'"
./spin 1 & short=$!
later_kill $short
run top -p $short,$spinner -s pid -d 1 --rounds 4 -z
check "-z: who has ended is gone" \
	sh -c "tail -4 out | grep -q ' $spinner:spin' && ! tail -4 out | grep -q ' $short:spin'"
./spin 3 & short=$!
later_kill $short
run top -p $short -d 0.5
check "a log ends with what it watches" sh -c "test $rc = 0 && grep -q 'have ended' out"

# 500 threads; and processes that come and go faster than anybody could read /proc.
cat >many.c <<'C'
#include <pthread.h>
#include <unistd.h>
static volatile unsigned long sink;
static void *crowd(void *arg)
{
	for (;;) {
		for (int i = 0; i < 20000; i++)
			sink += i;
		usleep(20000);
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 499; i++)
		pthread_create(&t, NULL, crowd, NULL);
	crowd(NULL);
}
C
cc -O1 -pthread -o many many.c
taskset -c $one_cpu ./many & many=$!
later_kill $many
until_true eval '[ "$(ls /proc/$many/task | wc -l)" = 500 ]'
for rounds in 2 10 40; do	# the busier the machine, the longer until most of them have run
	run top -p $many -s pid,sym -n -d 1 --rounds $rounds -E 2000 --percent-limit 0
	rows=$(grep -oE '[0-9]+:many +\[\.\] crowd' out | sort -u | wc -l)
	[ "$rows" -le 400 ] || break
done
check "500 threads, most of them with a row" test "$rows" -gt 400
if [ -n "${STROBE_SANITIZED:-}" ]; then
	skip_part "lost records: with sanitizers strobe is too slow for so many threads beside other tests"
else
	check "no record is lost" grep -q 'lost: 0/0' out
fi
kill $many

run top -p 999999999 --rounds 1
check "nobody of that number" sh -c "test $rc != 0 && grep -q 999999999 err"
run top ./spin 1
check "top runs no command" sh -c "test $rc = 129 && grep -q 'runs no command' err"
run top --stitch-lbr
check "a refused option is explained" grep -q 'not while samples arrive' err
if can system raw_syscalls:sys_enter; then
	run top -e raw_syscalls:sys_enter -ns comm -d 0.5 --rounds 1
	check "system calls by program" grep -qE '^ +[0-9.]+% +[0-9]+  [^ ]' out
	run top -e cpu-clock,raw_syscalls:sys_enter -d 0.5 --rounds 1
	check "the first of several events is shown" grep -q '\[cpu-clock' out
	sh -c 'for i in $(seq 2000); do /bin/true; done' & storm=$!
	later_kill $storm
	run top -s comm -d 1 --rounds 2
	check "a fork storm: its children have their name" grep -qE '^ +[0-9.]+%  true' out
	cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	awk '$3 == "cgroup" && $4 ~ /perf_event/ { found = 1 } END { exit !found }' /proc/mounts && cgroups=
	if [ -n "$cgroups" ] && mkdir "$cgroups/strobe-top-$$" 2>/dev/null; then
		./spin 900 & inside=$!
		later_kill $inside
		echo $inside >"$cgroups/strobe-top-$$/cgroup.procs"
		run top -e cpu-clock -G "strobe-top-$$" -a -s pid -d 1 --rounds 1
		check "-G: only what runs in the control group" \
			sh -c "grep -q ' $inside:spin' out && ! grep -q ' $spinner:spin' out"
		kill -9 $inside
		wait $inside 2>/dev/null
		for _ in $(seq 50); do rmdir "$cgroups/strobe-top-$$" 2>/dev/null && break; sleep 0.1; done
	else
		skip_part "-G: no control group can be made here"
	fi
	run top -u "$(id -u)" -e cpu-clock -s comm -d 1 --rounds 1
	check "-u: the head names the user" grep -q "(uid: $(id -u)" out
	run top -t $spinner -d 0.5 --rounds 1
	check "-t: the head names the thread" grep -q "(target_tid: $spinner)" out
	run top -C 0 -d 0.5 --rounds 1
	check "-C is in the heading" grep -q '(all, CPU(s): 0)' out
else
	skip_part "the whole system: $why_not"
fi
keep_level
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ]; then
	chmod 755 . && cp "$STROBE" ./as_user && cp spin spin_user
	setpriv --reuid 65534 --clear-groups ./spin_user 900 & theirs=$!
	later_kill $theirs
	until_true grep -q spin_user /proc/$theirs/comm # before, the kernel hides it from its own user
	HOME=/ run timeout 60 setpriv --reuid 65534 --clear-groups ./as_user top --batch -d 2 --rounds 2 -s comm
	check "without privilege top shows own processes and says so" \
		sh -c 'grep -q "(uid: 65534" out && grep -q "only processes of this user" out && grep -q spin_user out'
else
	skip_part "without privilege: needs root and perf_event_paranoid of 1 or more"
fi
finish
