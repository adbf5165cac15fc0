#!/usr/bin/env python3
"""What an export says, in the words of report, so that the two can be compared:

	sums.py FORMAT FILE      lines "event|total|W", "event|self|function|W", "event|children|function|W"
	sums.py report STROBE FILE [OPTION...]  the same from `report`, whose children are percents: "...|P%"
	sums.py compare ONE OTHER               totals, and the first 20 of self and children, are equal
	sums.py plain SUMS                      the same sums with names as collapsed lines have them
	sums.py one ONE OTHER                   the sums of ONE are those of one event of OTHER
	sums.py steps COMMAND... '>FILE' -- ... several of these in one start of Python, until one of them fails

A function is "name", a call inlined into another "name (inlined)"; addresses without a name are left out.
Self counts for the function that the address is in, whatever was inlined there.
"""
import collections, contextlib, gzip, itertools, json, re, subprocess, sys


class Sums:
    def __init__(self):
        self.total = collections.Counter()
        self.self = collections.defaultdict(collections.Counter)
        self.children = collections.defaultdict(collections.Counter)

    def add(self, event, frames, weight):
        """frames: innermost first, (name, is it inlined)"""
        self.total[event] += weight
        for name, inlined in frames:
            if not inlined:
                self.self[event][name] += weight
                break
        for name in {n + " (inlined)" if i else n for n, i in frames}:
            self.children[event][name] += weight

    def write(self):
        for e in sorted(self.total):
            print(f"{e}|total|{self.total[e]}")
            for kind, sums in ("self", self.self), ("children", self.children):
                for name, w in sums[e].items():
                    if w and not re.fullmatch(r"0x[0-9a-f]+|0|\[unknown\]", name):
                        print(f"{e}|{kind}|{name}|{w}")


# ---- the wire format of protocol buffers ----

def varint(b, i):
    v = s = 0
    while True:
        v |= (b[i] & 127) << s
        s += 7
        i += 1
        if not b[i - 1] & 128:
            return v, i


def fields(b):
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        if key & 7 == 0:
            v, i = varint(b, i)
        elif key & 7 == 1:
            v, i = int.from_bytes(b[i:i + 8], "little"), i + 8
        else:
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
            assert len(v) == n
        yield key >> 3, v


def message(b):
    m = collections.defaultdict(list)
    for f, v in fields(b):
        m[f].append(v)
    return m


def one(m, f, default=0):
    return m[f][-1] if m[f] else default


def packed(m, f):
    out = []
    for b in m[f]:
        i = 0
        while i < len(b):
            v, i = varint(b, i)
            out.append(v)
    return out


def frames_of(lines):
    """Lines of a location, innermost first; the last one is the function itself."""
    return [(name, i < len(lines) - 1) for i, name in enumerate(lines)]


def pprof(data, sums):
    p = message(gzip.decompress(data))
    text = [t.decode() for t in p[6]]
    assert text[0] == ""
    functions = {one(m, 1): text[one(m, 2)] for m in map(message, p[5])}
    places = {}
    for m in map(message, p[4]):
        # a location without a line is an address that has no name
        places[one(m, 1)] = frames_of([functions[one(message(line), 1)] for line in m[4]] or ["[unknown]"])
    events = [text[one(message(t), 1)] for t in p[1]]
    for m in map(message, p[2]):
        stack = [f for place in packed(m, 1) for f in places[place]]
        for event, weight in zip(events, packed(m, 2)):
            if weight:
                sums.add(event, stack, weight)


def otlp(data, sums):
    p = message(data)
    d = message(one(p, 2))
    text = [t.decode() for t in d[5]]
    functions = [text[one(message(m), 1)] for m in d[3]]
    places = []
    for m in map(message, d[2]):
        places.append(frames_of([functions[one(message(line), 1)] for line in m[3]]))
    stacks = [[f for place in packed(message(m), 1) for f in places[place]] for m in d[7]]
    for resource in map(message, p[1]):
        for scope in map(message, resource[2]):
            for profile in map(message, scope[2]):
                event = text[one(message(one(profile, 1)), 1)]
                for m in map(message, profile[2]):
                    values, times = packed(m, 4), one(m, 5, b"")
                    assert not times or len(times) == 8 * len(values)
                    sums.add(event, stacks[one(m, 1)], sum(values))


