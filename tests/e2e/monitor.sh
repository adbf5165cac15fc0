#!/bin/bash
# monitor: programs that cause exactly what each monitor looks for, a known number of times; live rings,
# a recording and a pipe give the same answers.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_switch

# watch NAME OPTIONS...: starts a monitor and waits until its events are open; `enough` ends it
watch() {
	"$STROBE" monitor "$@" -v >watched 2>said &
	watcher=$!
	later_kill $watcher
	for _ in $(seq 500); do grep -q '^watching$' said && return; sleep 0.02; done
	say "FAILED: it does not begin to watch"; cat said; exit 1
}
enough() {
	sleep 0.3
	kill -INT $watcher
	wait $watcher
}

# --- signal: seven signals to one program
watch signal --filter 'marked-slee*'
cp "$(type -P sleep)" marked-sleep
./marked-sleep 30 &
target=$!
for _ in $(seq 100); do grep -q marked-sleep "/proc/$target/comm" && break; sleep 0.02; done
kill -STOP $target
for _ in $(seq 100); do grep -q '^State:.T' "/proc/$target/status" && break; sleep 0.02; done
for _ in 1 2 3 4 5; do kill -USR1 $target; done
kill -CONT $target
wait $target 2>/dev/null
enough
signals() { sed -n 's/.*sig=\([0-9]*\) .*res=\([0-9]\)$/\1:\2/p' "$1" | sort | uniq -c | tr -s ' \n' ' '; }
check "STOP, five USR1 of which four were pending, CONT: $(signals watched)" \
	test "$(signals watched)" = " 1 10:0 4 10:2 1 18:1 1 19:0 "
check "lines tell the time of day" grep -q "^$(date +%Y-%m-)" watched
check "the sender's name stands in front" grep -q '^[^=]* bash  *[0-9]* \[' watched

# --- trace: twenty programs
watch trace -e sched:sched_process_exec --filter 'filename ~ "*marked-true"'
cp "$(type -P true)" marked-true
for _ in $(seq 20); do ./marked-true; done
enough
check "twenty programs start: $(wc -l <watched)" test "$(wc -l <watched)" = 20
check "their file is named" test "$(grep -c 'filename=./marked-true' watched)" = 20

# --- a recording and a pipe say the same
must "$STROBE" record -q -N -c 1 -a -e sched:sched_process_exec -o exec.data -- sh -c './marked-true; ./marked-true'
"$STROBE" monitor trace -e sched:sched_process_exec --input exec.data >file
check "a recording: two" test "$(grep -c 'filename=./marked-true' file)" = 2
"$STROBE" inject -i exec.data -o - 2>/dev/null | "$STROBE" monitor trace -e sched:sched_process_exec --input - >pipe
check "a pipe says the same" cmp file pipe

run "$STROBE" monitor
check "without a name: 129, and the names" sh -c '[ '$rc' = 129 ] && grep -q "try: signal, trace" err'
run "$STROBE" monitor trace
check "trace needs an event" sh -c '[ '$rc' = 129 ] && grep -q "try: -e" err'
run "$STROBE" monitor trace -e nosuch:event
check "an unknown tracepoint is an error" test $rc != 0
finish
