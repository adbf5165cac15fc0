#!/bin/bash
# PERF_TEST_ATTR: a file per opened descriptor shows the attr that the kernel got. The man page
# defines the effect of options on attrs, so the expectations are written here; perf_shell.sh runs
# perf's own expectations.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record

# opened ARGS...: run strobe with a new directory; $files lists what was opened, in the order of
# descriptors.
opened() {
	rm -rf log && mkdir log
	run env PERF_TEST_ATTR="$tmp/log" "$STROBE" "$@"
	files=$(find log -name 'event-*' | sort -t- -k4n)
}
# value FILE KEY
value() { sed -n "s/^$2=//p" "$1"; }
# distinct values of KEY in all files, with a blank between two
# shellcheck disable=SC2086	# a list of files
of() { sed -n "s/^$1=//p" $files | sort -u | paste -sd ' '; }
is() { check "$last: $1 is $2" test "$(of "$1")" = "$2"; }
record() {
	last="record $*"; opened record -q -N --no-bpf-event -o x.data "$@" true; check "$last succeeds" test "$rc" = 0
}

record -e cpu-clock:u -F 100
is type 1
is config 0
is freq 1
is sample_period 100
is sample_type 263
is disabled 1
is enable_on_exec 1
is inherit 1
is exclude_kernel 1
is exclude_user 0
is group_fd -1
is size 136
is precise_ip 0
is bp_type 0
is sample_stack_user 0
for f in $files; do
	check "$f has its own name as section and its descriptor" \
		test "$(head -1 "$f")/$(value "$f" fd)" = "[${f#log/}]/${f##*-}"
done
check "record opens one descriptor for each CPU" test "$(echo "$files" | wc -l)" = "$(getconf _NPROCESSORS_ONLN)"

record -e cpu-clock:u -c 777777 -d -i --no-buffering --strict-freq
is freq 0; is sample_period 777777; is inherit 0; is sample_type 32783; is wakeup_events 1; is watermark 0

record -e task-clock:u --call-graph dwarf,4096 --user-regs=ip,sp
is sample_stack_user 4096; check "the frame pointer's chain ends in the kernel" test "$(of exclude_callchain_user)" = 1

record -e '{cpu-clock:u,task-clock:u}'
set -- $files
check "the leader has no group" test "$(value "$1" group_fd)" = -1
check "the leader waits for the command" test "$(value "$1" disabled)$(value "$1" enable_on_exec)" = 11
for f in $files; do
	[ "$(value "$f" config)" = 0 ] && continue
	check "a member starts with its leader" test "$(value "$f" disabled)$(value "$f" enable_on_exec)" = 00
	check "the leader of $f is open" test -f "log/event-1-0-$(value "$f" group_fd)"
done

last="stat"
opened stat -e task-clock:u,page-faults:u true
is sample_period 0; is read_format 3; is sample_type 65536; is mmap 0; is comm 0; is cpu -1; is enable_on_exec 1
check "stat: both events are there" test "$(of config)" = "1 2"
opened stat -i -e task-clock:u true
is inherit 0

# --- refusals
run env PERF_TEST_ATTR="$tmp/nosuch" "$STROBE" stat -e task-clock:u true
check "a directory that is missing ends the command" test "$rc" = 255
check "the message names the missing directory" grep -q "cannot open '$tmp/nosuch', which PERF_TEST_ATTR names" err
check "the message says what to do" grep -q '^  try: .*unset PERF_TEST_ATTR' err
rm -rf log && mkdir log && ln -s "$tmp/target" log/event-1-1-3
for n in 4 5 6 7 8 9; do ln -s "$tmp/target" "log/event-1-1-$n"; done
run env PERF_TEST_ATTR="$tmp/log" "$STROBE" stat -e task-clock:u true
check "a link in the directory is not followed" test ! -e target
check "the message tells that files go into the directory of PERF_TEST_ATTR" \
	grep -q "into the directory of PERF_TEST_ATTR" err
finish
