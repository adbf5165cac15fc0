#!/bin/bash
# When only a part of a recording is readable, each command that needs the other part prints a
# message and ends with a status other than 0. The mutants (mutate.sh) look for crashes and silence
# in random damage; here the damage is known.
. "$(dirname "$0")/lib.sh"
need python3
golden=$STROBE_SOURCE/tests/golden
printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' 'ffffffff82000000 T _etext' >kallsyms

cat >damage.py <<'PY'
import struct, sys
# damage.py KIND FILE >damaged
kind, data = sys.argv[1], bytearray(open(sys.argv[2], "rb").read())
pipe = struct.unpack_from("<Q", data, 8)[0] == 16
start, size = (16, len(data) - 16) if pipe else struct.unpack_from("<QQ", data, 40)
bits = 0 if pipe else struct.unpack_from("<Q", data, 72)[0]
records, at = [], start
while at < start + size:
    t, misc, n = struct.unpack_from("<IHH", data, at)
    records.append((at, t, n))
    at += n
sample = ([r for r in records if r[1] == 9] + [(start, 9, 0)] * 4)[3][0]
def section(bit):
    return struct.unpack_from("<QQ", data, start + size + 16 * bin(bits & (1 << bit) - 1).count("1"))
if kind == "sample":        # a chain that is longer than its record
    word = sample + 8 + 8 * int(sys.argv[3])
    struct.pack_into("<Q", data, word, 1 << 40)
elif kind == "id":          # an event without a description
    struct.pack_into("<Q", data, sample + 8 + 8 * int(sys.argv[3]), 0x77777777)
elif kind == "late":        # of a pipe: the last sample has the time of the first, two marks of rounds later
    samples = [r[0] for r in records if r[1] == 9]
    data[samples[-1] + 24:samples[-1] + 32] = data[samples[0] + 24:samples[0] + 32]
    data[samples[-1]:samples[-1]] = 2 * struct.pack("<IHH", 68, 0, 8)
elif kind == "record":      # a COMM without a body; the rest of it is an unknown record
    at, t, n = [r for r in records if r[1] == 3][0]
    struct.pack_into("<IHHIHH", data, at, 3, 0, 8, 200, 0, n - 8)
elif kind == "bytes":       # a size that makes no record
    struct.pack_into("<H", data, sample + 6, 3)
elif kind == "feature":     # the hostname is longer than its section
    struct.pack_into("<I", data, section(3)[0], 1 << 30)
elif kind == "build-id":    # the list of build-ids ends inside its first entry
    struct.pack_into("<H", data, section(2)[0] + 6, 9)
elif kind == "cut":
    data = data[:sample + 9]
sys.stdout.buffer.write(data)
PY
told() {	# WHAT COMMAND...: status and message
	local damage=$1 most=2; shift
	[ "$1" != diff ] || most=4
	run timeout 60 "$STROBE" "$@"
	check "$damage: $*: exit status $rc" test "$rc" -gt 0 -a "$rc" -ne 124 -a "$rc" -lt 128
	check "$damage: $*: says it in a line" grep -q '^WARNING: ' err
	check "$damage: $*: in few lines" test "$(grep -c '^WARNING: ' err)" -le $most
}
data_readers() {	# WHAT FILE
	[ "$1" = sample ] || told "$1" report --stats -i "$2"
	told "$1" report --stdio --kallsyms kallsyms -i "$2"
	told "$1" script --kallsyms kallsyms -i "$2"
	told "$1" script -D --kallsyms kallsyms -i "$2"
	told "$1" collapse --kallsyms kallsyms -i "$2"
	told "$1" flamegraph --kallsyms kallsyms -i "$2"
	told "$1" diff "$2" "$2"
	told "$1" data convert --to-json "$1.json" --force -i "$2"
}

for kind in record bytes feature cut; do
	python3 damage.py $kind "$golden/fp.data" >$kind.data
	data_readers $kind $kind.data
	told $kind inject -b -o injected.data -i $kind.data
