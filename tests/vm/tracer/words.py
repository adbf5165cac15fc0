"""What the AUXTRACE records of a recording hold whose tracer wrote the numbers of its words, counting up from 0.

usage: words.py [--on | --info] FILE...

Prints the number of records of all files, and for each area: its bytes, where the first word lies in the trace, and how
many words are missing between the first and the last. --on: the offset of each record tells where it lies, as in a full
trace. Fails if the words do not count up.
--info: the words of AUXTRACE_INFO instead.
"""
import struct
import sys


def fail(text):
    sys.exit("words.py: " + text)


def records(data, at, end):
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if size < 8:
            fail(f"bad record at {at:#x}")
        yield kind, at, size
        at += size
        if kind == 71:
            at += struct.unpack_from("<Q", data, at - size + 8)[0]


def span(data):
    if data[:8] != b"PERFILE2":
        fail("no recording")
    if struct.unpack_from("<Q", data, 8)[0] == 16:
        return 16, len(data)
    offset, size = struct.unpack_from("<QQ", data, 40)
    return offset, offset + size


def index(data):
    """Offsets of the records of the section AUXTRACE. Sections lie behind the data in the order of their bits."""
    bits = struct.unpack_from("<Q", data, 72)[0]
    if not bits >> 18 & 1:
        return None
    at = span(data)[1] + 16 * bin(bits & ((1 << 18) - 1)).count("1")
    offset = struct.unpack_from("<Q", data, at)[0]
    count = struct.unpack_from("<Q", data, offset)[0]
    return [struct.unpack_from("<QQ", data, offset + 8 + 16 * i) for i in range(count)]


def info(name):
    with open(name, "rb") as f:
        data = f.read()
    for kind, at, size in records(data, *span(data)):
        if kind == 70:
            print(*(hex(word) for word in struct.unpack_from(f"<{size // 8 - 1}Q", data, at + 8)))


def main():
    if sys.argv[1] == "--info":
        return info(sys.argv[2])
    on = "--on" in sys.argv
    total, areas = 0, {}
    for name in [a for a in sys.argv[1:] if a != "--on"]:
        with open(name, "rb") as f:
            data = f.read()
        places = []
        for kind, at, size in records(data, *span(data)):
            if kind != 71:
                continue
            length, offset, _, area = struct.unpack_from("<QQQI", data, at + 8)
            words = struct.unpack_from(f"<{length // 8}Q", data, at + size)
            places.append((at, size))
            if any(word != words[0] + i for i, word in enumerate(words)):
                fail(f"{name}: words of the record at {at:#x} do not count up")
            if on and words and words[0] * 8 != offset:
                fail(f"{name}: the record at {at:#x} says offset {offset:#x}, its first word {words[0] * 8:#x}")
            known = areas.setdefault(area, {"bytes": 0, "first": words[0], "next": words[0], "missing": 0})
            known["missing"] += words[0] - known["next"]
            known["next"] = words[-1] + 1
            known["bytes"] += length
            total += 1
        if data[8] != 16 and index(data) != places:
            fail(f"{name}: the section AUXTRACE is {index(data)}, the records lie at {places}")
    print("records", total)
    for area in sorted(areas):
        a = areas[area]
        print("area", area, "bytes", a["bytes"], "first", a["first"], "missing", a["missing"])


main()
