#!/bin/bash
# record: each option has its effect in the file. evlist -v shows attrs, the statistics show
# records; options that need more have scripts of their own (record_control, _rotate, _threads,
# _off_cpu, _options, _conditions, events).
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
root=; [ "$(id -u)" = 0 ] && root=yes
realtime=; [ -n "$root" ] && chrt -f 5 true 2>/dev/null && realtime=yes	# not in each container
points=; [ -n "$root" ] && [ -d /sys/kernel/tracing/events/sched/sched_switch ] && points=yes

attrs() { "$STROBE" evlist -v -i x.data; }
has() { attrs | grep -Eq "$1" || { attrs; return 1; }; }
all_have() { ! attrs | grep -Ev '^#|^dummy' | grep -Ev "$1"; }
none_has() { ! attrs | grep -E "$1"; }
header() { "$STROBE" report --header-only -i x.data | grep -q "$1"; }
dumped() { "$STROBE" script -D -i x.data 2>/dev/null | grep -q "$1"; }
# The field exists in all samples, and there are samples.
only() { "$STROBE" script -F "$1" -i x.data | grep -v '^$' >field; grep -q "$2" field && ! grep -v "$2" field; }
no_ids() { no_build_ids x.data; }
told() {
	"$STROBE" report --stats -i x.data 2>/dev/null |
		awk -v kind="$1" '$1 == kind && $2 == "events:" { n = $3; exit } END { exit !(n > 0) }'
}

# Each line: who can run it (any, root, realtime, points: root with tracepoints) % options % condition %
# command to record (default: true)
while IFS=% read -r whom options holds command; do
	read -r options <<<"$options"
	read -r holds <<<"$holds"
	case $whom in
	"" | \#*) continue ;;
	root*) [ -n "$root" ] || continue ;;
	realtime*) [ -n "$realtime" ] || continue ;;
	points*) [ -n "$points" ] || continue ;;
	esac
	rm -f x.data
	eval "run \"\$STROBE\" record -q -N -o x.data $options ${command:-true}"
	check "$options: $rc $(head -1 err)" test $rc = 0 -a -s x.data
	eval "check \"\$options: \${holds%% *}\" $holds"
