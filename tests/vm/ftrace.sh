#!/bin/bash
# ftrace with the tracers of functions: what the kernel's own file, perf and trace-cmd show of the same,
# and whether tracefs is as before. Guests have this machine's programs.
. "$(dirname "$0")/lib_vm.sh"
need trace-cmd
cp "$STROBE" share/strobe

cat >share/guest.sh <<'G'
T=/sys/kernel/tracing
state() {
	for f in current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_graph_function \
		set_graph_notrace max_graph_depth tracing_thresh tracing_cpumask set_event trace_clock; do
		echo "$f: $(cat $T/$f)"
	done
	grep . $T/options/*
	ls $T/instances
}
run() {
	name=$1; shift
	./strobe ftrace "$@" >$name.out 2>$name.err
	echo "$name $?" >>status
	state >state.now
	cmp -s state.before state.now || diff state.before state.now >$name.changed
}
uname -r >release
for option in $T/options/funcgraph-*; do : >options.${option##*/}; done

# the kernel's own text of a buffer, and the same buffer as a trace.dat
(
	cd $T
	echo 0 >tracing_on; echo 4096 >buffer_size_kb; echo >trace; echo function_graph >current_tracer
	echo '*_sys_openat' >set_graph_function; echo 1 >options/function-fork
	sh -c 'echo $$ >set_ftrace_pid; echo 1 >tracing_on; cat /etc/passwd >/dev/null; echo hello >trace_marker
		cat /etc/group >/dev/null'
	echo 0 >tracing_on
	grep -v '^#' trace >/mnt/graph.kernel
	trace-cmd extract -o /mnt/graph.dat >/mnt/extract.log 2>&1
	echo nop >current_tracer; echo >set_graph_function; echo >set_ftrace_pid; echo 0 >options/function-fork
	echo >trace; echo 1 >tracing_on
)
./strobe ftrace -i graph.dat >graph.ours 2>graph.err

state >state.before
run openat trace -G sys_openat -- cat /etc/passwd
run write -G sys_write --graph-opts depth=2,tail -- sh -c 'echo a; echo b'
run verbose -G sys_write --graph-opts depth=3,verbose -- sh -c 'echo a'
run function -T 'vfs_*' -- cat /etc/passwd
run notrace -T 'vfs_*' -N 'vfs_read,vfs_st*' -- cat /etc/passwd
run delay -T vfs_open -D 8000 -- sh -c 'read x </etc/group; sleep 15; read x </etc/passwd'
./strobe ftrace --funcs='vfs_rea?' >funcs.out 2>funcs.err
run stacks -T vfs_read --func-opts call-graph,irq-info -- cat /etc/passwd
run alias -T sys_read -- cat /etc/passwd
run none -T vfs_reda -- true
run nograph -G vfs_reda -- true
run inherit -T vfs_open --inherit -- sh -c '/bin/cat /etc/passwd; :'
run alone -T vfs_open -- sh -c '/bin/cat /etc/passwd; :'
run threshold -T vfs_read -t function_graph --graph-opts thresh=1 -- cat /etc/passwd
# what this kernel can tell of calls, and all that one may ask for
values=depth=2
for word in args retval retaddr; do [ ! -e $T/options/funcgraph-$word ] || values=$values,$word; done
run missing -G sys_read --graph-opts args,retval,retaddr -- true
run values -G sys_openat --graph-opts $values -- cat /etc/passwd
run hex -G sys_openat --graph-opts retval-hex,retval,depth=2 -- cat /etc/passwd
module=$(sed -n 's/.*\[\(.*\)\]$/\1/p' $T/available_filter_functions | grep -v ftrace | head -1)
echo "$module" >module
run module -t function -T ":mod:$module" -a -- true
run latency latency -T vfs_read -- cat /etc/passwd /etc/group
perf ftrace latency -T vfs_read -- cat /etc/passwd /etc/group >latency.perf 2>&1
state >state.before	# perf has changed it
run profile profile -G sys_openat --self --folded folded -- cat /etc/passwd
run filtered profile -T 'vfs_*' -N vfs_read -m 1M --graph-opts nosleep-time,noirqs,depth=3 -- cat /etc/passwd
run without profile -G sys_openat -g 'do_filp_open' -- cat /etc/passwd
run record record -G sys_openat -e sched:sched_process_exit -o rec.dat -- cat /etc/passwd
trace-cmd report -i rec.dat >rec.theirs 2>/dev/null
./strobe script -i rec.dat >rec.ours 2>rec.err
sh -c 'while sleep 0.3; do read x </etc/group; done' & loop=$!
./strobe ftrace -G sys_openat -p $loop >pid.out 2>pid.err & traced=$!
for i in $(seq 60); do [ "$(wc -l <pid.out)" -gt 30 ] && break; sleep 0.5; done
kill -INT $traced; wait $traced; echo "pid $?" >>status
echo $loop >pid

