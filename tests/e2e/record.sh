#!/bin/bash
# record: the file, the messages, the exit; every available perf reads each file.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
record() { run "$STROBE" record "$@"; }

# --- an ordinary recording
record -e cpu-clock:u ./spin 0.3
check "recording a program succeeds" test $rc = 0
check "the first closing line says how often it woke up" \
	grep -q '^\[ strobe record: Woken up [0-9]* times to write data \]$' err
check "the last line tells size and samples" \
	grep -Eq '^\[ strobe record: Captured and wrote [0-9]+\.[0-9]{3} MB perf\.data \([0-9]+ samples\) \]$' err
check "record prints nothing to standard output" test ! -s out
n=$(samples perf.data)
check "the recording has 20 samples or more" at_least "$n" 20
check "the closing line counts them" grep -q "($n samples)" err
check "only its owner may read and write the recording" test "$(stat -c %a perf.data)" = 600
reads_cleanly perf.data "spin"
check "report shows leaf first" sh -c '"$STROBE" report --stdio 2>/dev/null | grep -v "^#" | grep -m1 . | grep -q leaf'
cp perf.data first
record -q -e cpu-clock:u ./spin 0.05
check "-q: not a word" test ! -s err
check "the earlier recording is kept" cmp -s first perf.data.old
ln -s "$STROBE" perf && run ./perf record -N -e cpu-clock:u -o p.data true
check "called as perf it says so" grep -q '^\[ perf record: Captured and wrote' err
# Scripts and viewers read the number that the version in the header begins with.
for data in p.data first; do
	"$STROBE" report --header-only -i $data | grep '^# perf version' >version
	check "$data: the version in the header is a number" \
		grep -qE '^# perf version : [7-9]\.[0-9]+\.[0-9]+ \(strobe [0-9.]+\)$' version
done

# --- the command
record -q -e cpu-clock:u -o s.data sh -c 'exit 7'
check "record ends with the status of the command" test $rc = 7
record -q -e cpu-clock:u -o s.data sh -c 'kill -KILL $$'
check "record tells the signal that ended the command" test $rc = 137
echo precious >keep.data
record -o keep.data -e cpu-clock:u ./no-such-program
check "no such program: 127" test $rc = 127
check "the message names the program that cannot run" grep -q "cannot run './no-such-program'" err
touch plain && record -o keep.data -e cpu-clock:u ./plain
check "a file that is not executable: status 126" test $rc = 126
check "it says how to make it executable" grep -q 'try: chmod +x' err
check "the file is as it was" grep -q precious keep.data
check "no older recording was made" test ! -e keep.data.old
record -q -e cpu-clock:u -o s.data sh -c 'ls /proc/self/fd | wc -l'
# shellcheck disable=SC2217	# not read: an open descriptor for the command
check "the command has no descriptors of ours" \
	test "$(cat out)" = "$(ls /proc/self/fd </dev/null | wc -l)"
record -o . -e cpu-clock:u true
check "a directory is refused" test $rc = 255
echo there >elsewhere; ln -s elsewhere link.data
record -q -N -o link.data -e cpu-clock:u true
check "a link is replaced, not followed" sh -c 'test ! -L link.data && grep -q there elsewhere'

# --- forms
record -q -e cpu-clock:u -o - ./spin 0.2
check "-o - writes a recording to standard output" sh -c 'head -c 8 out | grep -q PERFILE2'
cp out stream.data
check "that stream has 50 samples or more" at_least "$(samples stream.data)" 50
for reader in $readers; do check "${reader##*/} reads the stream" quietly $reader script -i stream.data; done
record -q -e cpu-clock:u -o - sh -c 'echo words'
check "the command's words go to stderr" grep -qx words err
"$STROBE" record -q -e cpu-clock:u -o - ./spin 0.2 2>/dev/null | cat >piped.data
check "what cat passes on has 50 samples or more" at_least "$(samples piped.data)" 50
"$STROBE" record -q -e cpu-clock:u ./spin 0.1 2>/dev/null | cat >piped.out
check "stdout being a pipe alone makes no stream" test ! -s piped.out
"$STROBE" record -q -e cpu-clock:u -o - ./spin 5 2>pipe.err | head -c 10000 >/dev/null
check "a reader that goes away ends it without a message" test ! -s pipe.err
record -z -e cpu-clock:u -F 5000 -o z.data ./spin 0.4
check "-z shows the ratio" \
	grep -Eq 'z\.data, compressed \(original [0-9.]+ MB, ratio is [0-9.]+\) \([0-9]+ samples\) \]$' err
