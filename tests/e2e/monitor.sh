#!/bin/bash
# monitor: programs that cause exactly what each monitor looks for, a known number of times; live rings,
# a recording and a pipe give the same answers.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_switch
need taskset
me=m$$-	# of our own programs: another run of this script may be under way

# watch NAME OPTIONS...: starts a monitor and waits until its events are open; `enough` ends it
watch() {
	"$STROBE" monitor "$@" -v >watched 2>said &
	watcher=$!
	later_kill $watcher
	until_true grep -q '^watching$' said && return
	say "FAILED: it does not begin to watch"; cat said; exit 1
}
enough() {
	sleep 0.3
	kill -INT $watcher
	wait $watcher
}

# --- signal: seven signals to one program
watch signal --filter "${me}slee*"
cp "$(type -P sleep)" ${me}sleep
./${me}sleep 30 &
target=$!
until_true grep -q ${me}sleep "/proc/$target/comm"
kill -STOP $target
until_true grep -q '^State:.T' "/proc/$target/status"
for _ in 1 2 3 4 5; do kill -USR1 $target; done
kill -CONT $target
wait $target 2>/dev/null
enough
signals() { sed -n 's/.*sig=\([0-9]*\) .*res=\([0-9]\)$/\1:\2/p' "$1" | sort | uniq -c | tr -s ' \n' ' '; }
check "STOP, five USR1 of which four were pending, CONT: $(signals watched)" \
	test "$(signals watched)" = " 1 10:0 4 10:2 1 18:1 1 19:0 "
check "lines tell the time of day" grep -q "^$(date +%Y-%m-)" watched
check "the sender's name stands in front" grep -qE '^[^=]* bash +[0-9]+ [.dbD][^ ]{3} \[[0-9]{3}\] ' watched

# --- trace: twenty programs
watch trace -e sched:sched_process_exec --filter "filename ~ \"*${me}true\""
cp "$(type -P true)" ${me}true
for _ in $(seq 20); do ./${me}true; done
enough
check "twenty programs start: $(wc -l <watched)" test "$(wc -l <watched)" = 20
check "their file is named" test "$(grep -c "filename=./${me}true" watched)" = 20

# --- a recording and a pipe say the same
must "$STROBE" record -q -N -c 1 -a -e sched:sched_process_exec -o exec.data -- sh -c "./${me}true; ./${me}true"
"$STROBE" monitor trace -e sched:sched_process_exec --input exec.data >file
check "a recording names both programs that started" test "$(grep -c "filename=./${me}true" file)" = 2
"$STROBE" inject -i exec.data -o - 2>/dev/null | "$STROBE" monitor trace -e sched:sched_process_exec --input - >pipe
check "inject through a pipe gives the same lines as the file" cmp file pipe

# --- task-state: three sleeps of 300 ms
cat >marked-nap.c <<'EOF2'
#include <time.h>
int main(void)
{
	for (int i = 0; i < 3; i++)
		nanosleep(&(struct timespec){ 0, 300000000 }, 0);
	return 0;
}
EOF2
cc -o ${me}nap marked-nap.c || exit 1
# In some virtual machines a CPU that idles reports nothing, except for the first.
nap() { taskset -c $one_cpu ./${me}nap; }
watch task-state -S --than 50 --filter "$me*" -g
nap
enough
# A program that is interrupted between setting its timer and sleeping sleeps shorter: 50 ms are enough.
told() { sed -n "s/.*== ${me}nap [0-9]* WAIT \([0-9]*\) ms in state S.*/\1/p" watched | wc -l; }
check "each of three long sleeps is reported: $(told)" at_least "$(told)" 3
check "the chain of a sleep names do_nanosleep" grep -q ' do_nanosleep+0x' watched

# --- mpdelay, pairs: from entry to exit of those sleeps, live and from a recording
entry=syscalls:sys_enter_clock_nanosleep exit=syscalls:sys_exit_clock_nanosleep
if can $entry; then
	watch pairs -e $entry,$exit
	nap
	enough
	calls() { awk '/=>/ && !/from/ { print $4, ($7 >= 300000) }' "$1"; }
	check "at least three pairs take 300 ms: $(calls watched)" at_least "$(calls watched | cut -d' ' -f1)" 3
	must "$STROBE" record -q -N -c 1 -R -e $entry,$exit -o naps.data taskset -c $one_cpu ./${me}nap
	for words in "mpdelay -e $entry,$exit" "pairs -e $entry,$exit --key tid"; do
		# shellcheck disable=SC2086
		"$STROBE" monitor $words --input naps.data >file
		check "${words%% *}: three, none below 300 ms" \
			awk '/=>/ { found = $4 == 3 && $6 >= 300000 } END { exit !found }' file
	done
	"$STROBE" monitor pairs -e $entry,$exit --than 400ms --input naps.data >file
	check "none is above 400 ms, unless the machine is busy" \
		sh -c '[ "$(grep -c "^== " file)" = "$(sed -n "s/^# \([0-9]*\) above the limit/\1/p" file)" ]'
