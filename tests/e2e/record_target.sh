#!/bin/bash
# record with several targets: a message tells which ones count.
. "$(dirname "$0")/lib.sh"
need_can sample
sleep 60 & later_kill $!
must "$STROBE" record -e dummy:u -p $! -a -o x.data true
check "-p wins over -a, and a message says so" grep -q 'PID/TID switch overriding SYSTEM' err
run "$STROBE" record -e dummy:u -p $! -o x.data true
check "-p alone needs no warning" test -z "$(grep overriding err)"
run "$STROBE" record -e dummy:u -a --per-thread -o x.data true
check "-a wins over --per-thread, and a message says so" grep -q 'SYSTEM/CPU switch overriding PER-THREAD' err

# A process that the target starts before its events are enabled has them, too, but left no FORK.
need python3
cat >breed.py <<'EOF2'
import os, time
open("pid", "w").write(str(os.getpid()))
def child():
    time.sleep(0.2)
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    os._exit(0)
end = time.monotonic() + 60
while time.monotonic() < end and not os.path.exists("enough"):
    os.fork() or child()
    time.sleep(0.002)
    while os.waitpid(-1, os.WNOHANG)[0]:
        pass
EOF2
python3 breed.py 2>/dev/null & later_kill $!
until_true test -s pid
must "$STROBE" record -q -e task-clock:u -F 1000 -p "$(cat pid)" -o breed.data sleep 0.4
# The records at the end come too late for the unwinder: it must know the maps of these processes from the start.
must "$STROBE" record -q -e task-clock:u -F 1000 --call-graph live --tail-synthesize -p "$(cat pid)" -o tail.data \
	sleep 0.4
touch enough
must "$STROBE" report -i tail.data --stdio --quality
whole=$(awk '/have a whole stack/ { print int($2 + 0) }' out)
check "their stacks are unwound with --tail-synthesize, too: ${whole:-0}% are whole" test "${whole:-0}" -ge 95
must "$STROBE" script -F comm,pid -i breed.data
check "there were children" test "$(sort -u out | wc -l)" -gt 5
check "each has a name: $(grep -c '^ *:' out) samples have none" sh -c '! grep "^ *:" out'
finish
