#!/bin/bash
# strobe list: kinds, globs, parts of names, fields of tracepoints, JSON; the same lines as an
# installed perf 6.
. "$(dirname "$0")/lib.sh"

run "$STROBE" list sw
check "software events are listed" \
	grep -qx '  context-switches OR cs                             \[Software event\]' out
check "tool events go with them" grep -q 'duration_time  *\[Tool event\]' out
check "no other kind does" sh -c '! grep -qvE "^$|Software|Tool" out'
run "$STROBE" list CPU-c
check "a part of a name in any case" grep -q 'cpu-clock' out
run "$STROBE" list 'cpu-c*k'
check "a glob is matched whole" test "$(wc -l <out)" = 1
run "$STROBE" list nosuchevent
check "a name that no event has ends with 1" test $rc = 1
check "list reports a word that matches nothing" grep -q "matches 'nosuchevent'" err
run "$STROBE" list -j sw
check "list -j has the encoding of events" grep -q '"Encoding": "software/config=0x3/"' out
if command -v python3 >/dev/null; then
	check "list -j is valid JSON" python3 -m json.tool out
fi
run "$STROBE" list -o listed sw
check "-o writes a file" grep -q cpu-clock listed
run "$STROBE" list -o /no/such/dir/x sw
check "a file that cannot be written is an error" test $rc = 255
run "$STROBE" list --raw-dump sw
check "--raw-dump is names on a line" grep -q '^alignment-faults bpf-output .*context-switches cs .*task-clock ' out
run "$STROBE" list --unit software --details cs
check "--details tell the encoding" grep -qx '        software/config=0x3/' out

run "$STROBE" list -d cs
check "-d says what an event counts" grep -q '^       \[Switches from one task to another. Unit: software\]' out
run "$STROBE" list -j cpu-clock
check "JSON has it too" grep -q '"BriefDescription": "Time of the CPU' out
run "$STROBE" list raw
check "raw is a kind" grep -q 'rNNN .*Raw hardware event descriptor' out
run "$STROBE" list --debug
check "commands that only perf has are refused with a reason" grep -q 'why: there is nothing to debug' err
run "$STROBE" list metric
check "metrics: those that this machine can compute" \
	sh -c 'grep -q "^  CPUs_utilized$" out && ! grep -q "^  IPC_nowhere" out'
check "metrics: what stat -M takes" "$STROBE" stat -M "$("$STROBE" list --raw-dump metric | cut -d" " -f4)" true
run "$STROBE" list metricgroup
check "list metricgroup shows groups" grep -qx Summary out
run "$STROBE" list --cputype nosuch
check "list --cputype: no cores of this kind" \
	sh -c "[ $rc = 255 ] && ! [ -s out ] && grep -q -- '--cputype nosuch is not supported!' err"
if [ -d /sys/bus/event_source/devices/cpu ]; then
	run "$STROBE" list --cputype cpu pmu
	check "list --cputype succeeds" test $rc = 0
fi

if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	run "$STROBE" list tracepoint
	check "list tracepoint shows tracepoints" test $rc = 0 -a -s out
	run "$STROBE" list --details sched:sched_switch
	check "fields of a tracepoint" grep -qx '        pid_t prev_pid' out
	run "$STROBE" list -v sched:sched_switch
	check "-v prints the format" grep -qx '        field:pid_t prev_pid; offset:[0-9]*; size:4; signed:1;' out
	check "no line is longer than 80" sh -c '! grep -qE "^.{81}" out'
	if perf --version 2>/dev/null | grep -q ' 6\.'; then
		# Others may define probes at the same time
		lasting() { grep -v -e '^$' -e '^ *probe' -e '^ *strobe_' -e '^ *sdt_'; }
		perf list tracepoint 2>/dev/null | lasting | LC_ALL=C sort >theirs
		run "$STROBE" list tracepoint
		lasting <out | LC_ALL=C sort >ours
		check "list tracepoint shows some that are not probes" test -s ours
		check "tracepoints are those of perf" diff theirs ours
	else
		skip_part "no perf 6 to compare with"
	fi
else
	skip_part "tracepoints: this user cannot read them"
	run "$STROBE" list tracepoint
	check "a message says why they cannot" grep -q 'try:' err
fi
check "list --deprecated: nothing is held back without it" \
	cmp <("$STROBE" list --deprecated --raw-dump 2>&1) <("$STROBE" list --raw-dump 2>&1)
finish
