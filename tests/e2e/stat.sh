#!/bin/bash
# stat: counts of programs with known results, targets, runs, intervals, signals, outputs.
. "$(dirname "$0")/lib.sh"
need_can count
must "$STROBE" stat -e task-clock true
need cc awk
run "$STROBE" stat -vv -e '{cs,task-clock}' true
check "-vv: the attr and the descriptors of each event" awk '
	/^perf_event_attr:/ { attrs++ } /^  config .*PERF_COUNT_SW_CONTEXT_SWITCHES/ { cs = attrs == 1 }
	/^  config .*PERF_COUNT_SW_TASK_CLOCK/ { clock = attrs == 2 }
	/^sys_perf_event_open: pid [0-9]+  cpu -1  group_fd -1 .* = [0-9]+$/ { fd = $NF; leader = attrs == 1 }
	/^sys_perf_event_open: .* group_fd [0-9]/ { member = $7 == fd }
	END { exit !(attrs == 2 && cs && clock && leader && member) }' err
run "$STROBE" stat -v -e cs true
check "-v prints no attr" sh -c '! grep -q perf_event_attr err'
cat >known.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
/* known calls N | pages N | children N | switches N | hits N */
__attribute__((noinline)) void hit(long i) { __asm__ volatile("" :: "r"(i)); }

int main(int argc, char **argv)
{
	long n = atol(argv[2]);

	if (!strcmp(argv[1], "calls"))
		for (long i = 0; i < n; i++)
			syscall(SYS_getppid);
	if (!strcmp(argv[1], "pages")) {
		char *p = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, n * 4096, MADV_NOHUGEPAGE);
		for (long i = 0; i < n; i++)
			p[i * 4096] = 1;
	}
	if (!strcmp(argv[1], "switches")) { /* two that wait for each other on one CPU: each of n rounds takes two */
		int there[2], back[2];
		cpu_set_t one;
		char c = 0;

		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
			return 1;
		if (!fork()) {
			for (long i = 0; i < n; i++)
				if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
					_exit(1);
			_exit(0);
		}
		for (long i = 0; i < n; i++)
			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				return 1;
		wait(NULL);
		n = 0;
		for (int who = 0; who < 2; who++) {
			struct rusage u;

			getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
			n += u.ru_nvcsw + u.ru_nivcsw;
		}
		printf("%ld\n", n); /* the kernel's own count */
	}
	if (!strcmp(argv[1], "hits"))
		for (long i = 0; i < n; i++)
			hit(i);
	if (!strcmp(argv[1], "children"))
		for (long i = 0; i < n; i++) {
			if (!fork()) {
				syscall(SYS_getppid);
				_exit(0);
			}
			wait(NULL);
		}
	return 0;
}
C
cc -O1 -o known known.c 2>cc.log || skip "the C compiler does not work: $(head -1 cc.log)"
# Ordinary users get user-space events only, and the names show this.
count() { awk -F, -v e="$1" '$3 == e || $3 == e ":u" { print $1; exit }' "$2"; }
counts() { event=$1; shift; "$STROBE" stat -x, -e "$event" "$@" >/dev/null 2>counts.csv; count "$event" counts.csv; }
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
minus() { echo $(($1 - $2)); }

# --- known results ---
few=$(counts page-faults ./known pages 1000) many=$(counts page-faults ./known pages 3000)
# A program has one page fault more or less, depending on where it is loaded.
check "2000 more pages touched are 2000 more faults: $few, $many" \
	test $((many - few)) -ge 1980 -a $((many - few)) -le 2020
run "$STROBE" stat -x, -o counts.csv -e context-switches ./known switches 200
switches=$(count context-switches counts.csv) kernel=$(cat out)
if ! can kernel; then
	skip_part "switches forced: they happen in the kernel, and this machine cannot: $why_not"
else
	# The kernel's count begins before the exec and ends before the exits of the two processes. Other load switches
	# them more often, and both counts tell so. A process that lost its CPU just after it wrote may find the answer
	# there when it goes on, and need not wait for it.
	check "200 times to and fro are some 400 switches or more, as many as the kernel says: $switches, $kernel" \
		test "$switches" -ge 390 -a $((switches - kernel)) -ge -6 -a $((switches - kernel)) -le 6
fi
probes=/sys/kernel/tracing/uprobe_events
address=$(nm known 2>/dev/null | awk '$3 == "hit" { print $1 }')
segment=$(readelf -lW known 2>/dev/null |
	awk '$1 == "LOAD" && $7 == "R" && $8 == "E" || $1 == "LOAD" && $7 == "RE" { print $2, $3; exit }')
