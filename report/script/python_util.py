# The module Util: times, sums and names, as scripts for perf import them. Our own code.
import errno
import os

NSECS_PER_SEC = 1000000000
FUTEX_WAIT = 0
FUTEX_WAKE = 1
FUTEX_PRIVATE_FLAG = 128
FUTEX_CLOCK_REALTIME = 256
FUTEX_CMD_MASK = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)


def avg(total, n):
    return total / n


def nsecs(secs, nsecs):
    return secs * NSECS_PER_SEC + nsecs


def nsecs_secs(nsecs):
    return nsecs // NSECS_PER_SEC


def nsecs_nsecs(nsecs):
    return nsecs % NSECS_PER_SEC


def nsecs_str(nsecs):
    return "%5u.%09u" % (nsecs_secs(nsecs), nsecs_nsecs(nsecs))


# dict[key] becomes (minimum, maximum, running mean, count).
def add_stats(dict, key, value):
    if key not in dict:
        dict[key] = (value, value, value, 1)
        return
    least, most, mean, count = dict[key]
    dict[key] = (min(least, value), max(most, value), (mean + value) / 2, count + 1)


def clear_term():
    print("\x1b[H\x1b[2J")


def strerror(nr):
    name = errno.errorcode.get(abs(nr))
    return name if name else "Unknown %d errno" % nr


# Names of system calls come from this machine's kernel header; without it, show numbers.
def _read_names():
    names = {}
    machine = os.uname()[4]
    wide = {"x86_64": "_64", "i686": "_32", "i386": "_32"}.get(machine, "")
    triplet = "%s-linux-gnu" % {"i686": "i386"}.get(machine, machine)
    for directory in ("/usr/include/%s/asm" % triplet, "/usr/include/asm"):
        for path in ("%s/unistd%s.h" % (directory, wide), "/usr/include/asm-generic/unistd.h"):
            try:
                with open(path) as header:
                    lines = header.readlines()
            except OSError:
                continue
            for line in lines:
                words = line.split()
                if len(words) == 3 and words[0] == "#define" and words[1].startswith("__NR_") and words[2].isdigit():
                    names.setdefault(int(words[2]), words[1][5:])
            if names:
                return names
    return names


_names = None


def syscall_name(id):
    global _names
    if _names is None:
        _names = _read_names()
    return _names.get(id, str(id))
