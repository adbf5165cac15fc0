#!/bin/bash
# script --json and --csv: strict readers accept them, and they contain the same as the text.
. "$(dirname "$0")/lib.sh"
need python3
golden=$STROBE_SOURCE/tests/golden

cat >same.py <<'EOF'
# same.py TEXT JSON CSV: all three have the same samples; TEXT has
# comm,tid,time,period,event,ip,sym,dso of recordings with chains.
import csv, json, re, sys
lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
assert json.loads(lines[0]) == {"format": "strobe samples", "version": 1}
objects = [json.loads(line) for line in lines[1:]]
rows = list(csv.DictReader(open(sys.argv[3], encoding="utf-8", newline=""), strict=True))
assert len(objects) == len(rows) > 0
text = [block.split("\n") for block in open(sys.argv[1]).read().strip().split("\n\n")]
assert len(text) == len(objects), (len(text), len(objects))
for block, o, row in zip(text, objects, rows):
    head = re.match(r"\s*(\S+)\s+(\d+)\s+(\d+)\.(\d+):\s+(\d+) (\S+): *$", block[0])
    assert head, block[0]
    comm, tid, s, ns, period, event = head.groups()
    assert (o["comm"], o["tid"], o["event"], o["period"]) == (comm, int(tid), event, int(period))
    assert o["time_ns"] == int(s) * 10**9 + int(ns)
    assert (row["comm"], row["tid"], row["time_ns"], row["event"], row["period"]) == (comm, tid,
        str(o["time_ns"]), event, period)
    names = []
    for line, f in zip(block[1:], o["chain"]):
        ip, rest = line.split(None, 1)
        assert f["ip"] == "0x" + ip
        name = rest.rsplit(" (", 1)[0]
        assert f.get("sym", "[unknown]") == name, (f, name)
        assert rest.endswith(" (inlined)") == f.get("inlined", False)
        if not f.get("inlined"):
            assert rest.endswith(" (" + f.get("dso", "[unknown]") + ")"), (rest, f)
        names.append(f.get("sym", f["ip"]))
    assert len(block) - 1 == len(o["chain"])
    assert row["chain"].split(";") == names if names else row["chain"] == ""
    assert row["ip"] == o["ip"] and row["sym"] == o.get("sym", "") and row["dso"] == o.get("dso", "")
EOF
three() {	# recording
	"$STROBE" script -i "$1" --ns -F comm,tid,time,period,event,ip,sym,dso >text 2>err &&
	"$STROBE" script -i "$1" --json >json 2>>err && "$STROBE" script -i "$1" --csv >csv 2>>err
}
for f in fp dwarf perf-fp perf-dwarf pipe z; do
	check "$f can be printed" three "$golden/$f.data"
	check "$f: JSON, CSV and text say the same" python3 same.py text json csv
done
run "$STROBE" script -i "$golden/tracepoint.data" --json
check "tracepoints have their text" grep -q '"trace":"comm=' out
run "$STROBE" script -i "$golden/fp.data" --json -F +srcline
check "every line is JSON" python3 -c 'import json, sys; [json.loads(l) for l in open("out", encoding="utf-8")]'
run "$STROBE" script -i "$golden/fp.data" --json --pid 1
check "--json heeds filters" test "$(wc -l <out)" = 1

# A hostile thread name.
workload spin
cp spin '";=1+1,<b>'
if can sample; then
	must "$STROBE" record -q -g -o hostile.data './";=1+1,<b>' 0.1
	"$STROBE" script -i hostile.data --json >json 2>err
	"$STROBE" script -i hostile.data --csv >csv 2>>err
	check "hostile names come through readers as they were" python3 -c '
import csv, json
o = [json.loads(l) for l in open("json")][1:]
r = list(csv.DictReader(open("csv", newline=""), strict=True))
want = "\";=1+1,<b>"
assert o and len(o) == len(r) and any(x["comm"] == want for x in o) and any(x["comm"] == want for x in r)'
	check "JSON has no tag of markup" sh -c '! grep -q "<" json'
fi
check "an early closed pipe ends quietly" \
	sh -c '"$STROBE" script -i "$1" --json 2>err | head -1 >/dev/null; [ ! -s err ]' \
	sh "$golden/fp.data"
check "a full disk is an error" sh -c '! "$STROBE" script -i "$1" --csv >/dev/full 2>/dev/null' sh "$golden/fp.data"