if [ -w $probes ] && [ -n "$address" ] && [ -n "$segment" ]; then
	offset=$((0x$address - ${segment#* } + ${segment% *}))
	alone_with_probes
	echo "p:strobe_stat_$$/hit $tmp/known:$(printf 0x%x $offset)" >>$probes
	check "hits of a probe in a program: 123" is "$(counts strobe_stat_$$:hit ./known hits 123)" 123
	echo "-:strobe_stat_$$/hit" >>$probes
	exec 8<&-
else
	skip_part "probes in programs: they cannot be set here"
fi
tracepoints=
if can raw_syscalls:sys_enter; then
	tracepoints=1
	check "sleep makes the same number of system calls each time" \
		is "$(counts raw_syscalls:sys_enter sleep 0.01)" \
		"$(counts raw_syscalls:sys_enter sleep 0.01)"
	check "1000 more calls are 1000 more" \
		is \
		"$(minus "$(counts raw_syscalls:sys_enter ./known calls 1500)" \
		"$(counts raw_syscalls:sys_enter ./known calls 500)")" \
		1000
	check "calls of children are counted" is "$(counts syscalls:sys_enter_getppid ./known children 20)" 20
	check "-i: calls of children are not counted" is "$(counts syscalls:sys_enter_getppid -i ./known children 20)" 0
	check "a filter counts what fits it" \
		is "$(counts raw_syscalls:sys_enter --filter 'id == 110' ./known calls 77)" \
		"$([ "$(uname -m)" = x86_64 ] && echo 77 || count raw_syscalls:sys_enter counts.csv)"
	check "nothing of us is counted before the command runs" is "$(counts sched:sched_process_exec true)" 1

	# Hundreds of events within the limit of descriptors; one line each. The kernel takes long
	# to close each of them, so run this once.
	n=$("$STROBE" list --raw-dump tracepoint 2>/dev/null | tr ' ' '\n' | grep -c '^syscalls:sys_enter_')
	( ulimit -S -n 64; "$STROBE" stat -e 'syscalls:sys_enter_*' ./known calls 5 >many 2>&1 )
	check "all $n system calls at once, with a soft limit of 64 descriptors" \
		is "$(grep -c ' syscalls:sys_enter_' many)" "$n"
	awk '$1 != 0' many >seed
	check "2>&1 | awk '\$1 != 0' leaves what was called" grep -q '^ *5 .*syscalls:sys_enter_getppid' seed
	check "events without a count are not listed" sh -c '! grep -q "^ *0 .*sys_enter" seed'
	if can system; then
		( ulimit -S -n 32; "$STROBE" stat -a -x, -e 'syscalls:sys_enter_get*' ./known calls 5 2>many.csv )
		check "many of the whole system" test "$(wc -l <many.csv)" -gt 10
		check "they count there too" test "$(count syscalls:sys_enter_getppid many.csv)" -ge 5
	fi
	if [ "$(id -u)" != 0 ]; then
		( ulimit -n 40; "$STROBE" stat -e 'syscalls:sys_enter_*' true 2>few )
		check "a message about a hard limit says what to do" grep -q 'try:' few
	fi
else
	skip_part "tracepoints: this machine cannot: $why_not"
fi

# --- output formats ---
json_ok() { if command -v python3 >/dev/null; then python3 -c 'import json,sys
for l in open(sys.argv[1]): json.loads(l)' "$1"; else ! grep -qv '^{.*}$' "$1"; fi; }
# A locale with a decimal comma; build it if the machine has none.
locale=$(locale -a 2>/dev/null | grep -E -m1 '^de_DE')
if [ -z "$locale" ] && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
	export LOCPATH=$PWD
	locale=de_DE.UTF-8
fi
[ -n "$locale" ] || skip_part "a locale with a decimal comma: no package of locales here"
for l in C ${locale:-}; do
	LC_ALL=$l "$STROBE" stat -j -e task-clock,page-faults -I 20 --summary sleep 0.05 2>all.json
	check "JSON in locale $l: an object a line" json_ok all.json
	LC_ALL=$l "$STROBE" stat -x, -e task-clock true 2>one.csv
	check "CSV in locale $l: seven fields" is "$(awk -F, '{ print NF }' one.csv)" 7
done
if [ -n "$locale" ]; then
	LC_ALL=$locale "$STROBE" stat -j -r 2 -e task-clock,page-faults,cycles true 2>all.json
	check "JSON in $locale with -r" json_ok all.json
	LC_ALL=$locale "$STROBE" stat -j --metric-only -M CPUs_utilized true 2>all.json
	check "JSON in $locale: metrics alone" json_ok all.json
	check "JSON in $locale: numbers have a point" grep -q '[0-9]\.[0-9]' all.json
	LC_ALL=$locale "$STROBE" stat -x ';' -e task-clock,page-faults -r 2 -I 20 ./known pages 3000 2>one.csv
	check "CSV in $locale: no comma in any number" sh -c '! grep -q "[0-9],[0-9]" one.csv'
	LC_ALL=$locale "$STROBE" stat -r 2 --table -e task-clock,page-faults ./known pages 3000 2>text
	check "text in $locale: thousands are separated" grep -Eq '^ +3\.[0-9]{3} +page-faults' text
	check "text in $locale: decimal commas" \
		test "$(grep \
		-Ec '^ +[0-9]+,[0-9]+ (msec task-clock|\+- [0-9,]+ seconds time|\([-+]0,[0-9]+\) #)' text)" \
		= 4
	LC_ALL=$locale "$STROBE" stat --no-big-num -e page-faults ./known pages 3000 2>text
	check "--no-big-num in $locale: no separator" grep -Eq '^ +3[0-9]{3} +page-faults' text
fi
"$STROBE" stat -r 2 -j -M CPUs_utilized,page_faults_per_second --metric-only true 2>refused.err; rc=$?
check "--metric-only with -r: refused as by perf" is $rc 234
"$STROBE" stat -j -M CPUs_utilized,page_faults_per_second --metric-only true 2>all.json
check "metrics alone as JSON" json_ok all.json
check "metrics alone have their names" grep -q '"faults/sec  page_faults_per_second" : [0-9]' all.json
"$STROBE" stat -M CPUs_utilized,cs_per_second,IPC true 2>metrics
check "metrics are next to their counts" grep -q '# .* CPUs  CPUs_utilized' metrics
check "values that cannot be computed are not 'nan'" sh -c '! grep -qi nan metrics'
"$STROBE" stat -x, -M insn_per_cycle true 2>metrics
check "-x prints the name of a metric" \
	sh -c 'awk -F, "/insn_per_cycle/ { n += NF == 7 && \$7 == \"insn_per_cycle\" } END { exit n != 1 }" metrics'
run "$STROBE" stat -M CPUs_utilised true
check "an unknown metric: a near one, and status 129" test $rc = 129 -a "$(grep -c 'try: -M CPUs_utilized' err)" = 1
run "$STROBE" stat -x '' true
check "-x without a separator is refused" test $rc = 129
run "$STROBE" stat -x, --no-field-separator -e task-clock true
check "--no-field-separator after -x: text again" grep -q ' msec task-clock ' err
run "$STROBE" stat -e 'cs,nosuchevent' true
check "an unknown event: status 129, and the column" test $rc = 129 -a "$(grep -c '\\___' err)" = 1
run "$STROBE" stat -v -e cycles:u,cs true
if grep -q '<not supported>' err; then check "-v: says why an event is not supported" grep -q 'is left out' err; fi
run "$STROBE" stat -q true
check "-q prints no message" test ! -s err

# --- runs ---
run "$STROBE" stat -r 3 --pre 'echo pre >>hooks' --post 'echo post >>hooks' -e cs sh -c 'echo run >>hooks'
check "--pre and --post surround each run" is "$(tr '\n' ' ' <hooks)" "pre run post pre run post pre run post "
run "$STROBE" stat --pre false true
check "--pre that fails ends it" test $rc = 1
run "$STROBE" stat sh -c 'exit 9'
check "the command's status is ours" test $rc = 9
run "$STROBE" stat sh -c 'kill -9 $$'
check "a killed command: 137" test $rc = 137
run "$STROBE" stat ./nosuch
check "no such command: 127, no counts" test $rc = 127 -a "$(grep -c counter err)" = 0
run timeout 120 "$STROBE" stat --timeout 60 -e cs sleep 300
check "--timeout ends the command" test $rc = 0
check "--timeout: counts are shown" grep -Eq ' cs(:u)? ' err
run timeout 120 "$STROBE" stat -x, -I 20 --interval-count 3 -e cs sleep 300
check "--interval-count ends after three" is "$(wc -l <err)" 3
run timeout 120 "$STROBE" stat -I 20 --interval-count 2 --interval-clear -e cs sleep 300
check "--interval-clear: the screen is cleared before each" is "$(grep -c "$(printf '\033')\[H" err)" 2
check "--interval-clear: each has its head" is "$(grep -c 'time  *counts unit events' err)" 2
run timeout 120 "$STROBE" stat -x, -I 20 --interval-count 2 --interval-clear -e cs sleep 300
check "--interval-clear: fields have no screen" is "$(grep -c "$(printf '\033')" err)" 0
run timeout 20 "$STROBE" stat -D -1 -e cs true
check "-D -1: nothing is counted" grep -q '<not counted>' err
# The kernel gives 0 bytes for a pinned event that found no free counter. Software events always have one, so replace
# read(). perf 7.2 with the same read() prints the same.
cat >pinned.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
	char path[64], to[64] = "";
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, to, sizeof(to) - 1) > 0 && strstr(to, "perf_event") ? 0 : real(fd, buf, n);
}
C
case $(ldd "$STROBE" 2>&1) in
*libasan*) skip_part "a pinned event without a counter: ASan must be loaded first" ;;
*libc.so*)
	cc -shared -fPIC -o pinned.so pinned.c -ldl
	run env LD_PRELOAD=./pinned.so timeout 20 "$STROBE" stat -e task-clock:D true
	check "a pinned event without a counter is not counted" \
		test "$rc" = 0 -a "$(grep -c '<not counted>.*task-clock:D' err)" = 1
	;;
*) skip_part "a pinned event without a counter: the program is static" ;;
esac
mkfifo ctl ack
(
	exec 3<>ctl 4<>ack
	printf 'enable\n' >&3
	read -r -t 10 answer <&4
	echo "$answer" >answered
	./known pages 1
	printf 'stop\n' >&3
	sleep 5
) &
later_kill $!
run timeout 120 "$STROBE" stat -D -1 --control fifo:ctl,ack -e task-clock sleep 300
check "--control: enable is answered, stop ends" test "$rc" = 0 -a "$(cat answered 2>/dev/null)" = ack
# A command after the delay stays in effect: the delay must not enable the events again.
rm -f err
mkfifo late late_ack
(
	exec 3<>late 4<>late_ack
	until grep -q 'Events enabled' err; do sleep 0.05; done
	printf 'disable\n' >&3
	read -r -t 10 answer <&4
	sleep 0.3
	printf 'stop\n' >&3
	sleep 5
) &
later_kill $!
run timeout 120 "$STROBE" stat -D 50 --control fifo:late,late_ack -e task-clock sleep 300
check "-D with --control: disable stays in effect" \
	test "$rc" = 0 -a "$(grep -c 'Events enabled' err)" = 1 -a "$(grep -c 'Events disabled' err)" = 2

