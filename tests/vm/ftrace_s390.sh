#!/bin/bash
# ftrace on a big-endian machine: what the kernel's own file shows of the same buffers, there and of its trace.dat here;
# whether tracefs is as before.
. "$(dirname "$0")/lib_vm.sh"
vm s390x bookworm "$libraries trace-cmd"
static_strobe s390x

cat >share/guest.sh <<'G'
T=/sys/kernel/tracing
state() {
	for f in current_tracer tracing_on set_ftrace_filter set_ftrace_pid set_event trace_clock; do
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
uname -rm >release
cat $T/available_tracers >tracers
for tracer in function function_graph; do
	grep -qw $tracer tracers || continue
	(
		cd $T
		echo 0 >tracing_on; echo 4096 >buffer_size_kb; echo >trace; echo 'vfs_*' >set_ftrace_filter
		echo $tracer >current_tracer
		sh -c 'echo $$ >set_ftrace_pid; echo 1 >tracing_on; cat /etc/passwd >/dev/null; echo hello >trace_marker
			cat /etc/group >/dev/null'
		echo 0 >tracing_on
		grep -v '^#' trace >/mnt/$tracer.kernel
		trace-cmd extract -o /mnt/$tracer.dat >/mnt/extract.log 2>&1
		echo nop >current_tracer; echo >set_ftrace_filter; echo >set_ftrace_pid; echo >trace; echo 1 >tracing_on
	)
	flags=; [ $tracer = function ] && flags="--func-opts irq-info"
	./strobe ftrace -i $tracer.dat $flags >$tracer.ours 2>$tracer.err
done
state >state.before
run live trace -T 'vfs_*' -- cat /etc/passwd
run graph -G sys_openat --graph-opts depth=3 -- cat /etc/passwd
run record record -t function -T 'vfs_*' -e sched:sched_process_exit -o rec.dat -- cat /etc/passwd
./strobe script -i rec.dat >rec.there 2>rec.err
trace-cmd report -i rec.dat >rec.theirs 2>/dev/null
G
guest --timeout 600
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
say "--- kernel $(cat release), tracers: $(cat tracers)"
for tracer in function function_graph; do
	grep -qw $tracer tracers || { skip_part "this kernel has no $tracer"; continue; }
	check "$tracer: the kernel's own text" diff $tracer.kernel $tracer.ours
	flags=; [ $tracer = function ] && flags="--func-opts irq-info"
	# shellcheck disable=SC2086
	"$STROBE" ftrace -i $tracer.dat $flags >here 2>err
	check "$tracer: the same on the host" diff $tracer.kernel here
done
for name in live record; do check "$name: runs" test "$(status $name)" = 0; done
for name in live graph record; do check "$name: tracefs is as before" test ! -s $name.changed; done
check "live: with its caller" grep -Eq '^ +cat-[0-9]+ +\[00[01]\] +[0-9.]+: vfs_open <-' live.out
if grep -qw function_graph tracers; then
	check "graph: the system call by its short name" grep -q '__s390x_sys_openat\|__se_sys_openat' graph.out
fi
"$STROBE" script -i rec.dat >rec.here
check "record: the same lines there and here" diff rec.there rec.here
check "record: as trace-cmd has them" sh -c "test -s rec.theirs && diff rec.theirs rec.there"
finish
