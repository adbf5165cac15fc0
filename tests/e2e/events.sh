#!/bin/bash
# Event strings through record: what is refused and how, what is stored; names and attrs as perf 7.2
# stores them.
. "$(dirname "$0")/lib.sh"

record() { run "$STROBE" record -q -N -o x.data "$@"; }
# CARET MESSAGE EVENT: exit status 129, and the caret is below character CARET of the string; the
# message fits a line
refused() {
	record -e "$3" true
	check "'${3:0:40}' ends with 129" test $rc = 129
	check "'${3:0:40}': the string is shown" grep -q "^event syntax error: '" err
	check "'${3:0:40}': $2 at $1" grep -q "^ \{$((21 + $1))\}\\\\___ $2" err
	check "'${3:0:40}': no file is left" test ! -e x.data
}

refused 0 'Bad event name' foo
refused 10 'Bad event name' cpu-clock,foo,cs
refused 9 "Duplicate modifier 'u' (user)" cs:k,cs:uu
refused 13 'Maximum precise value is 3' cpu-clock:pppp
refused 3 "unknown term 'nosuch'" cs/nosuch/
refused 17 'expected numeric value' cpu-clock/period=x/
refused 0 'Bad event name' "$(printf 'a%.0s' {1..60000})"
refused 1 'Unrecognized input' "$(printf '{%.0s' {1..20000})"
refused 0 'unknown tracepoint\|can.t access trace events' nosuch:event
record -e cs/driver-config=x/ true
check "driver-config without a tracer is refused" test $rc = 129
record -e cs/aux-output/ true
check "aux-output without a tracer is refused as perf refuses it" test $rc = 234
record -e cs/branch_type=nosuch/ true
check "a branch type that is none is refused" grep -q "unknown branch filter 'nosuch'" err
record -e cs/branch_type=any/ true
check "branch records of a software event are refused" grep -q 'branch records are not supported' err
record -e cyclse true
check "a near name is offered" grep -q 'did you mean cycles?' err
record -e cs/perod=1/ true
check "a near term is offered, and all are named" grep -q 'did you mean period? Valid terms: config,' err
record -e $'cs,\e[2Jx' true
check "control bytes are not passed on" grep -q "'cs,.x1b\[2Jx'" err

if can sched:sched_switch; then
	record -e sched:sched_switch --filter 'prev_pid > 1 && next_pif < 2' true
	check "a refused filter is shown" \
		grep -q '^failed to set filter "prev_pid > 1 && next_pif < 2" on event sched:sched_switch with 22' err
	check "the error marks the unknown field" grep -q '^ \{38\}\\___ .*[Ff]ield not found' err
	check "a near field is offered, and all are named" grep -q 'did you mean next_pid?.*prev_comm, prev_pid' err
	[ ! -w /sys/kernel/tracing/instances ] || {
		record -e sched:sched_switch --filter '(prev_pid > 1' true
		check "the kernel's own words" grep -q "^ \{22\}\\\\___ Too many '('" err
		# Other tests may have theirs at the moment: they are named by the process that has them.
		# Where that was killed, another one removes them.
		left() {
			find /sys/kernel/tracing/instances -maxdepth 1 -name 'strobe-*' |
				while IFS=- read -r _ pid _; do [ -d "/proc/$pid" ] || echo "$pid"; done
		}
		check "nothing is left in tracefs" until_true eval 'test -z "$(left)"'
	}
	record -e cs --filter 'a > 1' true
	check "only tracepoints are filtered" test $rc = 129
	rm -f x.data
else
	skip_part "filters: this machine cannot: $why_not"
fi

record -e cs -G / true
check "cgroups are for the whole system only" test $rc = 129
record -a -e cs -G nosuchgroup true
check "a cgroup that is not there is named" \
	grep -q '^strobe record: no \(access to cgroup .*/nosuchgroup\|control groups\)' err
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
awk '$3 == "cgroup" && $4 ~ /perf_event/ { found = 1 } END { exit !found }' /proc/mounts && cgroups=
if [ -n "$cgroups" ] && mkdir "$cgroups/strobe-test-$$" 2>/dev/null; then
	workload spin
	sh -c 'echo $$ >"$1" && exec ./spin 60' - "$cgroups/strobe-test-$$/cgroup.procs" &
	inside=$!
	later_kill $inside
	./spin 60 &
	outside=$!
	later_kill $outside
	record -a -e cpu-clock,cs -G "strobe-test-$$," "$while_working" $inside 0.1
	check "a cgroup is recorded" test $rc = 0
	"$STROBE" script -i x.data -F pid,event >samples 2>/dev/null
	check "samples of its task" grep -q "^ *$inside  *cpu-clock:" samples
	check "there are no samples of other cgroups" sh -c "! grep cpu-clock: samples | grep -qv '^ *$inside '"
	kill -9 $inside $outside
	wait $inside 2>/dev/null
	until_true rmdir "$cgroups/strobe-test-$$"
	check "the test's cgroup is gone" test ! -e "$cgroups/strobe-test-$$"
	rm -f x.data
