#!/bin/bash
# The attrs that options lead to are those of perf 7.2 (STROBE_PERF72), apart from the differences listed here with their reason.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
[ -z "${STROBE_SANITIZED:-}" ] || skip "perf's start-ups take minutes: the plain build is compared"
[ -n "${STROBE_PERF72:-}" ] || skip "STROBE_PERF72 is not set"
need_root	# every option shall be tried
may_record

# attrs TOOL OPTIONS...: one line per event as evlist -v prints it. Not compared: the struct's size (ours is what is needed, so that older
# readers take it), build_id (perf's default kills a perf 6.1 that records beside it; ours is a choice).
attrs() {
	rm -f x.data
	timeout 20 "$@" -o x.data true >attrs.log 2>&1 </dev/null || { echo "cannot record"; return; }
	"$STROBE_PERF72" evlist -v -i x.data 2>/dev/null | grep -v '^#' | sed 's/ size: [0-9]*,//; s/, build_id: 1//'
}

compare_attrs() {
	attrs "$STROBE_PERF72" record "$@" >theirs
	grep -q 'type: ' theirs || { skip_part "perf 7.2 cannot record $*"; return; }
	attrs "$STROBE" record -N "$@" >ours
	check "the attrs of: $*" diff theirs ours
}

# As they are; the others go without build-ids and the thread that follows BPF programs, for which perf waits a second each time.
compare_attrs -e cpu-clock
compare_attrs -a
compare_attrs -e cpu-clock,page-faults -g -a
compare_attrs -e sched:sched_switch --per-thread
compare_attrs -e cpu-clock --overwrite
quick="-B --no-bpf-event"

while read -r options; do
	[ -z "$options" ] || [ "${options#\#}" != "$options" ] || eval "compare_attrs $quick $options"
done <<'EOF'
-F 4000
-a
-C 0
-e cpu-clock
-e page-faults
-e cycles:u
-e cpu-clock:u
-e cpu-clock:k
-e cpu-clock:H
-e cpu-clock:pp
-e cpu-clock:S
-e cpu-clock:D
-e cpu-clock:I
-e cpu-clock/period=1000/
-e cpu-clock/freq=100/
-e cpu-clock/call-graph=fp/
-e cpu-clock/time=0/
-e cpu-clock/no-inherit/
-e cpu-clock/max-stack=5/ -g
-e cpu-clock,page-faults
-e cpu-clock,page-faults -a
-e '{cpu-clock,page-faults}'
-e '{cpu-clock,page-faults}' -a
-e '{cpu-clock,page-faults}:S'
-e '{cpu-clock,page-faults}:S' -a
-e '{cpu-clock,page-faults,cs}:S' -c 100000 -g
-e sched:sched_switch
-e sched:sched_switch -a
-e sched:sched_switch -c 5
-e sched:sched_switch -F 50
-e sched:sched_switch,cpu-clock
-e cpu-clock,sched:sched_switch -a
-e sched:sched_switch,sched:sched_wakeup
-e mem:0x1000:rw
-e bpf-output/no-inherit=1/
-e dummy
-e dummy -a
-e dummy,cpu-clock -a
-e cpu-clock,dummy:u -a
-g -a
--call-graph dwarf
--call-graph dwarf,4096 -a
--call-graph dwarf -e cpu-clock,page-faults
--call-graph dwarf -e sched:sched_switch
--call-graph fp,20
--call-graph fp,20 -a
--kernel-callchains -g
--user-callchains -g -a
-c 1000
-c 1000 -a
-c 1000 -P
-c 1000 -P -a
-F 99 -a
-F 99 -e cpu-clock,page-faults -g -a
-n
-n -a
-d
-d -a
-s
-s -a
-W -a
-R
-R -a
-T
-P -a
-I
-Iax,bx -a
--user-regs=ax -a
--phys-data -a
--data-page-size -a
--code-page-size -a
--sample-mem-info -a
--transaction -a
--data-mmap
--sample-cpu
--sample-identifier
--sample-identifier -a
--running-time -e '{cpu-clock,page-faults}:S'
-i
-i -a
--per-thread
--per-thread -e cpu-clock,page-faults
--no-timestamp
--no-timestamp -a
-D 10
-D -1
-D 10 -a
-D 10 -e cpu-clock,page-faults -g
-D 10 -e sched:sched_switch
-k mono
-k raw -a
--no-buffering -a
-e cpu-clock --all-user
-e cpu-clock:k --all-user
-e cpu-clock --all-kernel -a
--namespaces -a
--switch-events
--switch-events -a
--all-cgroups
--all-cgroups -a
--no-bpf-event
--latency
--namespaces
--namespaces --all-cgroups --switch-events -a
--all-cgroups --per-thread
-i --per-thread
-C 0 -i --namespaces
--overwrite -e cpu-clock
--overwrite -a
-e cpu-clock/overwrite/,page-faults
--overwrite -e cpu-clock/no-overwrite/
--tail-synthesize -e cpu-clock
-D 10-20,30-40 -e cpu-clock
-g -s -d -W --sample-cpu -e cpu-clock,page-faults
EOF

# Known differences: our line must hold the word, perf's not, or the other way round.
differs() {	# OUR-OR-THEIR PATTERN WHY OPTIONS...
	attrs "$STROBE_PERF72" record $quick "${@:4}" >theirs
	attrs "$STROBE" record -N "${@:4}" >ours
	other=ours; [ "$1" = ours ] && other=theirs
	check "${*:4}: only in $1: $2 ($3)" sh -c "grep -q '$2' $1 && ! grep -q '$2' $other"
}
differs theirs 'ADDR' "a term call-graph=dwarf needs no data addresses" -e cpu-clock/call-graph=dwarf/
differs ours 'ID|GROUP' "a software event and a tracepoint can be one group" -e '{cpu-clock,sched:sched_switch}:S'
finish
