#!/bin/bash
# record --threads: several readers, each with a file in a directory that every reader of perf.data accepts.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
event=cpu-clock:u
cpus=$(getconf _NPROCESSORS_ONLN)
all() { "$STROBE" script -F time,event -i "$1" 2>/dev/null | grep -c .; }

run "$STROBE" record -N -e $event -F 1000 --threads -o d ./spin 0.5
check "recorded: $(head -1 err)" test $rc = 0
check "a directory of our own" test "$(stat -c %a d 2>/dev/null)" = 700
check "a file per CPU" test "$(ls d | sort -V | tr '\n' ' ')" = "data $(seq -f 'data.%g' -s ' ' 0 $((cpus - 1))) "
check "mode 0600, no header in the parts" \
	sh -c '[ "$(stat -c %a d/data.0)" = 600 ] && ! head -c 8 d/data.0 | grep -q PERFILE2'
check "the header says so" sh -c '"$STROBE" report --header-only -i d | grep -q "^# directory data version : 1"'
n=$(samples d)
check "$n samples of half a second" at_least "$n" 20
check "samples are in the parts" at_least "$(cat d/data.* | wc -c)" 1000
check "reported at the end" sh -c "grep -q 'Captured and wrote [0-9.]* MB d ($n samples)' err"
check "samples are in the order of time" sh -c '"$STROBE" script -F time -i d | sort -nc'
for reader in $readers; do
	check "${reader##*/} reads the directory" quietly $reader report --stdio -g none -i d
	check "${reader##*/} counts as we do" \
		test "$(perf report --stats -i d 2>/dev/null | awk '/SAMPLE events:/ && !/LOST/ { print $3; exit }')" \
		= "$n"
done

# --- an existing directory
touch d/mark; run "$STROBE" record -q -N -e $event --threads -o d true
check "a directory with other things is left alone" test $rc = 255 -a -e d/mark -a "$(samples d)" = "$n"
rm d/mark; run "$STROBE" record -q -N -e $event --threads -o d true
check "a recording is kept as .old" test $rc = 0 -a "$(samples d.old)" = "$n"
run "$STROBE" record -q -N -e $event --threads -o d true
check "the older directory is replaced" test $rc = 0 -a "$(samples d.old)" != "$n"
run "$STROBE" record -q -N -e $event -o f true
run "$STROBE" record -q -N -e $event --threads -o f true
check "a file is kept, too" test $rc = 0 -a -d f -a -f f.old
run "$STROBE" record -q -N -e $event --threads -o f true
run "$STROBE" record -q -N -e $event -o f true
check "a directory makes way for a file, and an older directory goes" test $rc = 0 -a -f f -a -d f.old
run "$STROBE" record -q -N -e $event --threads -o f true
touch d.old/mark; mv d.old f.old.kept; mv f f.dir; cp -r f.old.kept f; run "$STROBE" record -q -N -e $event -o f true
check "a directory with other things makes way for no file" test $rc = 255 -a -e f/mark
rm -rf f f.old; cp -r f.dir f; cp -r f.old.kept f.old; run "$STROBE" record -q -N -e $event -o f true
check "a directory that is no recording is not removed" test $rc = 255 -a -e f.old/mark -a -d f
run "$STROBE" record -q -N -e $event --threads -o s/ true
run "$STROBE" record -q -N -e $event --threads -o s/ true
check "a slash at the end of the name" test $rc = 0 -a -e s.old/data
run "$STROBE" record -q -N -e $event --threads -o g ./no-such-program
check "no program: 127, no directory" test $rc = 127 -a ! -e g

# --- layouts of threads
for spec in cpu core package numa 0/0; do
	run "$STROBE" record -q -N -e $event -F 1000 --threads=$spec -o s ./spin 0.1
	check "--threads=$spec: $(head -1 err)" test $rc = 0
	check "--threads=$spec: the recording has samples" at_least "$(samples s)" 3
done
check "--threads=0/0 writes one part" test "$(ls s | tr '\n' ' ')" = "data data.0 "
for bad in some 0 0/x 0/0:0/0 999/0; do
	echo precious >bad.data
	run "$STROBE" record -q -N -e $event --threads=$bad -o bad.data touch ran
	check "--threads=$bad is refused: $rc" test $rc = 129 -a -s err
	check "--threads=$bad: before anything is touched or run" \
		test "$(cat bad.data)" = precious -a ! -e bad.data.old -a ! -e ran
done
for other in --affinity=cpu --max-size=1M --overwrite --per-thread "-o -"; do
	run "$STROBE" record -q -N -e $event --threads $other true
	check "--threads with $other is refused" sh -c "test $rc = 234 && grep -q 'does not go with' err"
done

run "$STROBE" record -q -N -e $event --threads --timestamp-filename -o t true
check "--timestamp-filename: $(head -1 err)" test $rc = 0 -a ! -e t -a -f "$(echo t.[0-9]*)/data"

# --- with compression, of the whole system, ended by a signal
run "$STROBE" record -N -e $event -F 1000 -z --threads -o z ./spin 0.5
check "compressed: $(head -1 err)" test $rc = 0
check "--threads -z: the recording has samples" at_least "$(samples z)" 20
for reader in $readers; do check "compressed: ${reader##*/} reads it" quietly $reader report --stdio -g none -i z; done
if [ "$(id -u)" = 0 ]; then
	"$STROBE" record -q -N -a -e cpu-clock -F 1000 --threads -o a sleep 100 2>/dev/null & recorder=$!
	later_kill $recorder
	until_true sh -c "test \$(ls /proc/$recorder/task | wc -l) = $((cpus + 1))"
	check "the readers are threads" test "$(ls /proc/$recorder/task | wc -l)" = $((cpus + 1))
	check "data is written while it records" until_true sh -c 'test $(cat a/data.* | wc -c) -ge 1000'
	sleep 0.5
	kill -INT $recorder; wait $recorder 2>/dev/null
	check "^C: the features are there" sh -c '"$STROBE" report --header-only -i a | grep -q "^# cmdline"'
	check "^C: samples of all CPUs" \
		test "$("$STROBE" script -F cpu -i a 2>/dev/null | sort -u | grep -c .)" = "$cpus"
fi
finish
