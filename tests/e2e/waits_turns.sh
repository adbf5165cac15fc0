#!/bin/bash
# waits: stacks are taken in turns where switches are too many; times stay, and waits without stacks are shared out.
. "$(dirname "$0")/lib.sh"
need python3
# 90 waits of 1 ms for a pipe and 10 of 10 ms for a lock, each ended by the same thread; one of five has its stacks.
PYTHONPATH="$STROBE_SOURCE/tests/lib" python3 - <<'EOF2' || exit 1
import make_trace
t = make_trace.Trace(chains=True)
switched = [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"), ("prev_state", "q"), ("next_comm", "16s"),
            ("next_pid", "i"), ("next_prio", "i")]
woke = [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")]
events = [(t.event("sched", "sched_switch", switched), t.event("sched", "sched_waking", woke))]
t.chains = False
events.append((t.event("sched", "sched_switch", switched), t.event("sched", "sched_waking", woke)))
KERNEL = 2**64 - 128
t.map(-1, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 1)
def chain(address):
    return (KERNEL, address + 8)
now, waits, lean_before = 1000000, [(1000000, 0xffffffff81001000)] * 90 + [(10000000, 0xffffffff81002000)] * 10, {}
for length, place in waits:
    lean_before[length] = lean_before.get(length, 0) + 1
    switch, waking = events[lean_before[length] % 5 != 0]
    t.sample(switch, now, tid=10, pid=10, chain=chain(place), prev_comm=b"victim", prev_pid=10, prev_state=1,
             next_comm=b"waker", next_pid=11)
    now += length
    t.sample(waking, now, tid=11, pid=11, chain=chain(place + 0x2000), comm=b"victim", pid_=10)
    now += 1000
    t.sample(switch, now, tid=11, pid=11, chain=chain(place), prev_comm=b"waker", prev_pid=11, prev_state=0,
             next_comm=b"victim", next_pid=10)
    now += 1000
t.write("turns.data")
open("kallsyms", "w").write("".join("ffffffff8100%d000 t %s\n" % row for row in (
    (1, "anon_pipe_read"), (2, "futex_wait_queue"), (3, "anon_pipe_write"), (4, "futex_wake"), (5, "end"))))
EOF2
cat >ask.py <<'EOF2'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
threads = [o for o in lines if "thread" in o]
rows = {(o["kind"], tuple(o["victim_stack"]), tuple(o["waker_stack"])): o for o in lines if o.get("victim") == "victim"}
victim = next((t for t in threads if t["thread"]["comm"] == "victim"), None)
pipe = rows.get(("pipe", ("anon_pipe_read",), ("anon_pipe_write",)))
lock = rows.get(("lock", ("futex_wait_queue",), ("futex_wake",)))
if not eval(sys.argv[2]):
    print(threads, rows)
    sys.exit(1)
EOF2
holds() { check "$1" python3 ask.py "$2" "$3"; }
"$STROBE" waits -j -E 0 --everybody --kallsyms kallsyms -i turns.data >shared
holds "waits without stacks go to the rows of their lengths, all of them" shared \
	'(pipe["ns"], pipe["count"], lock["ns"], lock["count"]) == (90e6, 90, 100e6, 10) and len(rows) == 2'
holds "the rows say how much is estimated" shared '(pipe["estimated"], lock["estimated"]) == (72e6, 80e6)'
holds "percentiles are of all waits" shared 'pipe["p50"] < 1.2e6 and pipe["max"] < 1.2e6 and lock["p50"] >= 10e6'
holds "kinds of a thread's waits are estimated, their sum is exact" shared \
	'(victim["blocked"]["pipe"], victim["blocked"]["lock"], victim["blocked"]["other"]) == (90e6, 100e6, 0)'
"$STROBE" waits --everybody --kallsyms kallsyms -i turns.data >text
check "text: says how many stacks there were" grep -q '^# The stacks of 20.0% of the waits were recorded' text
check "text: no other thread has them" sh -c '! grep -q "other threads" text'
"$STROBE" waits --tid 10 --kallsyms kallsyms -i turns.data >neighbour
check "text: says that another thread took the turns" \
	grep -q '^# 50% of the switches are those of other threads, most of them of waker\[11\]' neighbour
check "text: says what would help" grep -q 'try: .* record --waits --target-only' neighbour
"$STROBE" waits --chain -j -E 0 --everybody --kallsyms kallsyms -i turns.data >chain
holds "followed: the same sums" chain 'sum(o["ns"] for o in rows.values()) == 190e6'

# A switch that was not reported: the thread leaves its CPU twice, and nobody saw it woken or coming in between.
PYTHONPATH="$STROBE_SOURCE/tests/lib" python3 - <<'EOF2' || exit 1
import make_trace
t = make_trace.Trace(chains=True)
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"),
    ("prev_state", "q"), ("next_comm", "16s"), ("next_pid", "i"), ("next_prio", "i")])
