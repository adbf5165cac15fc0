#!/bin/bash
# stat on other machines: fake sysfs trees whose PMUs have types that any kernel opens: 1 (software)
# and 2 (tracepoints, so bits put together by formats give the number of a known one). The installed
# perf 6.1 counts on the same trees.
. "$(dirname "$0")/lib.sh"
need_root
need unshare mount awk
devices=/sys/bus/event_source/devices
[ -d $devices ] || skip "no PMUs in sysfs here"
unshare -m mount --bind "$tmp" $devices 2>/dev/null || skip "no mount namespaces here"
need_can system
id=$(cat /sys/kernel/tracing/events/syscalls/sys_enter_getppid/id 2>/dev/null) ||
	skip "no tracepoints of system calls here"
need cc
cat >calls.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 1000; i++) syscall(SYS_getppid); return 0; }
C
cc -O1 -o calls calls.c 2>/dev/null || skip "the C compiler does not work"
peer=
case "$(perf version 2>/dev/null)" in
*" 6.1"*) peer=perf ;;
*) skip_part "perf 6.1 on the same trees: it is not here" ;;
esac

machine() { rm -rf sys; mkdir sys; pmu software 1; pmu tracepoint 2; }	# start an empty tree
pmu() { mkdir -p sys/$1/format sys/$1/events; echo "$2" >sys/$1/type; }	# name, type
put() { echo "$2" >"sys/$1"; }
on() { unshare -m sh -c 'mount --bind sys '$devices' && exec "$@"' sh "$@"; }
count() { on "$STROBE" stat -x, "$@" 2>csv >/dev/null; }
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; cat csv; return 1; }; }
value() { awk -F, -v e="$1" '$3 == e { print $1 }' csv; }
lines() { awk 'END { print NR }' csv; }
same_lines() { sed -E 's/^ +[0-9.]+,/T,/; s/[0-9]+(\.[0-9]+)?,(MiB|),/N,\2,/; s/,[0-9]+,[0-9.]+,[^,]*,[^,]*$//' "$1"; }
# Both tools: names, units, positions and number of CPUs; instances in any order.
same() {
	[ -n "$peer" ] || return
	count "$@"; same_lines csv | sort >ours
	on perf stat -x, "$@" 2>csv >/dev/null; same_lines csv | sort >theirs
	check "stat $*: the lines of perf" diff -u theirs ours
}

# --- formats of vendors: the bits must give the number of a tracepoint ---
low=$(printf 0x%x $((id & 255))) high=$(printf 0x%x $((id >> 8)))
machine; pmu cpu 2
put cpu/format/event config:0-7
put cpu/format/umask config:8-15
put cpu/format/edge config:18
put cpu/format/inv config:23
put cpu/format/cmask config:24-31; put cpu/format/ldlat config1:0-15; put cpu/format/offcore_rsp config1:0-63
put cpu/events/calls "event=$low,umask=$high"
for event in cpu/calls/ cpu/event=$low,umask=$high/ "cpu/umask=$high,event=$low,name=named/" \
	cpu/config=$id/ "cpu/calls,ldlat=3/"; do
	count -e "$event" ./calls
	check "Intel's format: $event counts 1000" is "$(head -1 csv | cut -d, -f1)" 1000
done
count -e 'cpu/calls,edge/' ./calls
check "a bit more is another event, which this kernel has not" grep -q '^<not supported>' csv
count -e cpu/event=0x100/ ./calls; rc=$?
check "more than the field takes: refused" test $rc = 129
check "more than the field takes: reported" grep -q 'maximum is 255' csv
machine; pmu cpu 2
put cpu/format/event config:0-7,32-35; put cpu/format/umask config:8-15; put cpu/events/calls "event=$low,umask=$high"
count -e cpu/calls/ ./calls
check "AMD's format counts the calls" is "$(value cpu/calls/)" 1000
count -e "cpu/event=$(printf 0x%x $((id & 255 | 0x100))),umask=$high/" ./calls
check "AMD's format: the high bits of an event go where they belong" grep -q '^<not supported>' csv
count -e cpu/event=0x1000/ ./calls; rc=$?
check "AMD's format: twelve bits" test $rc = 129
machine; pmu armv8_pmuv3_0 2; put armv8_pmuv3_0/cpus "$(cat /sys/devices/system/cpu/online)"
put armv8_pmuv3_0/format/event config:0-15
put armv8_pmuv3_0/format/long config1:0
put armv8_pmuv3_0/events/calls "event=$(printf 0x%04x "$id")"
for event in armv8_pmuv3_0/calls/ calls armv8_pmuv3_0/event=$id,long=1/; do
	count -e $event ./calls
	check "Arm's format: $event counts 1000" is "$(head -1 csv | cut -d, -f1)" 1000
