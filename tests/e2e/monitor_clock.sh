#!/bin/bash
# monitor profile, irq-off, watchdog, split-lock: made recordings with known answers, and this system.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need python3

cat >made.py <<'E2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

MS = 1000000
KERNEL, USER = 1, 2

# CPU 0: 60 samples in the kernel and 40 outside, of 10 ms each; CPU 1: 20 outside, the rest idle
t = make_trace.Trace()
clock = t.software(0)
t.comm(7, 7, "busy")
t.comm(8, 8, "calm")
for i in range(101):
    t.sample(clock, 1000 * MS + i * 10 * MS, cpu=0, pid=7, tid=7, period=10 * MS if i else 0,
             misc=KERNEL if i % 5 in (1, 2, 3) else USER)
    if i % 5 == 0 and i:
        t.sample(clock, 1000 * MS + i * 10 * MS, cpu=1, pid=8, tid=8, period=10 * MS, misc=USER)
    elif i:
        t.sample(clock, 1000 * MS + i * 10 * MS, cpu=1, pid=0, tid=0, period=10 * MS, misc=KERNEL)
t.write("profile.data")

# a host and its guest: 10 samples in the host's kernel, 20 in its programs, 5 in the guest's kernel, 7 in its programs
t = make_trace.Trace()
clock = t.software(0)
t.comm(7, 7, "vcpu")
for i, misc in enumerate([KERNEL] * 10 + [USER] * 20 + [4] * 5 + [5] * 7):
    t.sample(clock, 1000 * MS + i * 10 * MS, cpu=0, pid=7, tid=7, period=10 * MS, misc=misc)
t.write("guest.data")

# a clock each 10 ms; once 35 ms late while a program runs, once while the CPU is idle
t = make_trace.Trace()
clock = t.software(0)
idle = t.event("power", "cpu_idle", [("state", "I"), ("cpu_id", "I")], '"state=%u", REC->state')
t.comm(7, 7, "busy")
now = 1000 * MS
for i in range(40):
    if i == 20:
        t.sample(idle, now - 5 * MS, cpu=3, state=1)
        now += 60 * MS
        t.sample(idle, now - 1 * MS, cpu=3, state=0xffffffff)
    t.sample(clock, now, cpu=3, pid=7, tid=7, period=10 * MS, misc=KERNEL)
    now += 35 * MS if i == 10 else 10 * MS
t.write("irq.data")

# the same by tracepoints of kernels that have them: 30 ms and 3 ms without interrupts; and by the depth of preemption
# where the clock comes: off from 2.0 s to 2.06 s
t = make_trace.Trace()
off = t.event("preemptirq", "irq_disable", [("caller_offs", "I")])
on = t.event("preemptirq", "irq_enable", [("caller_offs", "I")])
timer = t.event("timer", "hrtimer_expire_entry", [("hrtimer", "Q")])
t.comm(7, 7, "busy")
for start, ms in ((1000, 30), (1100, 3), (1200, 30)):
    t.sample(off, start * MS, cpu=1, pid=7, tid=7)
    t.sample(on, (start + ms) * MS, cpu=1, pid=7, tid=7)
for i in range(20):
    t.sample(timer, 1900 * MS + i * 10 * MS, cpu=1, pid=7, tid=7, common_preempt_count=2 if 10 <= i <= 16 else 1)
t.write("off.data")

# watchdog_thresh 1: the timer each 400 ms; migration/2 runs after each but for 2 s
t = make_trace.Trace()
expire = t.event("timer", "hrtimer_expire_entry", [("hrtimer", "Q"), ("function", "Q")],
                 '"function=%lx", REC->function')
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("next_comm", "16s")], '"next=%s", REC->next_comm')
for i in range(20):
    now = 1000 * MS + i * 400 * MS
    t.sample(expire, now, cpu=2, function=0x1234)
    t.sample(switch, now + 1000, cpu=2, next_comm=b"cat")
    if not 8 <= i < 13:
        t.sample(switch, now + 30000, cpu=2, next_comm=b"migration/2")
t.write("dog.data")
# a loss before all events: record type 2, u64 id, u64 lost, then pid, tid, time, CPU, id
t.records.append((500 * MS, make_trace.record(2, make_trace.struct.pack("<QQIIQI4xQ", expire.id, 7, 1, 1, 500 * MS, 2,
                                                                      expire.id))))
t.write("lost.data")

t = make_trace.Trace()
lock = t.software(0x10f4, kind=4)
for i in range(3):
    t.sample(lock, 1000 * (i + 1), cpu=1, pid=9, tid=9, period=1000)
t.write("split.data")
E2
python3 made.py "$STROBE_SOURCE/tests/lib" || exit 1

"$STROBE" monitor profile -F 0 --input profile.data >file
check "profile: 60% in the kernel, 40% outside" grep -q 'cpu 0 %sys 60.00 %usr 40.00 ' file
check "the idle task is idle" grep -q 'cpu 1 %sys 0.00 %usr 20.00 ' file
check "-F 0: the table alone" test "$(wc -l <file)" = 2
lines() { "$STROBE" monitor profile -F 100 --than "$1" --input profile.data | grep -c "$2.*cpu-clock: "; }
check "--than 30: not a thread with 20%" test "$(lines 30 calm)" = 0
check "--than 30: a thread with 100 % from its 30th sample on: $(lines 30 busy)" test "$(lines 30 busy)" = 72
run "$STROBE" monitor profile --than much --input profile.data
check "a word is no percentage: 129" test $rc = 129

