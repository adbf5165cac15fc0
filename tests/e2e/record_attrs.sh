#!/bin/bash
# The attrs that result from options equal those of perf 7.2, except for the differences listed here
# with their reason. expected/record_attrs.perf72 has what perf stores for each line of options, as
# perf printed it: STROBE_ACCEPT=1 asks STROBE_PERF72 again. A few lines, among them those whose
# event depends on the machine, are compared with perf in each run.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need_root	# to try every option
may_record
[ "$(uname -m)" = x86_64 ] || skip "the registers that were asked for are those of x86-64"
case $(uname -r) in
[1-5].* | 6.[0-9].* | 6.1[0-2].*)
	skip "the kernel is older than the one whose attrs are stored: it lacks some"
	;;
esac

# attrs TOOL OPTIONS...: print a line per event as evlist -v does.
attrs() {
	rm -f x.data
	"$@" -o x.data true >/dev/null 2>&1 </dev/null && "$1" evlist -v -i x.data 2>/dev/null
}

# Not compared: the struct's size (ours is the smallest, so that older readers accept it); build_id
# (perf's default kills a perf 6.1 that records at the same time; ours is an option); the numbers of
# tracepoints.
comparable() { sed '/^#/d; s/ size: [0-9]*,//; s/, build_id: 1//; s/\(TRACEPOINT), config: \)0x[0-9a-f]*/\1ID/'; }

each_line() {	# TOOL
	while read -r options; do
		echo "== $options"
		eval "attrs \"$1\" record -N $options"
	done <options | comparable
}

# No short periods: with a clock's interrupt each 10 us, a virtual machine stands still for minutes.
cat >options <<'EOF'
-e cpu-clock -N
-e cpu-clock -F 4000
-e cpu-clock -a
-e cpu-clock -C 0
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
-e cpu-clock/period=1000000/
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
-e cpu-clock -g -a
-e cpu-clock --call-graph dwarf
-e cpu-clock --call-graph dwarf,4096 -a
--call-graph dwarf -e cpu-clock,page-faults
--call-graph dwarf -e sched:sched_switch
-e cpu-clock --call-graph fp,20
-e cpu-clock --call-graph fp,20 -a
-e cpu-clock --kernel-callchains -g
-e cpu-clock --user-callchains -g -a
-e cpu-clock -c 1000000
-e cpu-clock -c 1000000 -a
-e cpu-clock -c 1000000 -P
-e cpu-clock -c 1000000 -P -a
-e cpu-clock -F 99 -a
-F 99 -e cpu-clock,page-faults -g -a
-e cpu-clock -n
-e cpu-clock -n -a
-e cpu-clock -d
-e cpu-clock -d -a
-e cpu-clock -s
-e cpu-clock -s -a
-e cpu-clock -W -a
-e cpu-clock -R
-e cpu-clock -R -a
-e cpu-clock -T
-e cpu-clock -P -a
-e cpu-clock -I
-e cpu-clock -Iax,bx -a
-e cpu-clock --user-regs=ax -a
-e cpu-clock --phys-data -a
-e cpu-clock --data-page-size -a
-e cpu-clock --code-page-size -a
-e cpu-clock --sample-mem-info -a
-e cpu-clock --transaction -a
-e cpu-clock --data-mmap
-e cpu-clock --sample-cpu
-e cpu-clock --sample-identifier
-e cpu-clock --sample-identifier -a
--running-time -e '{cpu-clock,page-faults}:S'
-e cpu-clock -i
-e cpu-clock -i -a
-e cpu-clock --per-thread
--per-thread -e cpu-clock,page-faults
-e cpu-clock --no-timestamp
-e cpu-clock --no-timestamp -a
-e cpu-clock -D 10
-e cpu-clock -D -1
-e cpu-clock -D 10 -a
-D 10 -e cpu-clock,page-faults -g
-D 10 -e sched:sched_switch
-e cpu-clock -k mono
-e cpu-clock -k raw -a
-e cpu-clock --no-buffering -a
-e cpu-clock --all-user
-e cpu-clock:k --all-user
-e cpu-clock --all-kernel -a
-e cpu-clock --namespaces -a
-e cpu-clock --switch-events
-e cpu-clock --switch-events -a
-e cpu-clock --all-cgroups
-e cpu-clock --all-cgroups -a
-e cpu-clock --no-bpf-event
-e cpu-clock --latency
-e cpu-clock --namespaces
-e cpu-clock --namespaces --all-cgroups --switch-events -a
-e cpu-clock --all-cgroups --per-thread
-e cpu-clock -i --per-thread
-e cpu-clock -C 0 -i --namespaces
--overwrite -e cpu-clock
-e cpu-clock --overwrite -a
-e cpu-clock/overwrite/,page-faults
--overwrite -e cpu-clock/no-overwrite/
--tail-synthesize -e cpu-clock
-D 10-20,30-40 -e cpu-clock
-g -s -d -W --sample-cpu -e cpu-clock,page-faults
EOF