done <<'END'
any    % -e page-faults:u                                 % has '^page-faults:u: type: 1.*config: 0x2'
points % -e sched:sched_switch --filter 'prev_pid != 0' -a % only trace 'prev_pid=[1-9]' % sleep 0.05
any    % -e cpu-clock:u --latency                         % has 'context_switch: 1'
any    % -e cpu-clock:u -p $$                         % has ' inherit: 1' % sleep 0.01
any    % -e cpu-clock:u -t $$                             % told COMM % sleep 0.01
realtime % -e cpu-clock:u -r 5                            % told COMM
root   % -e cpu-clock --no-buffering -a               % has 'wakeup_events, wakeup_watermark .: 1'
any    % -e cpu-clock:u -R                                % has 'RAW'
root   % -e cpu-clock -a                                  % has 'CPU'
root   % -e cpu-clock -C 0                            % only cpu '.000.' % ./spin 0.05
any    % -e cpu-clock:u -i                                % none_has ' inherit: 1'
any    % -e cpu-clock:u --tail-synthesize                 % told COMM
any    % -e cpu-clock:u --overwrite                       % has 'write_backward: 1' % ./spin 0.02
any    % -e cpu-clock:u --no-bpf-event                    % none_has 'bpf_event: 1'
any    % -e cpu-clock:u -F 123                            % has 'sample_freq \}: 123, .*freq: 1'
any    % -e cpu-clock:u -c 45678                          % has 'sample_period, sample_freq \}: 45678,'
any    % -e cpu-clock:u --strict-freq -F 100              % has 'sample_freq \}: 100,'
any    % -e cpu-clock:u -m 4 -F 20000                     % test "$(samples x.data)" -gt 5 % ./spin 0.05
any    % -e cpu-clock:u --mmap-flush 1K                   % test "$(samples x.data)" -gt 5 % ./spin 0.05
any    % -e cpu-clock:u -g                                % has 'CALLCHAIN'
any    % -e cpu-clock:u --call-graph fp,7                 % has 'sample_max_stack: 7'
any    % -e cpu-clock:u --call-graph dwarf,512            % has 'REGS_USER.STACK_USER.*sample_stack_user: 512'
any    % -e cpu-clock:u -s                                % has 'inherit_stat: 1'
any    % -e cpu-clock:u -d                                % has 'ADDR'
root   % -e cpu-clock -d                                  % has 'mmap_data: 1|DATA_SRC'
any    % -e cpu-clock:u --sample-mem-info                 % has 'DATA_SRC'
any    % -e cpu-clock:u --sample-cpu                      % has 'TIME.CPU|CPU'
any    % -e cpu-clock:u --sample-identifier               % has 'IDENTIFIER'
any    % -e cpu-clock:u -T                                % has 'TIME'
any    % -e cpu-clock:u --no-timestamp                    % none_has 'IP.*TIME'
any    % -e cpu-clock:u -c 1000000 -P                     % has 'PERIOD'
any    % -e cpu-clock:u -n                                % test "$(samples x.data)" = 0 % ./spin 0.05
any    % -e cpu-clock:u -N                                % test ! -e .debug
any    % -e cpu-clock:u -B                            % no_ids % ./spin 0.05
any    % -e cpu-clock:u -D 40                             % has 'disabled: 1' % ./spin 0.1
any    % -e cpu-clock:u -u $(id -u)                       % told COMM % sleep 0.01
any    % -e cpu-clock:u -W                                % has 'WEIGHT'
any    % -e cpu-clock:u --transaction                 % dumped 'transaction:' % ./spin 0.05
any    % -e cpu-clock:u --per-thread                      % none_has ' inherit: 1'
any    % -e cpu-clock:u -I                                % has 'REGS_INTR.*sample_regs_intr: 0x'
any    % -e cpu-clock:u --user-regs                       % has 'REGS_USER.*sample_regs_user: 0x'
any    % -e '{cpu-clock:u,page-faults:u}:S' --running-time % has 'TOTAL_TIME_ENABLED.TOTAL_TIME_RUNNING'
any    % -e cpu-clock:u -k mono                       % has 'use_clockid: 1.*clockid: 1'
any    % -e cpu-clock:u -k mono_raw                   % has 'use_clockid: 1.*clockid: 4'
any    % -e cpu-clock:u --proc-map-timeout 5000 -p $$     % told MMAP2 % sleep 0.01
any    % -e cpu-clock:u --namespaces                      % has 'namespaces: 1'
any    % -e cpu-clock:u --all-cgroups                     % has 'cgroup: 1'
any    % -e cpu-clock:u --switch-events                   % has 'context_switch: 1'
root   % -e cpu-clock --all-kernel                        % has 'exclude_user: 1'
any    % -e cpu-clock --all-user                          % has 'exclude_kernel: 1'
root   % -e cpu-clock -g --kernel-callchains              % has 'exclude_callchain_user: 1'
any    % -e cpu-clock:u -g --user-callchains              % has 'exclude_callchain_kernel: 1'
any    % -e cpu-clock:u --data-mmap                       % has 'mmap_data: 1'
any    % -e cpu-clock:u --synth task -p $$                % told COMM % sleep 0.01
any    % -e cpu-clock:u --buildid-mmap                    % has 'build_id: 1'
any    % -e cpu-clock:u -z                            % header 'compressed : Zstd'
any    % -e cpu-clock:u --timestamp-boundary          % header 'time of first sample : [1-9]' % ./spin 0.05
root   % -e cpu-clock --phys-data                         % has 'PHYS_ADDR'
root   % -e cpu-clock --data-page-size --code-page-size   % has 'DATA_PAGE_SIZE.CODE_PAGE_SIZE'
END