# ---- JSON ----

def event_of(name, known):
    return known if known else name


def firefox(data, sums):
    p = json.loads(data)
    for t in p["threads"]:
        text, stacks, frames, funcs = t["stringArray"], t["stackTable"], t["frameTable"], t["funcTable"]
        for table in stacks, frames, funcs, t["resourceTable"], t["samples"]:
            for key, column in table.items():
                assert not isinstance(column, list) or len(column) == table["length"], key
        m = re.search(r" \(([^()]*)\)$", t["name"])
        event = m.group(1) if m else ""
        scale = 1000000 if t["samples"]["weightType"] == "tracing-ms" else 1
        for stack, weight in zip(t["samples"]["stack"], t["samples"]["weight"]):
            path = []
            while stack is not None:
                f = stacks["frame"][stack]
                path.append((text[funcs["name"][frames["func"][f]]], frames["inlineDepth"][f] > 0))
                stack = stacks["prefix"][stack]
            sums.add(event, path, round(weight * scale))


def speedscope(data, sums):
    p = json.loads(data)
    names = [f["name"] for f in p["shared"]["frames"]]
    for t in p["profiles"]:
        m = re.search(r" -?\d+/-?\d+(?: (.*))?$", t["name"])
        assert sum(t["weights"]) == t["endValue"] and len(t["samples"]) == len(t["weights"])
        for stack, weight in zip(t["samples"], t["weights"]):
            sums.add(m.group(1) or "", [(names[i], False) for i in reversed(stack)], weight)


def chrome(data, sums):
    p = json.loads(data)
    frames = p["stackFrames"]
    for s in p["samples"]:
        path, at = [], s["sf"]
        while at:
            path.append((frames[str(at)]["name"], False))
            at = frames[str(at)].get("parent", 0)
        sums.add(s["name"], path, s["weight"])


def perfetto(data, sums):
    """Numbers of samples: the form has no weights."""
    profiles = {}
    for e in json.loads(data)["traceEvents"]:
        if e["name"] == "Profile":
            profiles[e["id"]] = {}
        elif e["name"] == "ProfileChunk":
            profile, nodes = e["args"]["data"]["cpuProfile"], profiles[e["id"]]
            for n in profile.get("nodes", []):
                nodes[n["id"]] = (n["callFrame"]["functionName"], n.get("parent"))
            assert len(profile["samples"]) == len(e["args"]["data"]["timeDeltas"])
            for at in profile["samples"]:
                path = []
                while nodes[at][1] is not None:
                    path.append((nodes[at][0], False))
                    at = nodes[at][1]
                sums.add("", path, 1)


def collapsed(data, sums):
    """One event, which is not named."""
    for line in data.decode(errors="replace").splitlines():
        stack, weight = line.rsplit(" ", 1)
        sums.add("", [(name, False) for name in reversed(stack.split(";")[1:])] or [("[unknown]", False)], int(weight))


def samples_json(data, sums):
    """perf's form, which tells neither events nor weights: numbers of samples."""
    for sample in json.loads(data)["samples"]:
        sums.add("", [(f.get("symbol", "[unknown]"), False) for f in sample.get("callchain", [])], 1)


def ctf(data, sums):
    """What babeltrace2 --fields=name... prints: samples of each event, and their periods. There are no names."""
    for line in data.decode(errors="replace").splitlines():
        m = re.match(r"\[[^]]*\] (?:\([^)]*\) )?(.*?): \{ cpu_id = \d+ \}, \{(.*)\}$", line)
        period = re.search(r"\bperf_period = (\d+)", m.group(2))
        sums.add(m.group(1), [], int(period.group(1)) if period else 1)


# ---- report, and comparing ----

def plain(path):
    """Lines of sums with names without parameters. Several functions of one name have no sum of their children."""
    sums = collections.defaultdict(list)
    for line in open(path, errors="replace"):
        event, kind, rest = line.rstrip("\n").split("|", 2)
        name, weight = rest.rsplit("|", 1) if kind != "total" else ("", rest)
        if ".(" not in name:
            name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
        name = re.sub("[\"']", "", name).replace(";", ":")
        sums[event, kind, name].append(int(weight))
    for (event, kind, name), weights in sums.items():
        if kind == "total":
            print(f"{event}|total|{weights[0]}")
        elif name and (kind == "self" or len(weights) == 1):
            print(f"{event}|{kind}|{name}|{sum(weights)}")


