#!/bin/bash
# waits: threads that wait for a lock, a pipe, a timer and a child, for known times and because of known threads.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need python3 taskset
workload waiting -fno-optimize-sibling-calls
# --stack-rate=0: no other program's switches take stacks away.
# In some virtual machines a CPU that idles reports nothing, except for the first.
whole w.data --wall --stack-rate=0 -q -m 4M taskset -c $one_cpu ./waiting
cp out measured

cat >ask.py <<'EOF2'
import json, sys
threads, rows = [], []
for_lock, for_pipe = map(int, open("measured").read().split())
for line in open(sys.argv[1]):
    o = json.loads(line)
    (threads if "thread" in o else rows).append(o)
def thread(name):
    return next(t for t in threads if t["thread"]["comm"] == name)
def waited(victim, waker=None, kind=None, function=None):
    return sum(r["ns"] for r in rows
               if r["victim"] == victim and (not waker or r["waker"] == waker) and (not kind or r["kind"] == kind)
               and (not function or function in r["waker_stack"])) / 1e6
# As long as the program measured, but for the time in which it ran or was ready to run.
def all_of(measured, name, kind):
    blocked, t = thread(name)["blocked"][kind], thread(name)
    return 0.99 * measured - t["running"] - t["runnable"] <= blocked <= measured
if not eval(sys.argv[2]):
    print([r for r in rows if r["victim"] in ("wanter", "reader", "waiting")])
    print(threads)
    sys.exit(1)
EOF2
holds() { check "$1" python3 ask.py "$2" "$3"; }

"$STROBE" waits -j -E 0 -i w.data >all
holds "each thread's times add up to its wall time" all \
	'all(t["wall"] == t["running"] + t["runnable"] + sum(t["blocked"].values()) for t in threads)'
holds "the reader waits for the pipe, as long as it measured" all \
	'all_of(for_pipe, "reader", "pipe") and for_pipe > 1e8'
# 150 ms, less what it comes late on a busy machine.
holds "the one who wants the lock waits for it" all 'all_of(for_lock, "wanter", "lock") and for_lock > 3e7'
holds "and slept 50 ms before" all 'thread("wanter")["blocked"]["timer"] >= 45e6'
holds "the child is waited for" all \
	'any(t["blocked"]["child"] >= 50e6 for t in threads if t["thread"]["comm"] == "waiting")'
# The C library keeps no frame pointer: who calls it is not in the stack, who calls that one is.
holds "the holder made the other wait for the lock, at its unlock" all \
	'waited("wanter", "holder", "lock", "holder") >= 0.95 * waited("wanter", kind="lock")'
holds "the writer made the reader wait" all \
	'waited("reader", "writer", "pipe", "writer") >= 0.95 * waited("reader", kind="pipe")'
holds "timers are no thread's fault" all \
	'(waited("writer", kind="timer") == waited("writer", "[interrupt]", "timer") +
	 waited("writer", "[wakeup not seen]", "timer"))'

"$STROBE" waits -j -E 0 --chain -i w.data >chain
# A holder that waits for its CPU after the sleep holds the lock meanwhile.
holds "followed: the cause is the sleep under the lock" chain \
	'(waited("wanter", "holder", "lock", "hold_lock") + thread("holder")["runnable"] / 1e6 >=
	 0.95 * waited("wanter", kind="lock"))'
holds "followed: and that is where it slept" chain \
	'any("do_nanosleep" in r["waker_stack"] and "hold_lock" in r["waker_stack"] and
	     r["ns"] + thread("holder")["runnable"] > 0.9 * thread("wanter")["blocked"]["lock"]
	     for r in rows if r["victim"] == "wanter")'
holds "followed: the main thread waits for who sleeps, whomever it joins" chain \
	'(waited("waiting", "writer", "lock", "write_late") + waited("waiting", "holder", "lock", "hold_lock") +
	 (thread("writer")["runnable"] + thread("holder")["runnable"]) / 1e6 >=
	 0.8 * waited("waiting", kind="lock") > 50)'
total() {
	python3 -c 'import json, sys
rows = map(json.loads, open(sys.argv[1]))
print(sum(r["ns"] for r in rows if r.get("victim") == "reader"))' "$1"
}
check "no time appears or vanishes on the way" test "$(total all)" = "$(total chain)"

"$STROBE" waits -i w.data --comms wanter >one
check "--comms shows that thread alone" sh -c '! grep -E "waits: +(reader|writer)" one && grep -q "waits: *wanter" one'
"$STROBE" report --waits -c wanter -i w.data >other
check "report --waits is the same" cmp one other
"$STROBE" inject -i w.data -o - 2>/dev/null | "$STROBE" waits --comms wanter -i - >pipe
check "a pipe says the same" cmp one pipe
echo 'do_futex* poll' >kinds
"$STROBE" waits -j -i w.data --kinds kinds --comms wanter >kinded
holds "--kinds decides" kinded 'thread("wanter")["blocked"]["poll"] > 0'
echo 'do_futex* nosuch' >kinds
run "$STROBE" waits -i w.data --kinds kinds
check "a wrong kind: 129 and the line" sh -c '[ '$rc' = 129 ] && grep -q "line 1" err'
run "$STROBE" record --waits -C 0 -o x.data
check "some CPUs are refused with the reason" sh -c '[ '$rc' = 129 ] && grep -q "why: " err'
run "$STROBE" record --waits -p 4194999 -o x.data
check "a process that is not there is an error" sh -c '[ '$rc' != 0 ] && grep -q 4194999 err'
# What an interrupt came upon is not part of who woke.
workload spin
must "$STROBE" record --waits --stack-rate=0 -q -o timers.data \
	taskset -c $one_cpu sh -c './spin 0.4 & for i in $(seq 20); do sleep 0.01; done; wait'
