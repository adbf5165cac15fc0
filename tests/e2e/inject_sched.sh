#!/bin/bash
# inject -s: each sleep becomes a sample of the switch with which it began, as perf makes it.
. "$(dirname "$0")/lib.sh"
need python3

cat >made.py <<'EOF2'
import os, sys
sys.path.insert(0, os.environ["STROBE_SOURCE"] + "/tests/lib")
import make_trace
t = make_trace.Trace()
sw = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"), ("prev_state", "q"),
                                       ("next_comm", "16s"), ("next_pid", "i"), ("next_prio", "i")],
             '"prev=%d", REC->prev_pid')
stat = [("comm", "16s"), ("pid", "i"), ("delay", "Q")]
st = t.event("sched", "sched_stat_sleep", stat, '"pid=%d", REC->pid')
io = t.event("sched", "sched_stat_iowait", stat, '"pid=%d", REC->pid')
ex = t.event("sched", "sched_process_exit", [("comm", "16s"), ("pid", "i"), ("prio", "i")], '"pid=%d", REC->pid')
clock = t.software(0)
t.comm(7, 7, "seven")
t.comm(8, 8, "eight")
def switch(time, tid, to):
    t.sample(sw, time=time, pid=tid, tid=tid, prev_comm=b"x", prev_pid=tid, prev_state=1, next_comm=b"y", next_pid=to)
def slept(event, time, pid, delay):
    t.sample(event, time=time, pid=0, tid=0, period=delay, comm=b"x", pid_=pid, delay=delay)
switch(1000000, 7, 8)
t.sample(clock, time=1500000, pid=8, tid=8, period=250000)
switch(2000000, 8, 0)
slept(st, 5000000, 7, 3990000)
slept(io, 5000100, 7, 1234)      # twice: both are written
slept(st, 6000000, 9, 77)       # never left: nothing
switch(7000000, 7, 0)
t.sample(ex, time=7500000, pid=7, tid=7, comm=b"x")
slept(st, 8000000, 7, 990000)   # ended: nothing
slept(st, 9000000, 8, 6990000)
switch(9500000, 8, 0)
slept(st, 9600000, 8, 100000)
t.write(sys.argv[1])
EOF2
must python3 made.py pipe.data
must "$STROBE" inject -b -i pipe.data -o raw.data
lines() { "$STROBE" script -F comm,tid,time,period,event -i "$1" | sed 's/^ *//; s/  */ /g'; }
cat >expected <<'EOF2'
eight 8 0.001500: 250000 cpu-clock: 
seven 7 0.005000: 3990000 sched:sched_switch: 
seven 7 0.005000: 1234 sched:sched_switch: 
eight 8 0.009000: 6990000 sched:sched_switch: 
eight 8 0.009600: 100000 sched:sched_switch: 
EOF2
for from in raw pipe; do
	must "$STROBE" inject -v -s -i $from.data -o ours.data
	lines ours.data >ours
	check "$from: sleeps have the place of their switch, and their length" diff expected ours
done
check "the switch keeps its fields" sh -c '"$STROBE" script -F trace -i ours.data | grep -q "prev=7"'
check "names of tracepoints go with a rewritten file" grep -q sched:sched_switch <("$STROBE" evlist -i raw.data)
if perf inject -s -i raw.data -o theirs.data >/dev/null 2>&1 && [ -s theirs.data ]; then
	lines theirs.data >theirs
	check "perf writes the same" diff theirs ours
	perf script -F comm,tid,time,period,event -i ours.data 2>/dev/null | sed 's/^ *//; s/  */ /g' >again
	check "perf reads the same samples" diff expected again
fi
python3 - <<'EOF2'
import os, sys
sys.path.insert(0, os.environ["STROBE_SOURCE"] + "/tests/lib")
import make_trace
t = make_trace.Trace()
t.sample(t.software(0), time=1)
t.write("plain.data")
EOF2
run "$STROBE" inject -s -i plain.data -o x.data
check "inject -s without sleeps says which events are missing" sh -c '[ '$rc' != 0 ] && grep -q "sched_stat_" err'
finish