def is_one(one_file, other_file):
    """Is there an event with these sums? Compare the total, and the first 20 of self and children."""
    want, wanted = read(one_file)
    got, gotten = read(other_file)
    if not want:
        return not got
    def first(sums):
        return sorted(sums.items(), key=lambda i: (-(i[1] or 0), i[0]))
    def same(event):
        return got[event] == want[""] and all(
            wanted["", kind].get(name) == weight for kind in ("self", "children")
            for name, weight in first(gotten[event, kind])[:20])
    return any(same(event) for event in got)


def report(strobe, data, *options):
    out = subprocess.run([strobe, "report", "-i", data, "--stdio", "--children", "--no-group", "--no-branch-stack",
                          "-g", "none", "-F", "overhead_children,period,sym", "-t", "|", *options],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
    event, total = "", {}
    for line in out.split("\n"):
        m = re.match(r"# Samples: .* of events? '(.*)'", line)
        if m:
            event = re.sub(r"^.* group \{ (.*) \}$", r"\1", m.group(1))
        m = re.match(r"# Event count \(approx\.\): (\d+)", line)
        if m:
            print(f"{event}|total|{m.group(1)}")
        m = re.match(r" *([0-9.]+)% *\| *(\d+) *\|\[.\] (.*?) *$", line)
        if not m or re.match(r"(0x)?[0-9a-f]{16}$", m.group(3)):
            continue
        if m.group(2) != "0":
            print(f"{event}|self|{m.group(3)}|{m.group(2)}")
        print(f"{event}|children|{m.group(3)}|{m.group(1)}%")


def read(path):
    """Sums by event, kind and name. Children of two functions of one name may be in one sample: None."""
    total, sums = {}, collections.defaultdict(dict)
    for line in open(path, errors="replace"):
        event, kind, rest = line.rstrip("\n").split("|", 2)
        if kind == "total":
            total[event] = int(rest)
        else:
            name, value = rest.rsplit("|", 1)
            number = float(value[:-1]) if value.endswith("%") else int(value)
            known = sums[event, kind].get(name, 0)
            sums[event, kind][name] = known + number if kind == "self" or not known else None
    return {e: t for e, t in total.items() if t}, sums


def compare(report_file, other_file):
    """With formats that do not name the event or what is inlined, these are not compared."""
    want, wanted = read(report_file)
    got, gotten = read(other_file)
    bad = []
    if list(got) == [""] and len(want) == 1:
        got = {e: got[""] for e in want}
        gotten = {(e, k): gotten["", k] for e in want for k in ("self", "children")}
    plain = not any(n.endswith(" (inlined)") for s in gotten.values() for n in s)
    if want != got:
        bad.append(f"totals: {want} != {got}")
    for event in want:
        for kind in "self", "children":
            rows = {n: w for n, w in wanted[event, kind].items() if w is not None}
            if plain and any(n.endswith(" (inlined)") for n in wanted[event, "children"]):
                continue
            for name in sorted(rows, key=lambda n: (-rows[n], n))[:20]:
                w = gotten[event, kind].get(name, 0)
                if kind == "children":
                    near = abs(100 * w / want[event] - rows[name]) <= 0.0051
                else:
                    near = w == rows[name]
                if not near:
                    bad.append(f"{event} {kind} {name}: {rows[name]} != {w}")
    print("\n".join(bad))
    return not bad


def run(command, *words):
    """Do one command; false if it compared and found a difference."""
    if command in ("compare", "one"):
        return compare(*words) if command == "compare" else is_one(*words)
    if command in ("report", "plain"):
        (report if command == "report" else plain)(*words)
    else:
        result = Sums()
        globals()[command](open(words[0], "rb").read(), result)
        result.write()
    return True


def steps(words):
    for last, step in itertools.groupby(words, lambda w: w == "--"):
        step = list(step)
        if last:
            continue
        with contextlib.ExitStack() as stack:
            if step[-1].startswith(">"):
                stack.enter_context(contextlib.redirect_stdout(stack.enter_context(open(step.pop()[1:], "w"))))
            if not run(*step):
                return False
    return True


sys.exit(not (steps(sys.argv[2:]) if sys.argv[1] == "steps" else run(*sys.argv[1:])))
