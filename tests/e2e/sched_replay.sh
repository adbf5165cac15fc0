#!/bin/bash
# sched replay: two tasks that wake each other, whose runs and order are known.
. "$(dirname "$0")/lib.sh"
need python3
# Ten rounds: 7 runs 2 ms and wakes 8, which runs 1 ms and wakes 7; at last 9 sleeps, whom nobody wakes.
cat >made.py <<'EOF2'
import os, sys
sys.path.insert(0, os.environ["STROBE_SOURCE"] + "/tests/lib")
import make_trace
t = make_trace.Trace()
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"),
    ("prev_state", "q"), ("next_comm", "16s"), ("next_pid", "i"), ("next_prio", "i")])
waking = t.event("sched", "sched_waking", [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")])
MS, now = 1000000, 1000000
def leave(tid, after, state=1):
    t.sample(switch, time=now, cpu=0, pid=tid, tid=tid, prev_comm=b"t%d" % tid, prev_pid=tid, prev_state=state,
        next_comm=b"t%d" % after, next_pid=after)
def wake(tid, whom):
    t.sample(waking, time=now, cpu=0, pid=tid, tid=tid, comm=b"t%d" % whom, pid_=whom)
leave(9, 8)
leave(8, 7)
for i in range(10):
    now += 2 * MS
    wake(7, 8)
    leave(7, 8)
    now += 1 * MS
    wake(8, 7)
    leave(8, 7)
now += 1 * MS
leave(7, 9, 0)
t.write("made.data")
EOF2
must python3 made.py
# 31 ms of CPU time, one after the other: they cannot take less wall time, even on two CPUs. Where the host of a virtual
# machine takes a CPU meanwhile, its time counts as theirs: look again then.
for _ in 1 2 3 4 5; do
	run timeout 60 "$STROBE" sched replay -i made.data -r 2
	! awk -F'[ ,:]+' '/^#/ && $(NF - 2) > 60 { bad = 1 } END { exit !bad }' out || continue
	break
done
check "replay counts the events" grep -q '^nr_run_events:  *23$' out
check "each wake-up of a sleeper counts" grep -q '^nr_wakeup_events:  *20$' out
check "each task has its steps" sh -c 'grep -Eq "\(  *t7: +7\), nr_events: 31$" out &&
	grep -Eq "\(  *t8: +8\), nr_events: 30$" out && grep -Eq "\(  *t9: +9\), nr_events: 0$" out'
check "runs take the CPU time of the recording, in their order" awk -F'[ ,:]+' '
	/^#/ { n++; if ($2 < 31 || $(NF - 2) < 31 || $(NF - 2) > 60) bad = 1; print }
	END { exit bad || n != 2 }' out
run "$STROBE" sched replay -i made.data -r 0
check "-r 0 plays nothing" sh -c '! grep -q "^#" out'
run "$STROBE" sched replay -i made.data x
check "words are refused: 129" test $rc = 129
finish
