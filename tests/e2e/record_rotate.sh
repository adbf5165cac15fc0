#!/bin/bash
# record into several files, flight recorders, and size limits: the contents of each file, the
# names, which files stay.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
event=cpu-clock:u
files() { ls x.data.* 2>/dev/null; }
begin() { rm -f x.data*; run "$STROBE" record -e $event -o x.data "$@"; }
# start OPTIONS...: record ./spin 60 in the background as $recorder; return when it writes and spin has run for 50 ms
start() {
	rm -f x.data*
	"$STROBE" record -e $event -o x.data "$@" ./spin 60 >out 2>err </dev/null & recorder=$!
	later_kill $recorder
	until_true test -s x.data
	until_true eval 'spin=$(pgrep -P $recorder -x spin)'
	used "$spin" 50
}
stop() { kill -INT $recorder; wait $recorder; rc=$?; }
dumps() { grep -c '^\[ strobe record: Dump x\.data\.[0-9]\{16\} \]$' err; }
wait_dumps() { until_true eval "[ \$(dumps) -ge $1 ]"; }
# until spin has run for another 50 ms
spin_on() { "$while_working" "$spin" 0.05; }
resolved() { "$STROBE" report --stdio --no-children -F symbol -i "$1" 2>/dev/null | grep -v '^#' | grep -q leaf; }

# --- by time: each file is complete
begin --switch-output=1s ./spin 3.5	# to end a file and to begin another one takes some time, too
check "1s: three files or more" at_least "$(files | wc -l)" 3
check "1s: no file without a time" test ! -e x.data
for f in $(files); do
	check "1s: $f has a name by time" sh -c "echo $f | grep -qx 'x\.data\.20[0-9]\{14\}'"
	# The last one may begin when spin ends.
	[ "$f" = "$(files | tail -1)" ] && [ "$(samples "$f")" -lt 20 ] || check "1s: $f has names" resolved "$f"
done
reads_cleanly "$f" "1s: $f" script
check "1s: a message for each dump" test "$(dumps)" = "$(files | wc -l)"
check "1s: the message has perf's words" grep -q '^\[ strobe record: dump data: Woken up [0-9]* times \]$' err
check "1s: and the last" grep -q '^\[ strobe record: Captured and wrote .* MB x\.data\.<timestamp> ' err
for f in $(files); do check "1s: no build-ids in $f" no_build_ids "$f"; done
begin --switch-output=1s --switch-max-files=1 --no-no-buildid -z ./spin 1.3
check "one of two files stays" test "$(files | wc -l)" = 1
reads_cleanly "$(files)" "the second, compressed" script
check "the newer file stays" grep -q "Dump $(files) \]" <(tail -2 err)
check "build-ids when asked for" sh -c '"$STROBE" buildid-list -i x.data.* | grep -q "^[0-9a-f]\{40\} .*spin"'

# --- by size
# spin gets at least half a second of CPU time on a busy machine, which fills two files.
# A host may stop all CPUs for longer than the rings last: samples may be lost in two of three tries.
for _ in 1 2 3; do
	begin --switch-output=100K -F 8000 -g -m 64 ./spin 4
	grep -q lost err || break
done
check "--switch-output with a size writes several files" at_least "$(files | wc -l)" 2
first=$(files | head -1)
check "size: the first is full" test "$(stat -c %s "$first")" -ge 102400 -a "$(stat -c %s "$first")" -le 400000
check "size: no sample is reported lost" test -z "$(grep lost err)"
begin --switch-output=20K true
check "a size below half a ring is warned of" \
	grep -q 'WARNING: switch-output data size lower than wakeup kernel buffer size ([0-9]*K) expect bigger' err

# The thread that keeps the data while a file is made may end late. Nothing may be written before the file is there.
if strace -f -qq -o traced -e inject=clock_nanosleep:delay_exit=1000 true 2>/dev/null; then
	rm -f x.data*
	run strace -f -qq -o traced -e trace=clock_nanosleep -e inject=clock_nanosleep:delay_exit=300ms \
		"$STROBE" record -q -e $event -F 20000 -g -m 16 --switch-output=100K -o x.data ./spin 2
	check "size: a late thread does not disturb the next file" test $rc = 0
else
	skip_part "a late thread while a file is made: strace cannot delay calls here"
fi

# --- by signal
start --switch-output
kill -USR2 $recorder; wait_dumps 1; spin_on; kill -USR2 $recorder; wait_dumps 2; spin_on; stop
check "signal: three files, ended by ^C" test "$(files | wc -l)" = 3 -a $rc = 130
for f in $(files); do
	check "signal: $f has samples and names" test "$(samples "$f")" -gt 5
	check "signal: $f has names" resolved "$f"
done
start
kill -USR2 $recorder; sleep 0.1; stop
check "without --switch-output SIGUSR2 changes nothing" test $rc = 130 -a -s x.data -a -z "$(files)"