else
	skip_part "a cgroup of our own: needs cgroup2 and the right to make one"
fi

record -e cs -C 0- true
check "an open range of CPUs is refused" grep -q "bad list of CPUs '0-'" err
record -e cs -C 65000 true
check "a CPU that is not there is named" grep -q "CPU 65000" err
record -e cs -p 4194303 true
check "a process that is not there: perf's status" test $rc = 244
check "the error has perf's text" grep -q "Couldn't create thread/CPU maps: No such process" err

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	mkdir -m 777 open && cp "$STROBE" open/strobe && chmod 755 . open/strobe
	many=$(printf 'cs:u,%.0s' {1..30})cs:u
	run setpriv \
		--reuid 65534 --clear-groups bash -c "ulimit -Sn 24
		exec open/strobe record -q -o open/x.data -e $many true"
	check "the soft limit of descriptors is raised" test $rc = 0
	run setpriv \
		--reuid 65534 --clear-groups bash -c "ulimit -n 24
		exec open/strobe record -q -o open/x.data -e $many true"
	check "a message about the hard limit" grep -q 'why: .* hard limit is 24' err
	check "the error says how to have more descriptors" grep -q 'try: .*--nofile=' err
	run setpriv --reuid 65534 --clear-groups open/strobe record -q -o open/x.data -e cpu-clock:k true
	check "kernel profiling is refused with the level" grep -q 'why: perf_event_paranoid is 2' err
	check "the error names the smallest capability that helps" \
		grep -q 'try: -e cpu-clock:u, or as root: setcap cap_perfmon+ep .*/strobe, or: '\
'sysctl kernel.perf_event_paranoid=1' \
		err
	run setpriv --reuid 65534 --clear-groups open/strobe record -o open/x.data -e cpu-clock true
	check "a user's events fall back to user space" test $rc = 0
	check "record says that it measures only user space" grep -q 'only user space is measured' err
else
	skip_part "unprivileged user at level 2: needs root, setpriv and kernel.perf_event_paranoid 2"
fi

if [ -n "${STROBE_PERF72:-}" ]; then
	# perf waits a second for BPF programs; record_attrs.sh checks that bit.
	attrs() {
		"$STROBE_PERF72" evlist -f -v -i "$1" 2>/dev/null | grep -v '^#' |
			sed 's/ size: [0-9]*,//; s/, build_id: 1//; s/, bpf_event: 1//'
	}
	for event in '' cycles cycles:u cycles:pp cycles/period=1000000/u '{cycles,cs}' '{cs:u,faults}:k' \
		cs,faults:u cpu-clock:P cpu-clock/name=x/ 1:0:u \
		mem:0x1000:rw software/cpu-clock/ cpu-clock/freq=100/ cs:R,cs/max-stack=7/,cs:u cycles:P \
		'{cs:S,faults}' \
		'{cs/period=10/,faults/freq=7/}:S'; do
		"$STROBE_PERF72" record -B --no-bpf-event -o theirs.data ${event:+-e "$event"} true >/dev/null 2>&1
		record ${event:+-e "$event"} true
		attrs theirs.data >theirs
		attrs x.data >ours
		check "'$event' is stored as perf 7.2 stores it" diff theirs ours
		rm -f theirs.data x.data
	done
else
	skip_part "STROBE_PERF72 names no perf 7.2"
fi
run "$STROBE" record -o /dev/null -e '{cpu-clock,cpu-clock/period=100000,ratio-to-prev=0.5/}' true
check "ratio-to-prev is refused, not ignored" test "$rc" = 129
check "the unsupported term is named" grep -q "'ratio-to-prev' is not supported" err
finish