# --- effects that another command must show
if [ -n "$realtime" ]; then
	policy() { awk '{ sub(/.*\) /, ""); print $39, $38 }' "$1"; }	# also prints the priority
	"$STROBE" record -q -N -e cpu-clock:u -r 7 -o x.data \
		sh -c "awk '{ sub(/.*\\) /, \"\"); print \$39 }' /proc/self/stat >its; sleep 20" \
		2>/dev/null &
	recorder=$!
	later_kill $recorder
	until_true test -s its -a -s x.data
	check "-r: the reader is realtime" test "$(policy /proc/$recorder/stat)" = "1 7"
	check "-r: its command is not" grep -qx 0 its
	kill -INT $recorder; wait $recorder 2>/dev/null
else
	skip_part "-r: no realtime priority here"
fi
run "$STROBE" record -e cpu-clock:u --strict-freq -F 999999 -o never.data true
check "--strict-freq: a rate above the limit is an error" test $rc != 0 -a ! -e never.data
run "$STROBE" record -N -e cpu-clock:u -D -1 -F 999999 -o x.data true
check "else it is lowered, aloud" sh -c "test $rc = 0 && grep -qi 'max.*frequency\|lower' err"
run "$STROBE" record -e cpu-clock:u -b -o never.data true
check "-b without such hardware: why, and no file" sh -c "test ! -e never.data && grep -q 'branch' err"
for what in --intr-regs --user-regs; do
	run "$STROBE" record "$what=?" true
	check "$what=? names the registers" grep -qi 'ax\|x0\|r0' out err
done

# A round mark says: all rings were read since the mark before. So a record is never older than the newest one that was
# written two marks earlier. Here one ring fills up all the time, and the other stays nearly empty.
cat >calls.c <<'END'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++) {
		syscall(SYS_getppid);
		usleep(atoi(argv[2]));
	}
	return 0;
}
END
sed '/usleep/d' calls.c >fast.c
late() {	# in the order of the file
	"$STROBE" script -D -i x.data 2>/dev/null | awk '
		/PERF_RECORD_(FINISHED_ROUND|SAMPLE)/ { printf "%16s %s %s\n", substr($3, 3), $2, $5 }' |
		LC_ALL=C sort | awk '
		$3 ~ /ROUND/ { rounds++; if (before > due) due = before; before = newest; next }
		{ n++; late += $2 + 0 < due; if ($2 > newest) newest = $2 }
		END { print late + 0, "late of", n + 0, "in", rounds + 0, "rounds"; exit late || !n || !rounds }'
}
must "$STROBE" record -q -N -e cpu-clock/freq=500,overwrite/u -e page-faults/period=10/u -o x.data \
	sh -c 'for i in 1 2 3; do sh -c "i=0; while [ \$i -lt 60000 ]; do i=\$((i + 1)); done"; sleep 0.6; done'
marks() { "$STROBE" script -D -i x.data 2>/dev/null | grep -c PERF_RECORD_FINISHED_ROUND; }
check "overwrite: no mark ends a round before its ring was read" test "$(marks)" = 1

if [ -z "$points" ] || [ ! -d /sys/kernel/tracing/events/raw_syscalls ] || ! taskset -c 1 true 2>/dev/null; then
	skip_part "rounds: not two CPUs with system calls to record here"
else
	cc -o slow calls.c && cc -o fast fast.c || exit 1
	must "$STROBE" record -q -N -a -m 256K -e raw_syscalls:sys_enter --mmap-flush 64K -o x.data \
		sh -c 'taskset -c 0 ./slow 5000 1000 & taskset -c 1 ./fast 40000 0; kill $!'
	check "--mmap-flush: a mark ends a round only when all rings were read: $(late)" late
fi

