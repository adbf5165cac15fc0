#!/bin/bash
# record --waits --target-only: the kernel picks the switches and wakeups of the target. Its report is that of a whole
# recording; who wakes from outside, threads created later and children are in it.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need python3 taskset
cat >target.py <<'EOF2'
import os, sys, threading, time
def call_me(name):
    open("/proc/thread-self/comm", "w").write(name)
def reader():
    call_me("reader")
    with open("fifo", "rb", 0) as f:
        for _ in range(20):
            f.read(1)
def later():
    call_me("later")
    time.sleep(0.1)
def parent():
    call_me("parent")
    time.sleep(0.05)
    t = threading.Thread(target=later)
    t.start()
    t.join()
    child = os.fork()
    if child == 0:
        call_me("child")
        time.sleep(0.1)
        os._exit(0)
    os.waitpid(child, 0)
threads = [threading.Thread(target=f) for f in (reader, parent)]
for t in threads:
    t.start()
for t in threads:
    t.join()
EOF2
cat >outside.py <<'EOF2'
import time
open("/proc/self/comm", "w").write("outside")
with open("fifo", "wb", 0) as f:
    for _ in range(20):
        time.sleep(0.01)
        f.write(b"x")
EOF2
cat >ask.py <<'EOF2'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
threads = {o["thread"]["comm"]: o for o in lines if "thread" in o}
rows = [o for o in lines if "victim" in o]
def waited(victim, kind, waker=None):
    return sum(o["ns"] for o in rows
               if o["victim"] == victim and o["kind"] == kind and waker in (None, o["waker"])) / 1e6
if not eval(sys.argv[2]):
    print(sorted(threads), [(o["victim"], o["kind"], o["waker"], o["ns"]) for o in rows])
    sys.exit(1)
EOF2
holds() { check "$1" python3 ask.py "$2" "$3"; }
mkfifo fifo
recorded() {	# FILE option...: a program outside of the target ends the reader's waits; others switch all the time
	local file=$1
	shift
	for _ in 1 2 3 4 5; do	# until nothing was lost: much happens on a busy machine
		python3 outside.py & local writer=$!
		python3 -c 'import time
while True: time.sleep(0.0005)' & local busy=$!
		run "$STROBE" record --waits --stack-rate=0 -m 4M -o $file "$@"
		wait $writer
		kill $busy
		wait $busy 2>/dev/null
		grep -q 'were lost' err || return
	done
}
switches() { "$STROBE" script -F event -i "$1" 2>/dev/null | grep -c sched_switch; }

recorded all.data taskset -c $one_cpu python3 target.py
recorded few.data --target-only taskset -c $one_cpu python3 target.py
if ! grep -q 'picked by BPF' err; then
	check "without BPF all threads are recorded, and a message says why" \
		grep -q 'cannot pick.*records those of all' err
	finish
	exit
fi
for file in all few; do
	"$STROBE" waits -j -E 0 -i $file.data >$file
	holds "$file: who wakes from outside is the waker" $file \
		'waited("reader", "pipe", "outside") >= max(60, 0.95 * waited("reader", "pipe"))'
	holds "$file: a thread that was created later" $file '90 <= waited("later", "timer", "[interrupt]")'
	holds "$file: who joins it waits for it" $file \
		'0.8 * waited("later", "timer") <= waited("parent", "lock", "later")'
	holds "$file: a child, and who waits for it" $file \
		'waited("child", "timer", "[interrupt]") >= 90 and waited("parent", "child", "child") >= 80'
	holds "$file: each thread's times add up" $file \
		'all(o["wall"] == o["running"] + o["runnable"] + sum(o["blocked"].values()) for o in threads.values())'
	holds "$file: nothing was missed" $file \
		'not any(o["waker"] == "[wakeup not seen]" and o["ns"] > 1e6 for o in rows)'
done
check "both recordings have the same threads" test "$(python3 -c 'import json, sys
print(*[sorted(o["thread"]["comm"] for o in map(json.loads, open(f)) if "thread" in o) for f in ("all", "few")],
      sep="\n")' | sort -u | wc -l)" = 1
all=$(switches all.data) few=$(switches few.data)
check "switches between others are not in it: $all and $few" test $((2 * few)) -lt $all
# The process goes on when it is watched: the command lets it, and ends with it.
process() { rm -f go; sh -c 'until [ -e go ]; do sleep 0.1; done; sleep 0.1' & process=$!; }
with_it_words() { echo ": >go; while [ -e /proc/$process ]; do sleep 0.05; done"; }
process
run "$STROBE" record --waits --target-only -o p.data -p $process sh -c "$(with_it_words)"
check "a process: it and what it starts" test "$("$STROBE" waits -j -E 0 -i p.data |
	sed -n 's/.*"thread":{[^}]*"comm":"\([a-z]*\)".*/\1/p' | sort -u | tr '\n' ' ')" = "sh sleep "
process
"$STROBE" waits -j -E 0 --target-only -p $process sh -c "$(with_it_words)" >live 2>err
check "-p watches one process" test "$(sed -n 's/.*"thread":{[^}]*"comm":"\([a-z]*\)".*/\1/p' live)" = sh
check "watched: the kernel picks" grep -q 'picked by BPF' err
"$STROBE" waits -j -E 0 --target-only sh -c 'sleep 0.3; sleep 0.2' >live 2>err
holds "a command, watched" live '480 <= waited("sleep", "timer", "[interrupt]")'
run "$STROBE" waits --target-only -i p.data
check "a recording was made with it or without it" test $rc = 129
run "$STROBE" waits --target-only -a true
check "watched, the whole system is no target" test $rc = 129
run "$STROBE" record --waits --target-only -a -o x.data true
check "the whole system is no target" test $rc = 129
run "$STROBE" record --target-only -o x.data true
check "--target-only without --waits is bad usage" test $rc = 129
finish
