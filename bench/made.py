"""Generate recordings for bench/run: each number of their contents can be chosen separately."""
import os, random, struct, subprocess

SIZES = dict(samples=20000, stacks=2000, threads=250, maps=250, symbols=5000)
DEPTH, BASE, SPACE = 20, 0x7f0000000000, 1 << 24

def library(path, symbols):
    """Make a library with this number of functions of 16 bytes -> the offset of its code."""
    if not os.path.exists(path):
        text = '.text\n' + ''.join('.globl function_%d\n.type function_%d, @function\nfunction_%d: .fill 16, 1, 0x90\n'
            '.size function_%d, 16\n' % (i, i, i, i) for i in range(symbols))
        subprocess.run(['cc', '-shared', '-nostdlib', '-x', 'assembler', '-o', path, '-'], input=text, text=True,
            check=True)
    for line in subprocess.run(['readelf', '-SW', path], capture_output=True, text=True).stdout.splitlines():
        words = line.replace('[ ', '[').split()
        if words[1:3] == ['.text', 'PROGBITS']: return int(words[4], 16)

def record(kind, misc, body): return struct.pack('<IHH', kind, misc, 8 + len(body)) + body

def text(s):
    b = os.fsencode(s) + b'\0'
    return b + b'\0' * (-len(b) % 8)

def stream(path, attrs, parts):
    """Write a recording in pipe form."""
    with open(path, 'wb') as f:
        f.write(b'PERFILE2' + struct.pack('<Q', 16))
        for i, attr in enumerate(attrs): f.write(record(64, 0, attr.ljust(128, b'\0') + struct.pack('<Q', 1000 + i)))
        f.writelines(parts)

def snapshots(path, cpus):
    """Write two snapshots of the scheduler's counters of these CPUs, as sched stats record does."""
    stream(path, [struct.pack('<IIQQQQQ', 1, 128, 9, 1, 1 << 16 | 1 << 2, 0, 1 << 18)],
        (record(85, 0, struct.pack('<QIHH6I3Q', time, cpu, 17, 0, *[time] * 9))
            for time in (1000, 1500) for cpu in range(cpus)))

def counts(path, cpus, events=20):
    """Write counts of the events, each on a part of these CPUs, as stat record does."""
    parts = [record(75, 0, struct.pack('<5Q', 2, 0, 0, 1, 0))]
    parts += (record(76, 0, struct.pack('<QIIQQQ', 1000 + i % events, i, 0, 5, 10, 10)) for i in range(cpus))
    stream(path, [struct.pack('<IIQQQQQ', 1, 128, i % 8, 0, 1 << 16, 7, 0) for i in range(events)],
        parts + [record(77, 0, struct.pack('<QQ', 1, 1000))])

def recording(path, lib, samples, stacks, threads, maps, symbols):
    """Write samples of threads of one process, with chains of functions of the library. The library is mapped many
    times; except for the first, the maps name files that do not exist."""
    rng, code = random.Random(5), library(lib, symbols)
    end = lambda tid, time: struct.pack('<IIQ', 100, tid, time)
    parts, time = [], 1
    for i in range(threads):
        parts.append(record(3, 0, struct.pack('<II', 100, 100 + i) + text('thread-%d' % i) + end(100 + i, time)))
    for i in range(maps):
        parts.append(record(10, 2, struct.pack('<IIQQQIIQQII', 100, 100, BASE + i * SPACE, SPACE // 2, 0, 0, 0, 0, 0, 5,
            2) + text(lib if not i else '/nowhere/library-%d.so' % i) + end(100, time)))
    chains = []
    for i in range(stacks):
        chain = [BASE + code + 16 * rng.randrange(symbols) + 4 for _ in range(DEPTH)]
        chain[1] = BASE + i % maps * SPACE + 0x100
        chains.append(struct.pack('<%dQ' % (DEPTH + 2), DEPTH + 1, 2**64 - 512, *chain))
    for i in range(samples):
        time += 1000
        chain = chains[i % stacks]
        parts.append(record(9, 2, chain[16:24] + struct.pack('<IIQQ', 100, 100 + i % stacks % threads, time, 1000)
            + chain))
    body = b''.join(parts)
    attr = struct.pack('<IIQQQQQ', 1, 128, 0, 1000, 1 | 2 | 4 | 256 | 32, 0,
        1 << 8 | 1 << 9 | 1 << 18 | 1 << 23 | 1 << 24).ljust(128, b'\0') + bytes(16)
    with open(path, 'wb') as f:
        f.write(b'PERFILE2' + struct.pack('<12Q', 104, 144, 104, 144, 248, len(body), 0, 0, 1 << 3, 0, 0, 0))
        f.write(attr + body)
        f.write(struct.pack('<QQI64s', 248 + len(body) + 16, 68, 64, b'host'))    # the recording is complete
