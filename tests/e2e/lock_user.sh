#!/bin/bash
# lock user: who held the locks of programs, for known times, and in a made-up recording.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need python3

# Threads 10, 11 and 12; word 0x1000 is a mutex, 0x2000 a condition whose waiter is moved to 0x3000.
cat >made.py <<'EOF2'
import os, sys
sys.path.insert(0, os.environ["STROBE_SOURCE"] + "/tests/lib")
import make_trace
t = make_trace.Trace()
enter = t.event("syscalls", "sys_enter_futex", [("uaddr", "Q"), ("op", "Q"), ("val", "Q"), ("utime", "Q"),
    ("uaddr2", "Q"), ("val3", "Q")])
leave = t.event("syscalls", "sys_exit_futex", [("ret", "q")])
waitv = t.event("syscalls", "sys_enter_futex_waitv", [("waiters", "Q"), ("nr_futexes", "Q"), ("flags", "Q"),
    ("timeout", "Q"), ("clockid", "Q")])
left_waitv = t.event("syscalls", "sys_exit_futex_waitv", [("ret", "q")])
requeue = t.event("syscalls", "sys_enter_futex_requeue", [("waiters", "Q"), ("flags", "Q"), ("nr_wake", "Q"),
    ("nr_requeue", "Q")])
left_requeue = t.event("syscalls", "sys_exit_futex_requeue", [("ret", "q")])
PRIVATE, WAIT, WAKE, CMP_REQUEUE, LOCK_PI, UNLOCK_PI = 128, 0, 1, 4, 6, 7
def call(time, tid, op, word, val=0, **more):
    t.sample(enter, time=time, cpu=0, pid=10, tid=tid, comm=b"t%d" % tid, uaddr=word, op=op | PRIVATE, val=val, **more)
def done(time, tid, ret=0):
    t.sample(leave, time=time, cpu=0, pid=10, tid=tid, comm=b"t%d" % tid, ret=ret)
call(1100, 11, WAIT, 0x1000, 2)             # both want the lock of 10
call(1200, 12, WAIT, 0x1000, 2)
call(2000, 10, WAKE, 0x1000, 1); done(2050, 10, 1)
done(2100, 11)                              # 1000 ns because of 10
call(2500, 11, WAKE, 0x1000, 1)
done(2600, 12)                              # 1400 ns because of 11, whose call ends later
done(2700, 11, 1)
call(2800, 10, WAKE, 0x1000, 1); done(2810, 10, 0)   # nobody is there any more
call(3000, 11, WAIT, 0x2000, 7)             # a condition; its waiter is moved to a lock, and woken there
call(3100, 10, CMP_REQUEUE, 0x2000, 0, utime=9, uaddr2=0x3000); done(3110, 10, 1)
call(3500, 12, WAKE, 0x3000, 1); done(3510, 12, 1)
done(3600, 11)                              # 600 ns because of 12
call(4000, 11, WAIT, 0x4000, 2); done(4300, 11, -110)     # timed out
call(4400, 11, WAIT, 0x5000, 2); done(4410, 11, -11)      # the word had changed: no wait
call(5000, 12, LOCK_PI, 0x6000)
call(5500, 10, UNLOCK_PI, 0x6000); done(5510, 10, 0)
done(5600, 12)                              # 600 ns because of 10
call(6000, 11, WAIT, 0x7000, 2)             # a deadlock
call(6500, 10, WAKE, 0x8000, 1); done(6600, 10, 0)
t.write("made.data")

# Calls whose words are in the memory of the program: who is woken there waited for what was woken.
t.records = []
def several(time, tid, event, **values):
    t.sample(event, time=time, cpu=0, pid=10, tid=tid, comm=b"t%d" % tid, **values)
several(1000, 11, waitv, waiters=0x7000, nr_futexes=2)
call(1200, 10, WAKE, 0x8000, 1); done(1210, 10, 0)      # nobody waits for this one
call(1500, 10, WAKE, 0x9000, 1); done(1510, 10, 1)
several(1600, 11, left_waitv, ret=1)                    # 600 ns because of 10
several(2000, 12, waitv, waiters=0x7000, nr_futexes=2)
several(2300, 12, left_waitv, ret=-110)                 # timed out
call(3000, 11, WAIT, 0xa000, 7)                         # moved from there to a word that is not told
call(3100, 12, WAIT, 0xa000, 7)
several(3200, 10, requeue, waiters=0x7100, nr_wake=1, nr_requeue=1); several(3210, 10, left_requeue, ret=2)
done(3300, 11)                                          # 300 ns because of 10, which woke one
call(3900, 13, WAKE, 0xb000, 1); done(3910, 13, 1)
done(4000, 12)                                          # 900 ns because of 13
t.write("several.data")
EOF2
must python3 made.py
cat >expected <<'EOF2'
# output: contended, total wait, max wait, avg wait, type, address, lock, pid, waiters, share, held by
2, 2400, 1400, 1200, mutex, 1000, 0x1000, 10, 2, 58.3, :11[11]
1, 600, 600, 600, futex, 2000, 0x2000, 10, 1, 100.0, :12[12]
1, 600, 600, 600, pi-mutex, 6000, 0x6000, 10, 1, 100.0, :10[10]
1, 600, 600, 600, mutex, 7000, 0x7000, 10, 1, 100.0, (has not ended)
1, 300, 300, 300, mutex, 4000, 0x4000, 10, 1, 100.0, (timed out)
EOF2
run "$STROBE" lock user -q -x, -i made.data
check "each wait has its owner" diff -u expected out
cat >expected <<'EOF2'
# output: contended, total wait, max wait, avg wait, type, address, lock, pid, waiters, share, held by
2, 1200, 900, 600, futex, a000, 0xa000, 10, 2, 75.0, :13[13]
1, 600, 600, 600, futex, 9000, 0x9000, 10, 1, 100.0, :10[10]
1, 300, 300, 300, futex, 0, (several words), 10, 1, 100.0, (timed out)
EOF2
run "$STROBE" lock user -q -x, -i several.data
check "futex_waitv and futex_requeue: who woke, and the word" diff -u expected out
run "$STROBE" lock user -i made.data
check "waits that did not end are reported" grep -q '^1 waits had not ended' out
run "$STROBE" lock user -x, -o -i made.data -F contended,wait_total
check "-o: who made others wait" sh -c 'grep -qx "2, 1600, :10\[10\]" out && grep -qx "1, 1400, :11\[11\]" out'
run "$STROBE" lock user -x, -t -i made.data -F contended,wait_total
check "-t has a row for each thread that waited" \
	sh -c 'grep -qx "4, 2500, :11\[11\]" out && grep -qx "2, 2000, :12\[12\]" out'
