#!/bin/bash
# Each monitor of the table: what it says live, of what it recorded meanwhile, and of that through a pipe, is the same;
# its sums equal counts of stat; it leaves nothing behind in tracefs.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_switch
need taskset

alone_with_probes
# Other tests may have instances at the moment: they are named by the process that has them.
tracefs() {
	cat /sys/kernel/tracing/{dynamic_events,kprobe_events,uprobe_events,set_event,current_tracer,tracing_on} 2>&1
	ls /sys/kernel/tracing/instances 2>&1 | while IFS=- read -r name pid rest; do
		[ "$name" = strobe ] && [ -d "/proc/$pid" ] || echo "$name-$pid-$rest"
	done
}
tracefs >before

# The options of each monitor. A monitor without a line here fails the test below.
softirq=irq:softirq_entry,irq:softirq_exit
cat >table <<END
irq-off -L 1000 --precise
irq-off -L 1000 --preempt -g
kmemleak --alloc percpu:percpu_alloc_percpu --free percpu:percpu_free_percpu -g
kvm-exit -i 200 --than 1us
mpdelay -e $softirq -i 200 --percpu --than 20us
pairs -e $softirq --key vec -i 200 --histogram
pairs -e $softirq --key cpu -i 100 --heatmap
percpu-stat -i 200
profile -F 200 -i 200 -g
signal -g
task-state -S -D --than 5 -g
trace -e sched:sched_process_exec,sched:sched_process_exit
trace -e sched:sched_switch --filter prev_pid>0
watchdog --than 10 -F 20
END
# Something of everything: a loop, sleeps, signals, programs that start.
cat >busy.sh <<'END'
trap : USR1
while :; do sleep 0.01; kill -USR1 $$; (:); done
END
bash busy.sh &
busy=$!
later_kill $busy
(while :; do :; done) &
busy="$busy $!"
later_kill $!
says() {	# the monitor's exit status if it is not that of success, or 1: something was lost
	timeout -k 9 100 "$STROBE" monitor "$@" 2>said || [ $? = 1 ] || cat said
}
# Programs of somebody else may be removed in between: those who look later find no names in them, and no inlined calls,
# which are further frames of one address. All else is equal.
once() {
	awk '!/^ +[0-9a-f]+ / { last = ""; print; next }
		$1 != last { print }
		{ last = $1 }' "$1"
}
same() {	# file file
	once "$1" >"$1.once"
	once "$2" >"$2.once"
	awk -v other="$2.once" '
		function frame(line) { return line ~ /^ +[0-9a-f]+ / }
		function unknown(line) { return line ~ /\[unknown\]$/ }
		{ if ((getline line <other) <= 0) { print "missing: " $0; bad = 1; exit } }
		line == $0 { next }
		{ split(line, words) }
		frame($0) && frame(line) && words[1] == $1 {
			if (unknown($0) != unknown(line)) next
			# a test beside this one builds a program again: another file has its path, and often its inode
			if (++replaced <= 2 + NR / 1000) next
		}
		{ print FNR ": " $0; print FNR ": " line; bad = 1; exit }
		END { if (!bad && (getline line <other) > 0) { print "more: " line; bad = 1 }; exit bad }' "$1.once" ||
		{ diff "$1.once" "$2.once"; return 1; }
}
while read -r line; do
	name=${line%% *}
	if [ "$name" = kvm-exit ] && ! can kvm:kvm_exit; then
		skip_part "kvm-exit: $why_not"
		continue
	fi
	# shellcheck disable=SC2086
	"$STROBE" monitor $line --record kept.data -v >live 2>err &
	watcher=$!
	later_kill $watcher
	until_true grep -q '^watching$' err
	sleep 0.8
	kill -INT $watcher
	wait $watcher
	rc=$?
	check "$line: ^C ends it with 0, or 1 where events were lost" test $rc = 0 -o $rc = 1
	# shellcheck disable=SC2086
	says $line --input kept.data >file
	# shellcheck disable=SC2086
	says $line --input - <kept.data >pipe
	check "$line: the recording says the same, in $(wc -l <live) lines" same live file
	check "$line: the pipe, too" same file pipe