done
same -e armv8_pmuv3_0/calls/ ./calls

# --- uncore devices ---
machine
for i in 0 1; do
	pmu uncore_imc_$i 1; put uncore_imc_$i/cpumask 0; put uncore_imc_$i/format/event config:0-7
	put uncore_imc_$i/events/cas "event=0x0"
	put uncore_imc_$i/events/cas.scale 6.103515625e-5
	put uncore_imc_$i/events/cas.unit MiB
done
all="uncore_imc/cas/,cas,uncore_imc_1/cas/,imc/event=3/"
# Not --per-core: 6.1 prints lines without a CPU for cores where a device does not count; newer
# versions leave them out, as we do.
for mode in "" --no-merge -A --per-socket --per-die --per-node "-A --no-merge"; do
	same -a $mode -e $all sleep 0.05
	same -a $mode -I 40 --interval-count 1 -e $all sleep 1
done
count -a -e uncore_imc/cas/,uncore_imc_0/cas/ sleep 0.1
check "two devices are one line" is "$(lines)" 2
check "the event's count is the scaled sum of its PMUs" \
	awk -F, \
	'$3 == "uncore_imc/cas/" { a = $1 } $3 == "uncore_imc_0/cas/" { b = $1 }
	END { exit !(b > 6000 && a > 1.9 * b && a < 2.1 * b) }' \
	csv
check "the column of the unit is MiB" is "$(cut -d, -f2 csv | sort -u)" MiB
count -e uncore_imc/cas/ sleep 0.02
check "devices alone make it the whole system's" is "$(lines)" 1
count -a --pmu-filter uncore_imc_1 -e uncore_imc/cas/,cs sleep 0.02
check "--pmu-filter: one of them" test "$(lines)" = 2 -a -n "$(value uncore_imc/cas/)"
one=$(value uncore_imc/cas/)
check "--pmu-filter: its count alone" awk -v v="$one" 'BEGIN { exit !(v > 1200 && v < 60000) }'
count --pmu-filter nosuch -e cs true; rc=$?
check "--pmu-filter: no such device" test $rc = 129
count -a -e '{uncore_imc_0/cas/,cs}' sleep 0.05
check "a group over different CPUs is parted" grep -q 'grouped events cpus do not match' csv
count -a --per-core -e uncore_imc/cas/ sleep 0.02
check "--per-core: only where a device counts" is "$(cut -d, -f1-2,4-5 csv)" "S0-D0-C0,1,MiB,uncore_imc/cas/"

# --- two kinds of cores ---
cpus=$(getconf _NPROCESSORS_ONLN)
if [ "$cpus" -ge 2 ]; then
	machine
	for kind in core:0 atom:1-$((cpus - 1)); do
		n=cpu_${kind%:*}
		pmu $n 2
		put $n/cpus "${kind#*:}"
		put $n/format/event config:0-7
		put $n/format/umask config:8-15
		put $n/events/calls "event=$low,umask=$high"
	done
	[ "$cpus" != 2 ] || put cpu_atom/cpus 1
	same -a -e calls true
	same -a -e cpu_core/calls/,cpu_atom/calls/ true
	same -a --hybrid-merge -e calls true
	same -a -A -e cpu_core/calls/,cpu_atom/calls/ true
	same -a --per-core -e cpu_core/calls/,cpu_atom/calls/ true
	same -e cycles true
	same --cputype core -e cycles true
	count -a -e calls ./calls
	check "each kind has its line" is "$(cut -d, -f3 csv | sort | tr '\n' ' ')" "cpu_atom/calls/ cpu_core/calls/ "
	check "together they count what was called" test "$(awk -F, '{ n += $1 } END { print n }' csv)" -ge 1000
	count -a --hybrid-merge -e calls ./calls
	check "--hybrid-merge prints one line" is "$(cut -d, -f3 csv)" calls
	check "--hybrid-merge prints the sum" test "$(value calls)" -ge 1000
	count --cputype core -e calls ./calls
	check "--cputype core: that kind's" is "$(cut -d, -f1,3 csv)" 1000,calls
	count --cputype big -e calls true; rc=$?
	check "--cputype of no kind" test $rc = 129
	count -M IPC true
	check "a metric is there for each kind" \
		test "$(grep -c 'cpu_core/cycles/' csv)" = 1 -a "$(grep -c 'cpu_atom/cycles/' csv)" = 1
else
	skip_part "two kinds of cores: there is one CPU"
fi
finish
