"""Write recordings with an Arm SPE trace, in pipe form, for tests: packets of operations with known answers.

    python3 make_spe.py OUT.data [midr [switches|sources|branches]]

midr is that of all cores, in hex; without it CPU 0 is a Neoverse N2 and CPU 1 an N1. switches: these tell whose the
operations are, not context packets. sources: loads and stores with every source, near and far. branches: of every
kind. Source of the packets: Arm ARM,
"Statistical Profiling Extension Sample Record Specification"; of the records: strobe.data(5).
"""
import struct
import sys

import make_c2c
import make_trace
from make_trace import record

PMU = 12
R, L1, L1M, TLB, TLBM, NT, MIS, LLC, LLCM, REM = (1 << i for i in range(1, 11))  # bits of events packets
OTHER, MEMORY, BRANCH = range(3)
INFO, TRACE, TIME_CONV, SWITCH = 70, 71, 79, 14


def address(index, value, el=0):
    return struct.pack("<BQ", 0xb0 + index, value & (1 << 56) - 1 | el << 61 | 1 << 63)


def counter(index, cycles):
    return struct.pack("<BH", 0x98 + index, cycles)


def operation(pc, kind, payload, events, latency, time, thread=None, to=None, phys=None, source=None, el=0,
              previous=None):
    """Return the packets of one operation; `to` is the data's address, or the branch's target."""
    out = struct.pack("<BI", 0x65, thread) if thread else b""
    out += address(0, pc, el) + bytes([0x48 + kind, payload]) + struct.pack("<BH", 0x52, events)
    out += counter(0, latency) + counter(1, 1)
    if to is not None:
        out += address(1, to, el) if kind == BRANCH else struct.pack("<BQ", 0xb2, to)
    if phys is not None:
        out += address(3, phys)
    if previous is not None:
        out += address(4, previous, el)
    if source is not None:
        out += bytes([0x43, source])
    return out + struct.pack("<BQ", 0x71, time)


def info(midrs):
    cpus = b"".join(struct.pack("<7Q", 0x1010101010101010, cpu, 4, midr, PMU, 64, 0) for cpu, midr in enumerate(midrs))
    return record(INFO, struct.pack("<II4Q", 4, 0, 2, 4, PMU, len(midrs)) + cpus)


def trace(data, cpu, tid=-1):
    data += b"\0" * (-len(data) % 8)
    return record(TRACE, struct.pack("<QQQIiiI", len(data), 0, 0x1234, cpu, tid, cpu, 0)) + data


def first(thread):
    kernel, data = 0xffff800010001000, 0xffff000010002000
    return b"".join((
        operation(0x401000, MEMORY, 0, R | L1 | TLB, 20, 1000, thread, 0x480040, 0x7040, 0),
        operation(0x401010, MEMORY, 1, R | L1 | L1M | TLB, 30, 1100, thread, 0x480048, 0x7048),
        operation(0x401020, MEMORY, 0, R | L1 | L1M | TLB | TLBM | LLC | LLCM, 300, 1200, thread, 0x480080, 0x7080,
                  0xe),
        operation(0x401030, BRANCH, 1, R, 3, 1300, thread, 0x401100),
        operation(0x401034, BRANCH, 1, R | NT | MIS, 3, 1400, thread, 0x401038),
        operation(0x401038, BRANCH, 2, R | MIS, 3, 1500, thread, 0x401200),
        operation(0x401040, OTHER, 0, R, 4, 1600, thread),
        operation(kernel, MEMORY, 0, R | L1 | L1M | LLC | REM, 100, 1700, thread, data, 0x9000, 0xd, el=1),
        operation(0x401044, MEMORY, 0x16, R | L1, 7, 1800, thread, 0x480088, source=8),
        operation(0x401048, MEMORY, 4, R | L1, 7, 1900, thread, 0x480088, source=9),
        operation(0x40104c, MEMORY, 0, R | L1 | LLC, 7, 2000, thread, 0x480088, source=0xb),
        operation(0x401050, MEMORY, 1, R | L1M, 7, 2100, thread, 0x480088)))


def second(thread):
    return b"".join((
        operation(0x401060, MEMORY, 0, R | L1 | TLB, 21, 1050, thread, 0x480040, source=0xa),
        operation(0x401064, MEMORY, 0, R | L1 | L1M | LLC | TLB, 22, 1060, thread, 0x480044, source=0xc)))


def sources(thread):
    kinds = [(store, far, i) for store in (0, 1) for far in (0, REM | LLC) for i in range(32)]
    return b"".join(operation(0x401000, MEMORY, store, R | L1 | far, 7, 1000 + n, thread, 0x480000 + 64 * n, source=i)
                    for n, (store, far, i) in enumerate(kinds))


def branches(thread):
    kinds = [(p, R) for p in range(32)] + [(1, e) for e in (R | NT, R | MIS, R | NT | MIS, 0)]
    return b"".join(operation(0x401000 + 16 * i, BRANCH, p, e, 5 + i, 1000 + i, thread, 0x402000 if i % 5 else None,
                              previous=0x405000 if i % 3 == 0 else None) for i, (p, e) in enumerate(kinds))


def recording(midrs, contexts, streams):
    """Write areas without contexts: only the switches tell which thread they belong to."""
    t = make_trace.Trace()
    e = t.software(1, PMU)
    t.features.append(make_c2c.numa(((0, "0"), (1, "1"))))
    e.attr = (PMU, 1, 1 << 16 | 1 << 15 | 1 << 8 | 1 << 7 | 0xf)
    t.comm(7, 7, "worker")
    t.comm(7, 8, "helper")
    t.map(7, 0x400000, 0x100000, "/opt/prog")
    t.records.append((0, record(TIME_CONV, struct.pack("<QQQQQBB6x", 0, 1, 5000, 0, 0, 1, 0))))
    t.records.append((0, info(midrs)))
    for time, cpu, tid in ((10, 0, 8), (10, 1, 7)) if not contexts else ():
        t.records.append((time, record(SWITCH, struct.pack("<IIQI4xQ", 7, tid, time, cpu, e.id))))
    t.records.append((1 << 60, trace(streams[0](contexts and 8), 0)))
    t.records.append((1 << 60, trace(streams[1](contexts and 7), 1)))
    return t


if __name__ == "__main__":
    known = [int(sys.argv[2], 16)] * 2 if len(sys.argv) > 2 else [0x410fd490, 0x410fd0c0]
    words = sys.argv[3:]
    made = (sources, second) if "sources" in words else (branches, second) if "branches" in words else (first, second)
    recording(known, "switches" not in words, made).write(sys.argv[1])
