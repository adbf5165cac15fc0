#!/bin/bash
# Monitors on a kernel where a module of ours (lockup/) keeps interrupts or preemption off for known times, and leaks
# known memory: irq-off, watchdog before the kernel's own one complains, kmemleak by the kprobes of its documentation.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
kernel_module tests/vm/lockup
static_strobe x86_64

cat >share/guest.sh <<'G'
insmod ./lockup.ko || exit 1
ln -s /mnt/strobe /tmp/perf-monitor
export HOME=/tmp
tracefs() { cd /sys/kernel/tracing && cat dynamic_events kprobe_events set_event current_tracer && ls instances; }
watch() {	# name options: starts a monitor on CPU 0, and waits until it watches
	name=$1; shift
	taskset 1 /tmp/perf-monitor "$@" -v >$name.out 2>$name.err &
	watcher=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q '^watching$' $name.err && break
		sleep 0.5
	done
}
enough() { sleep 2; kill -INT $watcher; wait $watcher; echo "$name $?" >>status; }
cause() { taskset 2 sh -c "echo '$*' >/proc/lockup"; }
(tracefs) >before
watch irq irq-off -L 40000 -C 1 -g --precise; cause irq 100 5 400; enough
watch long irq-off -L 1000000 -C 1; cause irq 100 5 400; enough
watch preempt irq-off -L 40000 -C 1 -g --precise --preempt; cause preempt 200 3 400; enough
watch nopreempt irq-off -L 40000 -C 1 --precise; cause preempt 200 3 400; enough
echo 1 >/proc/sys/kernel/watchdog	# run-in-vm boots without it
echo 2 >/proc/sys/kernel/watchdog_thresh
watch soft watchdog -F 10 -g; sleep 3; dmesg -c >/dev/null; cause preempt 3000 1 0; dmesg >soft.dmesg; enough
watch late watchdog -F 10 -g; sleep 3; cause preempt 7000 1 0; dmesg >late.dmesg; enough
watch hard watchdog -F 10; sleep 3; cause irq 3500 1 0; enough
watch off watchdog -F 10; sleep 3; echo 0 >/proc/sys/kernel/watchdog; sleep 4; enough
echo 10 >/proc/sys/kernel/watchdog_thresh
echo 'r:alloc_percpu pcpu_alloc ptr=$retval' >>/sys/kernel/tracing/kprobe_events
echo 'p:free_percpu free_percpu ptr=%di' >>/sys/kernel/tracing/kprobe_events
watch leak kmemleak --alloc kprobes:alloc_percpu --free kprobes:free_percpu -m 8 -g; cause percpu 64 7 0; enough
: >/sys/kernel/tracing/kprobe_events
watch points kmemleak --alloc percpu:percpu_alloc_percpu --free percpu:percpu_free_percpu -g
cause percpu 64 5 0; enough
(tracefs) >after
G
guest --cpus 2
cd share || exit 1
for name in irq long preempt nopreempt soft late hard off leak points; do
	check "$name: ends with 0 after SIGINT" grep -qx "$name 0" status
done
check "nothing is left in tracefs" diff before after
# A virtual CPU may be kept waiting by its host: that looks like interrupts that are off, but not in our function.
told() {	# WHAT FUNCTION FILE: the lengths of those in whose chain the function is, in ms
	awk -v what="$1" -v f="$2" '/^[^ ]/ { ns = index($0, what) ? $(NF - 1) : 0 }
		ns && index($2, f "+0x") == 1 { printf "%d\n", ns / 1e6; ns = 0 }' "$3"
}
check "interrupts were off five times for 100 ms: $(told irq-off lockup_irq irq.out | tr '\n' ' ')" \
	test "$(told irq-off lockup_irq irq.out | awk '$1 >= 100' | wc -l)" = 5
check "and nothing above 1 s: $(wc -l <long.out)" test ! -s long.out
check "preemption was off three times for 200 ms: $(told preempt-off lockup_preempt preempt.out | tr '\n' ' ')" \
	test "$(told preempt-off lockup_preempt preempt.out | awk '$1 >= 120' | wc -l)" = 3
check "without --preempt nothing is measured" sh -c '! grep -q preempt-off nopreempt.out'
soft() { grep -c '^[^=]*WILL: soft lockup - CPU#1 ' "$1"; }
check "a soft lockup is foretold: $(soft soft.out)" test "$(soft soft.out)" -ge 1
check "with the chain of what keeps the CPU" grep -q ' lockup_preempt+0x' soft.out
check "while the kernel says nothing yet" sh -c '! grep -q "soft lockup" soft.dmesg'
first() { sed -n 's/.*WILL: soft lockup - CPU#1 \[\([0-9.]*\) .*/\1/p' "$1" | head -1; }
theirs=$(sed -n 's/^\[ *\([0-9.]*\)\].*soft lockup - CPU#1.*/\1/p' late.dmesg | head -1)
check "foretold at $(first late.out), the kernel says so at $theirs" \
	awk -v a="$(first late.out)" -v b="$theirs" 'BEGIN { exit !(a > 0 && b > a + 1) }'
check "no PMU: it says what it cannot do" grep -q '^# no PMU: cannot predict hard lockups' hard.out
check "interrupts off are seen from the other CPU" grep -q 'WILL: hard lockup - CPU#1 ' hard.out
check "a timer that was cancelled is no lockup" sh -c '! grep -q WILL off.out'
check "by kprobes: seven objects were never freed" grep -q '^KMEMLEAK REPORT: 7$' leak.out
check "and who allocated them" grep -q ' lockup_write+0x\| leak_percpu+0x' leak.out
check "by tracepoints: five" grep -qE '^Leak of [0-9]+ bytes in 5 objects, the first one in ' points.out
finish