# --- exit statuses ---
sleep 300 & later_kill $!; target=$!
timeout 20 "$STROBE" stat -p $target -e cs 2>err & p=$!
counting $p
kill $target
wait $p
check "a target that ends ends the counting" test $? = 0
sleep 30 & later_kill $!; target=$!
for stage in "-p $target" "-p $target -I 50" "-p $target -r 0" "-- sleep 30" "-r 5 sleep 30" "-I 50 sleep 30"; do
	for signal in INT TERM; do
		timeout 20 "$STROBE" stat -e cs $stage 2>err & p=$!
		counting $p
		kill -$signal $(pgrep -P $p) 2>/dev/null || kill -$signal $p
		wait $p; rc=$?
		check "SIG$signal during '$stage' shows what was counted" grep -Eq ' cs(:u)? ' err
		check "SIG$signal during '$stage': status $rc shows it" \
			test $rc = "$([ $signal = INT ] && echo 130 || echo 143)"
	done
done
check "a closed pipe ends intervals without a message" \
	sh -c 'timeout 20 "$STROBE" stat -I 10 -e cs sleep 30 2>&1 >/dev/null | head -2 >head.out
	[ "$(wc -l <head.out)" = 2 ]'
"$STROBE" stat -o out.txt -e cs true; "$STROBE" stat -o out.txt --append -e cs true
check "--append adds to the file of -o" is "$(grep -Ec ' cs(:u)? ' out.txt)" 2
run "$STROBE" stat -o /nowhere/x true
check "-o that cannot be written" test $rc = 255
run "$STROBE" stat -o /dev/full -e cs true
check "a message about a full disk" test $rc = 255

