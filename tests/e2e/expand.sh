#!/bin/bash
# Compressed recordings are read in bounded memory, whatever size they expand to. The cost limit
# stops a bomb: a clear message, an exit status other than 0, and the records read before count.
. "$(dirname "$0")/lib.sh"
need python3

cat >bomb.py <<'PY'
import ctypes, ctypes.util, struct, sys
# bomb.py KIND MB >recording: 10 plain samples, then MB megabytes of KIND in COMPRESSED records:
# samples with a stack of zeroes, comm, or zeroes
kind, mb = sys.argv[1], int(sys.argv[2])
try:
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
except OSError:
    sys.exit(77)
zstd.ZSTD_compress.restype = ctypes.c_size_t
def pack(data):
    room = ctypes.create_string_buffer(len(data) // 8 + 65536)
    n = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 1)
    return room.raw[:n]
IP, TID, TIME, RAW = 1, 2, 4, 1 << 10
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, IP | TID | TIME | RAW, 0, 1 << 8 | 1 << 9 | 1 << 18).ljust(128, b"\0")
record = lambda kind, misc, body: struct.pack("<IHH", kind, misc, 8 + len(body)) + body
def sample(i, size):
    return record(9, 2, struct.pack("<QIIQ", 0x401000, 7, 7, 1000 + i) + struct.pack("<I", size + 4) + bytes(size + 4))
comm = record(3, 0x2000, struct.pack("<II8s", 7, 7, b"prog") + struct.pack("<IIQ", 7, 7, 1))
pieces = {"samples": lambda k: b"".join(sample(10 + 17 * k + i, 60000) for i in range(17)),
    "comm": lambda k: comm * (1 << 20 >> 5), "zeroes": lambda k: bytes(1 << 20)}
packed = [record(81, 0, pack(pieces[kind](k))) + record(68, 0, b"") for k in range(mb if kind == "samples" else 1)]
data = comm + b"".join(sample(i, 8) for i in range(10)) + b"".join(packed) * (mb // len(packed))
out = sys.stdout.buffer
features = 1 << 3 | 1 << 27
at = 248 + len(data) + 32
out.write(b"PERFILE2"
    + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, features, 0, 0, 0) + attr
    + bytes(16) + data)
out.write(struct.pack("<4Q", at, 68, at + 68, 20) + struct.pack("<I64s", 64, b"host")
    + struct.pack("<5I", 1, 1, 1, 300, 1 << 20))
PY
# The exit status of a command, then its peak memory in KB.
cat >peak.py <<'PY'
import resource, subprocess, sys
p = subprocess.run(sys.argv[1:], stdout=open("out", "wb"), stderr=open("err", "wb"), stdin=subprocess.DEVNULL)
print(p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
python3 bomb.py samples 1 >probe.data || skip "no libzstd for python here"
measure() { read -r rc peak <<<"$(python3 peak.py "$STROBE" "$@")"; }
# Sanitizers use memory of their own.
small() { [ -n "${STROBE_SANITIZED:-}" ] || [ "$peak" -lt $(($1 * 1024)) ]; }
samples() { sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' out | head -1; }
stopped() {	# WHAT SAMPLES TEXT: the cost limit ended it
	check "$1: exit status $rc" test "$rc" = 1
	check "$1: $(samples) samples count" test "$(samples)" -ge "$2"
	check "$1: one line that says it: $(cat err)" sh -c '[ $(wc -l <err) = 1 ] && grep -q "$1" err' sh "$3"
}

# --- 800 MB from 6 KB per megabyte, read completely
python3 bomb.py samples 800 >samples.data
size=$(stat -c %s samples.data)
check "the recording is 200 times smaller than its data ($size bytes)" test "$size" -lt 4000000
measure report --stats -i samples.data
check "all samples are there: $(samples), $(cat err)" test "$rc:$(samples)" = "0:$((10 + 800 * 17))"
check "report needs less than 96 MB ($peak KB)" small 96
for command in evlist "script -F ip" "report --stdio"; do
	measure $command -i samples.data
	check "$command reads it: $(cat err)" sh -c '[ '"$rc"' = 0 ] && [ -s out ] && ! grep -q WARNING err'
	check "$command: in bounded memory: $peak KB" small 96
done
run sh -c "'$STROBE' report --stats -i - <samples.data"
check "report of standard input counts all samples" test "$rc:$(samples)" = "0:$((10 + 800 * 17))"

# --- bombs
(ulimit -f 65536; measure report --stats -i samples.data; echo "$rc $peak" >numbers); read -r rc peak <numbers
stopped "no room for files" $((10 + 200 * 17)) 'no room for more in .*TMPDIR=DIR'
check "no room for files: in bounded memory: $peak KB" small 400
python3 bomb.py comm 4000 >comm.data
measure report --stats -i comm.data
stopped "4 GB of records about tasks" 10 'offset 0x.*expands to too many records'
check "4 GB of records about tasks: in bounded memory: $peak KB" small 400
python3 bomb.py zeroes 1000 >zeroes.data
measure report --stats -i zeroes.data
stopped "zeroes" 10 '1000 malformed records'
check "zeroes: in bounded memory: $peak KB" small 96
# A small disk: leave a quarter of its free space to others.
if unshare -m true 2>/dev/null; then
	mkdir disk
	run unshare \
		-m sh -c "mount -t tmpfs -o size=400m none disk &&
		TMPDIR=$tmp/disk '$STROBE' report --stats -i samples.data"
	stopped "a small disk" $((10 + 250 * 17)) "no room for more in $tmp/disk"
else
	skip_part "a small disk: may not mount here"
fi
# A pipe that is closed: do not read the rest.
python3 - <<'PY' >pipe.data
import struct, sys
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 1 << 10, 0, 1 << 8).ljust(128, b"\0")
sample = struct.pack("<IHHQI", 9, 2, 8 + 8 + 4 + 60004, 7, 60004) + bytes(60004)
out = sys.stdout.buffer
out.write(b"PERFILE2" + struct.pack("<Q", 16) + struct.pack("<IHH", 64, 0, 8 + len(attr)) + attr)
for _ in range(6000): out.write(sample)
PY
run bash -c "ulimit -f 65536; cat pipe.data | '$STROBE' report --stats -i -"
stopped "a pipe without room" 4000 'only its first 25[56] MB were read'

# --- a recording made here
workload spin -O1 -fno-omit-frame-pointer
if can sample; then
	must "$STROBE" record -q -N -z -e cpu-clock -F 1000 --call-graph dwarf,65528 -o own.data ./spin 1
	measure report --stats -i own.data
	check "an own recording: $(cat err)" test "$rc" = 0 -a "$(samples)" -gt 100
	ratio=$("$STROBE" report --header-only -i own.data | sed -n 's/.*ratio = //p')
	say "own recording: ratio $ratio, $peak KB"
	check "an own recording: in bounded memory: $peak KB" small 96
else
	skip_part "an own recording: this machine cannot: $why_not"
fi
finish
