#!/bin/bash
# A PMU that counts and samples: what a hardware event can do, and what this PMU refuses (its driver
# accepts any precision).
. "$(dirname "$0")/lib_vm.sh"
vm aarch64 bookworm "$libraries"
static_strobe aarch64

cat >share/guest.sh <<'G'
record() { name=$1; shift; ./strobe record -o $name.data "$@" >$name.log 2>&1; echo "$name $?" >>status; }
spin="./spin 0.3"
record cycles -e cycles -c 1000000 $spin
record freq -e cycles:u -F 1000 $spin
record group -e '{cycles,instructions}:S' -c 1000000 $spin
record two -e cycles,instructions -c 1000000 $spin
record mux \
	-e cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u \
	-c 1000000 $spin
record graph -e cycles -g -c 1000000 $spin
record raw -e r11,armv8_pmuv3/cpu_cycles/u -c 1000000 $spin
record default $spin
record branches -b -e cycles $spin
record uncounted -e LLC-loads $spin
record toomany -e '{cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles}' $spin
count() { name=$1; shift; ./strobe stat "$@" >stat-$name.out 2>stat-$name; echo "stat-$name $?" >>status; }
count plain $spin
count fields -x, -e cycles,instructions $spin
count group -x, -e '{cycles:u,instructions:u}' $spin
count shared -x, \
	-e cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u \
	$spin
count toomany -x, -e '{cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles}' $spin
count weak -v -x, -e '{cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles}:W' $spin
count metrics -M IPC,cycles_frequency $spin
count alone -a -A --metric-only -e cycles,instructions $spin
count lacking -v -e LLC-loads,cycles $spin
count intervals -I 100 -x, -e cycles $spin
for f in *.data; do
	./strobe report --stdio -g none -i $f >${f%.data}.report 2>>report.err
	./strobe script -i $f >${f%.data}.script 2>>report.err
	perf script -i $f >/dev/null 2>${f%.data}.perf || echo "perf failed" >>${f%.data}.perf
done
./strobe report --stdio --no-children -G -i graph.data >graph.chains 2>>report.err
./strobe evlist -g -i group.data >group.evlist
./strobe doctor >doctor.txt
G
guest --icount 0
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
samples() { grep -c "$2" "$1.script"; }
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { echo "$1 is not between $2 and $3"; return 1; }; }

for name in cycles freq group two mux graph raw default; do
	check "$name: is recorded" test "$(status $name)" = 0
	check "$name: perf reads it without a message" test ! -s $name.perf
done
# The guest's clock and counters advance with instructions: 0.3 s at 1 GHz are 300 samples.
check "overflow: a sample per million cycles" between "$(samples cycles cycles:)" 250 400
check "overflow: leaf has most of them" sh -c "awk '/spin .*leaf/ { s = \$1 + 0 } END { exit !(s > 50) }' cycles.report"
check "frequency: about 1000 per second" between "$(samples freq cycles:u:)" 200 450
check "group: both counts in every sample" \
	sh -c 'test "$(grep -c "^ .* cycles:" group.script)" -gt 200 &&
	test "$(grep -c instructions: group.script)" -gt 200'
check "group: stays one" grep -q '{cycles,instructions}' group.evlist
check "two events: each samples" \
	sh -c 'test "$(grep -c " cycles:" two.script)" -gt 200 && test "$(grep -c " instructions:" two.script)" -gt 200'
check "multiplexing: more events than counters share them" between "$(samples mux cycles:u:)" 1200 3300
# On this architecture a leaf function has no frame record, so its caller, middle, is missing from
# the kernel's chain.
check "call graph: leaf below outer below main" sh -c "tr '\n' ' ' <graph.chains | grep -q 'main *outer *leaf'"
check "call graph: chains in the script" \
	sh -c "tr -s '\n\t ' ' ' <graph.script |
	grep -q 'leaf+0x[0-9a-f]* ([^)]*) [0-9a-f]* outer+0x[0-9a-f]* ([^)]*) [0-9a-f]* main'"
check "raw and sysfs events" sh -c 'grep -q r11: raw.script && grep -q armv8_pmuv3/cpu_cycles/u: raw.script'
check "the default is cycles here" grep -q '[ /]cycles[:/]' default.script
check "branches: are refused" grep -q "event 'cycles': branch records are not supported for it" branches.log
check "an event without a counter" grep -q "the CPU has no counter for it" uncounted.log
check "a group beyond the counters" grep -q "group" toomany.log
check "doctor: cycles can be measured" grep -q '^yes  cycles' doctor.txt
check "doctor: branch records cannot" grep -q '^no   branches' doctor.txt
# ---- counting ----
field() { awk -F, -v e="$2" -v n="$3" '$3 == e { print $n; exit }' "stat-$1"; }
for name in plain fields group shared weak metrics alone lacking intervals; do
	check "stat $name: status" test "$(status stat-$name)" = 0
done
check "stat: cycles of 0.3 s at 1 GHz" between "$(field fields cycles 1)" 250000000 500000000
check "stat: the default events have IPC and GHz" \
	sh -c 'grep -q "insn per cycle" stat-plain && grep -q "cycles .* GHz" stat-plain'
check "stat: a group counts together" between "$(field group instructions:u 5 | cut -d. -f1)" 99 100
check "stat: more events than counters are scaled to the same" \
	sh -c 'awk -F, \
	"\$3 == \"cycles:u\" && \$1 > 0 { n++; if (\$1 < 150000000 || \$1 > 600000000 || \$5 > 99) bad = 1 }
	 END { exit bad || n < 12 }" \
	stat-shared'
check "stat: a group beyond the counters is not counted" sh -c 'grep -q "<not" stat-toomany'
check "stat: a weak one is, event by event" \
	sh -c 'test "$(awk -F, "\$3 == \"cycles\" && \$1 > 0" stat-weak | wc -l)" = 9 && grep -q "one by one" stat-weak'
check "stat -M: metrics" \
	sh -c 'grep -q "#  *[0-9.]*  IPC\|# *[0-9.]* IPC" stat-metrics && grep -q "GHz  cycles_frequency" stat-metrics'
check "stat --metric-only: IPC of the CPU" \
	sh -c 'grep -q "^CPU0 .* [0-9.]" stat-alone && grep -q "insn per cycle" stat-alone'
check "stat -v: why there is no such counter" \
	sh -c 'grep -q "<not supported>" stat-lacking && grep -q "LLC-loads.*left out" stat-lacking'
check "stat -I: three intervals and what is left" between "$(grep -c cycles stat-intervals)" 2 5
check "reports say nothing odd" sh -c '! grep -v "^# Quality:" report.err'
finish
