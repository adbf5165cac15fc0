#!/bin/bash
# kwork: known durations of made events, and the text beside perf's for one recording.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
enter = t.event("irq", "irq_handler_entry", [("irq", "i"), ("name", "8s")])
leave = t.event("irq", "irq_handler_exit", [("irq", "i"), ("ret", "i")])
raised = t.event("irq", "softirq_raise", [("vec", "I")])
begin = t.event("irq", "softirq_entry", [("vec", "I")])
end = t.event("irq", "softirq_exit", [("vec", "I")])
activate = t.event("workqueue", "workqueue_activate_work", [("work", "Q")])
start = t.event("workqueue", "workqueue_execute_start", [("work", "Q"), ("function", "Q")])
done = t.event("workqueue", "workqueue_execute_end", [("work", "Q"), ("function", "Q")])
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_state", "q"),
                                           ("next_comm", "16s"), ("next_pid", "i")])
t.comm(50, 50, "busy")
MS = 1000000
now = 1000 * MS
t.sample(switch, now, prev_comm=b"swapper/0", prev_pid=0, next_comm=b"busy", next_pid=50)
for i in range(10):  # softirq 9: waits 1 ms, runs 2 ms
    t.sample(raised, now + 1 * MS, vec=9)
    t.sample(begin, now + 2 * MS, vec=9)
    t.sample(enter, now + 2 * MS + 500, irq=36, name=b"disk")   # runs 1 ms inside of it
    t.sample(leave, now + 3 * MS + 500, irq=36)
    t.sample(end, now + 4 * MS, vec=9)
    now += 10 * MS
t.sample(switch, now, prev_comm=b"busy", prev_pid=50, prev_state=1, next_comm=b"swapper/0", next_pid=0)
t.sample(raised, now, vec=1)                           # never starts
t.sample(end, now + 1, vec=3)                          # began before
t.sample(activate, now + MS, cpu=1, work=0xabc0)
t.sample(start, now + 4 * MS, cpu=1, work=0xabc0, function=0x1000)
t.sample(done, now + 9 * MS, cpu=1, work=0xabc0, function=0x1000)
t.sample(switch, now + 100 * MS, prev_comm=b"swapper/0", prev_pid=0, next_comm=b"busy", next_pid=50)
t.write("made.data")
EOF2
must python3 made.py "$STROBE_SOURCE/tests/lib"
kwork() { "$STROBE" kwork "$@" -i made.data 2>said; }

kwork report -S >report
check "ten softirqs of 2 ms" grep -Eq '^  \(s\)RCU:9 +\| 0000 \| +20.000 ms \| +10 \| +2.000 ms ' report
check "ten handlers of 1 ms" grep -Eq '^  disk:36 +\| 0000 \| +10.000 ms \| +10 \| +1.000 ms ' report
check "a work item without a symbol has its address" grep -Eq '^  \(w\)0xabc0 +\| 0001 \| +5.000 ms \| +1 ' report
check "21 in all, 35 ms" sh -c 'grep -q "Total count            :        21" report && grep -q "35.000 (" report'
check "what has no partner is counted" grep -Eq '\(1 including 0 raise, 0 entry, 1 exit\)' report
kwork latency >latency
check "softirqs waited 1 ms" grep -Eq '^  \(s\)RCU:9 +\| 0000 \| +1.000 ms \| +10 \|' latency
check "the work item waited 3 ms" grep -Eq '^  \(w\)0xabc0 +\| 0001 \| +3.000 ms \| +1 \|' latency
check "rows by their average" test "$(grep -Eom1 '\((s|w)\)' latency)" = "(w)"
kwork timehist >lines
check "a line for each" test "$(grep -c '\[000[01]\]' lines)" = 21
check "a line of timehist has the waiting time and the running time" \
	grep -q '  (s)RCU:9                             2.000       1.000 ' lines
check "-C 1 leaves only lines of CPU 1" test "$(kwork timehist -C 1 | grep -c '\[0001\]')" = 1
check "-n disk leaves only the work of that name" test "$(kwork report -n disk | grep -c ' ms |')" = 1
check "-k workqueue leaves only work items" test "$(kwork -k workqueue report | grep -c ' ms |')" = 1
check "--time leaves only work that began in that range" \
	grep -Eq '\(s\)RCU:9 +\| 0000 \| +4.000 ms \| +2 ' <(kwork report --time 1.000,1.0195)
check "-s count sorts by the number of runs" \
	test "$(kwork report -s count | grep ' ms |' | tail -1 | grep -c abc0)" = 1
kwork top >top
check "a thread's time without interrupts" grep -Eq '^       50 +40\.00 +80.000 ms  busy' top
check "half of the CPU's time was idle" grep -q '^%Cpu(s):  50.00% id,   5.00% hi,   5.00% si' top
check "-k sched: times of threads" grep -Eq '^  busy:50 +\| 0000 \| +100.000 ms \| +1 ' <(kwork -k sched report)
"$STROBE" kwork report -S -i - <made.data >pipe
check "a pipe says the same" cmp report pipe
run "$STROBE" kwork top -C 1 -i made.data	# that CPU has no switches
check "no page of zeros" sh -c "test $rc = 255 && ! test -s out"
check "but why, and what to record" \
	sh -c 'grep -q "^strobe kwork: no CPU has two samples of sched:sched_switch that -C and --time leave" err &&
	grep -q "^  try: strobe kwork -k irq,softirq,sched record" err'
run "$STROBE" kwork -k foo report -i made.data
check "an unknown class: 129" test $rc = 129
run "$STROBE" kwork report -s avg -i made.data
check "a column of another view: 129" test $rc = 129

# --- beside perf, on one recording of this machine
# perf 6.1 cuts long names of work items, and may end them with a wrong letter.
plain() { sed -E '/INFO:/d; s/\(.*load average\)//; s/\(w\)([^ ]{1,18})[^ ]* +/(w)\1 /'; }
if can system irq:softirq_entry; then
	must "$STROBE" kwork record -q -o k.data sleep 0.2
	check "the events of all classes" \
		sh -c '"$1" evlist -i k.data | grep -cE "^(irq|workqueue|sched):" | grep -qx 9' sh "$STROBE"
	run "$STROBE" kwork top -i k.data
	check "kwork top succeeds" test $rc = 0
	if command -v perf >/dev/null && perf kwork -h 2>&1 | grep -q timehist; then
		for options in report "report -S -s count" "report -s max" latency "latency -s count" timehist \
			"timehist -C 0" "report -n RCU" "-k softirq latency"; do
			# shellcheck disable=SC2086
			perf kwork $options -i k.data 2>/dev/null | plain >theirs
			# shellcheck disable=SC2086
			"$STROBE" kwork $options -i k.data 2>/dev/null | plain >ours
			check "kwork $options prints what perf prints" diff theirs ours
		done
	else
		skip_part "text beside perf: no perf with kwork here"
	fi
else
	skip_part "a recording of this machine: $why_not"
fi
run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" kwork report -i plain.data
check "a recording without such events names kwork record" grep -q 'try: .*kwork record' err
finish