"$STROBE" waits -j -E 0 -i timers.data >timers
holds "a thread that timers woke has one row for each place" timers \
	'len({str([r[k] for k in r if k not in ("ns", "count", "p50", "p99", "max")]) for r in rows}) == len(rows)'
# A recording that is made for a command or a process shows the waits of these and what they start.
threads() { sed -n 's/.* \([a-z-]*\)\[[0-9/]*\]$/\1/p' | sort -u | tr '\n' ' '; }
must "$STROBE" record --waits --stack-rate=0 -q -o family.data sh -c 'sleep 0.05; sleep 0.05 & wait'
check "a command's own threads are shown" test "$("$STROBE" waits -i family.data | threads)" = "sh sleep "
check "--everybody shows the others too" \
	sh -c '[ "$("$STROBE" waits -j -E 0 --everybody -i family.data | grep -c "^{.thread")" -gt 3 ]'
check "the header names whom it is about" \
	sh -c '"$STROBE" report --header-only -i family.data | grep -q "^# recorded for these threads.*: [0-9]*$"'
sleep 100 & other=$!
later_kill $other
must "$STROBE" record --waits -q -p $other -o other.data sleep 0.1
check "the command that only sets the time is not shown" \
	test "$("$STROBE" waits -j -E 0 -i other.data | grep -c "^{.thread.*sleep")" -le 1
"$STROBE" waits sh -c 'sleep 0.05; true' >live 2>/dev/null
check "a command is watched without a file" test "$(threads <live)" = "sh sleep "
run timeout 10 "$STROBE" waits -p 4194999
check "a process that is not there is not watched" sh -c '[ '$rc' = 255 ] && grep -q 4194999 err'
run "$STROBE" waits -i family.data true
check "a recording and a command: one of them" test "$rc" = 129
run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" report --wall -i plain.data
check "--wall without waits says what to record" grep -q 'try: .*record --waits' err
run "$STROBE" waits -i plain.data
check "a recording without switches names record --waits" grep -q 'try: .*record --waits' err

# One profile of the wall clock: samples of the CPU, and each wait where it was.
wall() {	# command options...
	"$STROBE" "$1" --wall -i w.data "${@:2}" 2>/dev/null
}
must "$STROBE" inject --wall -i w.data -o wall.data
"$STROBE" script -F comm,tid,period,ip,sym -i wall.data >samples
cat >sums.py <<'EOF2'
import collections, json, re, sys
samples, threads = collections.Counter(), {}
for block in open("samples").read().split("\n\n"):
    head = re.match(r"\s*\S.*?\s(\d+)\s+(\d+) ", block)
    if head:
        samples[int(head[1])] += int(head[2])
for line in open("all"):
    t = json.loads(line)
    if "thread" in t:
        threads[t["thread"]["tid"]] = t["wall"]
bad = [(tid, ns, samples[tid]) for tid, ns in threads.items() if ns > 1e6 and abs(samples[tid] - ns) > 0.01 * ns]
print(len(threads), bad)
sys.exit(bool(bad) or len(threads) < 5)
EOF2
check "the sums are the wall times of threads: $(python3 sums.py)" python3 sums.py
wall report --stdio --no-children -g none -c reader,writer,holder,wanter -s comm,sym -F period,comm,sym >report
ns_of() { awk -v comm="$1" -v sym="$2" '$2 == comm && $NF == sym { n += $1 } END { printf "%.0f\n", n }' report; }
blocked() { python3 -c 'import json, sys
print(*[t["blocked"][sys.argv[2]] for t in map(json.loads, open("all"))
	if t.get("thread", {}).get("comm") == sys.argv[1]])' "$@"; }
check "report: the reader waits as long for a pipe" test "$(ns_of reader '[pipe]')" = "$(blocked reader pipe)"
check "the other thread waits as long for a lock" \
	test "$(ns_of wanter '[lock]')" = "$(blocked wanter lock)"
wall collapse -c reader >lines
check "stacks end in what is waited for" grep -Eq '^reader;.*anon_pipe_read;.*;\[pipe\] [1-9][0-9]{8,}$' lines
wall flamegraph -c reader -o reader.svg
check "the flame graph has the waker upside down" \
	sh -c 'grep -o "<title>[^(]*" reader.svg | grep -A99 "woken by. writer" | grep -A99 __wake_up |
		grep -q "<title>writer "'
must "$STROBE" flamegraph --wall -c reader --diff w.data -i w.data -o both.svg
check "flamegraph --diff with itself shows no change" sh -c '! grep -E "[+-][1-9][0-9]*\.[0-9]+%" "$1"' sh <(
	"$STROBE" diff --wall w.data w.data 2>/dev/null)
must "$STROBE" export speedscope --wall -i w.data -o w.json
check "the unit of exports is nanoseconds" grep -q '"nanoseconds"' w.json
run "$STROBE" inject --wall -b -i w.data -o x.data
check "--wall writes another recording: nothing else" test "$rc" = 129
finish