while read -r want options; do
	# shellcheck disable=SC2086
	n=$("$STROBE" monitor profile $options --input guest.data | grep -c 'cpu-clock: ')
	check "profile $options: $n samples" test "$n" = "$want"
done <<'E2'
42
12 -G
30 --exclude-guest
15 --exclude-user
27 --exclude-kernel
5 -G --exclude-user
20 --exclude-guest --exclude-kernel
E2

"$STROBE" monitor irq-off --input irq.data >file
check "irq-off: one of 35 ms" grep -q 'cpu 3 pid 7 tid 7 irq-off 35000000 ns$' file
check "irq-off: the idle CPU has no line" test "$(wc -l <file)" = 1
check "none above 50 ms" test -z "$("$STROBE" monitor irq-off -L 50000 --input irq.data)"

"$STROBE" monitor irq-off --input off.data >file
exact() { grep -c 'cpu 1 pid 7 tid 7 irq-off 30000000 ns$' file; }
check "tracepoints tell the exact time" test "$(exact) $(wc -l <file)" = "2 2"
"$STROBE" monitor irq-off --preempt --input off.data >file
check "--preempt: preemption was off for 60 ms" grep -q 'cpu 1 pid 7 tid 7 preempt-off 60000000 ns$' file

"$STROBE" monitor watchdog --than 600 --input dog.data >file
soft() { grep -c 'WILL: soft lockup - CPU#2 ' file; }
check "watchdog: foretold at each timer from 0.8 s to 2 s without a touch: $(soft)" test "$(soft)" = 5
check "watchdog: the warning tells times above 0.6 s" grep -q 'CPU#2 \[4.600000000 - 3.800030000 > 0.600 s\]' file
"$STROBE" monitor watchdog --input dog.data >file
check "without a PMU the watchdog says what it cannot see" \
	test "$(cat file)" = "# no PMU: cannot predict hard lockups; soft lockups are watched"
"$STROBE" monitor watchdog --input lost.data >file
check "watchdog: this is the first line also where events were lost before" \
	test "$(sed 's/:.*//; s/^[0-9].* lost/lost/' file | tr '\n' ' ')" = "# no PMU lost 7 events on CPU #2 "

"$STROBE" monitor split-lock --input split.data >file
check "split-lock prints three samples" test "$(grep -c 'cpu 1 pid 9 tid 9 split-lock 1000$' file)" = 3
if [ ! -e /sys/bus/event_source/devices/cpu ]; then
	run "$STROBE" monitor split-lock
	check "without a PMU split-lock names the kernel's detector" \
		sh -c '[ '$rc' != 0 ] && grep -q split_lock_detect err && [ "$(wc -l <err)" = 3 ]'
else
	skip_part "split locks without a PMU: there is one"
fi

# --- JSON
"$STROBE" monitor irq-off -j --input irq.data >file
check "-j: an object for each line" python3 -c 'import json
o, = [json.loads(l) for l in open("file")]
assert o["kind"] == "irq-off" and o["ns"] == 35000000 and o["cpu"] == 3 and o["comm"] == "busy"'
"$STROBE" monitor profile -j -F 0 --input profile.data >file
check "-j: shares in ns" python3 -c 'import json
o, p = [json.loads(l) for l in open("file")]
assert (o["all_ns"], o["sys_ns"], o["usr_ns"], p["usr_ns"]) == (10**9, 6 * 10**8, 4 * 10**8, 2 * 10**8)'
"$STROBE" monitor watchdog -j --than 600 --input dog.data >file
check "-j: lockups, each with its event" python3 -c 'import json
o = [json.loads(l)["kind"] for l in open("file")]
assert o == ["note"] + ["soft lockup", "event"] * 5'

# --- the example of CONTRIBUTING.md
sed -n '/^### A monitor/,/^## Tests/{/^```c/,/^```$/p}' "$STROBE_SOURCE/CONTRIBUTING.md" | grep -v '^```' >example.c
lines=$(wc -l <example.c)
check "a monitor is written in $lines lines" test "$lines" -ge 30 -a "$lines" -lt 60
check "the examples in CONTRIBUTING.md compile" cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter \
	-Wno-missing-field-initializers -Werror -I"$STROBE_SOURCE" -fsyntax-only example.c

# And they run: a strobe that has this file instead of its own counts the signals of a recording.
cat >signals.py <<'E2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
sent = t.event("signal", "signal_generate", [("sig", "i"), ("comm", "16s"), ("pid", "i")], '"sig=%d", REC->sig')
for i in range(7):
    t.sample(sent, 1000 + i, sig=10 if i < 5 else 15)
