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
run "$STROBE" lock user -i made.data
check "waits that did not end are told" grep -q '^1 waits had not ended' out
run "$STROBE" lock user -x, -o -i made.data -F contended,wait_total
check "-o: who made others wait" sh -c 'grep -qx "2, 1600, :10\[10\]" out && grep -qx "1, 1400, :11\[11\]" out'
run "$STROBE" lock user -x, -t -i made.data -F contended,wait_total
check "-t: who waited" sh -c 'grep -qx "4, 2500, :11\[11\]" out && grep -qx "2, 2000, :12\[12\]" out'
run "$STROBE" lock user --tid 12 -x, -t -i made.data -F contended
check "--tid selects waiters" sh -c '[ "$(grep -vc "^#" out)" = 1 ]'
run "$STROBE" lock user -k contended -E 1 -q -x, -i made.data
check "-k and -E" grep -q '^2, 2400' out
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
# 10 times 8 ms; what runs in between may take the CPU.
holds() {
	awk -F', ' -v type="$1" -v name="$2" '$5 == type && $7 ~ name && $1 == 10 && $2 >= 76e6 && $9 == 1 &&
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
check "the same live" holds mutex '^held_by_slow$'
finish
