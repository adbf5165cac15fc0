#!/bin/bash
# Recordings that were cut: read each whole record before the cut, print the offset and the type of
# the cut record, and end with a status other than 0. The same for killed recorders, and for files
# that get shorter while we read. A walk of our own counts the records. STROBE_CUTS=N: this many
# cuts per recording (default: 200 in total, 50 with sanitizers).
. "$(dirname "$0")/lib.sh"
need python3
if [ -n "${STROBE_SANITIZED:-}" ]; then cuts=50; else cuts=200; fi

cat >salvage.py <<'PY'
import os, random, re, struct, subprocess, sys

strobe, golden, cuts = sys.argv[1], sys.argv[2], int(sys.argv[3])
NAMES = {1: "MMAP", 2: "LOST", 3: "COMM", 4: "EXIT", 7: "FORK", 9: "SAMPLE", 10: "MMAP2",
         13: "LOST_SAMPLES", 17: "KSYMBOL", 18: "BPF_EVENT", 68: "FINISHED_ROUND",
         69: "ID_INDEX", 73: "THREAD_MAP", 74: "CPU_MAP", 78: "EVENT_UPDATE", 79: "TIME_CONV",
         81: "COMPRESSED", 82: "FINISHED_INIT", 83: "COMPRESSED2"}
problems, done = [], 0

def walk(data, at, end):
    """(offset, type, size) of every record that begins before `end`."""
    while end - at >= 8:
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        if size < 8:
            return
        yield at, kind, size
        at += size

def run(*args):
    p = subprocess.run([strobe, *args], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    return p.returncode, p.stdout.decode(), p.stderr.decode()

def total(text):
    found = re.search(r"TOTAL events: +(\d+)", text)
    return int(found.group(1)) if found else 0

def check(ok, what, *more):
    if not ok:
        problems.append(what + " " + " | ".join(str(m)[:300] for m in more))

def cut_one(name, data, at, data_offset, data_end):
    global done
    done += 1
    open("cut.data", "wb").write(data[:at])
    rc, out, err = run("report", "--stats", "-i", "cut.data")
    what = "%s cut at 0x%x:" % (name, at)
    check(rc > 0, what, "exit status", rc, err)
    check(err.strip(), what, "says nothing")
    other = [["report", "--stdio"], ["script"], ["evlist"], ["report", "--header-only"], ["script", "-D"]][done % 5]
    rc, _, other_err = run(*other, "-i", "cut.data")
    check(rc > 0 and other_err.strip(), what, " ".join(other), "exit status", rc, other_err)
    if at < data_offset:
        return
    records = list(walk(data, data_offset, min(at, data_end)))
    whole = [r for r in records if r[0] + r[2] <= at]
    if not any(kind in (81, 83) for _, kind, _ in records):
        check(total(out) == len(whole), what, "%d of %d records" % (total(out), len(whole)), err)
    if at >= data_end:
        return
    if len(whole) < len(records):
        where, kind = records[-1][0], NAMES[records[-1][1]]
        check("0x%x" % where in err and kind in err, what, "no word of the %s record at 0x%x" % (kind, where), err)
    else:
        where = whole[-1][0] + whole[-1][2] if whole else data_offset
        check("0x%x" % where in err or "0x%x" % at in err, what, "no offset", err)

files = [f for f in sorted(os.listdir(golden)) if f.endswith(".data") and not f.startswith("mutant")
    and "pipe" not in f]
for f in files:
    data = open(os.path.join(golden, f), "rb").read()
    data_offset, data_size = struct.unpack_from("<QQ", data, 40)
    pick = random.Random(f)
    for _ in range(max(1, cuts // len(files))):
        end = data_offset + data_size
        at = pick.choice(
            [pick.randrange(1, len(data)), pick.randrange(data_offset, end), pick.randrange(data_offset, end)])
        cut_one(f, data, at, data_offset, end)

    # The recorder was killed: no data size, no features, and the last record is incomplete.
    kill = pick.randrange(data_offset + data_size // 2, data_offset + data_size)
    for at in kill, data_offset + data_size:
        killed = bytearray(data[:at])
        struct.pack_into("<Q", killed, 48, 0)
        struct.pack_into("<4Q", killed, 72, 0, 0, 0, 0)
        open("killed.data", "wb").write(killed)
        rc, out, err = run("report", "--stats", "-i", "killed.data")
        records = list(walk(data, data_offset, at))
        whole = [r for r in records if r[0] + r[2] <= at]
        what = "%s killed at 0x%x:" % (f, at)
        check(rc > 0, what, "exit status", rc, err)
        check("not ended in order" in err, what, "no word of it", err)
        if not any(kind in (81, 83) for _, kind, _ in records):
            check(total(out) == len(whole), what, "%d of %d records" % (total(out), len(whole)), err)
        done += 1

# Streams may end anywhere; report the cut all the same.
for f in [f for f in sorted(os.listdir(golden)) if "pipe" in f]:
    data = open(os.path.join(golden, f), "rb").read()
    pick = random.Random(f)
    for _ in range(5):
        at = pick.randrange(len(data) // 2, len(data))
        open("cut.data", "wb").write(data[:at])
        rc, out, err = run("report", "--stats", "-i", "cut.data")
        records = [r for r in walk(data, 16, at)]
        where = records[-1][0] - 16
        check(rc in (0, 1), "%s cut at 0x%x:" % (f, at), "exit status", rc, err)
        if records[-1][0] + records[-1][2] > at and records[-1][1] in NAMES and not any(k == 66 for _, k, _ in records):
            check("0x%x" % where in err and NAMES[records[-1][1]] in err,
                "%s cut at 0x%x:" % (f, at), "no word of the record at 0x%x" % where, err)
        done += 1

def big():
    """fp.data with its records many times over, without features."""
    data = open(os.path.join(golden, "fp.data"), "rb").read()
    data_offset, data_size = struct.unpack_from("<QQ", data, 40)
    body = data[data_offset:data_offset + data_size]
    head = bytearray(data[:data_offset])
    n = (12 << 20) // len(body)
    struct.pack_into("<Q", head, 48, n * len(body))
    struct.pack_into("<4Q", head, 72, 0, 0, 0, 0)
    open("big.data", "wb").write(bytes(head) + body * n)

for command in ["script"], ["script", "-D"], ["report", "--stdio", "-D"]:
    for share in 0.6, 0.1, 0:
        big()
        p = subprocess.Popen([strobe, *command, "-i", "big.data"], stdout=subprocess.PIPE, stderr=open("big.err", "wb"))
        p.stdout.read(1)	# it is reading, and waits for us to read its output
        os.truncate("big.data", int(os.path.getsize("big.data") * share))
        while p.stdout.read(1 << 20):
            pass
        rc = p.wait(timeout=120)
        err = open("big.err").read()
        what = "%s, cut to %s while it was read:" % (" ".join(command), share)
        check(rc > 0, what, "exit status", rc)
        check("while it was read" in err, what, "no word of it", err)
        done += 1

print("%d cuts, %d problems" % (done, len(problems)))
for p in problems[:30]:
    print(p)
sys.exit(1 if problems else 0)
PY
check "cut recordings are salvaged without a problem" \
	python3 salvage.py "$STROBE" "$STROBE_SOURCE/tests/golden" "${STROBE_CUTS:-$cuts}"
[ "$failed" = 0 ] && say "$(python3 -c 'print(open("check.log").read().strip())')"
finish