# Known differences: the options, the word that differs, and the reason.
cat >differences <<'EOF'
-e cpu-clock/call-graph=dwarf/|theirs|ADDR|a term call-graph=dwarf needs no data addresses
-e '{cpu-clock,sched:sched_switch}:S'|ours|ID.GROUP|a software event and a tracepoint can be one group
EOF
cut -d'|' -f1 differences >>options

kept=$STROBE_SOURCE/tests/e2e/expected/record_attrs.perf72
if [ "${STROBE_ACCEPT:-0}" = 1 ]; then
	: "${STROBE_PERF72:?perf 7.2, which prints what is expected}"
	each_line "$STROBE_PERF72" >"$kept"
fi
each_line "$STROBE" >ours
check "every line was recorded" \
	awk '/^==/ { if (head != "" && !n) { print head; bad = 1 } head = $0; n = 0; next } { n++ }
	END { exit bad || !n }' \
	ours

block() { awk -v head="== $1" '/^== / { inside = $0 == head; next } inside' "$2"; }
# Where there is a PMU, cycles are no clock: they are compared with perf in each run.
hardware=
! ls -d /sys/bus/event_source/devices/cpu* >/dev/null 2>&1 || hardware='-e cycles:u'
head -n -"$(wc -l <differences)" options | grep -vxF -- "${hardware:-none}" | sed 's/^/== /' >same
plain() { awk 'NR == FNR { same[$0]; next } /^== / { inside = $0 in same } inside' same "$1"; }
plain "$kept" >theirs.plain
plain ours >ours.plain
check "the attrs are those of perf 7.2" diff -U0 -F '^==' theirs.plain ours.plain
while IFS='|' read -r options where word why; do
	block "$options" "$kept" >block.theirs
	block "$options" ours >block.ours
	other=ours; [ "$where" = ours ] && other=theirs
	check "$options: only in $where: $word ($why)" \
		sh -c "grep -q '$word' block.$where && ! grep -q '$word' block.$other"
done <differences

# Compare with perf 7.2 now, without the data it waits a second for.
compare_now() {	# OPTIONS...
	attrs "$STROBE_PERF72" record -B --no-bpf-event "$@" | comparable >theirs
	attrs "$STROBE" record -N "$@" | comparable | sed 's/, bpf_event: 1//' >ours.now
	check "the attrs of, beside perf 7.2: $*" diff theirs ours.now
}
if [ -n "${STROBE_PERF72:-}" ]; then
	compare_now -F 4000
	compare_now -e cycles:u
	compare_now -g -a
	compare_now --call-graph dwarf -c 1000000
	compare_now \
		-e cpu-clock,sched:sched_switch/call-graph=fp/,page-faults:u,cs/period=3/,mem:0x1000:rw \
		-d -W --sample-cpu
else
	skip_part "beside perf 7.2: STROBE_PERF72 is not set"
fi
finish
