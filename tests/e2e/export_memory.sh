#!/bin/bash
# export: what a million samples cost in memory. Forms without times keep stacks only; forms with times keep a few words
# of each sample, and no form keeps the recording or its own output.
. "$(dirname "$0")/lib.sh"
need python3 cc readelf
[ -z "${STROBE_SANITIZED:-}" ] || skip "sanitizers have memory of their own"
export STROBE_THREADS=4	# each worker has memory of its own, and a large recording gives work to more of them
few=200000 many=1000000
cat >make.py <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import made
for n in sys.argv[3:]:
    made.recording(n + '.data', sys.argv[2] + '/lib.so', **{**made.SIZES, 'samples': int(n)})
PY
must python3 make.py "$STROBE_SOURCE/bench" "$tmp" $few $many
# The peak memory of a command in KB, 0 if it fails.
cat >peak.py <<'PY'
import resource, subprocess, sys
p = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if not p.returncode else 0)
PY
peak() { python3 peak.py "$STROBE" export "$1" -f -i "$2.data" -o "made.$1"; rm -rf "made.$1"; }
check "the recording is larger than any limit here" test "$(stat -c %s $many.data)" -gt 200000000
# FORM BYTES: a sample more costs at most so many bytes
costs() {
	local small large
	small=$(peak "$1" $few) large=$(peak "$1" $many)
	say "$1: $small KB for $few samples, $large KB for $many"
	check "$1: a sample costs at most $2 bytes ($small, $large KB)" \
		test "$small" -gt 0 -a $(((large - small) * 1024)) -le $(((many - few) * $2))
}
costs pprof 20
for form in speedscope firefox chrome perfetto otlp parquet; do costs $form 128; done
finish
