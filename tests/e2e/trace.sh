#!/bin/bash
# Recordings with a hardware trace: readers keep or drop the trace, and say so.
. "$(dirname "$0")/lib.sh"
need python3
words() { python3 "$STROBE_SOURCE/tests/vm/tracer/words.py" --on "$@"; }

for name in file z pipe; do
	file=$STROBE_SOURCE/tests/golden/trace/$name.data
	words "$file" >want 2>&1
	check "$name: has a trace" grep -q '^area' want
	check "$name: nothing of it is missing" sh -c '! grep -v "missing 0" want | grep ^area'
	run "$STROBE" report --stdio -i "$file"
	check "$name: report finds no samples, and prints nothing else" \
		sh -c "grep -q 'has no samples' err && test \$(wc -l <err) -le 2"
	run "$STROBE" script -i "$file"
	check "$name: so does script" grep -q 'has no samples' err
	run "$STROBE" script -D -i "$file"
	check "$name: script -D shows each record of the trace" \
		test "$(grep -c 'PERF_RECORD_AUXTRACE size: ' out)" = "$(sed -n 's/^records //p' want)"
	check "$name: script -D says what decoders want" \
		sh -c "grep -A18 'PERF_RECORD_AUXTRACE_INFO type: 1' out | grep -qx '  MTC freq bits       0x3c000'"
	check "$name: and all of it" \
		sh -c "grep -A19 'PERF_RECORD_AUXTRACE_INFO type: 1' out | grep -qx '  Cap Event Trace     0'"
	cp out dump
	if [ -n "${STROBE_PERF72:-}" ]; then
		# In between perf decodes the trace, and names the PMU with this number on this machine.
		"$STROBE_PERF72" script -D -i "$file" 2>/dev/null |
			sed '/^\. \.\.\. Intel Processor Trace data/,/^$/d; s/type = 9 ([a-z_0-9]*)/type = 9/' |
			grep -v '^\.*$' >theirs
		grep -v '^\.*$' dump >ours
		check "$name: as perf 7.2 does" diff ours theirs
	fi
	run "$STROBE" script --call-trace -i "$file"
	check "$name: --call-trace shows no trace, and says so" \
		sh -c "test $rc = 255 && [ ! -s out ] && grep -q 'why: there is no decoder for hardware traces' err"
	for output in injected.data -; do
		run "$STROBE" inject -b -i "$file" -o $output
		[ $output != - ] || cp out injected.data
		check "$name: inject to $output keeps the trace" \
			sh -c "test $rc = 0 &&
			python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' --on injected.data |
			diff want -"
	done
	"$STROBE" inject -b -i "$file" -o injected.data
	check "$name: the header mentions it" \
		sh -c "'$STROBE' report --header-only -i injected.data |
		grep -qx '# contains AUX area data (e.g. instruction trace)'"
	for command in "report --itrace" "script --itrace=i100i" "script --itrace=i100us"; do
		run "$STROBE" $command -i "$file"
		check "$name: $command is refused with a reason" \
			sh -c "test $rc != 0 && grep -q 'nothing is decoded\|no decoder' err"
	done
done

# --- loss in the tracer is reported: the same recording with the flag set in one AUX record
python3 - "$STROBE_SOURCE/tests/golden/trace/file.data" lost.data <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
end = at + size
while at < end:
    kind, _, size = struct.unpack_from("<IHH", data, at)
    if kind == 11:
        data[at + 24] |= 1
        break
    at += size + (struct.unpack_from("<Q", data, at + 8)[0] if kind == 71 else 0)
open(sys.argv[2], "wb").write(data)
END
n=$("$STROBE" script -D -i lost.data 2>/dev/null | grep -c 'PERF_RECORD_AUX offset')
for command in "report --stdio" script; do
	run "$STROBE" $command -i lost.data
	check "${command%% *}: a lost part of the trace is reported" grep -q "AUX data lost 1 times out of $n:" err
	run "$STROBE" $command -i "$STROBE_SOURCE/tests/golden/trace/file.data"
	check "${command%% *}: no message where nothing was lost" sh -c '! grep -q lost err'
done
finish
