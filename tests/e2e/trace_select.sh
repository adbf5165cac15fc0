#!/bin/bash
# trace: what selects among calls, threads and events, live.
. "$(dirname "$0")/lib.sh"
need awk
need_can system raw_syscalls:sys_enter sched:sched_process_exec

trace() { "$STROBE" trace "$@"; }

# --- windows by events
trace --switch-on sched:sched_process_exit -e openat -o some sh -c 'cat /etc/passwd; cat /etc/group; :' >out
check "--switch-on: after the first end alone" sh -c 'grep -q "/etc/group" some && ! grep -q "/etc/passwd" some'
trace --switch-off sched:sched_process_exit -e openat -o some sh -c 'cat /etc/passwd; cat /etc/group' >out
check "--switch-off: before the first end" sh -c 'grep -q "/etc/passwd" some && ! grep -q "/etc/group" some'
trace --switch-on sched:sched_process_exec --show-on-off-events -e openat -o some sh -c 'cat /etc/passwd' >out
check "--show-on-off-events prints the event that switches" grep -q 'sched:sched_process_exec(.*cat' some

# --- filters in the kernel
trace -e sched:sched_process_exec --filter 'filename ~ "*group*" || pid == 0' -o some sh -c 'cat /etc/group' >out
check "--filter that matches nothing prints nothing" test ! -s some
trace -e sched:sched_process_exec --filter 'filename ~ "*cat"' -o some sh -c 'cat /etc/group; ls /' >out
check "--filter prints the event that matches" sh -c 'grep -q "cat" some && ! grep -q "bin/ls" some'
if can syscalls:sys_enter_fcntl; then
	trace -e syscalls:sys_enter_socket --filter 'family == LOCAL' -o some python3 -c '
import socket
socket.socket(socket.AF_UNIX); socket.socket(socket.AF_INET)'
	check "--filter: a name for a number" sh -c 'test $(grep -c sys_enter_socket some) -ge 1 && ! grep INET some'
	run trace -e syscalls:sys_enter_socket --filter 'family == NOSUCH' true
	check "--filter with an unknown name is bad usage" \
		test $rc = 129 -a -n "$(grep "field family .* has no value 'NOSUCH'" err)"
fi
run trace --filter 'pid == 0' true
check "--filter without an event: an error" sh -c "test $rc = 129 && grep -q 'should follow a -e' err"

# --- threads and CPUs
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid=$own_uid --clear-groups sh -c 'while :; do read -r line </etc/passwd; sleep 0.05; done' &
	target=$!
	later_kill $target
	until_true pgrep -u $own_uid >/dev/null
	trace -u $own_uid -e openat --max-events 5 -o some
	check "-u: threads of a user" \
		sh -c "test \$(wc -l <some) = 5 && ! grep -v ' sh/$target \| sleep/' some"
fi
trace -C $one_cpu -e getpriority --show-cpu -o some taskset -c $one_cpu nice true
check "-C and --show-cpu print the CPU" grep -q "\[$(printf %03d $one_cpu)\] nice/.* getpriority(" some
groups=$(awk '($3 == "cgroup" && $4 ~ /perf_event/) || $3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$groups" ] && mkdir "$groups/strobe-trace-$$" 2>/dev/null; then
	trace -a -G strobe-trace-$$ -e getpriority -o some -- sh -c "
		nice true; echo \$\$ >'$groups/strobe-trace-$$/cgroup.procs'; nice ls / >/dev/null"
	rmdir "$groups/strobe-trace-$$"
	check "-G: what ran in the group: $(wc -l <some)" test "$(grep -c getpriority some)" = 1
else
	skip_part "-G: no control group may be made"
fi
run trace -G nosuch true
check "-G without -a is bad usage" sh -c "test $rc = 129 && grep -q -- '-a -G' err"

mkfifo gate
cat gate &
target=$!
later_kill $target
"$STROBE" trace -t $target -o some &
tracer=$!
later_kill $tracer
counting $tracer
: >gate
wait $tracer
check "-t: one thread, without its name" sh -c 'grep -q "): close(fd" some && ! grep "cat/" some'
trace --no-inherit -e openat -o some sh -c 'cat /etc/group; :' >out
check "--no-inherit leaves out children" sh -c 'grep -q openat some && ! grep -q etc/group some'
trace -D 1000 -e '*sleep' -o some sh -c 'sleep 0.01; sleep 2; sleep 0.02'
check "-D: what ends later" sh -c 'test $(wc -l <some) = 2 && grep -q "tv_nsec: 20000000" some'
timeout 20 "$STROBE" trace -D -1 -o some true
check "-D -1 prints nothing" test ! -s some

# --- how lines look
trace --no-comm -e openat -o some true
check "--no-comm prints ids alone" sh -c 'grep -q "): [0-9]* openat(" some && ! grep "true" some'
trace --expr openat -o some true
check "--expr works like -e" sh -c 'grep -q "openat(" some && ! grep -v "openat(\|execve" some'
trace -T -e openat -o some true
check "-T prints the time of the clock" \
	awk -v up="$(cut -d' ' -f1 /proc/uptime)" '{ s = $1 / 1000; exit !(s > up - 60 && s <= up) }' some
trace --libtraceevent_print -e sched:sched_process_exec -o some true
check "--libtraceevent_print: the kernel's words" grep -q 'sched:sched_process_exec(filename=.*true pid=' some
trace --call-graph fp --kernel-syscall-graph -e openat -o some true
check "--kernel-syscall-graph prints kernel frames" grep -q '^ \{38\}do_syscall_64 (\[kernel' some
trace --call-graph fp -e openat -o some true
check "without --kernel-syscall-graph there are no kernel frames" sh -c '! grep -q kernel some'
trace -S -e openat -o some true
check "-S: lines, then a table" sh -c 'grep -q "openat(dfd" some && grep -q "^   openat  *[1-9]" some'
for pages in 1 64; do trace -v -m $pages -o some true 2>said.$pages; done
check "-m: the size of rings" sh -c 'grep -q "^mmap size 8192B" said.1 && grep -q "^mmap size 266240B" said.64'

# --- sums of other events
if can sched:sched_stat_runtime; then
	trace -s --sched -o sums sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	check "--sched: run time in the head" grep -q '^ sh (.*, [1-9][0-9.]* msec$' sums
fi
trace -s -F all -o sums true
check "-s -F: page faults in the head" grep -q '^ true (.*, [0-9]* minfaults$' sums
trace -F all -o some true
check "-F: faults between calls, with where" sh -c 'grep -q "openat(" some &&
	grep -q "minfault \[[^]]*\] => .*@0x[0-9a-f]* (" some'
run trace -F some true
check "-F takes three words" test $rc = 129
run "$STROBE" trace --filter-pids x true
check "a bad --filter-pids is named" sh -c "test $rc = 129 && grep -q -e \"--filter-pids: bad thread id 'x'\" err"
run "$STROBE" trace --histogram true
check "--histogram without tables is bad usage" sh -c "test $rc = 129 && grep -q -e '-s --histogram' err"

# --- lines as objects, selected like others
if command -v python3 >/dev/null; then
	trace -j --failure -o some.json cat /nonexist 2>/dev/null
	check "-j --failure: errors by name" python3 -c '
import json
rows = [json.loads(line) for line in open("some.json")]
assert rows and all(r["result"] < 0 for r in rows) and any(r["error"] == "ENOENT" for r in rows)'
	trace -j -e sched:sched_process_exec -F maj -e openat --max-events 4 -o some.json sh -c 'cat /etc/group' >out
	check "-j --max-events limits the objects" sh -c 'test $(wc -l <some.json) = 4'
fi
finish