check "-z keeps all samples" test "$(samples z.data)" = "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' err)"
reads_cleanly z.data "-z" script "inject -b -o injected.data"
record -q -N -o /dev/null -e cpu-clock:u true
check "record writes to /dev/null" test $rc = 0
record -N -e cpu-clock:u -o x.data true >&- 2>&-
check "closed stdout and stderr" test $rc = 0

# --- options
record -q -N -e cpu-clock:u -g dwarf -o g.data ./spin 0.05
check "the old form of -g" sh -c '"$STROBE" evlist -v -i g.data | grep -q STACK_USER'
record -N -e cpu-clock:u -ag dwarf -F 99 -o g.data true
check "record says how it takes '-g dwarf'" grep -q "taking '-g dwarf' as --call-graph dwarf" err
record -q -e cpu-clock:u -o g.data -g -- fp true
check "behind -- it is a program" test $rc = 127
record -e cpu-clock:u -D 100 -o d.data ./spin 0.3
check "-D says what happens" sh -c 'grep -qx "Events disabled" err && grep -qx "Events enabled" err'
record -q -e cpu-clock:u -D -1 -o d.data ./spin 0.1
check "-D -1: no samples" test "$(samples d.data)" = 0
record -q -e cpu-clock:u -D -1 -F max -o d.data true # started, it would flood a virtual machine with interrupts
check "-F max takes the highest rate" \
	sh -c '"$STROBE" evlist -v -i d.data |
	grep -q "sample_freq }: $(cat /proc/sys/kernel/perf_event_max_sample_rate)"'
record -e cpu-clock:u -m 3 -o d.data true
check "sizes are rounded aloud" grep -q 'rounding mmap pages size to .*K (4 pages)' err
record --max-size 100K -N -e cpu-clock:u -F 20000 -g -o m.data ./spin 20
check "--max-size ends the recording" grep -q 'perf size limit reached (.* KB), stopping session' err
record --dry-run -o never.data -e cpu-clock:u true
check "--dry-run writes no file" test ! -e never.data -a $rc = 0
for bad in "-F -5" "-F x" "-m -1" "-m 18446744073709551615" "-C 0-" "-C 9999" "-c -1" "-z99" "-D x" \
	"-k x" "--call-graph x" "-j x" "--synth x" \
	"-p 4194303" "-F 0" "-F 5 -c 5"; do
	record -N -e cpu-clock:u $bad -o bad.data true
	check "$bad is refused" test $rc != 0 -a -s err -a ! -e bad.data
done
check "-F and -c together: perf's status" test $rc = 234

for options in "-c 100000" "-g" "--call-graph dwarf,1024" "-d" "-T -P -R -s -W --sample-cpu" "-i" "-n" \
	"--per-thread" "-k mono" \
	"--switch-events" "--sample-identifier" "--buildid-mmap" "--buildid-all" "--synth no" \
	"--no-buffering" "--data-page-size --code-page-size" \
	"-e page-faults" "-e {cpu-clock:u,page-faults:u}:S" "-e page-faults/period=3/ -g" "-I" "-B" \
	"-D 10" "--user-callchains -g"; do
	record -q -N -e cpu-clock:u $options -o o.data ./spin 0.02
	check "record $options succeeds" test $rc = 0
	reads_cleanly o.data "$options" script
done

# --- standard output is a pipe
rm -f perf.data; run sh -c '"$STROBE" record -N -e cpu-clock:u echo words | cat'
check "record CMD | cat: a hint at -o -, once" \
	sh -c 'grep -qx words out && [ "$(grep -c "hint: .*perf.data.*-o -" err)" = 1 ]'