woke = t.event("sched", "sched_waking", [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")])
t.map(-1, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 1)
for time in (1000000, 4000000, 9000000):
    t.sample(switch, time, tid=10, pid=10, chain=(2**64 - 128, 0xffffffff81001008), prev_comm=b"victim", prev_pid=10,
             prev_state=1, next_comm=b"idle", next_pid=0)
t.sample(woke, 9500000, tid=11, pid=11, chain=(2**64 - 128, 0xffffffff81003008), comm=b"victim", pid_=10)
t.write("unseen.pipe")
EOF2
must "$STROBE" inject -b -i unseen.pipe -o unseen.data
"$STROBE" waits -j -E 0 --everybody --kallsyms kallsyms -i unseen.data >unseen
holds "waits whose end was not seen are rows" unseen \
	'sum(o["ns"] for o in lines if o.get("waker") == "[wakeup not seen]") == 8e6'
holds "rows have the time for which the thread was blocked" unseen \
	'sum(o["ns"] for o in lines if "waker" in o) == sum(victim["blocked"].values()) == 8.5e6'
"$STROBE" flamegraph --wall -i unseen.data >unseen.svg
check "exports: each wait has a frame for its waker" \
	sh -c 'grep -qF "<title>[wakeup not seen] (2 samples, 8,000,000 ns" unseen.svg &&
		grep -qF "<title>[woken by] :11 (1 samples, 500,000 ns" unseen.svg'

# A thread whose coming was not seen: out of the idle thread it ran at once when it was woken, at 2 to 5 ms; behind
# another thread, at 6 to 8 ms, it is unknown which of the two ran.
PYTHONPATH="$STROBE_SOURCE/tests/lib" python3 - <<'EOF2' || exit 1
import make_trace
t = make_trace.Trace(chains=True)
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"),
    ("prev_state", "q"), ("next_comm", "16s"), ("next_pid", "i"), ("next_prio", "i")])
woke = t.event("sched", "sched_waking", [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")])
CHAIN = (2**64 - 128, 0xffffffff81001008)
names = {0: b"swapper/0", 10: b"victim", 12: b"other"}
def switches(time, prev, next):
    t.sample(switch, time, cpu=0, tid=prev, pid=prev, chain=CHAIN, prev_comm=names[prev], prev_pid=prev, prev_state=1,
             next_comm=names[next], next_pid=next)
def wakes(time):
    t.sample(woke, time, cpu=1, tid=11, pid=11, chain=CHAIN, comm=b"victim", pid_=10)
switches(1000000, 10, 0)
wakes(2000000)
switches(5000000, 10, 0)
wakes(6000000)
switches(6000000, 0, 12)
switches(8000000, 10, 0)
wakes(9000000)
t.write("came.data")
EOF2
"$STROBE" waits -j -E 0 --everybody --kallsyms kallsyms -i came.data >came
holds "a thread that was woken for an idle CPU ran from then on" came \
	'(victim["running"], victim["runnable"], sum(victim["blocked"].values())) == (3e6, 0, 3e6)'
holds "nor did the other one run until the end" came \
	'victim["wall"] == 6e6 and not any(t["running"] for t in threads if t["thread"]["tid"] == 12)'

# The recorder: 1 kB a second is less than any machine has.
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need taskset
pair() { python3 -c '
import os
a, b = os.pipe(), os.pipe()
child = os.fork() == 0
for i in range(20000):
    if child:
        os.read(a[0], 1); os.write(b[1], b"x")
    else:
        os.write(a[1], b"x"); os.read(b[0], 1)
'; }
export -f pair
must "$STROBE" record --waits --stack-rate=1 -o many.data taskset -c $one_cpu bash -c pair
check "a message tells that chains were taken in turns" \
	grep -q 'many switches: their call chains were taken in [0-9]*% of the time' err
"$STROBE" waits -j -E 0 -i many.data >many
holds "and each thread's times still add up" many \
	'all(t["wall"] == t["running"] + t["runnable"] + sum(t["blocked"].values()) for t in threads)'
holds "most waits are for pipes, of which some were seen" many \
	'(0 < sum(o["estimated"] for o in lines if o.get("kind") == "pipe") <
	 0.99 * sum(o["ns"] for o in lines if o.get("kind") == "pipe"))'
must "$STROBE" record --waits --stack-rate=0 -o all.data taskset -c $one_cpu bash -c pair
check "--stack-rate=0 takes every stack" \
	sh -c '! grep -q "many switches" err && ! "$STROBE" waits -i all.data | grep -q "were recorded"'
finish
