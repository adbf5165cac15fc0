#!/bin/bash
# waits: memory is bounded, however many switches, threads that ended and distinct stacks there are.
. "$(dirname "$0")/lib.sh"
need python3
cat >peak.py <<'PY'
import resource, subprocess, sys
p = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "w"), stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if not p.returncode else 0)
PY
switches() { PYTHONPATH="$STROBE_SOURCE/tests/lib" python3 "$STROBE_SOURCE/tests/lib/many_switches.py" "$@"; }
# FILE: the peak of waits in kB; its lines are in FILE.json
peak() { python3 peak.py "$1.json" "$STROBE" waits -j -E 0 --everybody $follow --kallsyms "$1.kallsyms" -i "$1"; }
sum() { python3 - "$@" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
threads = [r for r in rows if "thread" in r]
print({"ended": sum(r["thread"].get("ended", 0) for r in threads),
       "threads": sum(r["thread"].get("ended", 1) for r in threads),
       "rows": sum("victim" in r for r in rows),
       "cut": sum("[further stacks]" in r.get("victim_stack", ()) for r in rows),
       "kinds": sorted({r["kind"] for r in rows if "victim" in r}),
       "exact": all(r["wall"] == r["running"] + r["runnable"] + sum(r["blocked"].values()) for r in threads) and
                sum(r["ns"] for r in rows if "victim" in r) == sum(sum(r["blocked"].values()) for r in threads)
       }[sys.argv[2]])
PY
}
few=150000 many=600000
[ -z "${STROBE_SANITIZED:-}" ] || many=200000
# LIFE STACKS
record_both() { switches few.data $few "$@" && switches many.data $many "$@"; }
# WHAT: the peak of many switches is at most 16 MB above that of few
bounded() {
	local before after
	before=$(peak few.data) after=$(peak many.data)
	say "$1: $before and $after KB"
	[ -n "${STROBE_SANITIZED:-}" ] ||
		check "$1: the peak does not grow with the recording ($before, $after KB)" \
			test "$before" -gt 0 -a "$after" -lt $((before + 16 * 1024))
	check "$1: times of threads and rows have the same sum" test "$(sum many.data.json exact)" = True
	check "$1: waits keep their kind" test "$(sum many.data.json kinds)" = "['pipe']"
}
record_both 0 64
for follow in "" --chain; do
	bounded "switches $follow"
	check "all threads have rows" test "$(sum many.data.json threads)" = 64
done
record_both 2 64
for follow in "" --chain; do
	bounded "threads that end $follow"
	check "all are counted, later ones by name" test "$(sum many.data.json threads)" = $(((many / 128 + 1) * 64))
	check "later ones have no rows" test "$(sum many.data.json ended)" -gt 0
done
follow=
[ -n "${STROBE_SANITIZED:-}" ] || few=300000
record_both 0 $many
bounded "stacks"
[ -n "${STROBE_SANITIZED:-}" ] || check "stacks beyond the limit are cut" test "$(sum many.data.json cut)" -gt 0
finish