run "$STROBE" lock user --tid 12 -x, -t -i made.data -F contended
check "--tid selects threads that waited" sh -c '[ "$(grep -vc "^#" out)" = 1 ]'
run "$STROBE" lock user -k contended -E 1 -q -x, -i made.data
check "-k sorts and -E limits the rows" grep -q '^2, 2400' out
run "$STROBE" lock user -i made.data true
check "a recording runs no command: 129" test $rc = 129
run "$STROBE" lock contention -i made.data
check "a recording of futexes has no locks of the kernel" test $rc = 255

may_record
need_can system syscalls:sys_enter_futex
"$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" lock user -i plain.data
check "a recording without futexes names lock user record" grep -q 'try: .*lock user record' err
workload mutexes
must "$STROBE" lock user record -q -o real.data ./mutexes
"$STROBE" lock user -x, -i real.data >rows
# 10 times 8 ms; on a busy machine the waiter comes late, and waits less or not at all.
holds() {
	awk -F', ' -v type="$1" -v name="$2" '$5 == type && $7 ~ name && $1 >= 4 && $1 <= 10 && $2 >= 25e6 && $9 == 1 &&
		$10 >= 95 && $11 ~ /^holder/ { n++ } END { exit !n }' rows
}
check "a mutex, by its name" holds mutex '^held_by_slow$'
check "a mutex that inherits priorities" holds pi-mutex '^of_heirs$'
check "a mutex on the heap, by its address" holds mutex '^0x'
check "a thread that is joined made wait until it ended" grep -q ' join, .* holder\[' rows
"$STROBE" lock user -v -i real.data >stacks
after() { awk -v start="$1" '$0 ~ start { n = 24 } n-- > 0' stacks | grep -q "$2"; }
check "-v: where the waiter was" after held_by_slow '  want+'
check "-v: where the holder was" after held_by_slow '  hold+'
run "$STROBE" lock user -x, ./mutexes
cp out rows
check "lock user shows the same live" holds mutex '^held_by_slow$'

# The second of two words, after 10 times 8 ms.
cat >waitv.c <<'EOF2'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
uint32_t first_word, second_word;
static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
/* Prints how long it waited: less, where it comes late because the machine is busy. */
static void *waiter(void *none)
{
	long long waited = 0;
	struct futex_waitv words[2] = { { 0, (uintptr_t)&first_word, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0 },
					{ 0, (uintptr_t)&second_word, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0 } };

	pthread_setname_np(pthread_self(), "waiter");
	for (int i = 0; i < 10; i++) {
		waited -= now();
		if (syscall(SYS_futex_waitv, words, 2, 0, NULL, 0) != 1)
			return (void *)1;
		waited += now();
	}
	printf("waited %lld\n", waited);
	return none;
}
int main(void)
{
	pthread_t thread;
	void *failed;

	if (syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) < 0 && errno == ENOSYS)
		return 77;
	pthread_create(&thread, NULL, waiter, NULL);
	pthread_setname_np(pthread_self(), "signaller");
	for (int i = 0; i < 10; i++) {
		nanosleep(&(struct timespec){ 0, 8000000 }, NULL);
		while (syscall(SYS_futex, &second_word, FUTEX_WAKE_PRIVATE, 1) < 1)
			nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	pthread_join(thread, &failed);
	return failed != NULL;
}
EOF2
if cc -O1 -o waitv waitv.c -lpthread 2>/dev/null && { ./waitv; [ $? != 77 ]; }; then
	run "$STROBE" lock user -x, ./waitv
	check "futex_waitv: the word that was woken, and by whom" \
		awk -F', ' '/^waited / { sub(/.* /, ""); waited = $0 }
			$7 == "second_word" && $10 >= 95 && $11 ~ /^signaller/ { told = $2 }
			END { exit !(told > 0.7 * waited && told <= waited && waited > 0) }' out
else
	skip_part "futex_waitv: this system has none"
fi

# The threads have their names at the end, although a live session forgets what ended when many processes come and go.
workload spawn
run "$STROBE" lock user -x, sh -c './mutexes; sleep 2.5; ./spawn 3000; sleep 1.5'
cp out rows
check "threads that ended long ago have names" holds mutex '^held_by_slow$'
finish