# --- data convert: one document in perf's format
cat >shape.py <<'EOF'
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
assert list(d) == ["linux-perf-json-version", "headers", "samples"] and d["linux-perf-json-version"] == 1
assert d["headers"]["header-version"] == 1 and d["headers"]["data-size"] > 0 and d["headers"]["cmdline"]
assert len(d["samples"]) == int(sys.argv[2]), len(d["samples"])
for s in d["samples"]:
	assert {"timestamp", "pid", "tid", "comm", "callchain"} <= set(s)
	assert all(f["ip"].startswith("0x") for f in s["callchain"])
EOF
for f in fp perf-fp tracepoint; do
	rm -f out.json
	run "$STROBE" data convert -i "$golden/$f.data" --to-json out.json
	check "$f: it says what it wrote" grep -q "data convert: Converted '.*' into JSON data 'out.json'" err
	check "$f: all samples are in the document" \
		python3 shape.py out.json \
		"$("$STROBE" script -i "$golden/$f.data" --json | tail -n +2 | wc -l)"
	if "${STROBE_PERF72:-false}" version >/dev/null 2>&1; then
		"$STROBE_PERF72" data convert -i "$golden/$f.data" --to-json perf.json --force >/dev/null 2>&1
		# Do not use names of another kernel than the recorded one.
		for x in out perf; do
			grep -v '__traceiter\|"symbol":\|"dso":' $x.json | sed 's/\("ip": "[^"]*"\),/\1/' >$x.plain
		done
		check "$f: the document of perf 7.2" diff perf.plain out.plain
	fi
done
# perf's document has no frames for inlined calls: they are listed in the frame with their address.
if command -v cc >/dev/null; then
	cat >inl.c <<'C'
static volatile long sum;
static inline __attribute__((always_inline)) void deepest(void) { for (long i = 0; i < 1000000; i++) sum += i; }
static inline __attribute__((always_inline)) void middle(void) { deepest(); }
static __attribute__((noinline)) void outermost(void) { middle(); sum++; }
int main(void) { for (int i = 0; i < 400; i++) outermost(); return 0; }
C
	cc -g -O1 -fno-omit-frame-pointer -o inl inl.c
	if can sample; then
		must "$STROBE" record -q -e cpu-clock:u -F 2000 -g -o inl.data ./inl
		"$STROBE" data convert -i inl.data --to-json inl.json --force 2>/dev/null
		"$STROBE" script -i inl.data --no-inline -F ip 2>/dev/null >ips
		check "inlined calls have a key of their own" python3 -c '
import json
frames = [f for s in json.load(open("inl.json"))["samples"] for f in s["callchain"]]
assert len(frames) == sum(1 for l in open("ips") if l.strip()), len(frames)
hot = [f for f in frames if f.get("symbol") == "outermost"]
assert len(hot) > 50 and sum(f.get("inlined") == ["deepest", "middle"] for f in hot) > 0.9 * len(hot), hot[:3]
assert not any(f.get("symbol") in ("deepest", "middle") for f in frames)'
	else skip_part "inlined calls: this machine cannot: $why_not"; fi
fi
check "jq reads the samples" sh -c '! command -v jq >/dev/null || jq -e ".samples | length > 0" out.json'
run "$STROBE" data convert -i "$golden/fp.data" --to-json out.json
check "a message about a file that exists" test $rc = 255 -a -n "$(grep already err)"
check "data to JSON keeps the fields of tracepoints" grep -q __syscall_nr out.json
run "$STROBE" data convert -i "$golden/fp.data" --to-json out.json --force
check "unless it is forced" test $rc = 0
run "$STROBE" data convert -i "$golden/fp.data" --to-json /dev/full --force
check "a full disk is an error" test $rc = 255
run "$STROBE" data convert -i "$golden/fp.data" --to-json - --time 0%-50%
check "a part of the time" python3 -c 'import json; d = json.load(open("out")); assert 0 < len(d["samples"]) < 32'
run "$STROBE" data convert -i "$golden/fp.data" --to-ctf x --to-json y
check "one form at a time" test $rc = 129
if [ -f hostile.data ]; then
	run "$STROBE" data convert -i hostile.data --to-json - --force
	check "hostile names leave it a document" python3 -c 'import json; json.load(open("out", encoding="utf-8"))'
fi
finish
