#!/bin/bash
# A recording killed at any moment after its first second, or ended by a full disk, opens here with
# the full text of its tracepoints, and in every other reader without an error. STROBE_KILLS=N: this
# many kills at random moments (default 6), each form in turn; STROBE_SEED=N: other moments.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need_root
need python3
may_record
[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "no tracepoints here"
kills=${STROBE_KILLS:-6}
RANDOM=${STROBE_SEED:-1}
forms="clock tracepoint group compressed pipe threads"

events() {
	case $1 in
	clock) say "-F 3000 -g -e cpu-clock" ;;
	tracepoint) say "-e sched:sched_switch -e sched:sched_wakeup" ;;
	group) say "-F 3000 -e {cpu-clock,sched:sched_switch}" ;;
	compressed) say "-z -F 3000 -g -e cpu-clock -e sched:sched_switch" ;;
	pipe) say "-F 3000 -e cpu-clock -e sched:sched_switch" ;;
	threads) say "--threads -F 3000 -g -e cpu-clock -e sched:sched_switch" ;;
	esac
}

# A program to record for a while: half of the time on the CPU, with many switches.
cat >busy.py <<'PY'
import os, sys, time
end = time.time() + float(sys.argv[1])
while time.time() < end:
	for _ in range(20000):
		pass
	time.sleep(0.0005)
PY
busy() {
	python3 busy.py "$1" &
	busy_pid=$!
	later_kill $busy_pid
}

# Samples and the lines with the fields of a sched_switch, from our own reader. The only message is
# that the recording did not end properly; with compression, also that a record continues in one
# that was not written.
ours() {
	rc=0
	"$STROBE" script -i "$1" >ours.out 2>ours.err || rc=$?
	if [ $rc -gt 1 ] || grep -v -e 'was not ended in order' -e 'is cut short: the COMPRESSED record' ours.err; then
		cat ours.err; return 1
	fi
	if grep -q 'unknown tracepoint' ours.out; then echo "tracepoints without their format"; return 1; fi
	at_least "$(wc -l <ours.out)" 1 || return 1
	[ "$2" = clock ] || grep -q 'prev_comm=.* ==> next_comm=' ours.out ||
		{ echo "no sched_switch with its fields"; return 1; }
}

# No error; no warning except about records out of order and about events that a busy machine lost; and there are
# samples.
spared='^$|^Warning:$|out of order events recorded|^Processed [0-9]* (events|samples) and lost |^Check IO/CPU overload'
theirs() {
	timeout 300 $1 script --no-inline -i "$2" >theirs.out 2>theirs.err </dev/null ||
		{ rc=$?; cat theirs.err; echo "exit status $rc"; return 1; }
	! grep -Ev "$spared" theirs.err || return 1
	at_least "$(wc -l <theirs.out)" 1
	timeout 300 $1 report --no-inline --stdio -i "$2" >theirs.out 2>theirs.err </dev/null ||
		{ rc=$?; cat theirs.err; echo "exit status $rc"; return 1; }
	! grep -Ev "$spared" theirs.err
}

opens() {
	check "$2: strobe reads it" ours "$1" "$3"
	for reader in $readers; do check "$2: ${reader##*/} reads it" theirs "$reader" "$1"; done
}

# A recorder of its own, killed this many ms after it began to write.
kill_one() {
	form=$1 ms=$2
	rm -rf k.pipe k.data fifo cat.done
	busy $((ms / 1000 + 3))
	if [ $form = pipe ]; then
		mkfifo fifo
		cat fifo >k.pipe &
		reader_pid=$!
		# shellcheck disable=SC2046
		"$STROBE" record -q -a -o - $(events $form) >fifo 2>rec.err &
	else
		# shellcheck disable=SC2046	# split the options into words
		"$STROBE" record -q -a -o k.data $(events $form) 2>rec.err &
	fi
	pid=$!
	later_kill $pid
	until_true eval '[ -s k.data ] || [ -s k.pipe ] || [ -s k.data/data ]'
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
	kill -9 $pid
	wait $pid 2>/dev/null
	[ $form != pipe ] || wait $reader_pid
	kill $busy_pid 2>/dev/null
	wait $busy_pid 2>/dev/null
}

done=0
while [ $done -lt "$kills" ]; do
	for form in $forms; do
		[ $done -lt "$kills" ] || break
		done=$((done + 1)) ms=$((2000 + RANDOM % 1500))
		kill_one $form $ms
		[ $form = pipe ] && file=k.pipe || file=k.data
		opens $file "$form, killed after $ms ms" $form
	done
done
say "$done kills"

# Full disks: room for some samples, and for the records of what runs already.
must "$STROBE" record -q -a -e cpu-clock -n -o before.data true
before=$(($(stat -c %s before.data) / 1024))
mkdir disk
trap 'umount -l "$tmp/disk" 2>/dev/null; cleanup' EXIT
[ "$kills" -gt 50 ] && sizes="550 600 1000 1400 2500" || sizes=600
for form in clock tracepoint group compressed threads; do
	for size in $sizes; do
		mount -t tmpfs -o size=$((before + size))k tmpfs disk 2>/dev/null ||
			{ skip_part "full disks: nothing can be mounted here"; break 2; }
		busy 60
		# shellcheck disable=SC2046
		timeout 55 "$STROBE" record -q -a -o disk/k.data $(events $form | sed 's/3000/20000/') 2>rec.err
		rc=$?
		kill $busy_pid 2>/dev/null
		wait $busy_pid 2>/dev/null
		check "$form, disk of $size KB: the end is reported" \
			sh -c "[ $rc != 0 ] && [ $rc != 124 ] && grep -q 'cannot write' rec.err"
		opens disk/k.data "$form, disk of $size KB" $form
		umount -l disk
	done
done
finish
