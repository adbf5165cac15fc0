#!/bin/bash
# mem: the text of perf 7.2 for made accesses, options that go on to record and report, and the events that
# machines have, from made trees of sysfs.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace
t = make_trace.Trace()
e = t.memory(0x1cd)
t.comm(7, 7, "worker")
t.comm(7, 8, "helper")
t.map(7, 0x400000, 0x100000, "/opt/prog")
LOAD, STORE, HIT = 1 << 1, 1 << 2, 1 << 6
L1, L3, RAM = 1 << 8, 1 << 11, 1 << 12
HITM, NONE = 1 << 23, 1 << 20
TLB = (1 << 1 | 1 << 3) << 26
for i in range(9):
    t.access(e, 1000 + i, 0x401000 + 16 * (i % 3), 0x480040 + 8 * (i % 2), cpu=i % 2, pid=7, tid=7 + i % 2,
             weight=20 + i,
             data_src=LOAD | (HIT | (L1 if i % 3 else L3)) << 0 | (HITM if i % 3 == 0 else NONE) | TLB,
             phys=0x7000 + i)
for i in range(4):
    t.access(e, 2000 + i, 0x402000, 0x480040, cpu=i % 2, pid=7, tid=7 + i % 2,
             data_src=STORE | (HIT | L1), phys=0x7000)
t.write("made.data")
EOF2
must python3 made.py "$STROBE_SOURCE/tests/lib"
mem() { "$STROBE" mem "$@" 2>said; }

for words in "" "-p" "--data-page-size -p" "-t store" "-t load" \
	"-s symbol,dso,symbol_daddr" "-T" \
	"-F overhead,sym"; do
	# shellcheck disable=SC2086
	check "mem report $words is perf's" diff \
		<(perf72 mem report $words -i made.data | sed 's/^# (Tip:.*/# (Tip)/') \
		<(mem report $words -i made.data --stdio | sed 's/^# (Tip:.*/# (Tip)/')
done
# Other data sources; columns that only recordings of some architectures have.
for words in any "arm arm n=60"; do
	must python3 "$STROBE_SOURCE/tests/lib/make_c2c.py" made.pipe $words
	must "$STROBE" inject -i made.pipe -o "${words%% *}.data"
	for sort in "" "-s p_stage_cyc,local_p_stage_cyc,local_retire_lat,retire_lat,sym" \
		"-s retire_lat,local_p_stage_cyc,p_stage_cyc,local_retire_lat"; do
		# shellcheck disable=SC2086
		check "mem report $sort of ${words%% *} is perf's" diff \
			<(perf72 mem report $sort -i "${words%% *}.data" | sed 's/^# (Tip:.*/# (Tip)/') \
			<(mem report $sort -i "${words%% *}.data" --stdio | sed 's/^# (Tip:.*/# (Tip)/')
	done
done
same() { diff <(mem "$@") - >/dev/null; }
check "options may stand before the word" \
	same -p -t store report -i made.data <<<"$(mem report -p -t store -i made.data)"
fails 129 "unknown option" mem report --nothing
check "report -C selects a CPU" \
	test "$(mem report -C 1 -i made.data | grep -c '%')" -lt "$(mem report -i made.data | grep -c '%')"
check "report -x separates columns" \
	grep -q '^12.73%;1;28;L1 hit;' <(mem report -x ';' -i made.data | tr -d ' ' | sed 's/L1hit/L1 hit/')

# perf reads no pipe here; the lines are those it prints for recordings.
mem report -D -p --data-page-size -i made.data >lines
check "-D has its head" grep -qx '# PID, TID, IP, ADDR, PHYS ADDR, DATA PAGE SIZE, LOCAL WEIGHT, DSRC, SYMBOL' lines
check "-D has a line for each" test "$(grep -vc '^#' lines)" = 13
check "-D shows all of an access" \
	grep -qx '7 8 0x401010 0x480048 0x0000000000007001 4K 21 0x28100142 /opt/prog:???' lines
check "report -D -C -x prints samples of one CPU" test "$(mem report -D -C 1 -x , -i made.data | grep -c '^7,8,')" = 6
check "report -D -U prints no kernel samples" test "$(mem report -D -U -i made.data | wc -l)" = 1

fails 129 'load, store' mem report -t nothing -i made.data
fails 129 'record, report' mem
fails 129 'spe-ldst' mem record -e nothing
fails 129 "unexpected 'word'" mem report -D -i made.data word

# Events of machines. The kernel opens none of these; the log of what is opened shows them.
need_machines
machine() { rm -rf sys; mkdir sys; }
pmu() { mkdir -p "sys/$1/format" "sys/$1/events"; echo "$2" >"sys/$1/type"; }
listed() { on "$STROBE" mem record -e list | sed -n 's/ *: available$//p' | tr '\n' ' '; }
machine; pmu cpu 4; echo config:0-7 >sys/cpu/format/event; echo event=0xcd >sys/cpu/events/mem-loads
check "Intel with loads alone" test "$(listed)" = "ldlat-loads "
echo event=0xd0 >sys/cpu/events/mem-stores
check "list shows the events of Intel" test "$(listed)" = "ldlat-loads ldlat-stores "
echo event=0x3 >sys/cpu/events/mem-loads-aux
check "list shows the events of Sapphire Rapids" test "$(listed)" = "ldlat-loads ldlat-stores "
machine; pmu ibs_op 11
check "list shows the event of AMD" test "$(listed)" = "mem-ldst "
machine; pmu arm_spe_0 12
for f in ts_enable pa_enable load_filter store_filter min_latency; do echo config:0 >sys/arm_spe_0/format/$f; done
check "list shows the events of Arm" test "$(listed)" = "spe-load spe-store spe-ldst "
machine; pmu software 1
run on "$STROBE" mem record -- true
check "a machine without such a PMU fails" test "$rc" = 255
check "the error is perf's, for its own tests" grep -q 'failed: no PMU supports the memory events' err
perf72_kept
finish
