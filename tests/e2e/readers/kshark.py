"""Print the entries of a trace.dat as kernelshark's library has them: python3 kshark.py LIBKSHARK FILE.

One line each: TASK-PID [CPU] TIME: EVENT: TEXT. The library is the part of kernelshark without the window.
Source: libkshark.h, version 2 (libkshark-dev)."""
import ctypes, sys


class Entry(ctypes.Structure):
    _fields_ = [('next', ctypes.c_void_p), ('visible', ctypes.c_uint16), ('stream', ctypes.c_int16),
                ('event', ctypes.c_int16), ('cpu', ctypes.c_int16), ('pid', ctypes.c_int32), ('offset', ctypes.c_int64),
                ('time_ns', ctypes.c_int64)]


def function(name, result, *arguments):
    f = getattr(library, name)
    f.restype, f.argtypes = result, arguments
    return f


library = ctypes.CDLL(sys.argv[1])
entry = ctypes.POINTER(Entry)
context, rows = ctypes.c_void_p(), ctypes.POINTER(entry)()
new = function('kshark_instance', ctypes.c_bool, ctypes.POINTER(ctypes.c_void_p))
load = function('kshark_open', ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
entries = function('kshark_load_entries', ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_int,
                   ctypes.POINTER(ctypes.POINTER(entry)))
task, event, text = (function('kshark_get_' + what, ctypes.c_char_p, entry) for what in ('task', 'event_name', 'info'))
if not new(ctypes.byref(context)): sys.exit('kernelshark: no context')
stream = load(context, sys.argv[2].encode())
if stream < 0: sys.exit('kernelshark: cannot open %s' % sys.argv[2])
for i in range(entries(context, stream, ctypes.byref(rows))):
    e, us = rows[i].contents, (rows[i].contents.time_ns + 500) // 1000
    print('%s-%d [%03d] %d.%06d: %s: %s' % (task(rows[i]).decode(), e.pid, e.cpu, us // 1000000, us % 1000000,
          event(rows[i]).decode().split('/')[-1], text(rows[i]).decode(errors='replace')))
