#!/bin/bash
# stat record and stat report: the later output equals the one at recording time; perf 6.1 reads our
# files and we read its files.
. "$(dirname "$0")/lib.sh"
need_can count

# Compare two texts except for the title. As in perf, the report of intervals does not show CPU usage.
same_text() { diff <(sed -E "s/ stats for .*/ stats for/; $3" "$1") <(sed -E "s/ stats for .*/ stats for/; $3" "$2"); }
no_usage='/ seconds (user|sys)$/d; /^$/d'

peer=
if command -v perf >/dev/null && perf version 2>/dev/null | grep -q ' 6\.1'; then
	peer=perf
else
	skip_part "perf 6.1 as writer and reader: it is not here"
fi

both() {
	"$STROBE" stat record -o own.data "$@" >/dev/null 2>first
	"$STROBE" stat report -i own.data 2>later
	check "stat record $*: report shows what was shown" \
		same_text first later \
		"$no_usage; $(case $1 in -I) echo "s/# .* CPUs utilized//;" ;; esac) s/ *\$//"
	"$STROBE" stat report -i own.data -x, 2>own.csv
	check "stat record $*: report -x has fields" grep -q , own.csv
	[ -n "$peer" ] || return
	perf stat report -i own.data 2>by_perf
	check "stat record $*: perf shows the same" same_text first by_perf "$no_usage; s/ # .*//; s/ *\$//"
	perf stat record -o perf.data "$@" >/dev/null 2>&1
	perf stat report -i perf.data 2>by_perf
	"$STROBE" stat report -i perf.data 2>by_us
	check "perf's stat record $*: we show what perf shows" same_text by_perf by_us "$no_usage; s/ # .*//; s/ *\$//"
}
both -e context-switches,page-faults,task-clock true
both -e cycles,duration_time,page-faults true
both -I 30 -e page-faults,task-clock sleep 0.1
both -p $$ --per-thread -e context-switches sleep 0.02
if can system; then
	both -a -e context-switches,cpu-clock sleep 0.02
	both -a -A -e context-switches,cpu-clock sleep 0.02
	both -a --per-core -e context-switches,cpu-clock sleep 0.02
	both -a --per-node -I 30 -e context-switches sleep 0.05
	"$STROBE" stat record -a -o wide.data -e cpu-clock sleep 0.02 2>/dev/null
	"$STROBE" stat report -i wide.data --per-core -j 2>cores.json
	check "report --per-core: of a recording of the whole system" grep -q '^{"core" : "S0-D0-C0"' cores.json
	"$STROBE" stat report -i wide.data -A 2>cpus
	check "stat report -A prints a line per CPU" grep -q '^CPU0 ' cpus
	# 6.1 cannot aggregate these: compare with 7.2's text, without the remarks after the counts.
	if [ -x "${STROBE_PERF72:-}" ]; then
		for mode in --per-cache --per-cache=L1 --per-die --per-socket --per-node; do
			"$STROBE_PERF72" stat report -i wide.data $mode >by_perf 2>&1
			"$STROBE" stat report -i wide.data $mode 2>by_us
			check "report $mode: perf 7.2 shows the same" same_text by_perf by_us "s/ # .*//; s/ *\$//"
		done
		"$STROBE" stat record -a --per-cache=L2 -o level.data -e cpu-clock sleep 0.02 2>/dev/null
		"$STROBE_PERF72" stat report -i level.data >by_perf 2>&1
		"$STROBE" stat report -i level.data 2>by_us
		check "report of --per-cache=L2: the recorded level" grep -q -e '-L2-ID' by_us
		check "report of --per-cache=L2: perf 7.2 shows the same" same_text by_perf by_us "s/ # .*//; s/ *\$//"
	else
		skip_part "caches beside perf 7.2: STROBE_PERF72 names none"
	fi
	run "$STROBE" stat report -i wide.data --per-cluster
	check "report --per-cluster: refused with the reason" \
		test $rc = 129 -a "$(grep -c 'do not say which CPUs' err)" -ge 1
else
	skip_part "the whole system: this machine cannot: $why_not"
fi
"$STROBE" stat record -e page-faults -o - true 2>/dev/null >piped
"$STROBE" stat report -i - <piped 2>from_pipe
check "a pipe carries counts" grep -q page-faults from_pipe
if [ -n "$peer" ]; then
	perf stat record -e page-faults -o - true 2>/dev/null >piped
	"$STROBE" stat report -i - <piped 2>from_pipe
	check "a pipe of perf's, too" grep -q page-faults from_pipe
fi
"$STROBE" report -D -i own.data >dump 2>&1
check "the recording is sound: STAT_ROUND is dumped" grep -q PERF_RECORD_STAT_ROUND dump
run "$STROBE" script -i own.data --json
check "script: counts are no samples for programs" test $rc = 255 -a ! -s out -a "$(grep -c 'stat report -j' err)" = 1

if can system; then
	must "$STROBE" stat record -a -A -I 50 -e cpu-clock,cs -o each.data sleep 0.12
	run "$STROBE" stat report -i each.data
	check "report: intervals have rates, but no CPUs utilized, as in perf" \
		sh -c 'grep -q " CPU0 .* cs  *#.*/sec" err && grep -q "CPU0.* msec cpu-clock" err &&
		! grep -q utilized err'
else
	skip_part "intervals of each CPU: this machine cannot: $why_not"
fi
run "$STROBE" stat report -i /nowhere
check "report: no file is an error" test $rc = 255
run "$STROBE" record -q -N -e cpu-clock:u -o samples.data true
run "$STROBE" stat report -i samples.data
check "report: a message about a recording without counts" grep -q "has no counts" err
run "$STROBE" stat record -r 2 -e cs true
check "record -r is refused" test $rc = 129
"$STROBE" stat record -e task-clock:u -o - true 2>/dev/null | "$STROBE" stat report -i - >out 2>err
check "report of a pipe names the pipe" grep -q "Performance counter stats for 'pipe':" err out

# 20 events on 6000 CPUs, one on each
if command -v python3 >/dev/null; then
	python3 - >cpus.data <<'PY'
import struct, sys
def record(kind, body): out.write(struct.pack("<IHH", kind, 0, 8 + len(body)) + body)
ATTR, CONFIG, STAT, ROUND = 64, 75, 76, 77
out, events = sys.stdout.buffer, 20
out.write(b"PERFILE2" + struct.pack("<Q", 16))
for i in range(events):
    record(ATTR, struct.pack("<IIQQQQQ", 1, 128, i % 8, 0, 1 << 16, 7, 0) + bytes(80) + struct.pack("<Q", 1000 + i))
record(CONFIG, struct.pack("<5Q", 2, 0, 0, 1, 0))
for cpu in range(6000):
    record(STAT, struct.pack("<QIIQQQ", 1000 + cpu % events, cpu, 0, 5, 10, 10))
record(ROUND, struct.pack("<QQ", 1, 1000))
PY
	"$STROBE" stat report -x, -i - <cpus.data >out 2>err
	check "each of many CPUs has its row" test $? = 0 -a "$(grep -c '^CPU' err)" = 6000
else
	skip_part "many CPUs: python3 is not here"
fi
finish