if [ -n "$points" ]; then
	# Who is recorded: the recorder, given by its process id, and others. The kernel's filter
	# knows only thread ids; inside a namespace not even those.
	whose() {
		"$STROBE" script -F pid,event -i x.data |
			awk -v us=$recorder -v "event=$1" \
			'$2 ~ event { ours += $1 == us; n++ }
			END { print (ours ? "ours" : "not ours"), (n > ours ? "others" : "none") }'
	}
	for options in "" --exclude-perf "--exclude-perf --aio" "--exclude-perf --threads" "--exclude-perf -z"; do
		rm -rf x.data*
		"$STROBE" record -q -N -e 'sched:sched_switch' $options -a -m 16 -o x.data ./spin 0.3 2>/dev/null &
		recorder=$!
		wait $recorder
		case $options in
		"") check "without --exclude-perf strobe itself is recorded" test "$(whose switch)" = "ours others" ;;
		*)  check "$options: nothing that we do, in no thread" test "$(whose switch)" = "not ours others" ;;
		esac
	done
	rm -rf x.data*
	"$STROBE" record -q -N -e sched:sched_waking -e sched:sched_switch \
		--exclude-perf -a --aio -m 16 -o x.data ./spin 0.3 2>/dev/null &
	recorder=$!
	wait $recorder
	check "--exclude-perf: the events before it, and no others" \
		test "$(whose switch) $(whose waking)" = "not ours others ours others"
	if unshare -fp --mount-proc true 2>/dev/null; then
		unshare -fp --mount-proc "$STROBE" record -q -N -e sched:sched_switch \
			--exclude-perf -a -m 16 -o x.data ./spin 0.3 2>/dev/null
		recorder=1	# pid inside the namespace
		check "--exclude-perf in a namespace of processes" test "$(whose switch)" = "not ours others"
	else skip_part "--exclude-perf in a namespace: none can be made"; fi
fi

# --- kernel memory in the recording's directory
if [ -n "$root" ] && [ -r /proc/kcore ]; then
	run "$STROBE" record -q -N -e cpu-clock -a --kcore -o k sleep 0.2
	check "--kcore: a directory with the copies" \
		test $rc = 0 -a -s k/data -a -s k/kcore_dir/kcore -a -s k/kcore_dir/kallsyms \
		-a -e k/kcore_dir/modules
	check "--kcore: for us alone" \
		test "$(stat -c %a k k/kcore_dir k/kcore_dir/kcore | tr '\n' ' ')" = "700 700 600 "
	check "--kcore: we read it" at_least "$(samples k)" 10
	for reader in $readers; do check "--kcore: ${reader##*/} reads it" quietly $reader report --stdio -i k; done
	run "$STROBE" record -q -N -e cpu-clock --kcore -o k true
	check "--kcore: an earlier one is kept" test $rc = 0 -a -d k.old/kcore_dir
else
	run "$STROBE" record -e cpu-clock:u --kcore -o k touch ran
	check "--kcore where it cannot be: why, before anything runs" \
		sh -c "test $rc = 255 -a ! -e k -a ! -e ran && grep -q 'why:' err && grep -q 'try:' err"
fi
mkdir -p d/kcore_dir && echo old >d/data && echo x >d/kcore_dir/kcore
run "$STROBE" record -q -N -e cpu-clock:u --threads -o d true
check "a directory with such copies is a recording like any other" test $rc = 0 -a "$(cat d.old/kcore_dir/kcore)" = x
mkdir e; mkdir e/kcore_dir && echo >e/data && echo precious >e/kcore_dir/mine
run "$STROBE" record -q -N -e cpu-clock:u --threads -o e true
check "one with other things in it is not" test $rc = 255 -a "$(cat e/kcore_dir/mine)" = precious
run "$STROBE" record -q -N -e cpu-clock:u --kcore -o - true
check "--kcore into a pipe is refused" sh -c "test $rc = 234 -a ! -s out"
finish