run sh -c '"$STROBE" record -N -e cpu-clock:u -o o.data true | cat'
check "no hint with -o" sh -c '! grep -q "hint" err'
run sh -c '"$STROBE" record -q -N -e cpu-clock:u true | cat'
check "-q silences the message" test ! -s err
run "$STROBE" record -N -e cpu-clock:u true
check "none without a pipe" sh -c '! grep -q "hint" err'

# --- other targets
./spin 3 & later_kill $!
record -q -N -e cpu-clock:u -p $! -o a.data "$while_working" $! 0.2
check "-p with a command as clock" at_least "$(samples a.data)" 50
mkfifo go
sh -c 'read -r word <go; exec ./spin 0.3' & target=$!
(
	counting \
		"$(sh -c 'for i in $(seq 500); do pgrep -P "$1" -x "$2" && break; sleep 0.02; done' \
		sh $$ "$(basename "$STROBE")")"
	echo >go
) &
later_kill $!
record -q -N -e cpu-clock:u -p $target -o a.data
check "-p ends with its process" test $rc = 0 -a "$(samples a.data)" -gt 10

# --- build-ids
record -q -e cpu-clock:u -o b.data ./spin 0.2
check "the object that was hit is listed" \
	sh -c '"$STROBE" buildid-list -i b.data | grep -q "^[0-9a-f]\{40\} .*/spin$"'
check "the build-id cache has a copy of the object" sh -c 'ls .debug/.build-id/*/*/elf >/dev/null'
rm -rf .debug
record -q -N -e cpu-clock:u -o b.data ./spin 0.1
check "-N caches no file" test ! -e .debug

# --- as root
if [ "$(id -u)" = 0 ] && [ -d /sys/kernel/tracing/events/sched ]; then
	record -q -N -a -m 4M -e sched:sched_switch,cpu-clock -g -o t.data ./spin 0.3
	check "the whole system, with a tracepoint" at_least "$(samples t.data)" 50
	reads_cleanly t.data "-a with a tracepoint"
	record -q -N -e sched:sched_switch --filter 'prev_pid != 0' -a -o t.data sleep 0.1
	check "record --filter succeeds" test $rc = 0
	record -q -N -e sched:sched_switch --exclude-perf -a -o t.data sleep 0.1
	check "record --exclude-perf succeeds" test $rc = 0
	record -q -N -C 0 -m 4M -e cpu-clock -o t.data ./spin 0.1
	last=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]//p' /proc/self/status)
	if [ "$last" != 0 ] && command -v taskset >/dev/null; then
		record -q -N -C 0 -e cpu-clock -o other.data taskset -c "$last" ./spin 0.1
		check "-C 0: what tasks map on other CPUs is there, as with perf 7" \
			sh -c '"$STROBE" script --show-mmap-events --show-task-events -i other.data |
			grep -q "spin .*PERF_RECORD_MMAP2.*/spin$"'
		check "-C 0: samples are of that CPU alone" \
			test "$("$STROBE" script -F cpu -i other.data | sort -u | tr -d ' \n')" = '[000]'
	fi
	reads_cleanly t.data "-C 0" script
	record -q -N -a -m 4M --all-cgroups --namespaces -d -e cpu-clock -o t.data sleep 0.1
	reads_cleanly t.data "-a --all-cgroups --namespaces -d" script "report --header-only"
else
	skip_part "the whole system and tracepoints: not root, or no tracefs"
fi

# --- branches without hardware support: the error is about the event that was asked for, not about
# its replacement
if ! ls -d /sys/bus/event_source/devices/cpu* >/dev/null 2>&1; then
	run "$STROBE" record -o b.data -b -- true
	check "record -b without a PMU fails" test "$rc" = 255
	check "the error names the event that was asked for" \
		grep -q "cannot open event 'cycles:P': branch records are not supported here" err
	check "the error says what to try" grep -q '^  try: without -b' err
	run "$STROBE" record -o b.data -b -e cycles:u -- true
	check "the error has the event as the user typed it" grep -q "cannot open event 'cycles:u'" err
else
	skip_part "a PMU is here: record -b is not refused for want of one"
fi

finish
