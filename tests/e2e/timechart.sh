#!/bin/bash
# timechart: boxes of known tasks at known places, and a picture of perf's own recording.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"),
                 ("prev_state", "q"), ("next_comm", "16s"), ("next_pid", "i"), ("next_prio", "i")])
woke = t.event("sched", "sched_wakeup", [("comm", "16s"), ("pid", "i"), ("prio", "i")])
idle = t.event("power", "cpu_idle", [("state", "I"), ("cpu_id", "I")])
MS = 1000000


def change(time, prev, state, after, cpu=0):
    t.sample(switch, time, cpu=cpu, tid=prev[1], prev_comm=prev[0], prev_pid=prev[1], prev_state=state,
             next_comm=after[0], next_pid=after[1])


none, a, b = (b"swapper/0", 0), (b"a<b", 50), (b"other", 60)
start = 1000 * MS
change(start, none, 0, a)
change(start + 30 * MS, a, 2, b)                                     # a is blocked 20 ms, b runs 40 ms
t.sample(woke, start + 50 * MS, tid=60, comm=a[0], pid_=50)         # b wakes a, which waits 20 ms
change(start + 70 * MS, b, 1, a)
change(start + 80 * MS, a, 1, none)
t.sample(idle, start + 80 * MS, state=2, cpu_id=0)
t.sample(idle, start + 100 * MS, state=2**32 - 1, cpu_id=0)
t.write("made.data")

# switches that are missing: b comes back without having got the CPU, a is followed by one who was not its successor
c = (b"third", 70)
t.events, t.records = [switch], []
change(start, none, 0, b)
change(start + 10 * MS, b, 1, none)
change(start + 50 * MS, b, 1, a)
change(start + 90 * MS, c, 1, b)
change(start + 100 * MS, b, 1, none)
t.write("holes.data")

t = make_trace.Trace()
enter = t.event("syscalls", "sys_enter_read", [("fd", "Q")])
leave = t.event("syscalls", "sys_exit_read", [("ret", "q")])
t.comm(50, 50, "reader")
for i, ret in enumerate((1000, 3000, -11, -2)):
    t.sample(enter, start + i * 10 * MS, pid=50, tid=50)
    t.sample(leave, start + i * 10 * MS + 5 * MS, pid=50, tid=50, ret=ret)
t.sample(enter, start + 100 * MS, pid=50, tid=50)
t.write("io.data")
EOF2
must python3 made.py "$STROBE_SOURCE/tests/lib"
cat >boxes.py <<'EOF2'
"""Print the boxes with tips: class, x, y, width, tip."""
import sys
import xml.etree.ElementTree as tree

for box in tree.parse(sys.argv[1]).getroot():
    tip = box.find("{http://www.w3.org/2000/svg}title")
    if tip is not None:
        print(box.get("class"), *(float(box.get(k)) for k in ("x", "y", "width")), tip.text, sep="\t")
EOF2
chart() {	# options: the boxes
	run "$STROBE" timechart -i "${data:-made.data}" -o chart.svg "$@"
	check "timechart $* succeeds" test $rc = 0
	python3 boxes.py chart.svg
}