# somebody else's trace in the top instance
( cd $T; echo function >current_tracer; echo 'vfs_read vfs_write' >set_ftrace_filter; echo 99999 >set_ftrace_pid
	echo 1 >events/sched/sched_switch/enable; echo mono >trace_clock; echo 3 >max_graph_depth
	echo 1 >options/func_stack_trace; echo 'vfs_open' >set_graph_function; echo 1 >tracing_on; sleep 0.2 )
state >state.before
entries() { awk '/^entries/ { n += $2 } END { print n }' $T/per_cpu/cpu*/stats; }
entries >used.before
run used -G sys_read -g 'rcu*' --graph-opts depth=2,noirqs,nosleep-time -C 0 -m 1M -- cat /etc/passwd
entries >used.after
./strobe ftrace -G sys_openat -p $loop --graph-opts depth=4 >killed.out 2>&1 & traced=$!
for i in $(seq 60); do [ "$(wc -l <killed.out)" -gt 30 ] && break; sleep 0.5; done
state >state.during
kill -9 $traced
for i in $(seq 60); do
	state >state.now
	cmp -s state.before state.now && break
	sleep 0.5
done
cmp -s state.before state.now || diff state.before state.now >killed.changed
ls /run/strobe >killed.left 2>/dev/null
kill $loop
G

status() { awk -v n="$1" '$1 == n { print $2 }' status; }
empty_or_missing() { [ ! -s "$1" ]; }

