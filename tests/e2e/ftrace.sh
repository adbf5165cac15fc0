#!/bin/bash
# ftrace on stored traces beside the kernel's own text and trace-cmd, and what of it runs on this machine.
# tests/vm/ftrace.sh has the tracers of functions themselves.
. "$(dirname "$0")/lib.sh"
need xz tar
tar -xJf "$STROBE_SOURCE/tests/golden/ftrace.tar.xz" || exit 1

# --- the text is the kernel's
same_as_kernel() { name=$1; shift; run "$STROBE" ftrace "$@"; [ "$rc" = 0 ] && diff -u "$name.kernel" out; }
check "graph: as the kernel prints it" same_as_kernel graph -i graph.dat
check "graph, verbose and tail: as the kernel prints it" \
	same_as_kernel verbose trace -i graph.dat --graph-opts verbose,tail
check "graph without interrupts: as the kernel prints it" same_as_kernel noirqs trace --graph-opts noirqs -i graph.dat
check "functions with stacks and flags: as the kernel prints them" \
	same_as_kernel function -i function.dat --func-opts irq-info
if command -v trace-cmd >/dev/null; then
	# Its plugin has another text for sched_switch, and it takes the first call for an open one.
	same_as_trace_cmd() {
		trace-cmd report -i "$1" 2>/dev/null | grep -v sched_switch | sed 1,3d >theirs
		"$STROBE" script -i "$1" | grep -v sched_switch | sed 1,2d >ours
		test -s ours && diff ours theirs
	}
	check "script: as trace-cmd report has the lines" same_as_trace_cmd graph.dat
	check "script: also of functions and stacks" \
		diff <("$STROBE" script -i function.dat) <(trace-cmd report -i function.dat 2>/dev/null)
	convert() { trace-cmd convert -i graph.dat -o other.dat --file-version "$1" --compression "$2" >err 2>&1; }
	"$STROBE" script -i graph.dat >want
	for form in "6 none" "7 none" "7 zstd"; do
		# shellcheck disable=SC2086
		convert $form || { skip_part "trace-cmd cannot write version $form: $(tail -1 err)"; continue; }
		run "$STROBE" script -i other.dat
		check "script: the same lines of version $form" cmp want out
	done
else
	skip_part "no trace-cmd here: lines are not compared with its own"
fi
check "script: other options have no meaning" sh -c '"$STROBE" script -i graph.dat -F comm; [ $? = 129 ]' 2>err

# --- sums, histogram, stacks: computed from the kernel's text
# every call of do_sys_openat2 with its duration in ns, from "N us ... do_sys_openat2"
awk '/do_sys_openat2 \*\/$/ { for (i = 1; i < NF; i++) if ($(i + 1) == "us") print $i * 1000 }' \
	verbose.kernel >durations
check "there are some to compare" test "$(wc -l <durations)" -ge 3
run "$STROBE" ftrace profile -i graph.dat --self --folded folded --flamegraph flame.svg
awk '{ n++; s += $1; if ($1 > m) m = $1 }
	END { printf "%.3f %.3f %.3f %d\n", s / 1000, int(s / n) / 1000, m / 1000, n }' durations >want
awk '$NF == "do_sys_openat2" { print $1, $3, $4, $5 }' out >got
check "profile: total, average, maximum and count are those of the text" diff want got
awk '!/^#/ { self += $2 } END { print int(self) }' out >self
awk '{ n = $NF; s += n } END { print int(s / 1000) }' folded >folded.self
check "profile: folded stacks hold the time of the functions themselves" \
	sh -c 'd=$(($(cat self) - $(cat folded.self))); [ $d -ge -2 ] && [ $d -le 2 ]'
check "profile: a call lies below its caller" \
	grep -q ';__x64_sys_openat;do_sys_openat2;do_filp_open' folded
check "profile: the flame graph is a picture" grep -q '<svg' flame.svg
check "profile: sorted by total" sh -c "grep -v '^#' out | awk 'NR > 1 && \$1 > last { exit 1 } { last = \$1 }'"
run "$STROBE" ftrace profile -i graph.dat -s name
check "profile: sorted by name" sh -c "grep -v '^#' out | awk '{ print \$NF }' | sort -c"
run "$STROBE" ftrace latency -i graph.dat -T sys_openat
check "latency: counts calls of the system call by its short name" \
	grep -q "^ *count: *$(grep -c '__x64_sys_openat \*/$' verbose.kernel)$" out
run "$STROBE" ftrace latency -i graph.dat -T do_sys_openat2 -n --hide-empty
# bucket i holds 2^(i-1) <= ns < 2^i, printed in units of 1024
awk '{ i = 0; v = int($1 + 0.5); while (v) { i++; v = int(v / 2) } n[i]++ }
	END { for (i in n) print i, n[i] }' durations |
	sort -n | cut -d' ' -f2 >want