t.write("signals.data")
E2
must python3 signals.py "$STROBE_SOURCE/tests/lib"
if [ -e "$STROBE_BUILD/build.ninja" ] && [ -z "$STROBE_SANITIZED" ]; then
	cc -std=gnu11 -D_GNU_SOURCE -g -O1 -I"$STROBE_SOURCE" -c example.c || exit 1
	ninja -C "$STROBE_BUILD" -t commands strobe | tail -1 |
		sed "s# -o strobe # -o $tmp/example $tmp/example.o #" >link.sh
	check "the example monitor links" sh -c "cd '$STROBE_BUILD' && sh '$tmp/link.sh'"
	./example monitor signal --input signals.data >file
	check "the example monitor prints each signal" test "$(grep -c 'signal:signal_generate: sig=1[05]$' file)" = 7
	check "the example monitor prints sums" test "$(tail -2 file | tr '\n' ' ')" = "signal 10: 5 signal 15: 2 "
	./example monitor signal -j --input signals.data >file
	check "the example monitor prints sums as JSON" grep -q '"kind":"signals".*"signal":10,"count":5}$' file
else
	skip_part "the example as a program: a build with ninja, without sanitizers"
fi

# --- pairs: a heat map
cat >heat.py <<'E2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

# in each of three seconds: ten pairs of 3 us, and in the second one a pair of 100 us
t = make_trace.Trace()
a = t.event("x", "begin", [("id", "Q")])
b = t.event("x", "end", [("id", "Q")])
for second in range(3):
    now = (second + 1) * 10**9
    for i in range(10):
        t.sample(a, now + i * 10**7, id=i)
        t.sample(b, now + i * 10**7 + 3000, id=i)
    if second == 1:
        t.sample(a, now + 5 * 10**8, id=77)
        t.sample(b, now + 5 * 10**8 + 100000, id=77)
t.write("heat.data")
E2
python3 heat.py "$STROBE_SOURCE/tests/lib" || exit 1
"$STROBE" monitor pairs -e x:begin,x:end --key id --heatmap -i 1000 --input heat.data >file
check "a row of 2 to 4 us, full in each second" grep -q '^ *2.048 us |@@@|  *30$' file
check "one of 65 to 131 us, only in the second" grep -q '^ *65.536 us | \. |  *1$' file
check "rows between them are empty" test "$(grep -c '|   |  *0$' file)" = 4

# --- perf-monitor: the name alone
ln -s "$(realpath "$STROBE")" perf-monitor
./perf-monitor profile -F 0 --input profile.data >named
"$STROBE" monitor profile -F 0 --input profile.data >file
check "perf-monitor NAME is monitor NAME" cmp file named
run ./perf-monitor
check "perf-monitor without a name is bad usage" test $rc = 129

# --- this system
may_record
need_can system
sh -c 'while :; do :; done' &
later_kill $!
# for_lines N TEXT FILE OPTIONS...: monitor until there are so many lines with the text
for_lines() {
	"$STROBE" monitor "${@:4}" >"$3" 2>said &
	local watcher=$!
	later_kill $watcher
	until_true eval "[ \$(grep -c $2 $3) -ge $1 ] || [ ! -e /proc/$watcher ]"
	kill -INT $watcher
	wait $watcher
}
cpus=$(getconf _NPROCESSORS_ONLN)
for _ in 1 2 3; do	# once more where a busy machine lost events
	for_lines 300 . live profile -F 200 --record kept.data
	grep -q lost live said || break
done
"$STROBE" monitor profile -F 200 --input kept.data >file
check "--record keeps what was watched: $(wc -l <live) lines" sh -c '[ -s live ] && cmp live file'
check "it is ours alone, as every recording" test "$(stat -c %a kept.data)" = 600
n=$("$STROBE" script -i kept.data -F event | grep -c 'cpu-clock\|cycles')
check "script reads it: $n samples" at_least "$n" "$(grep -vc %sys live)"
run "$STROBE" monitor profile --input kept.data --record more.data
check "a recording is not recorded again: 129" test $rc = 129
for_lines $((2 * cpus)) %sys file profile -F 200 -i 500 --than 10
check "profile: shares below 101%" \
	awk '/%sys/ { n++; if ($5 + $7 + $9 > 101 + 20) bad++ } END { exit !(n >= 2 && !bad) }' file
check "profile: samples of what runs are printed" grep -q 'cpu-clock: 5000000$\|cycles: ' file
if can power:cpu_idle; then
	timeout -s INT 1 "$STROBE" monitor irq-off -L 3000000 >file 2>said
	check "no interrupts were off for 3 s" test ! -s file -a ! -s said
fi
if [ "$(cat /proc/sys/kernel/watchdog 2>/dev/null)" = 1 ] &&
	grep -q '^[^ ]*[1-9a-f][^ ]* . watchdog_timer_fn$' /proc/kallsyms &&
	can timer:hrtimer_expire_entry; then
	timeout -s INT 2 "$STROBE" monitor watchdog >file 2>said
	check "watchdog: quiet on a healthy system: $(grep -c WILL file)" test "$(grep -c WILL file)" = 0
else
	skip_part "the watchdog of this system: it is off or hidden"
fi
finish
