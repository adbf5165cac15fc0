#!/bin/bash
# The attrs of event strings equal those of an installed perf 6: compare evlist -v on its own file
# and on ours. One recording has many events, because starting perf takes most of the time.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need perf
perf --version 2>/dev/null | grep -q '^perf version 6\.' || skip "the installed perf is no version 6"
need_root	# tracepoints
may_record

# Not compared: bpf_event, for which perf waits a second (record_attrs.sh checks it); the struct's
# size; exclude_guest (perf 6 sets it on all events, perf 7 does not); names of breakpoints (perf
# cuts the length off); inherit on events in a group read (kernels allow it since 6.12, perf 6 does
# not ask for it).
attrs() {
	perf evlist -f -v -i "$1" 2>evlist.err | grep -v '^#' |
		sed 's/ size: [0-9]*,//; s/, exclude_guest: 1//; s/, bpf_event: 1//; s/^ *//; s/^mem:[^ ]*: /mem: /
			/GROUP/s/, inherit: 1//'
}

# A perf 6 that records next to a perf 7 may be killed by build-ids in map records: try again.
perf_records() {
	for try in 1 2 3; do
		perf record -N --no-bpf-event -o theirs.data "$@" true >perf.log 2>&1 </dev/null && return
	done
	return 1
}

same() {	# WHAT EVENT...
	what_events=$1
	shift
	words=()
	for event; do words+=(-e "$event"); done
	rm -f theirs.data ours.data
	perf_records "${words[@]}" ||
		{ skip_part "perf cannot record $what_events: status $?, $(grep -v '^$' perf.log | tail -1)"; return; }
	run "$STROBE" record -q -N -o ours.data "${words[@]}" true
	check "record of $what_events succeeds" test $rc = 0
	attrs theirs.data >theirs
	attrs ours.data >ours
	check "$what_events: perf tells at least as many events" at_least "$(wc -l <theirs)" $#
	check "$what_events: stored as perf 6 stores them" diff theirs ours
}

id=$(cat /sys/kernel/tracing/events/sched/sched_switch/id 2>/dev/null) || skip "tracepoints cannot be read here"
same \
	"software events" cpu-clock task-clock page-faults faults context-switches cs cpu-migrations \
	migrations minor-faults major-faults \
	alignment-faults emulation-faults bpf-output cgroup-switches dummy
same \
	"numbers" 1:0 1:2:u 0x1:0x3 1:3/name=x/ 1:3/period=7/k software/config=3/ \
	software/config=2,period=100/ "tracepoint/config=$id/" "2:$id:u"
same \
	"modifiers" cs:u cs:k cs:h cs:uk cs:kh cs:uh cs:ukh cs:I cs:H cs:G cs:HG cs:uH cs:kG cs:D cs:e \
	cs:uI cs:uDe cs:uhIe cpu-clock:p cpu-clock:pp \
	cpu-clock:ppp cpu-clock:upp cpu-clock:P task-clock:uP
same \
	"terms" cs/period=10/ cs/period=0x10/ cs/freq=10/ cs/freq=10/u cs/period=10/uk cs/time=0/ \
	cs/time=1/ cs/time/ cs/call-graph=fp/ \
	cs/call-graph=no/ cs/call-graph=fp,max-stack=7/ cs/max-stack=7/ cs/stack-size=4096/ cs/nr=3/ \
	cs/inherit/ cs/no-inherit/ cs/inherit=0/ \
	cs/no-inherit=1/ cs/no-overwrite/ cs/percore/ cs/name=foo/ cs/name=foo:bar/u cs/metric-id=x/ \
	cs/period/ cs/config=1/ cs/config1=5/ \
	cpu-clock/period=100000,name=long,call-graph=fp/uk
same \
	"tracepoints" sched:sched_switch sched:sched_switch:u sched:sched_switch:k 'sched:sched_wake*' \
	'sched:sched_wak?up' 'sch*:sched_wakeup' \
	sched:sched_switch/call-graph=fp/ 'raw_syscalls:*' 'syscalls:sys_enter_o*' 'signal:*,timer:hrtimer_*'
same \
	"groups" '{cs,faults}' '{cs,faults}:u' '{cs:u,faults:k}' '{cs:u,faults}:k' '{cs,faults}:D' \
	'{cs,faults}:e' '{cs,faults}:W' 'grp{cs,faults}' '{cs}' \
	'{cs},{faults}' '{cs,faults},cpu-clock' '{cs/period=10/,faults/freq=7/}' \
	'{sched:sched_switch,sched:sched_wakeup}' '{cs, faults}'
same "a group that is read" '{cs,faults}:S'
same "a group that is read, named, with levels" 'grp{cs:u,faults:k}:S'
same "a group that is read, with rates" '{cs/period=10/,faults/freq=7/,migrations}:S'
same "a group of tracepoints that is read" '{sched:sched_switch,sched:sched_wakeup}:S'
same "groups beside others" 'cpu-clock,{cs,faults}:S'
same "breakpoints" mem:0x1000 mem:0x1000/1 mem:0x1000/2:w mem:0x1000/8:rw
same "breakpoints with levels" mem:0x1000:rw:u mem:0x1000:w:k mem:4096:u mem:0x1000:x
finish