# --- the whole system ---
if can system; then
	for mode in "" -a "-C 0"; do	# until ^C
		timeout 20 "$STROBE" stat -e cs $mode 2>err & p=$!
		counting $p
		kill -INT $(pgrep -P $p) 2>/dev/null || kill -INT $p
		wait $p; rc=$?
		check "SIGINT ends '$mode', and shows what was counted" test $rc = 130 -a "$(grep -c ' cs ' err)" = 1
	done
	run "$STROBE" stat -a -A -x, -e cpu-clock sleep 0.05
	check "-A: a line per CPU" is "$(wc -l <err)" "$(getconf _NPROCESSORS_ONLN)"
	from=$(date +%s%N)
	run "$STROBE" stat -C 0 -x, -e cpu-clock sleep 0.3
	took=$((($(date +%s%N) - from) / 1000000))
	check "-C 0: one CPU's time, of the $took ms that all took" \
		awk -F, -v most=$took '{ exit !($1 > 280 && $1 <= most) }' err
	run "$STROBE" stat -C 4000 -e cs true
	check "-C: a message about a missing CPU" grep -q 'No supported events found: .*not online' err
	run "$STROBE" stat --per-core -a -j -e cs true
	check "-j says how many counters a line sums up" grep -q '"counters" : 1' err
	run timeout 20 "$STROBE" stat --per-thread -a -e cs sleep 0.05
	check "--per-thread -a: lines per thread" test "$(grep -Ec ' cs(:u)? ' err)" -gt 3
	for mode in --per-cluster --per-cache --per-cache=L1; do
		run "$STROBE" stat -a $mode -x, -e cpu-clock sleep 0.02
		check "stat -a $mode prints counts" test $rc = 0 -a -s err
	done
	mounted=$(awk \
		'$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }
		$3 == "cgroup2" { v2 = $2 } END { if (v2) print v2 }' \
		/proc/mounts |
		head -1)
	group=${mounted:-/nowhere}/strobe-stat-$$
	if mkdir $group 2>/dev/null; then
		run "$STROBE" stat -a -x, -e cs,cpu-clock --for-each-cgroup strobe-stat-$$,/ sleep 0.05
		check "an empty control group counts nothing" is "$(grep -c "strobe-stat-$$" err)" 2
		check "the root's counts are there" is "$(grep -c ',/,' err)" 2
		rmdir $group
	else
		skip_part "an empty control group: cannot be made here"
	fi
