#!/bin/bash
# monitor: each option that some monitor has is either in the help of a monitor or refused there with a reason, and the
# command lines of the founding document are understood under the name perf-monitor.
. "$(dirname "$0")/lib.sh"

monitors="cpu-util irq-off kmemleak kvm-exit mpdelay pairs percpu-stat profile signal split-lock"
monitors="$monitors task-state trace watchdog"
# One column per monitor, in this order: x = it has the option, . = it refuses it
cat >table <<'END'
-C            x x x x x x x x x x x x x
-e            . . . . x x . . . . . x .
-D            . . . . . . . . . . x . .
-S            . . . . . . . . . . x . .
--exclude-guest  x . . . . . . x . . . . .
--exclude-kernel x . . . . . . x . . . . .
--exclude-user   x . . . . . . x . . . . .
--filter      . . . x x x . . x . x x .
--alloc       . . x . . . . . . . . . .
--free        . . x . . . . . . . . . .
-F            . . . . . . . x . . . . x
-g            . x x x x x . x x x x x x
-G            x . . . . . . x . x . . .
-i            x . . x x x x x . x . . .
-L            . x . . . . . . . . . . .
-m            . x x x x x . x x x x x x
--percpu      . . . x x x . . . . . . .
--heatmap     . . . x x x . . . . . . .
--histogram   . . . . x x . . . . . . .
--html        . . . x x x . . . . . . .
--preempt     . x . . . . . . . . . . .
--precise     . x . . . . . . . . . . .
--syscalls    . . . . . . x . . . . . .
--test        . . . . . . . . . x . . .
--than        x x x x x x . x . . x . x
-T            . . . . . . . . . x . . .
-v            x x x x x x x x x x x x x
-p            . . x x x x x x x x x x .
--key         . . . . . x . . . . . . .
--input       . x x x x x x x x x x x x
--record      . x x x x x x x x x x x x
END
words=$(echo "$monitors" | tr -dc ' ' | wc -c)
for monitor in $monitors; do "$STROBE" --dump-opts monitor "$monitor" >"options.$monitor" 2>&1; done
while read -r option marks; do
	set -- $monitors
	for mark in $marks; do
		has=.
		awk -F '\t' -v o="$option" '$4 !~ /hidden/ && (o == "-" $1 || o == "--" $2) { f = 1 }
			END { exit !f }' "options.$1" && has=x
		check "$1 $option: in its table as expected ($mark)" test "$has" = "$mark"
		if [ "$mark" = . ]; then
			run "$STROBE" monitor "$1" "$option"
			check "$1 $option: refused with a reason and those that take it" sh -c \
				"[ $rc = 129 ] && grep -q 'is not for $1' err && grep -q 'why: [iw]' err &&
				grep -q 'have it: [a-z]' err && ! grep -q unknown err"
		fi
		shift
	done
	check "$option: a mark for each monitor" test $# = 0
done <table
check "the table has all monitors" test "$(grep -c . <<<"$(tr ' ' '\n' <<<"$monitors")")" = $((words + 1))

run "$STROBE" monitor trace --filt 'a == 1'
check "the beginning of a name is enough, though others refuse it" grep -q 'there is no event to watch' err
run "$STROBE" monitor trace --nonsense
check "an option that no command has is refused" grep -q 'unknown option' err
run "$STROBE" monitor cpu-util -G --exclude-guest
check "-G without guests: 129" test $rc = 129
run "$STROBE" monitor cpu-util -G --exclude-user
check "cpu-util -G --exclude-user: 129, and why" sh -c "[ $rc = 129 ] && grep -q 'programs of a guest' err"
run "$STROBE" monitor trace -e a:b --call-graph nonsense
check "a mode of call graphs that there is not: 129" test $rc = 129
run "$STROBE" monitor cpu-util --than 101
check "more than 100 %: 129" test $rc = 129

# --- the founding document's command lines, by the name that it uses
ln -s "$STROBE" perf-monitor
for help in --help '-?' --usage; do
	run ./perf-monitor "$help"
	check "perf-monitor $help prints help" sh -c "[ $rc = 129 -o $rc = 0 ] && grep -q 'Usage:' out err"
	run ./perf-monitor profile "$help"
	check "perf-monitor profile $help: its options" sh -c "grep -q 'freq' out"
done
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_switch
for words in "pairs -e sched:sched_switch,sched:sched_waking --key nosuch" \
	"kmemleak --alloc sched:sched_switch --free sched:sched_waking"; do
	# shellcheck disable=SC2086
	run timeout -k 60 -s INT 30 "$STROBE" monitor $words
	check "${words%% *} refuses events without its field: 129" test $rc = 129
	check "${words%% *} names the field" grep -Eq "sched:sched_(switch|waking) has no field '(nosuch|ptr)'" err