look() {	# what the guest has left in share
	cd share || exit 1
	say "--- kernel $(cat release)"
	check "the kernel's own text" diff graph.kernel graph.ours
	for name in openat write verbose function notrace delay filtered without stacks alias inherit alone \
		threshold values latency profile record pid used; do
		check "$name: runs" test "$(status $name)" = 0
	done
	for name in openat write verbose function notrace delay filtered without stacks alias none nograph inherit \
		alone threshold missing values module latency profile record used killed; do
		check "$name: tracefs is as before" empty_or_missing $name.changed
	done
	check "openat: the system call by its short name, with its calls" \
		grep -q '^ .* | *__x64_sys_openat() {' openat.out
	check "openat: what it calls" grep -q ' |    do_sys_openat2() {' openat.out
	check "write: two levels" sh -c "grep -q '^ .*|    ksys_write();' write.out && ! grep '|      [a-z]' write.out"
	check "write: both of them" test "$(grep -c '} /\* __x64_sys_write' write.out)" -ge 2
	task='[a-z<.>-]+-[0-9]+'
	check "verbose: time, task and flags" grep -Eq \
		"^ +[0-9]+\.[0-9]{6} \|   [01]\) +$task +\|  [.a-zA-Z0-9]{5} \| .*\|  __x64_sys_write\(\) \{" \
		verbose.out
	check "function: with its caller" \
		grep -Eq '^ +cat-[0-9]+ +\[00[01]\] +[0-9.]+: vfs_read <-ksys_read$' function.out
	check "notrace: the others" \
		sh -c "grep -q ' vfs_open <-' notrace.out && ! grep ' vfs_read <-\| vfs_st' notrace.out"
	# the first file is opened before: what is traced lies within less than the 15 seconds between both
	check "delay: what comes later" awk '/ vfs_open <-/ { t = $3 + 0; if (!first) first = t; n++ }
		END { exit !n || t - first > 10 }' delay.out
	check "funcs: by a glob" sh -c "grep -qx vfs_read funcs.out && ! grep -vx 'vfs_rea.' funcs.out"
	check "filtered: functions and what is left out" \
		sh -c "grep -q ' vfs_open$' filtered.out && ! grep vfs_read$ filtered.out"
	check "without: not what do_filp_open calls" \
		sh -c "grep -q do_sys_openat2 without.out && ! grep 'do_filp_open\|path_openat' without.out"
	check "stacks: down to the system call" \
		sh -c "grep -q '<stack trace>' stacks.out && grep -q ' => do_syscall_64' stacks.out"
	check "alias: sys_read" grep -q '__x64_sys_read <-' alias.out
	check "none: is refused, with a name that is near" \
		sh -c "[ $(status none) = 234 ] && grep -q vfs_read none.err && grep -q vfs_read nograph.err"
	opened() { grep -o '^ *[^ ]*-[0-9]* ' $1.out | sort -u | wc -l; }
	check "inherit: children, too" test "$(opened inherit)" -gt "$(opened alone)"
	check "latency: counts what perf counts" sh -c '
		ours=$(sed -n "s/^ *count: *//p" latency.out)
		theirs=$(awk -F"|" "/^ .*[nums ]s \|/ { n += \$2 } END { print n }" latency.perf)
		echo "$ours $theirs"; [ "$ours" -ge $((theirs - 2)) ] && [ "$ours" -le $((theirs + 2)) ]'
	# the last word of the options that this kernel has
	can() { [ -e options.$1 ]; }
	! can funcgraph-args || check "arguments" grep -Eq 'do_sys_openat2\([^)]' values.out
	! can funcgraph-retval || check "results" grep -q 'ret=' values.out
	! can funcgraph-retaddr || check "callers" grep -q 'do_sys_openat2(.* /\* <-' values.out
	if can funcgraph-args && can funcgraph-retval && can funcgraph-retaddr; then
		check "all of them: runs" test "$(status missing)" = 0
	else
		check "missing: says what the kernel lacks" sh -c "[ $(status missing) = 161 ] &&
			grep -q \"why: it has no option 'funcgraph-\" missing.err"
	fi
	if can funcgraph-retval-hex; then
		check "results in hex" grep -Eq 'ret[ =]+0x[0-9a-f]+' hex.out
	fi
	check "profile: self and total" \
		grep -Eq '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+   do_sys_openat2$' profile.out
	check "profile: stacks" grep -q '__x64_sys_openat;do_sys_openat2;' folded
	# trace-cmd takes the first call for an open one; its numbers of lost events have another form
	check "record: trace-cmd has the same lines" sh -c "
		sed 1,4d rec.theirs | grep -v sched_process >theirs; sed 1,3d rec.ours | grep -v sched_process >ours
		n=\$((\$(wc -l <theirs) - 5)); [ -s theirs ] && tail -n \$n theirs >a && tail -n \$n ours >b && cmp a b"
	check "pid: only that process" sh -c "grep -q 'do_sys_openat2() {' pid.out"
	check "used: has what was asked for" grep -q 'ksys_read' used.out
	check "used: nothing that its buffers held is lost, or that is reported" sh -c "
		grep -q 'entries that its buffers held are gone' used.err ||
		[ $(cat used.after) -ge $(cat used.before) ]"
	check "killed: nothing is left to do" empty_or_missing killed.left
	cd .. || exit 1
}

for suite in ${STROBE_VM_FTRACE:-bookworm}; do
	vm x86_64 "$suite"
	# With two CPUs, both emulated, the tracers of this kernel can hang a busy guest.
	guest --root / --timeout 1700 --cpus 1 --append 'tsc=reliable clocksource=tsc'
	look
done
finish
