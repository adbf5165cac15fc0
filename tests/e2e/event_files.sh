#!/bin/bash
# --event-files: events and metrics of a vendor's JSON, counted by events that any kernel has: the files name
# bits of a PMU whose type is that of tracepoints.
. "$(dirname "$0")/lib.sh"
mkdir -p files/x86/model bad
cat >files/x86/mapfile.csv <<'CSV'
Family-model,Version,Filename,EventType
TestVendor-6-7,v1,model,core
CSV
export PERF_CPUID=TestVendor-6-7-1
echo '[{"EventName":"A.B",}]' >bad/x.json
run "$STROBE" list --event-files bad vendor
check "bad JSON is a usage error" test $rc = 129
check "the error names the file and the line" grep -q "x.json': bad JSON in line 1: a name in quotes is expected" err
run "$STROBE" stat --event-files /no/such/dir true
check "a missing directory of event files is bad usage" test $rc = 129
echo '[]' >files/x86/model/a.json
PERF_CPUID=Other-1-2-3 run "$STROBE" record --event-files files -o x.data true
check "record: no events for this CPU" grep -q 'its id is Other-1-2-3' err
printf '[stat]\n\tevent-files = /no/such/dir\n' >config
PERF_CONFIG=$PWD/config run "$STROBE" list sw
check "the setting stands for the option" grep -q "stat.event-files" err

devices=/sys/bus/event_source/devices
[ "$(id -u)" = 0 ] && [ -d $devices ] && unshare -m mount --bind "$tmp" $devices 2>/dev/null ||
	{ skip_part "counting: it needs root, and PMUs in sysfs"; finish; }
id=$(cat /sys/kernel/tracing/events/syscalls/sys_enter_getppid/id 2>/dev/null) ||
	{ skip_part "counting: no tracepoints of system calls here"; finish; }
mkdir -p sys/cpu/format sys/software sys/tracepoint
echo 1 >sys/software/type; echo 2 >sys/tracepoint/type; echo 2 >sys/cpu/type
echo config:0-7 >sys/cpu/format/event; echo config:8-15 >sys/cpu/format/umask
cat >files/x86/model/a.json <<JSON
[ { "EventName": "CALLS.ALL", "EventCode": "$(printf 0x%x $((id & 255)))", "UMask": "$(printf 0x%x $((id >> 8)))",
    "BriefDescription": "Calls of the test", "SampleAfterValue": "10" },
  { "MetricName": "calls_twice", "MetricExpr": "2 * CALLS.ALL", "MetricGroup": "Own;Calls", "BriefDescription": "d" },
  { "MetricName": "calls_share", "MetricExpr": "calls_twice / 4000 if has_event(CALLS.ALL) else NONE",
    "MetricGroup": "Calls", "ScaleUnit": "100%" },
  { "MetricName": "calls_none", "MetricExpr": "NO.SUCH / CALLS.ALL" } ]
JSON
cat >calls.py <<'PY'
import os
for i in range(1000): os.getppid()
PY
on() { unshare -m sh -c 'mount --bind sys '$devices' && exec "$@"' sh "$@"; }
run on "$STROBE" list --event-files files -d vendor
check "list shows the event" grep -q '^  CALLS.ALL  *\[Vendor PMU event\]' out
check "list shows the description of the event" grep -q 'Calls of the test. Unit: cpu' out
run on "$STROBE" list --event-files files metric
check "list metric shows what the machine can compute" grep -qx '  calls_share' out
check "list shows no other events" sh -c '! grep -q calls_none out'
if command -v python3 >/dev/null && python3 -c 1; then
	run on "$STROBE" stat --event-files files -x, -e calls.all python3 calls.py
	n=$(awk -F, '$3 == "calls.all" { print $1 }' err)
	check "stat counts the event by its name" test "$n" -ge 1000 -a "$n" -lt 1100
	run on "$STROBE" stat --event-files files -M Calls python3 calls.py
	check "a group of metrics is computed" grep -Eq ' 20[0-9][0-9]\.[0-9]+ .*calls_twice' err
	check "a metric may use names of other metrics" grep -Eq ' 5[0-9]\.[0-9] .*%  calls_share' err
	run on "$STROBE" record --event-files files -e CALLS.ALL -o x.data python3 calls.py
	check "record samples the event" test $rc = 0
	check "record uses the period of the file" \
		sh -c "'$STROBE' evlist -v -i x.data | grep -q 'sample_period.*: 10,'"
else
	skip_part "counts: no python3 here"
fi
run on "$STROBE" stat --event-files files -M calls_none true
check "a metric without events is refused" grep -q 'this machine has no events to compute it from' err
run on "$STROBE" stat --event-files files -e CALLS.AL true
check "a similar name is proposed" grep -q 'did you mean CALLS.ALL' err
finish
