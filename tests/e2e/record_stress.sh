#!/bin/bash
# record under stress: killed, out of space, out of descriptors, flooded. Written data stays
# readable, and the target does not stay behind.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
event=cpu-clock:u

wait_gone() { until_true eval "! kill -0 $1"; }
# start OPTIONS...: record ./spin 20 in the background; $recorder and $target are the pids
start() {
	rm -f target
	"$STROBE" record -q -N -e $event -o k.data "$@" sh -c 'echo $$ >target; exec ./spin 20' 2>err </dev/null &
	recorder=$!
	until_true test -s target
	target=$(cat target)
	later_kill "$target"; later_kill $recorder
}

# --- SIGKILL: everything except the last second is there, in each form: at least 150 samples of 300
# ms at 500 Hz
for options in "-F 500" "-F 500 -g" "-F 500 --call-graph dwarf" "-F 20000" "-F 500 -z"; do
	rm -f k.data
	start $options
	used "$target" 300; sleep 1.3
	kill -9 $recorder; wait $recorder 2>/dev/null
	kill -9 "$target"
	n=$(samples k.data)
	check "killed, $options: $n samples" at_least "$n" 100
	for reader in $readers; do
		check "killed, $options: ${reader##*/} reads it" quietly $reader script -i k.data
		check "killed, $options: ${reader##*/} finds the samples" at_least "$(grep -c clock reader.out)" 100
	done
done
"$STROBE" record -q -e $event -F 500 -o - ./spin 20 >k.pipe 2>/dev/null & recorder=$!
for i in $(seq 500); do target=$(pgrep -P $recorder -x spin) && break; sleep 0.02; done
used "$target" 300; sleep 1.3; kill -9 $recorder; wait $recorder 2>/dev/null; kill -9 "$target"
check "a stream whose writer was killed has samples" at_least "$(samples k.pipe)" 100

# --- signals end the recorder cleanly, and the target with it
for end in INT:130 TERM:143 HUP:129 QUIT:131; do
	rm -f k.data
	start
	used "$target" 100
	kill -"${end%:*}" $recorder; wait $recorder 2>/dev/null; rc=$?
	check "${end%:*}: ends with ${end#*:}" test $rc = "${end#*:}"
	check "${end%:*}: the target ends too" wait_gone "$target"
	check "${end%:*}: the file is whole" at_least "$(samples k.data)" 50
	check "${end%:*}: with its features" sh -c '"$STROBE" report --header-only -i k.data | grep -q "# cmdline :"'
done

# --- no space
run "$STROBE" record -q -N -e $event -o /dev/full true
check "full at once: 255 and the path" \
	sh -c "test $rc = 255 && grep -q \"'/dev/full'\" err && grep -q 'No space left' err"
( ulimit -f 60; run "$STROBE" record -q -N -e $event -F 20000 -g -o u.data ./spin 20; echo $rc >rc; cp err u.err )
check "file size limit: an error, not a death" test "$(cat rc)" = 255
check "the error names the file" grep -q "'u.data'" u.err
check "the part that fitted is readable" at_least "$(samples u.data)" 100
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir small
	unshare \
		-m sh -c "mount -t tmpfs -o size=300k tmpfs small && cd small &&
		'$STROBE' record -q -N -e $event -F 20000 -g -o d.data ../spin 20 2>../err
		echo \$? >../rc; cp d.data ../full.data" </dev/null
	for form in "" --threads; do
		unshare \
			-m sh -c "mount -t tmpfs -o size=64k tmpfs small && cd small &&
			echo precious >d.data; cat /dev/zero >rest 2>/dev/null
			'$STROBE' record -q -N -e $event $form -o d.data true 2>../first.err
			echo \$? >../first.rc; ls >../first.ls; cat d.data >../first.data" \
				</dev/null
		check "full before the first byte $form: 255 and the path" \
			sh -c "test \$(cat first.rc) = 255 && grep -q \"'d.data\" first.err"
		check "full before the first byte $form: all is as it was" \
			sh -c 'test "$(cat first.data)" = precious -a "$(echo $(cat first.ls))" = "d.data rest"'
	done
	check "a full disk: status 255" test "$(cat rc)" = 255
	check "full disk: the path and the reason" \
		sh -c "grep -q \"'d.data'\" err && grep -q 'No space left on device' err"
	check "full disk: what fitted is readable" at_least "$(samples full.data)" 500
	for reader in $readers; do check "full disk: ${reader##*/} reads it" quietly $reader script -i full.data; done
else
	skip_part "a full disk: needs root and mount namespaces"
fi

# --- many threads, forks, events
cat >many.sh <<'EOF'
i=0; while [ $i -lt 300 ]; do (:) ; /bin/true; i=$((i + 1)); done
EOF
run "$STROBE" record -q -N -e $event -o many.data sh many.sh
"$STROBE" report --stats -i many.data >stats
check "600 forks are recorded" at_least "$(awk '/FORK events/ { print $3; exit }' stats)" 600
check "all 600 exits are recorded" at_least "$(awk '/EXIT events/ { print $3; exit }' stats)" 600
check "all 300 execs are recorded" at_least "$(awk '/COMM events/ { print $3; exit }' stats)" 300
for i in 1 2 3 4 5 6 7 8; do
	sleep 0.0$i &
	run "$STROBE" record -q -N -e $event -p $! -o race.data
	check "a process that ends meanwhile: $rc, and words if it came to nothing" test $rc = 0 -o -s err