chart >all
check "timechart says what it wrote" grep -q '^Written 0.1 seconds of trace to chart.svg.$' err
check "100 ms are 1000 pixels: a ran 30 ms" grep -q $'^run\t0.0\t82.0\t300.0\trunning on CPU 0, 30.000 ms' all
check "was blocked 20 ms" grep -q $'^block\t300.0\t82.0\t200.0\tblocked, 20.000 ms' all
check "the task waits for 20 ms" grep -q $'^wait\t500.0\t82.0\t200.0\twaiting' all
check "the task runs again after it waited" grep -q $'^run\t700.0\t82.0\t100.0\t' all
check "the other one ran 40 ms" grep -q $'^run\t300.0\t104.0\t400.0\t' all
check "the CPU has all three" test "$(grep -c $'^run\t[0-9.]*\t60.0\t' all)" = 3
check "the CPU is idle for 20 ms" grep -q $'^idle\t800.0\t60.0\t200.0\tidle, state C2, 20.000 ms' all
check "names in the picture are escaped" grep -q '>a&lt;b:50, 40.000 ms</text>' chart.svg
check "a line shows that b wakes a" grep -q '<line class="wake" x1="500.00" y1="104" x2="500.00" y2="98"' chart.svg
chart -T >tasks
check "-T shows only tasks" sh -c '! grep -q "^idle" tasks && [ $(wc -l <tasks) = 5 ]'
chart -P >power
check "-P shows only CPUs" sh -c '[ $(wc -l <power) = 1 ] && grep -q "^idle" power'
chart -T -p 60 >one
check "-p shows one task" sh -c '[ $(wc -l <one) = 1 ]'
chart -T -n 1 -w 500 >narrow
check "-w sets the width" grep -q $'^run\t0.0\t60.0\t150.0\t' narrow
chart -T --highlight 35000000 >high
check "--highlight of a time" test "$(grep -c '^high' high)" = 1
chart -T --highlight 'a<b' >high
check "--highlight of a name" test "$(grep -c '^high' high)" = 2
chart -t >/dev/null
data=io.data chart >io
check "reads, and what failed" sh -c '[ $(grep -c "^disk" io) = 2 ] && [ $(grep -c "^error" io) = 2 ]'
check "reads are shown with their bytes" grep -q 'reader:50, 4000 bytes</text>' chart.svg
check "--io-skip-eagain leaves out EAGAIN" test "$(data=io.data chart --io-skip-eagain | grep -c '^error')" = 1
check "--io-min-time widens short calls" grep -q $'^disk\t0.0\t68.0\t80.0' <(data=io.data chart --io-min-time 8ms)
check "--io-merge-dist joins near calls" test "$(data=io.data chart --io-merge-dist 6ms | grep -c '^disk')" = 1
data=holes.data chart -n 9 >holes
check "who is not seen to come has run for no known time" \
	test "$(grep '^run' holes | cut -f 2,4 | tr '\t\n' ' ,')" = "0.0 100.0,0.0 100.0,900.0 100.0,900.0 100.0,"
run "$STROBE" timechart -P -T -i made.data
check "-P and -T exclude each other" test $rc = 129
run "$STROBE" timechart --io-min-time soon -i made.data
check "a bad --io-min-time is bad usage" test $rc = 129
run "$STROBE" timechart -i made.data --highlight ''
check "an empty --highlight is bad usage, and named" sh -c "[ $rc = 129 ] && grep -q -e --highlight err"

# --- recordings of this machine
if can system sched:sched_switch; then
	# however quiet the machine is: a box for each sleep
	naps='for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; done'
	must "$STROBE" timechart record -o t.data sh -c "$naps"
	data=t.data chart >boxes
	check "tasks of a live recording are shown" at_least "$(grep -c '^run' boxes)" 10
	must "$STROBE" timechart record -I -o i.data cat /etc/passwd
	data=i.data chart -p cat >boxes
	check "cat reads and writes" at_least "$(grep -c '^disk' boxes)" 2
	if command -v perf >/dev/null && perf timechart record sh -c "$naps" >/dev/null 2>&1; then
		data=perf.data chart >boxes
		check "tasks of perf's recording are shown" at_least "$(grep -c '^run' boxes)" 10
	else
		skip_part "perf's recording: no perf with timechart here"
	fi
else
	skip_part "recordings of this machine: $why_not"
fi
run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" timechart -i plain.data -o none.svg
check "a recording without such events names timechart record" grep -q 'try: .*timechart record' err
check "without events no picture is written" test ! -e none.svg
mkfifo taken
run "$STROBE" timechart -i plain.data -o taken <>taken
check "without events a FIFO at that place stays" test -p taken
echo old >none.svg
run "$STROBE" timechart -i plain.data -o none.svg
check "without events an older picture stays" grep -q old none.svg
finish
