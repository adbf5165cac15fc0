#!/bin/bash
# waits: who answers late over TCP on this machine is the cause, although the kernel hands packets over in a softirq.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need python3 taskset
cat >tcp.py <<'EOF2'
import os, socket, time
def call_me(name):
    open("/proc/thread-self/comm", "w").write(name)
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(1)
if os.fork() == 0:
    call_me("answers-late")
    c = s.accept()[0]
    for _ in range(20):
        c.recv(1)
        time.sleep(0.015)
        c.send(b"y")
    os._exit(0)
call_me("asks")
c = socket.create_connection(s.getsockname())
for _ in range(20):
    c.send(b"x")
    c.recv(1)
os.wait()
EOF2
must "$STROBE" record --waits --stack-rate=0 -q -o w.data taskset -c $one_cpu python3 tcp.py
"$STROBE" waits -j -E 0 -i w.data >direct
"$STROBE" waits -j -E 0 --chain -i w.data >chain
cat >ask.py <<'EOF2'
import json, sys
rows = [o for o in map(json.loads, open(sys.argv[1])) if o.get("victim") == "asks" and o["kind"] == "pipe"]
total = sum(o["ns"] for o in rows)
due = sum(o["ns"] for o in rows if o["waker"] == "answers-late" and sys.argv[2] in o["waker_stack"])
print("%.1f of %.1f ms" % (due / 1e6, total / 1e6))
sys.exit(not (total >= 300e6 and due >= 0.95 * (total if len(sys.argv) < 4 else float(sys.argv[3]) * 1e6)))
EOF2
check "the sender made the receiver wait: $(python3 ask.py direct process_backlog)" \
	python3 ask.py direct process_backlog
# Of the rest it waited for a CPU, or ran.
check "followed: because it slept for 300 ms: $(python3 ask.py chain do_nanosleep)" \
	python3 ask.py chain do_nanosleep 300
check "no thread is blamed for the timer" \
	sh -c '! grep "\"victim\":\"answers-late\"" direct | grep "\"kind\":\"timer\"" | grep -v "\"waker\":\"\["'
# What the kernel picks does not say that a softirq runs: the stack does.
must "$STROBE" record --waits --target-only -q -o few.data taskset -c $one_cpu python3 tcp.py
"$STROBE" waits -j -E 0 -i few.data >few
check "--target-only: the sender is the waker, too: $(python3 ask.py few process_backlog)" \
	python3 ask.py few process_backlog
check "--target-only: timers are no thread's fault" \
	sh -c '! grep "\"victim\":\"answers-late\"" few | grep "\"kind\":\"timer\"" | grep -v "\"waker\":\"\["'
finish