done
cat >threads.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *wait_long(void *p) { sleep(60); return p; }
int main(int argc, char **argv)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	for (int i = 0; i < atoi(argv[1]); i++)
		pthread_create(&t, &a, wait_long, NULL);
	write(1, "x", 1);
	sleep(60);
	return 0;
}
EOF
cc -o threads threads.c -lpthread || exit 1
# each thread takes a descriptor per CPU
most=$(ulimit -Hn | sed s/unlimited/999999/)
many=$(((most - 200) / $(getconf _NPROCESSORS_ONLN)))
[ $many -lt 500 ] || many=500
./threads $many >ready & target=$!; later_kill $target
until_true test -s ready
( ulimit -n 200; run "$STROBE" record -q -N -e $event -p $target -o t.data sleep 0.1; echo $rc >rc; cp err t.err )
check "$((many + 1)) threads, 200 descriptors: the limit is raised, if we may, or named" \
	sh -c '[ $(cat rc) = 0 ] || { grep -q "too many open files" t.err && grep -Eq "ulimit -n|nofile" t.err; }'
run "$STROBE" record -q -N -e $event -p $target -o t.data sleep 0.1
check "a process with $((many + 1)) threads is recorded" test $rc = 0
check "each with its name" at_least \
	"$("$STROBE" report --stats -i t.data | awk '/COMM events/ { print $3; exit }')" $((many + 1))
kill $target

# --- floods: kept and lost records add up
if [ "$(id -u)" = 0 ] && [ -d /sys/kernel/tracing/events/syscalls/sys_enter_getppid ]; then
	cat >flood.c <<'EOF'
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(int argc, char **argv) { for (long i = atol(argv[1]); i > 0; i--) syscall(SYS_getppid); return 0; }
EOF
	cc -O1 -o flood flood.c || exit 1
	for size in "-m 8" ""; do
		run "$STROBE" record -N -e syscalls:sys_enter_getppid $size -o f.data ./flood 1000000
		lost=$(sed -n 's/^\([0-9]*\) samples were lost.*/\1/p' err)
		kept=$(samples f.data)
		# The kernel counts a lost sideband record as a lost sample of its event.
		sum=$((kept + ${lost:-0}))
		if [ "${lost:-0}" -gt 0 ]; then
			"$STROBE" report --stdio -i f.data >/dev/null 2>report.err
			check "report mentions $lost lost samples once" \
				sh -c "grep -c 'were lost while recording' report.err | grep -qx 1 &&
				grep -q '^Warning: $lost samples were lost while recording, in [0-9]* places: ' \
					report.err"
		fi
		check "rings ${size:-as usual}: $kept kept and ${lost:-0} lost are all, within 0.01 %" \
			test $sum -ge 1000000 -a $sum -le 1000100
	done
	"$STROBE" record -q -N -F 20000 -e cpu-clock,syscalls:sys_enter_getppid -g -o f.data ./flood \
		1000000 2>/dev/null &
	recorder=$!
	peak=0
	while kill -0 $recorder 2>/dev/null; do
		now=$(awk '/RssAnon/ { print $2 }' /proc/$recorder/status 2>/dev/null)
		[ "${now:-0}" -gt $peak ] && peak=$now
		sleep 0.02
	done
	wait $recorder
	[ -n "${STROBE_SANITIZED:-}" ] || check "memory of our own: $peak KB" test $peak -lt 32768

	# --- the reader runs on the CPU of the writer and gets no time there for 0.4 s, while the
	# writer continues elsewhere
	cat >paced.c <<'EOF'
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
int main(void)
{
	double start = now(), at;
	long done = 0;

	for (; (at = now()) < start + 2; usleep(1000))
		for (; done < (at - start) * 200000; done++)
			syscall(SYS_getppid);
	printf("%ld\n", done);
	return 0;
}
EOF
	cat >hog.c <<'EOF'
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
/* Takes the CPU that a thread has bound itself to, before it. */
int main(int argc, char **argv)
{
	struct sched_param p = { .sched_priority = 50 };
	cpu_set_t where;
	double start;

	for (int i = 0; !i || CPU_COUNT(&where) != 1; i++)
		if (i == 1000 || usleep(1000) < 0 || sched_getaffinity(atoi(argv[1]), sizeof(where), &where) < 0)
			return 77;
	if (sched_setaffinity(0, sizeof(where), &where) < 0 || sched_setscheduler(0, SCHED_FIFO, &p) < 0)
		return 77;
	for (start = now(); now() < start + 0.4; )
		;
	return 0;
}
EOF
	cc -O1 -o paced paced.c && cc -O1 -o hog hog.c || exit 1
	# Without the backup reader a tenth is lost each time; with it only a little, unless other
	# programs let neither of them run.
	for attempt in 1 2 3; do
		"$STROBE" record -N -B -m 64 -e syscalls:sys_enter_getppid -o p.data ./paced >made 2>err & recorder=$!
		sleep 0.5; ./hog $recorder; rc=$?
		wait $recorder
		[ $rc != 0 ] || [ "$(samples p.data)" -lt $(($(cat made) / 100 * 98)) ] || break
	done
	if [ $rc = 0 ]; then
		check "the reader does not run: $(samples p.data) of $(cat made) samples are kept" \
			at_least "$(samples p.data)" $(($(cat made) / 100 * 98))
	else
		skip_part "a reader that does not run: one CPU, or no realtime priority here"
	fi
else
	skip_part "floods: not root, or no syscall tracepoints"
fi
finish
