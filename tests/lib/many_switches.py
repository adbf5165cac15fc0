"""Write N switches: many_switches.py FILE N [LIFE [STACKS]]

Each time a thread runs it wakes the next one of a pool and waits. A thread ends after LIFE switches, and another one
takes its place (0 = never). Stacks repeat after STACKS. FILE.kallsyms names the functions.
"""
import struct
import sys

import make_trace

POOL, ROUND, KERNEL, PLACES, NAMES = 64, 10000, 2**64 - 128, 0xffffffff81010000, 1000
path, n, life, stacks = sys.argv[1], *(int(v) for v in sys.argv[2:] + ["0", "64"][len(sys.argv) - 3:])
t = make_trace.Trace(chains=True)
switch = t.event("sched", "sched_switch", [
    ("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"), ("prev_state", "q"), ("next_comm", "16s"),
    ("next_pid", "i"), ("next_prio", "i")]).id
woke = t.event("sched", "sched_waking", [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")]).id
t.map(-1, 0xffffffff81000000, 0x10000000, "[kernel.kallsyms]_text", 1)
with open(path + ".kallsyms", "w") as names:
    names.write("ffffffff81000000 t _text\nffffffff81001000 t anon_pipe_read\nffffffff81003000 t anon_pipe_write\n")
    for i in range(NAMES):
        names.write("%x t place_%d\n" % (PLACES + 16 * i, i))
t.write(path)
HEAD = "<IHHQIIQI4xQQ5QI"  # header, id, pid, tid, time, cpu, period, chain of five, size of the payload
switched, waking = struct.Struct(HEAD + "HBBi16siiq16sii4x"), struct.Struct(HEAD + "HBBi16siii")
round_end, blocked, dead = make_trace.record(68, b""), 1, 0x10
out = open(path, "ab", 1 << 20)
for i in range(n):
    now, turn = 1000000 + 10 * i, i // POOL
    age, old = (0, turn) if not life else (turn // life, turn % life)
    tid = 100 + age * POOL + i % POOL
    after = tid + 1 if (i + 1) % POOL else 100 + ((turn + 1) // life * POOL if life else 0)
    place = [PLACES + 16 * (n % NAMES) + 8 for n in (i % stacks, i % stacks // NAMES)]
    out.write(waking.pack(9, 0, waking.size, woke, 7, tid, now, 0, 1, 5, KERNEL, 0xffffffff81003008, place[0],
                          place[1], 0x401000, 36, woke, 0, 0, tid, b"pool", after, 120, 0))
    state = dead if life and old == life - 1 else blocked
    out.write(switched.pack(9, 0, switched.size, switch, 7, tid, now + 5, 0, 1, 5, KERNEL, 0xffffffff81001008,
                            place[0], place[1], 0x401000, 68, switch, 0, 0, tid, b"pool", tid, 120, state, b"pool",
                            after, 120))
    if i % ROUND == ROUND - 1:
        out.write(round_end)
