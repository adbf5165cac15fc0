#!/bin/bash
# trace -i: calls that no kernel writes, and damaged recordings.
. "$(dirname "$0")/lib.sh"
need python3
cat >made.py <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
enter = t.event("raw_syscalls", "sys_enter", [("id", "q"), ("args", "48s")])
leave = t.event("raw_syscalls", "sys_exit", [("id", "q"), ("ret", "q")])
other = t.event("sched", "sched_stat_runtime", [("comm", "16s"), ("pid", "i"), ("runtime", "Q")])
t.records.append((0, make_trace.record(80, struct.pack("<QI64s", 6, 64, b"x86_64") + b"\0" * 4)))
t.comm(7, 7, "\x1b[31mred")
now = 1000


def call(number, result, *args, tid=7, took=500):
    global now
    words = struct.pack("<6Q", *(list(args) + [0] * (6 - len(args))))
    t.sample(enter, now, pid=tid, tid=tid, id=number, args=words)
    t.sample(leave, now + took, pid=tid, tid=tid, id=number, ret=result)
    now += took + 1000


most = 2**64 - 1
call(257, 3, 2**64 - 100, 0x1000, 0)
call(0, 5, 3, 0x1000, 5)
call(0, -9, most, most, most)
call(3, 0, 3)
call(3, 0, 2**31)
for number in (-1, 511, 512, 2**31, -2**63, 2**63 - 1, 335, 7, 9, 16, 56, 72, 157, 202, 42, 59):
    call(number, -2**63, most, most, most, most, most, most)
    call(number, 2**63 - 1, *[0x8000000000000001] * 6)
    call(number, -4095, 1, 2, 3, 4, 5, 6, tid=2**31 - 1)
# ends without a beginning, beginnings without an end, ends of others, time that stands still
t.sample(leave, now, pid=8, tid=8, id=1, ret=1)
for i in range(3):
    t.sample(enter, now, pid=9, tid=9, id=1, args=b"\xff" * 48)
t.sample(leave, now, pid=9, tid=9, id=2, ret=-515)
t.sample(other, now, pid=9, tid=9, comm=b"x", pid_=-1, runtime=most)
call(0, 1, 3, 0x1000, 1, took=2**62)
t.write("calls.data")

# the end of one call cuts the line of another: two lines at once
t = make_trace.Trace()
enter = t.event("raw_syscalls", "sys_enter", [("id", "q"), ("args", "48s")])
leave = t.event("raw_syscalls", "sys_exit", [("id", "q"), ("ret", "q")])
t.sample(enter, 1000, pid=7, tid=7, id=1)
t.sample(leave, 2000, pid=8, tid=8, id=1, ret=1)
t.write("two.data")
END
must python3 made.py "$STROBE_SOURCE/tests/lib"
run "$STROBE" trace -i calls.data
check "each call has a line: $(wc -l <out)" test "$rc" = 0 -a "$(wc -l <out)" -ge 50
check "names of files are escaped" sh -c '! grep -q "$(printf "\033")" out'
check "a descriptor has the name of no file that is unknown" grep -q 'read(fd: 3[,)].* = 5$' out
run "$STROBE" trace -i two.data
check "the end of a call cuts the line of another" test "$(wc -l <out)" = 2
run "$STROBE" trace --max-events 1 -i two.data
check "--max-events counts each of these lines" test "$(wc -l <out)" = 1
for opts in "-s --histogram --errno-summary" -j "-s --summary-mode=total --sched" "-e !read --failure -T"; do
	# shellcheck disable=SC2086
	run "$STROBE" trace $opts -i calls.data
	check "trace $opts prints an answer" test $rc = 0 -a -s out
	[ "$opts" != -j ] ||
		check "trace $opts prints JSON objects" \
			python3 -c 'import json; [json.loads(line) for line in open("out")]'
done
"$STROBE_BUILD/tests/mutants" ${STROBE_SANITIZED:+-a} -t 3 -s "${STROBE_SEED:-1}" -n "${STROBE_MUTANTS:-150}" \
	-c trace -c "trace -s --histogram --errno-summary" -c "trace -j" "$STROBE" calls.data >report.log 2>&1
rc=$?
check "damaged: $(tail -1 report.log)" sh -c "test $rc = 0 || { cat report.log; false; }"
finish
