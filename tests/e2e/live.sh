#!/bin/bash
# Reading a recording while it arrives gives the same answer as reading it afterwards.
. "$(dirname "$0")/lib.sh"
feed=$STROBE_BUILD/tests/live-feed

row_options=("" -g "-s comm,pid,sym" "-t -g" "-t -s pid,cpu,sym" -f "-f -g" "-f -t -s comm,pid,sym" "-f -g -s pid,dso")
# With sanitizers each reading takes some ten times as long: two of them are enough.
[ -z "${STROBE_SANITIZED:-}" ] || row_options=("-t -g" "-f -t -s comm,pid,sym")

# same_rows FILE: rows from the file equal those when it is fed round by round in pieces of odd
# sizes; with -t, release what is unused after each round.
same_rows() {
	local options
	for options in "${row_options[@]}"; do
		"$feed" $options file "$1" >whole && "$feed" $options live "$1" >fed
		check "rows of ${1##*/} $options" sh -c '[ -s whole ] && diff whole fed'
	done
}
# same_wide FILE EVENT: several events in one table, a tree, and windows that this event begins or ends.
same_wide() {
	local options
	for options in "-G" "-G -g" "-H -s comm,dso,sym" "-G -H -f -s comm,sym" "-w $2" "-W $2 -t" \
		"-w $2 -W $2 -f -g"; do
		"$feed" $options file "$1" >whole && "$feed" $options live "$1" >fed
		check "rows of ${1##*/} $options" sh -c '[ -s whole ] && diff whole fed'
	done
}
# same_text FILE: script prints the same for the file and for a pipe.
same_text() {
	local options
	for options in "" "--show-task-events --show-mmap-events" --json --csv --reltime --deltatime -I; do
		"$STROBE" script -i "$1" $options >whole 2>whole.err
		cat "$1" | "$STROBE" script $options >piped 2>piped.err
		check "script $options of ${1##*/}" sh -c '[ -s whole ] && diff whole piped && diff whole.err piped.err'
	done
}
# Each line with the second in which it came.
stamp() { while read -r line; do printf '%s %s\n' "$(date +%s)" "$line"; done; }
for f in pipe pipe-z perf-pipe pipe-tracepoint; do
	same_rows "$STROBE_SOURCE/tests/golden/$f.data"
	same_text "$STROBE_SOURCE/tests/golden/$f.data"
done

# The file form has its events at its end, so it is read as a whole.
"$STROBE" script -i "$STROBE_SOURCE/tests/golden/fp.data" >whole
cat "$STROBE_SOURCE/tests/golden/fp.data" | "$STROBE" script >piped
check "a file through a pipe" sh -c '[ -s whole ] && diff whole piped'
: | "$STROBE" script >out 2>err
check "a pipe that brings nothing is empty" grep -q "is empty" err
head -c 2000 "$STROBE_SOURCE/tests/golden/pipe.data" >cut.pipe
cat cut.pipe | "$STROBE" script >out 2>err
check "a message about a cut pipe" grep -q "is cut short" err

# Fresh recordings, with processes that come and go.
forks='i=0; while [ $i -lt 60 ]; do /bin/true; ls / >/dev/null; i=$((i + 1)); done'
if can system; then
	"$STROBE" record -q -g -F 1999 -o - -- sh -c "$forks" >fresh.pipe
	"$STROBE" record -q -z -g -F 1999 -o - -- sh -c "$forks" >packed.pipe
	same_rows fresh.pipe
	same_text fresh.pipe
	same_rows packed.pipe
	"$STROBE" record -q -g -e cpu-clock/freq=1999/ -e sched:sched_process_fork \
		-e '{task-clock/freq=499/,minor-faults}' -o - -- sh -c "$forks" >several.pipe
	same_rows several.pipe
	same_wide several.pipe sched:sched_process_fork
	for mode in dwarf,4096 live dwarf+fp; do
		"$STROBE" record -q --call-graph $mode -F 499 -o - -- sh -c "$forks" >stacks.pipe
		same_rows stacks.pipe
	done
	# The same from rings of this process: what is summed up while it is recorded is what its bytes say.
	sh -c "$forks" & later_kill $!
	for options in "-s comm,pid,sym" "-t -g"; do
		for _ in 1 2 3; do # a test beside this one may remove its program before the second reading
			"$feed" $options rings rings.pipe >fed && "$feed" ${options#-t} file rings.pipe >whole
			! cmp -s whole fed || break
		done
		check "rows of live rings $options" sh -c '[ -s whole ] && diff whole fed'
	done
	# Samples are printed while the recording runs: the first ones before the last ones are taken.
	"$STROBE" record -q -a -F 99 -o - -- sleep 3 | "$STROBE" script -F time | stamp >stamped
	check "script prints each round when it has ended" test "$(cut -d" " -f1 stamped | uniq | wc -l)" -ge 2
else
	skip_part "fresh recordings: this machine cannot: $why_not"
fi

# A busy machine for ever, in less time: samples of 2 CPUs at 999 Hz that seldom repeat, and 100 processes a second of
# new names, and the last 30 seconds kept. From the fifth line on, memory stays what it is.
kb() { sed -n "$1s/.*hours: \([0-9]*\) KB.*/\1/p" day; }
numbers() { sed -n "$1s/.*KB, \([0-9]*\) threads, \([0-9]*\) spaces.* \([0-9]*\) names.*/\1 \2 \3/p" day; }
if [ -z "${STROBE_SANITIZED:-}" ]; then
	"$STROBE_BUILD/tests/live-day" 0.05 >day
	cat day
	check "memory is below 200 MB" test "$(kb 8)" -lt 200000
	check "memory was never above 200 MB" test "$(sed -n 's/.*at most \([0-9]*\) KB/\1/p' day)" -lt 200000
	check "memory does not grow" test "$(kb 8)" -lt $(($(kb 5) * 5 / 4))
	check "threads, spaces and names do not grow" test "$(numbers 8)" = "$(numbers 5)"
else
	skip_part "a day of samples: with sanitizers it takes minutes"
fi
finish
