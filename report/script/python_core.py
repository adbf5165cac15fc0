# The module Core: names for the values of tracepoint fields, as scripts for perf import them. Our own code.


class _Names(dict):
    def __missing__(self, key):
        value = self[key] = _Names()
        return value


def autodict():
    return _Names()


_delimiters = {}
_flags = {}
_symbols = {}


def define_flag_field(event_name, field_name, delim):
    _delimiters[event_name, field_name] = delim
    _flags.setdefault((event_name, field_name), {})


def define_flag_value(event_name, field_name, value, field_str):
    _flags.setdefault((event_name, field_name), {})[value] = field_str


def define_symbolic_field(event_name, field_name):
    _symbols.setdefault((event_name, field_name), {})


def define_symbolic_value(event_name, field_name, value, field_str):
    _symbols.setdefault((event_name, field_name), {})[value] = field_str


def _join(value, names, delim):
    if not value:
        return names.get(0, "")
    found = []
    for bit in sorted(names):
        if bit and value & bit == bit:
            found.append(names[bit])
            value &= ~bit
    return delim.join(found)


def flag_str(event_name, field_name, value):
    field = (event_name, field_name)
    if field not in _flags:
        return ""
    return _join(value, _flags[field], " %s " % _delimiters.get(field, "|"))


def symbol_str(event_name, field_name, value):
    return _symbols.get((event_name, field_name), {}).get(value, "")


# Source: the flags that the kernel prints before a line of its trace, Documentation/trace/ftrace.rst.
trace_flags = {
    0x00: "NONE",
    0x01: "IRQS_OFF",
    0x02: "IRQS_NOSUPPORT",
    0x04: "NEED_RESCHED",
    0x08: "HARDIRQ",
    0x10: "SOFTIRQ",
}


def trace_flag_str(value):
    return _join(value, trace_flags, " | ")


# Source: the letters of proc_pid_status(5), by the bits of the kernel's task states as sched_switch has them.
def taskState(state):
    return {0: "R", 1: "S", 2: "D", 64: "DEAD"}.get(state, "Unknown")


class EventHeaders:
    def __init__(self, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain=None):
        self.cpu = common_cpu
        self.secs = common_secs
        self.nsecs = common_nsecs
        self.pid = common_pid
        self.comm = common_comm
        self.callchain = common_callchain

    def ts(self):
        return self.secs * 1000000000 + self.nsecs

    def ts_format(self):
        return "%d.%d" % (self.secs, self.nsecs // 1000)