else
	skip_part "the whole system: this machine cannot: $why_not"
fi
run "$STROBE" stat --cputype=nosuch -e instructions true
check "--cputype of no cores" test $rc = 129
if [ ! -e /sys/bus/event_source/devices/cpu_atom ]; then
	run "$STROBE" stat --cputype=cpu -e instructions true
	check "--cputype takes the name of the PMU, with and without counters" \
		test $rc = 0 -a "$(grep -c instructions err)" = 1
fi
# --- many tracepoints: the kernel takes tens of milliseconds to close each; nobody waits for it
many='writeback:*,sched:*,timer:*,irq:*,signal:*'
n=$(ls -d /sys/kernel/tracing/events/{writeback,sched,timer,irq,signal}/*/ 2>/dev/null | wc -l)
if [ "$(id -u)" = 0 ] && [ "$n" -ge 60 ]; then
	run "$STROBE" stat -e "$many" -- true
	check "many tracepoints are counted" test "$rc" = 0
	check "a process in the background closes them" \
		grep -qE '^\[ strobe stat: process [0-9]+ closes [0-9]+ tracepoints in the background \]$' err
	holder=$(sed -n 's/^.*: process \([0-9]*\) closes.*/\1/p' err)
	# It must keep no other descriptor of ours open, once it has run; if it is already closing, it shows none.
	others() {
		find "/proc/$holder/fd" -type l ! -lname '*perf_event*' ! -lname /dev/null ! -lname 'pipe:*' 2>/dev/null
	}
	for _ in $(seq 500); do [ -n "$(others)" ] || break; sleep 0.02; done
	check "the process that closes the events holds no other descriptors" test -z "$(others)"
	for _ in $(seq 600); do [ -e "/proc/$holder" ] || break; sleep 0.1; done
	check "the process that closes the events ends" test ! -e "/proc/$holder"
	run "$STROBE" stat -x, -e "$many" -- true
	check "no line of ours among those for programs" sh -c '! grep -q "closes .* tracepoints" err'
	if command -v prlimit >/dev/null && command -v setpriv >/dev/null; then
		run prlimit --nofile=64:64 setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
			"$STROBE" stat -e "$many" -- touch ran
		check "too few descriptors: an error before the command runs" \
			sh -c "test '$rc' = 255 && test ! -e ran && grep -q 'too many open files' err &&
			grep -q 'the hard limit is 64' err"
	fi
else
	skip_part "not root, no tracefs or few tracepoints: closing many in the background"
fi

finish