# --- flight recorder: the newest records, ordered by time
start --overwrite --switch-output -m 1 -F 5000 --sample-cpu
spin_on;  kill -USR2 $recorder; wait_dumps 1; stop
n=$(samples "$(files | head -1)")
# a page for each CPU that spin ran on; a sample has 48 bytes or more
ran_on=$("$STROBE" script -F cpu -i "$(files | head -1)" 2>/dev/null | sort -u | grep -c .)
check "overwrite: $ran_on pages of samples: $n" test "$n" -ge 20 -a "$n" -le $((ran_on * $(getconf PAGESIZE) / 48))
check "overwrite: asked for in the attr" \
	sh -c '"$STROBE" evlist -v -i $(ls x.data.* | head -1) | grep -q "write_backward: 1"'
check "overwrite: names, reported at the end" resolved "$(files | head -1)"
"$STROBE" script -F time -i "$(files | head -1)" 2>/dev/null >'times'
check "overwrite: in the order of time" sort -c -n times
reads_cleanly "$(files | head -1)" overwrite script
begin --overwrite -m 1 -F 5000 ./spin 0.3
check "overwrite: dumped at the end" at_least "$(samples x.data)" 20
begin --tail-synthesize -p $$ sleep 0.1
"$STROBE" script --show-mmap-events --show-task-events -i x.data >tail.txt 2>&1
check "tail-synthesize: records for running tasks exist" grep -q MMAP tail.txt
"$STROBE" report -D -i x.data 2>/dev/null | grep -o 'PERF_RECORD_[A-Z0-9_]*' >order
check "tail-synthesize: behind the rest" \
	sh -c 'tail -3 order | grep -q PERF_RECORD_FINISHED_INIT && ! head -3 order | grep -q MMAP2'

# --- other names, refusals
begin --timestamp-filename ./spin 0.1
check "timestamp-filename: one file, one dump" test "$(files | wc -l)" = 1 -a "$(dumps)" = 1
begin --threads --timestamp-filename ./spin 0.1
check "timestamp-filename: a directory of several threads as well" sh -c "test $rc = 0 && test -d x.data.2*"
rm -rf x.data*
run "$STROBE" record -e $event --switch-output=1s -o - true
check "a pipe does not switch, and a message says so" grep -q 'not available in pipe mode' err
# a device of our own: a mistake must not replace the machine's
if [ "$(id -u)" = 0 ] && mknod null c 1 3 2>/dev/null && : 2>/dev/null >null; then
	run "$STROBE" record -q -e $event --switch-output=1s -o null ./spin 0.1
	check "a device is not renamed" test -c null -a -z "$(ls null.2* 2>/dev/null)"
	rm -f null
else
	skip_part "devices are not renamed: cannot make one here"
fi
for bad in --switch-output=foo --switch-output=20k --switch-output=5 --switch-output=0s \
	--switch-output=99999999999999999999s; do
	begin $bad true
	check "$bad is refused as by perf" test $rc = 234 -a ! -e x.data
done
for bad in --max-size=20k --max-size=20 --max-size=x --max-size=0K --switch-max-files=x; do
	begin $bad true
	check "$bad is refused as by perf" test $rc = 129 -a ! -e x.data
done

# --- up to a size, exceeded by less than half a ring
for options in "" -z; do
	begin -B --max-size=100K -F 20000 $options --call-graph dwarf,1024 ./spin 10
	check "--max-size $options: the end is reported" \
		grep -q 'perf size limit reached ([0-9]* KB), stopping session' err
	check "max-size $options: $(stat -c %s x.data) bytes" \
		test "$(stat -c %s x.data)" -le 120000 -a "$(stat -c %s x.data)" -ge 70000
	check "--max-size $options: the recording has samples" at_least "$(samples x.data)" 20
done

# --- by an event
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/syscalls/sys_enter_getsid/id ]; then
	cat >twice.c <<'END'
#include <unistd.h>
#include <glob.h>
/* After each event, wait until record has ended a file. */
int main(void)
{
	for (unsigned n = 1; n < 3; n++) {
		glob_t files = { 0 };

		usleep(100000);
		getsid(0);
		for (int i = 0; i < 600 && (glob("x.data.2*", 0, NULL, &files) || files.gl_pathc < n); i++)
			usleep(100000);
	}
	usleep(100000);
	return 0;
}
END
	cc -o twice twice.c || exit 1
	begin --switch-output-event syscalls:sys_enter_getsid ./twice
	check "an event: three files" test "$(files | wc -l)" = 3
	check "an event: it is not recorded" test "$("$STROBE" evlist -i "$(files | head -1)" | grep -c getsid)" = 0
else
	skip_part "--switch-output-event: not root, or no syscall tracepoints"
fi
finish