done
for kind in feature cut; do
	told $kind evlist -i $kind.data
	told $kind report --header-only -i $kind.data
	told $kind buildid-list -i $kind.data
done
# Chains that are longer than their record. IP, TID, TIME and PERIOD come before the length; IP,
# TID, TIME and ADDR come before ids.
python3 damage.py sample "$golden/fp.data" 4 >sample.data
data_readers sample sample.data
python3 damage.py id "$golden/group.data" 4 >id.data
for kind in sample id; do told $kind buildid-list -H -i $kind.data; done
# inject leaves them out, as all that read do: what it writes is whole.
told id inject -o injected.data -i id.data
check "inject leaves one sample out" test "$(grep -c ': 1 sample of events' err)" = 1
run "$STROBE" report --stats -i injected.data
check "the rest of the recording is read" test "$rc $(cat err)" = "0 "
# Build-ids of pipes come in records.
for kind in record bytes; do
	python3 damage.py $kind "$golden/pipe.data" >pipe.data
	told "$kind of a pipe" buildid-list -i pipe.data
	told "$kind of a pipe" buildid-list -H -i pipe.data
	# They show the header alone, but read a pipe to its end.
	for command in evlist "report --header-only" "script --header-only"; do
		# shellcheck disable=SC2086
		run "$STROBE" $command -i pipe.data
		check "$kind of a pipe: $command reports it, and its answer is whole" \
			sh -c '[ '"$rc"' = 0 ] && [ "$(grep -c "^WARNING: " err)" -le 2 ] && grep -q "^WARNING: " err'
	done
done
python3 damage.py cut "$golden/pipe.data" >cut.pipe
for command in evlist "report --header-only" "script --header-only"; do
	# shellcheck disable=SC2086
	run "$STROBE" $command -i cut.pipe
	check "$command: a pipe that was cut" grep -q '^WARNING: .* is cut short' err
done

# A time before the last mark of a round is no damage of bytes, but the order is lost.
python3 damage.py late "$golden/pipe.data" >late.data
run "$STROBE" report --stdio --kallsyms kallsyms -i late.data
check "a sample that comes too late" grep -q '^Warning: 1 out of order events recorded: ' err

# A recording that lost all samples: say that it is cut, not only that the samples are missing.
head -c 900 "$golden/fp.data" >start.data
for command in collapse flamegraph "sched latency" "sched stats report" timechart waits "lock user" "kwork report"; do
	# shellcheck disable=SC2086
	run "$STROBE" $command -i start.data
	check "$command: a recording that lost all samples ($rc)" \
		sh -c "[ $rc = 255 ] && grep -q '^WARNING: .* is cut short' err"
done

# Samples that read a group without counters are complete, but there is nothing to print: say so.
python3 - >none.data <<'PY'
import struct, sys
READ, TID, ID, GROUP = 1 << 4, 1 << 1, 1 << 2, 1 << 3
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, READ | TID, ID | GROUP, 0).ljust(128, b"\0")
data = struct.pack("<IHHIIQ", 9, 2, 24, 7, 7, 0)
host = 248 + len(data) + 16
sys.stdout.buffer.write(b"PERFILE2"
    + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 8, 0, 0, 0) + attr + bytes(16)
    + data +
    struct.pack("<QQI64s", host, 68, 64, b"host"))
PY
for command in collapse flamegraph; do
	run "$STROBE" $command -i none.data
	check "$command of samples without counts says so" \
		sh -c '[ $(wc -l <err) = 1 ] && grep -q "none.data. gives no stack" err'
done

if can count; then
	must "$STROBE" stat record -o stat.data -e task-clock true
	for kind in feature bytes; do
		python3 damage.py $kind stat.data >$kind.stat
		told $kind stat report -i $kind.stat
	done
else
	skip_part "stat report: this machine cannot: $why_not"
fi
finish