else
	skip_part "pairs of system calls: $why_not"
fi

# --- recordings of what this machine does not have
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("exit_reason", "I"), ("guest_rip", "Q")],
                '"reason %s rip 0x%lx", __print_symbolic(REC->exit_reason, {12, "HLT"}, {10, "CPUID"}, {30, "IO"}), '
                'REC->guest_rip')
enter = t.event("kvm", "kvm_entry", [("vcpu_id", "I")], '"vcpu %u", REC->vcpu_id')
t.comm(50, 50, "guest")
now = 1000000
for reason, ns, n in ((10, 2000, 10), (30, 5000, 4), (12, 1000000, 3)):
    for i in range(n):
        t.sample(leave, now, cpu=i % 2, pid=50, tid=50, exit_reason=reason, guest_rip=0x1000)
        t.sample(enter, now + ns, cpu=i % 2, pid=50, tid=50)
        now += ns + 1000
t.write("kvm.data")

t = make_trace.Trace()
alloc = t.event("kmem", "kmalloc", [("ptr", "Q"), ("bytes_alloc", "Q")], '"ptr=%lx", REC->ptr')
free = t.event("kmem", "kfree", [("ptr", "Q")], '"ptr=%lx", REC->ptr')
for i in range(1, 11):
    t.sample(alloc, 1000 + i, ptr=0x1000 * i, bytes_alloc=64)
t.sample(alloc, 1500, ptr=0, bytes_alloc=64)       # failed
t.sample(free, 1600, ptr=0x99000)                  # allocated before
for i in range(1, 6):
    t.sample(free, 2000 + i, ptr=0x1000 * i)
t.sample(alloc, 3000, ptr=0x1000, bytes_alloc=32)  # the address again
t.write("leak.data")
EOF2
if command -v python3 >/dev/null; then
	python3 made.py "$STROBE_SOURCE/tests/lib" || exit 1
	"$STROBE" monitor kvm-exit --input kvm.data >file
	row() { awk -v n="$1" '$1 == n { print $2, $3, $4, $6 }' file; }
	check "exits of a guest: $(row CPUID), $(row IO), $(row HLT)" \
		test "$(row CPUID), $(row IO), $(row HLT)" = \
		"10 20.000 2.000 2.000, 4 20.000 5.000 5.000, 3 3000.000 1000.000 1000.000"
	check "the most costly reason comes first" test "$(awk '/^---/ { getline; print $1 }' file)" = HLT
	check "halts are not in the histogram" test "$(awk -F: '/->/ { n += $2 } END { print n }' file)" = 14
	"$STROBE" monitor kvm-exit --than 3us --input kvm.data >file
	check "--than shows the slow ones by both of their events, without halts" \
		test "$(grep -c 'kvm_exit: reason IO rip 0x1000$' file) $(grep -c 'kvm_entry: ' file)" = "4 4"
	"$STROBE" monitor kmemleak --alloc kmem:kmalloc --free kmem:kfree --input leak.data >file
	check "six objects were never freed" grep -q '^KMEMLEAK REPORT: 6$' file
	check "a leak is shown with its bytes" grep -q '^Leak of 352 bytes in 6 objects' file
	check "all allocations and frees are counted" grep -q '^TOTAL alloc 11 free 6$' file
	"$STROBE" monitor mpdelay -e kmem:kmalloc,kmem:kfree --input leak.data >file
	check "mpdelay: one neighbour pair on the CPU" sh -c "grep -q 'kmalloc => kfree  *1 ' file"
else
	skip_part "made recordings: no python3 here"
fi

run "$STROBE" monitor
check "monitor without a name is bad usage and lists names" \
	sh -c '[ '$rc' = 129 ] && grep -q "try: .*signal, .*trace" err'
run "$STROBE" monitor trace
check "trace needs an event" sh -c '[ '$rc' = 129 ] && grep -q "try: -e" err'
run "$STROBE" monitor trace -e nosuch:event
check "an unknown tracepoint is an error" test $rc != 0
finish
