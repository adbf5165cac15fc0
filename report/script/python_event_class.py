# The module EventClass: samples as objects, as scripts for perf import them, and the registers of
# Intel's PEBS records. Our own code.
import struct

EVTYPE_GENERIC = 0
EVTYPE_PEBS = 1
EVTYPE_PEBS_LL = 2
EVTYPE_IBS = 3

_PEBS_SIZE = 144
_PEBS_LL_SIZE = 176


class PerfEvent(object):
    event_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_GENERIC):
        self.name = name
        self.comm = comm
        self.dso = dso
        self.symbol = symbol
        self.raw_buf = raw_buf
        self.ev_type = ev_type
        PerfEvent.event_num += 1

    def show(self):
        print("PMU event: name=%12s, symbol=%24s, comm=%8s, dso=%12s" % (self.name, self.symbol, self.comm, self.dso))


def _words(obj, names, raw_buf, offset):
    values = struct.unpack_from("=%dQ" % len(names), raw_buf, offset)
    for name, value in zip(names, values):
        setattr(obj, name, value)


class PebsEvent(PerfEvent):
    pebs_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS):
        _words(self, ("flags", "ip", "ax", "bx", "cx", "dx", "si", "di", "bp", "sp"), raw_buf, 0)
        PerfEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        PebsEvent.pebs_num += 1


class PebsNHM(PebsEvent):
    pebs_nhm_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS_LL):
        _words(self, ("status", "dla", "dse", "lat"), raw_buf, _PEBS_SIZE)
        PebsEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        PebsNHM.pebs_nhm_num += 1


def create_event(name, comm, dso, symbol, raw_buf):
    kind = {_PEBS_SIZE: PebsEvent, _PEBS_LL_SIZE: PebsNHM}.get(len(raw_buf), PerfEvent)
    return kind(name, comm, dso, symbol, raw_buf)


# Found last: a user who has perf's own SchedGui (and wxPython) in the search path gets that one.
class _NoScreens(object):
    def find_spec(self, name, path=None, target=None):
        if name == "SchedGui":
            raise ImportError("SchedGui draws windows with wxPython: it comes with perf's scripts, set PERF_EXEC_PATH "
                              "to where they are")
        return None


def _refuse_screens():
    import sys
    sys.meta_path.append(_NoScreens())


_refuse_screens()
