#!/bin/bash
# Memory does not grow with the recording: the peak for 96 MB equals that for 24 MB, for each form
# of input, for text and for stacks. The recordings have few and large samples, so reading is fast.
. "$(dirname "$0")/lib.sh"
need python3
[ -z "${STROBE_SANITIZED:-}" ] || skip "sanitizers have memory of their own"
export STROBE_THREADS=4	# each worker has memory of its own, and a large recording gives work to more of them

cat >make.py <<'PY'
import struct, sys
# make.py FORM SAMPLES >recording: FORM is file, pipe, or late (a file whose later half comes first)
form, n = sys.argv[1], int(sys.argv[2])
IP, TID, TIME, CHAIN, RAW = 1, 2, 4, 1 << 5, 1 << 10
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, IP | TID | TIME | CHAIN | RAW, 0,
    1 << 8 | 1 << 9 | 1 << 18).ljust(128, b"\0")
record = lambda kind, misc, body: struct.pack("<IHH", kind, misc, 8 + len(body)) + body
raw = bytes(60000)
def sample(i):
    chain = struct.pack("<5Q", 4, 2**64 - 512, 0x401000 + i % 50, 0x402000, 0x403000)
    return record(9, 2,
        struct.pack("<QIIQ", 0x401000 + i % 50, 7, 7, 1000 + i) + chain + struct.pack("<I", len(raw)) + raw + bytes(4))
turns = list(range(n)) if form != "late" else list(range(n // 2, n)) + list(range(n // 2))
out = sys.stdout.buffer
comm = record(3, 0x2000, struct.pack("<II8s", 7, 7, b"prog") + struct.pack("<IIQ", 7, 7, 1))
if form == "pipe":
    out.write(b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, attr))
else:
    size = len(comm) + n * len(sample(0))
    out.write(b"PERFILE2"
        + struct.pack("<12Q", 104, 144, 104, 144, 248, size, 0, 0, 1 << 3, 0, 0, 0) + attr
        + bytes(16))
out.write(comm)
for i in turns: out.write(sample(i))
if form != "pipe":      # the HOSTNAME feature marks the recording as complete
    out.write(struct.pack("<QQ", 248 + size + 16, 68) + struct.pack("<I64s", 64, b"host"))
PY
# The peak memory of a command in KB, 0 if it fails.
cat >peak.py <<'PY'
import os, resource, subprocess, sys
p = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if not p.returncode else 0)
PY
# WHAT: the larger recording takes at most 16 MB more
constant() {
	local few=$2 many=$3
	say "$1: $few and $many KB"
	check "$1: the peak does not grow with the recording ($few, $many KB)" \
		test "$few" -gt 0 -a "$many" -gt 0 -a "$many" -lt $((few + 16 * 1024))
}

for form in file late pipe; do
	python3 make.py $form 400 >few; python3 make.py $form 1600 >many
	for command in script "script --json" "script --csv" "script --deltatime" collapse flamegraph \
		"flamegraph --html" "report --stdio"; do
		case $form:$command in file:*|*:script|*:collapse) ;; *) continue ;; esac
		constant "$command, $form" "$(python3 peak.py "$STROBE" $command -i few)" \
			"$(python3 peak.py "$STROBE" $command -i many)"
	done
done
for command in script collapse; do
	constant "$command, live pipe" "$(python3 peak.py "$STROBE" $command -i - < <(cat few))" \
		"$(python3 peak.py "$STROBE" $command -i - < <(cat many))"
done

# record reads its output again to find objects with samples.
workload spin -O1 -fno-omit-frame-pointer
if can sample; then
	# on one CPU: each has a ring, whose pages count
	spin="./spin 1"
	! command -v taskset >/dev/null || spin="taskset -c $one_cpu $spin"
	must "$STROBE" record -q -N -e cpu-clock:u -F 4000 -m 1M --call-graph dwarf,65528 -o big.data $spin
	size=$(($(stat -c %s big.data) / 1024))
	peak=$(python3 peak.py "$STROBE" record -q -N -e cpu-clock:u -F 4000 -m 1M \
		--call-graph dwarf,65528 -o big.data $spin)
	say "record: $peak KB for $size KB"
	check "the recorder's peak is not that of its recording ($peak KB for $size KB)" \
		test "$peak" -gt 0 -a \( "$size" -lt 80000 -o "$peak" -lt 48000 \)
else
	skip_part "the recorder: this machine cannot: $why_not"
fi
finish