done
# watches LINE...: it begins to watch, and ends by SIGINT with 0
watches() {
	: >err
	# timeout gives a command that it passes SIGINT to the time of -k to end, no more
	timeout -k 60 30 ./perf-monitor "$@" -v >out 2>err &
	local pid=$!
	later_kill $pid
	for _ in $(seq 1000); do grep -q '^watching$' err && break; kill -0 $pid 2>/dev/null || break; sleep 0.02; done
	kill -INT $pid 2>/dev/null
	wait $pid && grep -q '^watching$' err
}
while read -r line; do
	# shellcheck disable=SC2086
	check "perf-monitor $line watches" watches $line
done <<'END'
irq-off -L 10000 -C 0
irq-off -L 20000 -C 0 -g -m 8 --precise
irq-off --than 20ms -C 0
profile -F 100 -C 0 -g --exclude-user --than 30
profile -F 0 -i 1000 -C 0 --exclude-user --exclude-guest
cpu-util -i 1000 -C 0 --exclude-user
cpu-util -i 1000 -C 0 -G
trace -e sched:sched_switch --filter prev_pid>0 -C 0 -g
trace -e sched:sched_switch -C 0 --call-graph live
signal --filter nginx -C 0 -g -m 4
task-state -D --than 100 --filter nginx -g
task-state -S -D --than 100 --filter nginx -C 0 -g -m 8
kmemleak --alloc kmem:kmalloc --free kmem:kfree -m 8 -g -v
percpu-stat -i 1000 -C 0 --syscalls
mpdelay -e irq:softirq_raise,irq:softirq_entry,irq:softirq_exit -C 0
END
# Those that need what this machine may not have: CPUs, a PMU, kprobes, a watchdog. They watch, or say just that.
says_why() {	# words of the reason LINE...
	local why=$1
	shift
	watches "$@" || grep -qE "$why" err
}
no_cpu='the CPUs online are' no_pmu=split_lock_detect
no_probe='unknown tracepoint' no_dog="watchdog is off|watchdog's"
check "split-lock -T 1000 -C 1-21,25-46 -G" says_why "$no_pmu|$no_cpu" split-lock -T 1000 -C 1-21,25-46 -G
check "irq-off -L 10000 -C 1-21,25-46" says_why "$no_cpu" irq-off -L 10000 -C 1-21,25-46
check "watchdog -F 1 -g" says_why "$no_dog" watchdog -F 1 -g
check "kmemleak by the probes of the document" says_why "$no_probe" \
	kmemleak --alloc kprobes:alloc_percpu --free kprobes:free_percpu -m 8 -g
check "kvm-exit -C of missing CPUs says why it fails" \
	says_why "$no_cpu|$no_probe" kvm-exit -C 5-20,53-68 -i 1000 --than 1000
can kvm:kvm_exit && check "perf-monitor kvm-exit watches" watches kvm-exit -C 0 -i 1000 --than 1000 --percpu
run timeout 120 ./perf-monitor watchdog -F 1 -g -C 0 --input /nowhere
check "watchdog takes its options" grep -q nowhere err
run timeout -k 60 -s INT 1 ./perf-monitor split-lock -T 1000 -C 0 -G -i 1000 --test
check "split-lock counts, or says that there is no PMU" sh -c "! grep -qi 'unknown\|is not for' err"

# --- cpu-util by its options; --record of counts
# says LINE... and ends by SIGINT, after its first line for a CPU
says() {
	./perf-monitor "$@" >out 2>err &
	local pid=$!
	later_kill $pid
	for _ in $(seq 1500); do
		! grep -q ' cpu 0 \|^\[[0-9]*\]' out || break
		sleep 0.02
	done
	kill -INT $pid
	wait $pid
}
says cpu-util -C 0 -i 200 --exclude-user
check "the kernel's share: $(head -1 out)" grep -q 'cpu 0 \[host\] [0-9.]*% \[sys\] sys ' out
says cpu-util -C 0 -i 200 -G
check "-G shows the share of guests" grep -q 'cpu 0 \[guest\] [0-9.]*% \[all\] .*guest ' out
if command -v taskset >/dev/null; then	# a CPU may be idle all the time
	taskset -c $one_cpu sh -c 'while :; do sleep 0.01; done' &
	later_kill $!
fi
says percpu-stat -C $one_cpu -i 300 --record counts.data
mv out live
run ./perf-monitor percpu-stat --input counts.data
sums() { awk '/^\[[0-9]*\]/ { n += $2 } END { print n + 0 }' "$1"; }
check "counts that were kept say the same: $(sums live), $(sums out)" \
	test "$(sums live)" = "$(sums out)" -a "$(sums out)" -gt 0
finish
