#!/bin/bash
# The attrs in recordings of tasks equal those of the installed perf, read by its own reader. For
# whole-system recordings perf 6 and 7 differ: there we follow 7 (record_attrs.sh).
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need perf sleep
need_root	# to try every option
may_record
case $(perf version 2>/dev/null) in "perf version 6."*) ;; *) skip "the installed perf is not of version 6" ;; esac

# Not compared: the struct's size (ours is the smallest), exclude_guest (perf 6 sets it, 7 does
# not), and bpf_event, for which perf waits a second.
attrs() {
	rm -f x.data
	timeout 120 "$@" -o x.data true >attrs.log 2>&1 </dev/null ||
		{ echo "cannot record: $(head -1 attrs.log)"; return; }
	perf evlist -v -i x.data 2>/dev/null | grep -v '^#' |
		sed 's/ size: [0-9]*,//; s/, exclude_guest: 1//; s/, bpf_event: 1//'
}

sleep 60 & target=$!; later_kill $target
while read -r options; do
	words=$(eval "echo \"$options\"")
	attrs perf record -B --no-bpf-event $words >theirs
	attrs "$STROBE" record -B $words >ours
	grep -q 'type: ' theirs && check "the attrs of: $options" diff theirs ours
done <<'EOF2'
-e cpu-clock --namespaces --all-cgroups --switch-events
-e cpu-clock --per-thread
-e cpu-clock --per-thread -i
-e cpu-clock -i --all-cgroups
-e cpu-clock -p $target
-e cpu-clock -p $target -i
-e cpu-clock -p $target --per-thread
-e cpu-clock -t $target --per-thread
-e cpu-clock -t $target -i --all-cgroups
-e cpu-clock,page-faults --per-thread
-e cpu-clock,page-faults -p $target
-e {cpu-clock,page-faults} --per-thread
-e sched:sched_switch -p $target
-e sched:sched_switch,cpu-clock -i
-e cpu-clock -F 99 -g -i
-e cpu-clock -s -d -p $target
EOF2
finish
