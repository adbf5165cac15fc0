"""Write recordings of tracepoints, in pipe form, for tests: events that this machine does not have.

    import make_trace
    trace = make_trace.Trace()
    woke = trace.event("sched", "sched_waking", [("comm", "16s"), ("pid", "i")], '"pid=%d", REC->pid')
    trace.sample(woke, time=1000, cpu=0, pid=7, tid=7, comm=b"cat", pid_=9)
    trace.write("t.data")

trace.software(0) is the cpu-clock: its samples have a period and no fields. A field whose name is also an argument of
sample() takes an underscore there. Source of the layout: strobe.data(5).
"""
import struct

TYPES = {"b": "char", "B": "unsigned char", "i": "int", "I": "unsigned int", "q": "long", "Q": "unsigned long"}
COMMON = [("common_type", "H"), ("common_flags", "B"), ("common_preempt_count", "B"), ("common_pid", "i")]
SAMPLE_TYPE = 1 << 16 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 10  # IDENTIFIER TID TIME CPU PERIOD RAW
# IDENTIFIER IP TID TIME ADDR CPU PERIOD WEIGHT DATA_SRC PHYS_ADDR DATA_PAGE_SIZE
MEMORY_TYPE = 1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 7 | 1 << 8 | 1 << 14 | 1 << 15 | 1 << 19 | 1 << 22

# perf needs the format of the kernel's own pages, even if it has none to read.
PAGE = b"".join(b"\tfield: %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % field for field in (
    (b"u64 timestamp", 0, 8, 0), (b"local_t commit", 8, 8, 1), (b"int overwrite", 8, 1, 1),
    (b"char data", 16, 4080, 0)))


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


class Event:
    def __init__(self, number, group, name, fields, text):
        self.id, self.group, self.name, self.fields, self.text = number, group, name, fields, text
        self.attr = (2, number, SAMPLE_TYPE)
        self.layout = "<" + "".join(code for _, code in COMMON + fields)

    def format(self):
        lines = ["name: %s" % self.name, "ID: %d" % self.id, "format:"]
        at = 0
        for i, (name, code) in enumerate(COMMON + self.fields):
            size = struct.calcsize("<" + code)
            if code.endswith("s"):
                what = "char %s[%d]" % (name, size)
            else:
                what = "%s %s" % ({"H": "unsigned short"}.get(code) or TYPES[code], name)
            lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;" % (what, at, size, code in "bhiq"))
            at += size
            if i + 1 == len(COMMON):
                lines.append("")
        return "\n".join(lines) + "\n\nprint fmt: %s\n" % self.text

    def payload(self, values):
        fill = [self.id, values.get("common_flags", 0), values.get("common_preempt_count", 0), values.get("tid", 0)]
        for name, code in self.fields:
            fill.append(values.get(name + "_", values.get(name, b"" if code.endswith("s") else 0)))
        return struct.pack(self.layout, *fill)


