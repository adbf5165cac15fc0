#!/bin/bash
# monitor -j: each line of each monitor is an object of JSON that says what was made, whatever the names are.
. "$(dirname "$0")/lib.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

BAD = b'a"\\\n\x01\xff'  # what JSON must escape
US = 1000
t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("exit_reason", "I")],
                '"reason %s", __print_symbolic(REC->exit_reason, {12, "HLT"}, {10, "CPUID"})')
enter = t.event("kvm", "kvm_entry", [("vcpu_id", "I")], '"vcpu %u", REC->vcpu_id')
alloc = t.event("kmem", "kmalloc", [("ptr", "Q"), ("bytes_alloc", "Q")], '"ptr=%lx", REC->ptr')
free = t.event("kmem", "kfree", [("ptr", "Q")], '"ptr=%lx", REC->ptr')
switch = t.event("sched", "sched_switch", [("prev_comm", "16s"), ("prev_pid", "i"), ("prev_prio", "i"),
                 ("prev_state", "q"), ("next_comm", "16s"), ("next_pid", "i"), ("next_prio", "i")], '"x"')
woke = t.event("sched", "sched_wakeup", [("comm", "16s"), ("pid", "i"), ("prio", "i"), ("target_cpu", "i")], '"x"')
sent = t.event("signal", "signal_generate", [("sig", "i"), ("comm", "16s"), ("pid", "i")], '"sig=%d", REC->sig')
split = t.software(0x10F4, kind=4)
t.records.append((0, make_trace.record(3, b"\x32\0\0\0" * 2 + BAD + b"\0" * (16 - len(BAD)) +
                                       make_trace.struct.pack("<IIQI4xQ", 50, 50, 0, 0, 1000))))
for i in range(4):
    now = (1 + i) * 1000 * US
    t.sample(leave, now, pid=50, tid=50, exit_reason=10)
    t.sample(enter, now + (2 + 98 * (i == 3)) * US, pid=50, tid=50)
    t.sample(alloc, now + 200 * US, pid=50, tid=50, ptr=0x1000 * (i + 1), bytes_alloc=64)
    if i < 3:
        t.sample(free, now + 210 * US, pid=50, tid=50, ptr=0x1000 * (i + 1))
    t.sample(switch, now + 300 * US, pid=50, tid=50, prev_comm=BAD, prev_pid=50, prev_state=1, next_comm=b"b",
             next_pid=60)
    t.sample(woke, now + 700 * US, pid=60, tid=60, comm=BAD, pid_=50)
    t.sample(sent, now + 800 * US, pid=50, tid=50, sig=10, comm=BAD, pid_=60)
    t.sample(split, now + 900 * US, cpu=i % 2, pid=50, tid=50, period=1000)
t.write("all.data")
EOF2
must python3 made.py "$STROBE_SOURCE/tests/lib"
cat >ask.py <<'EOF2'
"""Is this true of the lines? all(kind): the objects of that kind; sums of a member: total(kind, name)."""
import json
import sys

lines = [json.loads(line) for line in open("text", encoding="utf-8")]


def some(kind):
    return [o for o in lines if o["kind"] == kind]


def total(kind, name):
    return sum(o[name] for o in some(kind))


assert eval(sys.argv[1]), lines
EOF2
says() {	# expression monitor options
	local what=$1
	shift
	"$STROBE" monitor "$@" -j --input all.data >text 2>said
	check "$1 -j: $what" python3 ask.py "$what"
}
BAD='lines[0]["comm"].startswith("a\"\\\n\x01")'

says 'len(some("slow")) == 1 and some("slow")[0]["ns"] == 100000' kvm-exit --than 50us
says 'total("exits", "calls") == 4 and total("exits", "total_ns") == 106000' kvm-exit
says '[o["cpu"] for o in some("exits")] == [0]' kvm-exit --percpu
says 'total("leak", "bytes") == 64 and some("total")[0]["leaked"] == 1' \
	kmemleak --alloc kmem:kmalloc --free kmem:kfree
pairs="pairs -e kmem:kmalloc -e kmem:kfree --key ptr"
# shellcheck disable=SC2086
says 'len(some("slow")) == 3 and total("delay", "calls") == 3 and total("starts", "open") == 1' $pairs --than 5us
# shellcheck disable=SC2086
says 'sum(sum(o["counts"]) for o in some("heat")) == 3' $pairs --heatmap
says 'total("delay", "calls") == 3 and some("delay")[0]["max_ns"] == 10000' mpdelay -e kmem:kmalloc,kmem:kfree
says 'len(some("wait")) == 4 and total("wait", "ns") == 1600000' task-state -S --than 300us
says 'total("wait", "ns") == 1600000' task-state --than 300us
says "$BAD" task-state -S
says 'len(some("event")) == 4 and some("event")[0]["text"] == "sig=10"' signal
says "$BAD" signal
says 'len(some("event")) == 3' trace -e kmem:kfree
says 'total("split-lock", "count") == 4000' split-lock
says 'total("counts", "kvm-exit") == 4' percpu-stat
run "$STROBE" monitor split-lock --test --input all.data
check "--test makes nothing in a recording" test $rc = 129
finish
