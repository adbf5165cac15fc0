#!/bin/bash
# A big-endian machine: its recordings give the same answers there and here.
. "$(dirname "$0")/lib_vm.sh"
vm s390x bookworm "$libraries"
static_strobe s390x

cat >share/guest.sh <<'G'
record() { name=$1; shift; ./strobe record -o $name.data "$@" >$name.log 2>&1; echo "$name $?" >>status; }
record clock -e cpu-clock:u -c 2000000 ./spin 0.5
record points -a -e sched:sched_switch,sched:sched_process_exec sh -c 'cat /etc/passwd >/dev/null; sleep 0.1'
record wide -F 500 -a -d -s sleep 0.2
record packed -z -e cpu-clock:u -c 2000000 ./spin 0.2
for f in clock points packed; do
	./strobe report --stdio -i $f.data >$f.report 2>>report.err
	./strobe script -i $f.data >$f.script 2>>report.err
	./strobe evlist -v -i $f.data >$f.evlist
	perf script -i $f.data >/dev/null 2>$f.perf || echo "perf failed" >>$f.perf
done
cat /proc/kallsyms >kallsyms
./strobe script -F comm,tid,cpu,time,event,ip -i wide.data >wide.script 2>>report.err
G
guest
cd share || exit 1
mkdir -p root/mnt && cp spin root/mnt/
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
same() { "$STROBE" "${@:2}" >here 2>here.err; diff "$1" here; }

for name in clock points wide packed; do check "$name: is recorded" test "$(status $name)" = 0; done
for name in clock points packed; do
	check "$name: perf reads it there without a message" test ! -s $name.perf
	check "$name: the same attrs here" same $name.evlist evlist -v -i $name.data
	check "$name: the same report here" \
		same $name.report report --stdio --symfs root --kallsyms kallsyms -i $name.data
	check "$name: the same samples here" same $name.script script --symfs root -i $name.data
done
check "system wide: the same samples here" same wide.script script -F comm,tid,cpu,time,event,ip -i wide.data
check "symbols: leaf has most of it" sh -c "awk '/spin .*leaf/ { s = \$1 + 0 } END { exit !(s > 50) }' clock.report"
check "tracepoints: their fields" grep -q 'sched:sched_switch: .*==> ' points.script
if [ -n "${STROBE_PERF72:-}" ]; then
	"$STROBE_PERF72" report --stdio --no-children -g none -i clock.data --symfs root >theirs 2>/dev/null
	check "perf 7.2 reads it here" grep -q leaf theirs
fi
check "reports say nothing odd" sh -c '! grep -v "^# Quality:" report.err'
finish