awk -F'|' '/^ .* [nu]s \|/ { print $2 + 0 }' out >got
check "latency: each call in the bucket whose labels enclose it" diff want got
check "latency: the first bucket's labels do" sh -c 'awk -F"[- ]+" "/^ .* us/ { exit !(\$2 <= 420 && \$3 >= 128) }" out'
run "$STROBE" ftrace latency -i graph.dat -T do_sys_openat2 --bucket-range 100 --min-latency 200 --max-latency 600
check "latency: buckets of equal width" sh -c 'grep -q "^   *0 -  200 us" out && grep -q "^   *300 -  400 us" out &&
	grep -q "^   *600 - \.\.\.  us" out'

# --- damaged and foreign files
head -c 20000 graph.dat >cut.dat
run "$STROBE" ftrace -i cut.dat
check "a cut file: what there is, or why not" test "$rc" -lt 128 -o "$rc" = 255
head -c 700 graph.dat >cut.dat
run "$STROBE" ftrace -i cut.dat
check "a file cut in its head is refused" sh -c "[ $rc = 255 ] && grep -q 'cut or malformed' err"
echo no >none.dat
run "$STROBE" ftrace -i none.dat
check "ftrace of another kind of file fails" \
	sh -c "[ $rc = 255 ] && grep -q 'not a trace.dat' err && grep -q 'try: -i' err"

# --- an output that cannot be written is refused before the command runs
run "$STROBE" ftrace record -t nop -e sched:sched_switch -o none/trace.dat -- touch ran
check "record: a bad output is refused at the start" \
	sh -c "[ $rc = 255 ] && grep -q \"cannot write 'none/trace.dat'\" err && [ ! -e ran ]"

if command -v python3 >/dev/null; then
	cat >made.py <<'END'
import struct
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

# Softirqs of the idle tasks of two CPUs, which overlap: 30 us and 40 us. Source of the form: trace-cmd.dat.v6(5).
t = make_trace.Trace()
kinds = [t.event("irq", name, [("vec", "I")], '"vec=%u", REC->vec') for name in ("softirq_entry", "softirq_exit")]


def page(times, kinds=kinds, lost=0):
    data = b"".join(struct.pack("<I", 3 | (then - before) << 5) + kind.payload({"vec": 1})
                    for kind, before, then in zip(kinds, [times[0]] + times, times))
    return struct.pack("<QQ", times[0], len(data) | lost << 31).ljust(16) + data.ljust(4080, b"\0")


def sized(text, size="<Q"):
    return struct.pack(size, len(text)) + text


head = b"\x17\x08\x44tracing6\0\0\x08" + struct.pack("<I", 4096)
head += b"header_page\0" + sized(make_trace.PAGE) + b"header_event\0" + sized(b"")
head += struct.pack("<II", 0, 1) + b"irq\0" + struct.pack("<I", 2) + b"".join(sized(k.format().encode()) for k in kinds)
head += sized(b"", "<I") + sized(b"", "<I") + sized(b"") + struct.pack("<I", 2) + b"options  \0\0\0flyrecord\0"


def write(name, one, two):
    with open(name, "wb") as f:
        f.write((head + struct.pack("<4Q", 4096, len(one), 4096 + len(one), len(two)) +
                 sized(b"[local] global")).ljust(4096, b"\0") + one + two)


write("idle.dat", page([1000000, 1030000]), page([1010000, 1050000]))
# The first pair of a CPU lost its end, the next one its beginning; another pair follows.
write("lost.dat", page([1000000], kinds[:1]) + page([3000000], kinds[1:], lost=1) + page([4000000, 4030000]), b"")
END
	must python3 made.py "$STROBE_SOURCE/tests/lib"
	run "$STROBE" ftrace latency -i idle.dat -e irq:softirq_entry,irq:softirq_exit
	check "latency of events: each CPU has an idle task" \
		sh -c "grep -q 'total time: *70$' out && grep -q 'max time: *40$' out && grep -q 'count: *2$' out"
	run "$STROBE" ftrace latency -i lost.dat -e irq:softirq_entry,irq:softirq_exit
	check "latency of events: no time from one side of lost events to the other" \
		sh -c "grep -q 'total time: *30$' out && grep -q 'count: *1$' out"
else
	skip_part "no python3 here: no trace of idle tasks"
fi