done <table
# --- the end takes long: each event is stopped slowly, while the rings of other CPUs are read again and again
if strace -f -qq -o traced -e trace=ioctl -e inject=ioctl:delay_enter=1000 true 2>/dev/null; then
	"$STROBE" monitor percpu-stat -i 100 --record kept.data -v >live 2>err &
	watcher=$!
	later_kill $watcher
	until_true grep -q '^watching$' err
	strace -f -qq -o traced -p $watcher -e trace=ioctl -e inject=ioctl:delay_enter=120000 &
	tracer=$!
	until_true grep -q "TracerPid:.$tracer\$" /proc/$watcher/status
	sleep 0.5
	kill -INT $watcher
	wait $watcher
	rc=$?
	wait $tracer
	check "slow end: ^C ends it with 0, or 1 where events were lost" test $rc = 0 -o $rc = 1
	says percpu-stat -i 100 --input kept.data >file
	check "slow end: the recording says the same, in $(wc -l <live) lines" same live file
else
	skip_part "slow end: strace cannot delay calls here"
fi
kill -9 $busy
for name in $("$STROBE" monitor 2>&1 | sed -n 's/.*try: //p' | tr -d ','); do
	case $name in
	cpu-util) continue ;;	# reads /proc/stat; it takes neither --input nor --record
	split-lock) [ -e /sys/bus/event_source/devices/cpu ] || continue ;;	# monitor_clock.sh
	esac
	check "$name has a line in the table above" grep -q "^$name " table
done

# --- totals are those of stat: one watches, the other counts, for the same program
cat >calls.c <<'END'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	signal(SIGUSR1, SIG_IGN);
	for (int i = 0; i < 3000; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < 40; i++)
		kill(getpid(), SIGUSR1);
	return 0;
}
END
cc -o calls calls.c || exit 1
counted() { awk -v e="$1" '$2 == e { gsub(",", "", $1); print $1 }' counts; }
# A timer of another process may send its signal while we run.
"$STROBE" stat -o counts -e raw_syscalls:sys_enter -e signal:signal_generate --filter 'sig == 10' ./calls
must "$STROBE" record -q -N -c 1 -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -e signal:signal_generate \
	-o calls.data ./calls
"$STROBE" monitor percpu-stat --syscalls --input calls.data >sums
sum=$(awk '/^  cpu/ { for (i = 1; i <= NF; i++) if ($i == "syscalls") at = i } /^\[/ { n += $at } END { print n }' sums)
check "percpu-stat: calls as many as stat counts: $sum, $(counted raw_syscalls:sys_enter)" \
	test "$sum" = "$(counted raw_syscalls:sys_enter)"
"$STROBE" monitor pairs -e raw_syscalls:sys_enter,raw_syscalls:sys_exit --input calls.data >sums
pairs=$(awk '/=> sys_exit/ { print $4 }' sums)
check "pairs: each call but the last, which does not return, and the first, whose begin was before: $pairs" \
	test "$pairs" -ge $((sum - 2)) -a "$pairs" -le "$sum"
"$STROBE" monitor signal --input calls.data >sums
check "signal: forty, as stat counts: $(counted signal:signal_generate)" \
	test "$(grep -c ' sig=10 ' sums) $(counted signal:signal_generate)" = "40 40"

# --- one that is killed cannot tidy up: it leaves nothing all the same
"$STROBE" monitor pairs -e $softirq --key vec --record killed.data -v >killed 2>err &
watcher=$!
later_kill $watcher
until_true grep -q '^watching$' err
check "the monitor says that it watches" grep -q '^watching$' err
kill -9 $watcher
wait $watcher
nothing_new() { tracefs >after; ! grep -vxFf before after; }
check "nothing remains in tracefs, also after kill -9" until_true nothing_new

# A thread that ended long ago has its name at the end, although a live session forgets what ended when many processes
# come and go. A new control group keeps memory of each CPU.
group=
for dir in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
	[ -e $dir/cgroup.procs ] && mkdir "$dir/strobe-$$" 2>/dev/null && rmdir "$dir/strobe-$$" && group=$dir/strobe-$$
done
if [ -n "$group" ]; then
	workload spawn
	cp "$(command -v mkdir)" keeper
	"$STROBE" monitor kmemleak --alloc percpu:percpu_alloc_percpu --free percpu:percpu_free_percpu -g -v \
		>leaks 2>watching &
	monitor=$!
	later_kill $monitor
	until_true grep -q '^watching$' watching
	./keeper "$group"
	sleep 2.5
	./spawn 3000
	sleep 2
	kill -INT $monitor
	wait $monitor
	rmdir "$group"
	check "kmemleak names a thread that ended long ago" grep -q 'the first one in keeper\[' leaks
else
	skip_part "names of leaks: no control group can be made here"
fi
finish
