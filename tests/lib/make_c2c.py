"""Write recordings of accesses to cache lines that threads share, in pipe form, for tests of c2c.

    python3 make_c2c.py OUT.pipe [arm] [chains] [seed=N] [n=N] [src=HEX]

The accesses are drawn from a small generator of its own, so the same words give the same bytes. Source of data_src:
linux/perf_event.h, union perf_mem_data_src.
"""
import struct
import sys

import make_trace
from make_trace import record

LOAD, STORE, PFETCH, NONE = 2, 4, 8, 0
LVL_NA, HIT, MISS, L1, LFB, L2, L3, LOC_RAM, REM_RAM1, REM_RAM2, REM_CCE1, REM_CCE2, IO, UNC = (
    1 << (5 + i) for i in range(14))
SNOOP_NA, SNOOP_NONE, SNOOP_HIT, SNOOP_MISS, HITM = (1 << (19 + i) for i in range(5))
LOCKED = 2 << 24
REMOTE = 1 << 37
FWD, PEER = 1 << 38, 1 << 39
BLK_DATA, BLK_ADDR = 2 << 40, 4 << 40
COMMON = (
    LOAD | HIT | L3 | HITM, LOAD | HIT | REM_CCE1 | HITM, LOAD | HIT | L1, LOAD | HIT | L2, LOAD | HIT | LFB,
    LOAD | HIT | L3, LOAD | HIT | LOC_RAM, LOAD | HIT | REM_RAM1 | SNOOP_HIT, STORE | HIT | L1, STORE | MISS | L1,
    STORE | LVL_NA, LOAD | HIT | L3 | PEER, LOAD | HIT | L2 | PEER, LOAD | HIT | LVL_NA | REMOTE | PEER,
    LOAD | HIT | REM_CCE1 | SNOOP_HIT, LOAD | MISS | L3, STORE | HIT | L1 | LOCKED, LOAD | HIT | L3 | HITM | LOCKED,
)
RARE = (
    PFETCH | HIT | L1, NONE, LOAD | HIT | UNC, LOAD | HIT | IO, STORE | HIT | UNC, LOAD | HIT | REM_RAM2 | SNOOP_NONE,
    LOAD | HIT | REM_CCE2 | SNOOP_HIT | PEER, LOAD | HIT | L1 | BLK_DATA, LOAD | HIT | L1 | BLK_ADDR | BLK_DATA,
    LOAD | HIT | L1 | L2, LOAD | HIT | LOC_RAM | SNOOP_HIT,
)
LINES = 0x480000, 0x480040, 0x480100, 0x4801c0, 0x4c0000, 0x4c0040


class Draw:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return (self.state >> 33) % n

    def of(self, values):
        return values[self.below(len(values))]


def feature(number, body):
    body += b"\0" * (-len(body) % 8)
    return record(80, struct.pack("<Q", number) + body)


def text(value, room=64):
    return struct.pack("<I", room) + value.encode().ljust(room, b"\0")


def numa(nodes):
    """Return the feature section with the CPUs of each node: (number, "0-3")."""
    body = struct.pack("<I", len(nodes))
    for number, cpus in nodes:
        body += struct.pack("<IQQ", number, 1 << 20, 1 << 10) + text(cpus)
    return feature(14, body)


def memory_nodes(block, nodes):
    """Return the feature section with the physical memory of each node: blocks of `block` bytes, (number, bits)."""
    body = struct.pack("<QQQ", 1, block, len(nodes))
    for number, bits in nodes:
        body += struct.pack("<QQQQ", number, 64, 64, bits)
    return feature(22, body)


class Shared:
    """Processes 7 (threads 7, 8) and 9 map the same file; each has memory of its own as well."""

    def __init__(self, arch="x86_64", chains=False, nodes=((0, "0-1"), (1, "2-3")), program="/opt/prog"):
        self.t = make_trace.Trace()
        kind = make_trace.MEMORY_TYPE | (1 << 5 if chains else 0)
        self.chains, self.time, self.code = chains, 1000, 0x401000
        self.events = [self.t.memory(0x1cd), self.t.memory(0x82d0)]
        for e in self.events:
            e.attr = e.attr[:2] + (kind,)
        self.t.features.append(feature(6, text(arch)))
        self.t.features.append(feature(7, struct.pack("<II", 4, 4)))
        self.t.features.append(numa(nodes))
        self.t.features.append(memory_nodes(0x40000, ((0, 3), (1, 0xffc))))
        for pid, tid, name in ((7, 7, "worker"), (7, 8, "helper"), (9, 9, "other one")):
            self.t.comm(pid, tid, name)
        for pid in (7, 9):
            self.t.map(pid, 0x400000, 0x80000, program)
            self.t.map(pid, 0x480000, 0x10000, "/dev/shm/shared")
            self.t.map(pid, 0x4c0000, 0x10000, "//anon")

    def access(self, ip, addr, data_src, cpu=0, pid=7, tid=7, weight=0, phys=0, event=0, callers=()):
        self.time += 10
        if not self.chains:
            self.t.access(self.events[event], self.time, ip, addr, cpu, pid, tid, weight, data_src, phys)
            return
        stack = [-512 & (1 << 64) - 1, ip, *callers]
        body = struct.pack("<QQIIQQI4xQ", self.events[event].id, ip, pid, tid, self.time, addr, cpu, 1)
        body += struct.pack("<%dQ" % (len(stack) + 1), len(stack), *stack)
        body += struct.pack("<QQQQ", weight, data_src, phys, 4096)
        self.t.records.append((self.time, record(9, body, 2)))


def fill(shared, draw, n, sources):
    for _ in range(n):
        pid, tid = draw.of(((7, 7), (7, 8), (9, 9)))
        source = draw.of(sources)
        line, at = draw.of(LINES), draw.of((0, 8, 16, 32))
        ip = shared.code + 16 * draw.below(5)
        if draw.below(40) == 0:
            line, at = draw.of(((0, 0), (0xdead0000, 0)))
        other = draw.below(50)
        if other < 4:
            ip = 0x1000 if other == 0 else 0x480010
        callers = [0x402000 + 16 * draw.below(2), 0x403000] if draw.below(4) else [0x404000]
        shared.access(ip, line + at, source, draw.below(4), pid, tid, 10 + draw.below(500),
                      (0x7000 + line if draw.below(5) else 0x7040 + draw.below(2) * 0x40000) if draw.below(9) else 0,
                      event=int(bool(source & STORE)), callers=callers)


def main(out, words):
    options = dict(w.split("=") for w in words if "=" in w)
    shared = Shared("aarch64" if "arm" in words else "x86_64", "chains" in words,
                    program=options.get("program", "/opt/prog"))
    shared.code = int(options.get("code", "401000"), 16)
    sources = [int(s, 16) for s in options["src"].split(",")] if "src" in options else COMMON * 4 + RARE
    fill(shared, Draw(int(options.get("seed", 1))), int(options.get("n", 400)), sources)
    shared.t.write(out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
