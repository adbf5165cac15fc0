#!/bin/bash
# sched and waits with events that no kernel writes: CPUs and ids out of range, control bytes, time that goes backwards.
. "$(dirname "$0")/lib.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

SWITCH = [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_state", "q"), ("next_comm", "16s"), ("next_pid", "i")]
WAKE = [("comm", "16s"), ("pid", "i")]


def switch(t, kind, time, prev, next, cpu=0, state=1, name=b"task"):
    t.sample(kind, time, cpu=cpu, pid=max(prev, 0), tid=max(prev, 0), prev_comm=name, prev_pid=prev, prev_state=state,
             next_comm=name, next_pid=next)


# CPUs that cannot exist; ids whose difference is no int.
t = make_trace.Trace()
kind = t.event("sched", "sched_switch", SWITCH)
for i, cpu in enumerate((0, 1, 2**31, 2**32 - 1, 65535, 0)):
    switch(t, kind, 1000000 * (i + 1), 7, -2**31, cpu=cpu)
    switch(t, kind, 1000000 * (i + 1) + 500, -2**31, 7, cpu=cpu)
    switch(t, kind, 1000000 * (i + 1) + 700, 2**31 - 1, 7, cpu=cpu)
t.write("cpus.data")

# More than the output's buffer of 64 kB, with names that are printed longer than they are.
t = make_trace.Trace()
kind = t.event("sched", "sched_switch", SWITCH)
for i in range(3000):
    switch(t, kind, 1000000 * (i + 1), 7 + i % 2, 8 - i % 2, name=b"\x1b[31mred" + b"x" * (i % 6))
t.write("long.data")

# As written: the second switch of the CPU is earlier than the first.
t = make_trace.Trace()
kind = t.event("sched", "sched_switch", SWITCH)
switch(t, kind, 5000000000, 7, 8)
switch(t, kind, 4000000000, 8, 7)
t.records = list(enumerate(r for _, r in t.records))
t.write("back.data")

# Who waits for one who waited for another: each wait has parts, each part is a row.
t = make_trace.Trace()
kind = t.event("sched", "sched_switch", SWITCH)
wake = t.event("sched", "sched_waking", WAKE)
for n in range(300):
    now = 1000 * (n + 1)
    switch(t, kind, now, 50000 + n, 8, name=b"v%d" % n)
    switch(t, kind, now + 10, 9, 8, name=b"mid")
    t.sample(wake, now + 60, pid=1000 + n, tid=1000 + n, pid_=9, comm=b"mid")
    t.sample(wake, now + 100, pid=9, tid=9, pid_=50000 + n, comm=b"v%d" % n)
t.write("parts.data")
EOF2
python3 made.py "$STROBE_SOURCE/tests/lib" || exit 1

for view in map "timehist -s" "timehist -Vw"; do
	# shellcheck disable=SC2086
	"$STROBE" sched $view -i cpus.data >text 2>errors
	check "$view: CPUs that cannot exist fail it ($?)" grep -q "is damaged: 9 events were left out" errors
	check "$view shows the others in few bytes" test "$(wc -c <text)" -lt 20000
done
check "the status says so" sh -c '! "$1" sched map -i cpus.data >/dev/null 2>&1' sh "$STROBE"

"$STROBE" sched timehist -i long.data >text
check "timehist prints 3000 lines" test "$(grep -c '\[0000\]' text)" = 3000
check "each is as wide as the others" test "$(awk '/\[0000\]/ { print length($0) }' text | sort -u | wc -l)" = 1
check "control bytes are escaped" sh -c '! grep -q "$(printf "\033")" text'
"$STROBE" sched timehist -S -i long.data >text
check "a blank comes before seconds, as in perf" grep -q '^    Total scheduling time (msec): 2999\.000  (x ' text

"$STROBE" sched timehist -i back.data >text
check "no time is negative" sh -c '! grep -q "[0-9]\{9\}\.[0-9]* *$" text'

"$STROBE" waits --chain --json -E 0 -i parts.data >text
check "each wait has a part that the waker's waker caused" \
	test "$(grep -c '"victim":"v[0-9]*","waker":":1[0-9]*"' text)" = 300

# None of the wanted events: that is an error.
for name in "kmemleak --alloc kmem:kmalloc --free kmem:kfree" kvm-exit; do
	# shellcheck disable=SC2086
	"$STROBE" monitor $name --input back.data >text 2>errors
	rc=$?
	check "monitor ${name%% *} of a recording without its events" grep -q "has no events of k" errors
	check "monitor ${name%% *} fails" test $rc = 255
done
# Many reasons of exits, and many stacks of idle CPUs: the time grows with their number, not with its square.
cat >many.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("exit_reason", "I")], '"reason %u", REC->exit_reason')
enter = t.event("kvm", "kvm_entry", [("vcpu_id", "I")])
for i in range(60000):
    t.sample(leave, 1000 + 10 * i, tid=50, exit_reason=i)
    t.sample(enter, 1005 + 10 * i, tid=50)
t.write("reasons.data")
t = make_trace.Trace()
begin = t.event("a", "begin", [("key", "Q")])
end = t.event("a", "end", [("key", "Q")])
for i in range(70000):
    t.sample(begin, 1000 + i, key=i)
t.sample(end, 100000, key=69999)
t.sample(end, 100001, key=1)
t.write("open.data")
EOF2
python3 many.py "$STROBE_SOURCE/tests/lib"
timeout 120 "$STROBE" monitor kvm-exit --input reasons.data >text
check "60000 reasons of exits: 4096 have a row" test "$(grep -c '^[0-9]* *1 ' text)" = 4096
check "the others share one" grep -q '^(other) *55904 ' text
"$STROBE" monitor pairs -e a:begin -e a:end --key key --input open.data >text
check "starts without an end: a limit, and what it dropped" \
	grep -Eq '^# starts without an end [0-9]{5}, ends without a start 1, .* too many were open [1-9][0-9]+,' text
finish