# --- usage
bad() { run "$STROBE" ftrace "$@"; [ "$rc" = 129 ]; }
check "an option of another subcommand" bad trace --sort total -i graph.dat
check "a word that is none" bad --graph-opts dept=2 -i graph.dat
check "a word without its number" bad --graph-opts depth -i graph.dat
check "latency of several functions" bad latency -T 'vfs_*' -i graph.dat
check "latency -i without a function is refused" bad latency -i graph.dat
check "latency of one event" bad latency -e sched:sched_switch -i graph.dat
check "a key that is none" bad profile -s size -i graph.dat
check "a file and a command" bad -i graph.dat true
check "a file and whom to trace" bad -i graph.dat -p 1
check "a file and where graphs begin" bad profile -i graph.dat -G sys_openat
check "a file and the depth to record" bad -i graph.dat --graph-opts depth=2
check "latency -b is refused" bad latency -b -T vfs_read
printf '[ftrace]\n\ttracer = nosuch\n' >usual
PERF_CONFIG=$tmp/usual run "$STROBE" ftrace -F nosuch
check "a setting that names no tracer" sh -c "test $rc != 0 && grep -q \"ftrace.tracer: 'nosuch' is neither\" err"

# --- events of this machine: no function tracer is needed
instances=/sys/kernel/tracing/instances
if [ "$(id -u)" != 0 ]; then
	run "$STROBE" ftrace -t nop -e sched:sched_switch true
	check "without root the error says what to try" sh -c "[ $rc = 255 ] && grep -q 'try:' err"
	skip_part "tracing needs root"
elif ! mkdir "$instances/strobe-test-$$" 2>/dev/null || ! rmdir "$instances/strobe-test-$$"; then
	skip_part "no instances of tracefs here"
else
	options() { grep . /sys/kernel/tracing/options/*; }
	options >options
	run "$STROBE" ftrace -t nop -e syscalls:sys_enter_openat -- cat graph.kernel
	opens=$(grep -c 'cat-[0-9]* *\[.*sys_enter_openat' out)
	check "events of the command: it opens its file" test "$opens" -ge 2
	check "no calls of other processes are traced" \
		sh -c "! grep 'sys_enter_openat' out | grep -v '  cat-\|perf-exec-\|<...>-'"
	check "the heading is the kernel's" grep -q '^# tracer: nop' out
	run "$STROBE" ftrace record -t nop -e 'sched:*' -e syscalls:sys_enter_clock_nanosleep -a -o my.dat \
		-- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done'
	check "record: writes a file" sh -c "[ $rc = 0 ] && grep -q \"wrote 'my.dat'\" err"
	check "record: only its owner can read it" test "$(stat -c %a my.dat)" = 600
	"$STROBE" script -i my.dat >ours
	check "record: has what happened" grep -q 'sched_switch: .*sleep' ours
	check "record: entries are in order of time" \
		sh -c "sed -n 's/.*\] *\([0-9.]*\): .*/\1/p' ours | sort -c -n"
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -N -i my.dat >theirs 2>theirs.err
		check "record: trace-cmd has the same lines" diff ours theirs
	fi
	sleeps=syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep
	run "$STROBE" ftrace latency -e "$sleeps" --hide-empty -- sleep 0.05
	# on a busy machine it sleeps longer
	check "latency of events: 50 ms of sleep" \
		awk '/ ms +\| +1 / && $1 >= 32 { found = 1 } / s +\| +1 / { found = 1 } END { exit !found }' out
	run "$STROBE" ftrace -t nop -e sched:sched_swich true
	check "an event that is none" sh -c "[ $rc = 234 ] && grep -q 'sched_swich' err"
	run "$STROBE" ftrace -t nop -e syscalls:sys_enter_openat -- sh -c 'exit 3'
	check "the exit status is the command's" test "$rc" = 3
	run "$STROBE" ftrace -t nop -e syscalls:sys_enter_openat -- no-such-program
	check "a command that is none" test "$rc" = 127

	# sh becomes a sleep that never waits for its child
	sh -c 'sleep 1 & echo $! >child; exec sleep 300' &
	later_kill $!
	until_true test -s child
	run timeout 60 "$STROBE" ftrace -t nop -e sched:sched_switch -p "$(cat child)"
	check "a task has ended when it is a zombie" test "$rc" = 0

	# a killed run
	"$STROBE" ftrace -t nop -e sched:sched_switch -a >killed.out 2>&1 &
	traced=$!
	until_true test -d "$instances/strobe-$traced-0" -a -s killed.out
	check "a run has an instance of its own" test -d "$instances/strobe-$traced-0"
	kill -9 "$traced"; wait "$traced" 2>/dev/null
	until_true test ! -e "$instances/strobe-$traced-0"
	check "a killed run leaves no instance" test ! -e "$instances/strobe-$traced-0"
	options >options.after
	check "ftrace restores the options of tracefs" diff options options.after
fi
finish