class Trace:
    def __init__(self, chains=False):
        """chains: samples of tracepoints have the addresses of `chain`."""
        self.events, self.records, self.features = [], [], []
        self.chains = chains

    def event(self, group, name, fields, text='""'):
        e = Event(1000 + len(self.events), group, name, fields, text)
        e.attr = (2, e.id, SAMPLE_TYPE | (1 << 5 if self.chains else 0))
        self.events.append(e)
        return e

    def software(self, config, kind=1):
        """Add an event that is not a tracepoint: PERF_TYPE_*, config of its attr."""
        e = self.event(None, None, [])
        e.attr = (kind, config, SAMPLE_TYPE & ~(1 << 10))
        return e

    def memory(self, config):
        """Add an event whose samples are accesses: with ip, addr, weight, data_src, phys and page."""
        e = self.event(None, None, [])
        e.attr = (4, config, MEMORY_TYPE)
        return e

    def access(self, event, time, ip, addr, cpu=0, pid=1, tid=1, weight=0, data_src=0, phys=0, page=4096, misc=2):
        body = struct.pack("<QQIIQQI4xQQQQQ", event.id, ip, pid, tid, time, addr, cpu, 1, weight, data_src, phys, page)
        self.records.append((time, record(9, body, misc)))

    def off_cpu(self):
        """Add perf's event of sleeps, whose samples are raw data."""
        e = self.event(None, None, [])
        e.attr = (1, 10, 1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 10)
        e.name = "offcpu-time"
        return e

    def sleep(self, event, time, pid, tid, ns, chain, cgroup=0, misc=2):
        raw = struct.pack("<IIQQ%dQQ4x" % len(chain), pid, tid, ns, len(chain), *chain, cgroup)
        body = struct.pack("<QQIIQI4xQI", event.id, 0, 0, 0, time, 0, 1, len(raw)) + raw
        self.records.append((time, record(9, body, misc)))

    def map(self, pid, start, length, name, kind=2):
        """Add a map of a file from its start; kind 2 is user space, 1 the kernel."""
        text = name.encode() + b"\0"
        text += b"\0" * (-len(text) % 8)
        trailer = struct.pack("<IIQI4xQ", pid & 2**32 - 1, pid & 2**32 - 1, 0, 0, self.events[0].id)
        body = struct.pack("<IIQQQ", pid & 2**32 - 1, pid & 2**32 - 1, start, length, 0)
        self.records.append((0, record(1, body + text + trailer, kind)))

    def text_feature(self, number, text):
        """Add a feature section that is one text: 9 is the CPU's id."""
        body = text.encode() + b"\0" * (64 - len(text))
        self.features.append(record(80, struct.pack("<QI", number, len(body)) + body + b"\0" * 4))

    def comm(self, pid, tid, name):
        text = name.encode() + b"\0"
        text += b"\0" * (-len(text) % 8)
        trailer = struct.pack("<IIQI4xQ", pid, tid, 0, 0, self.events[0].id)
        self.records.append((0, record(3, struct.pack("<II", pid, tid) + text + trailer)))

    def sample(self, event, time, cpu=0, pid=1, tid=1, period=1, misc=0, chain=(), **values):
        values["tid"] = tid
        if event.group is None:
            body = struct.pack("<QIIQI4xQ", event.id, pid, tid, time, cpu, period)
            self.records.append((time, record(9, body, misc)))
            return
        raw = event.payload(values)
        raw += b"\0" * (-(len(raw) + 4) % 8)
        body = struct.pack("<QIIQI4xQ", event.id, pid, tid, time, cpu, period)
        if event.attr[2] & 1 << 5:
            body += struct.pack("<Q%dQ" % len(chain), len(chain), *chain)
        body += struct.pack("<I", len(raw)) + raw
        self.records.append((time, record(9, body)))

    def tracing_data(self):
        out = b"\x17\x08\x44tracing0.5\0" + struct.pack("<BBI", 0, 8, 4096)
        out += b"header_page\0" + struct.pack("<Q", len(PAGE)) + PAGE + b"header_event\0" + struct.pack("<Q", 0)
        out += struct.pack("<I", 0)
        groups = sorted({e.group for e in self.events if e.group})
        out += struct.pack("<I", len(groups))
        for group in groups:
            texts = [e.format().encode() for e in self.events if e.group == group]
            out += group.encode() + b"\0" + struct.pack("<I", len(texts))
            for text in texts:
                out += struct.pack("<Q", len(text)) + text
        return out + struct.pack("<I", 0) + struct.pack("<I", 0)

    def write(self, path):
        data = self.tracing_data()
        with open(path, "wb") as f:
            f.write(b"PERFILE2" + struct.pack("<Q", 16))
            for e in self.events:
                flags = 1 << 18  # sample_id_all
                attr = struct.pack("<IIQQQQQ", e.attr[0], 128, e.attr[1], 1, e.attr[2], 0, flags)
                f.write(record(64, attr + b"\0" * (128 - len(attr)) + struct.pack("<Q", e.id)))
                if e.attr[:2] == (1, 10):
                    f.write(record(78, struct.pack("<QQ16s", 2, e.id, e.name.encode())))
            for feature in self.features:
                f.write(feature)
            pad = -len(data) % 8
            f.write(record(66, struct.pack("<I", len(data) + pad)) + data + b"\0" * pad)
            for _, r in sorted(self.records, key=lambda r: r[0]):
                f.write(r)
