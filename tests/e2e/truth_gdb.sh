#!/bin/bash
# A third opinion: stacks that were unwound while recording, beside gdb's backtraces of the same threads, which then are
# stopped and stand where they stood. Each address of each frame but the innermost must be the same.
. "$(dirname "$0")/lib.sh"
need cc gdb python3
need_can sample
cat >same.py <<'P'
"""same.py PID: recorded chains (script -F tid,ip,sym, on stdin) beside gdb's: the callers of each innermost frame."""
import re
import subprocess
import sys

# Without files of debug information gdb makes no frames of calls that left none, and prints each address.
said = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debug-file-directory /nowhere", "-p", sys.argv[1],
                       "-ex", "set backtrace limit 5000", "-ex", "thread apply all backtrace"],
                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
theirs, ours = {}, {}
for line in said.splitlines():
    if found := re.match(r"Thread .*LWP (\d+)", line):
        chain = theirs.setdefault(int(found[1]), [])
    elif found := re.match(r"#[1-9]\d* +(?:0x([0-9a-f]+)|<signal)", line):
        chain.append(int(found[1], 16) if found[1] else "signal")
for block in sys.stdin.read().split("\n\n"):
    head, *frames = block.strip("\n").split("\n")
    chain, exact = [], True     # a frame that a signal interrupted has its own address; others that before the return's
    for address, name in (f.split(None, 1) for f in frames):
        chain.append("signal" if "__restore_rt" in name else int(address, 16) + (not exact))
        exact = "__restore_rt" in name
    if chain:
        ours.setdefault(int(head), set()).add(tuple(chain[1:]))
for tid, chains in sorted(ours.items()):
    print(tid, *(len(c) for c in chains), "frames:", "the same" if chains == {tuple(theirs[tid])} else "different")
    if chains != {tuple(theirs[tid])}:
        print([["%x" % a if a != "signal" else a for a in c[-12:]] for c in [theirs[tid], *chains]])
P
compare() {	# BUILD OPTIONS...: the program of stuck.c, so built
	build=$1; shift
	cc "$@" -pthread -o stuck "$STROBE_SOURCE/tests/e2e/workloads/stuck.c" || exit 1
	[ "$build" != separate ] || {
		objcopy --only-keep-debug stuck stuck.debug && strip -s stuck &&
			objcopy --add-gnu-debuglink=stuck.debug stuck || exit 1
	}
	./stuck >there &
	pid=$!
	later_kill $pid
	for _ in $(seq 1000); do [ -s there ] && break; sleep 0.02; done
	must "$STROBE" record -q -F 500 -e cpu-clock:u --call-graph live -p $pid -o stuck.data -- sleep 1
	"$STROBE" script -i stuck.data --no-inline --max-stack 2048 -F tid,ip,sym 2>/dev/null >chains
	python3 same.py $pid <chains >compared
	{ kill -9 $pid && wait $pid; } 2>/dev/null
	check "$build: all four threads have the frames of gdb" test "$(grep -c 'frames: the same$' compared)" = 4
	check "$build: and none others: $(grep different -A1 compared | cut -c1-300)" test "$(wc -l <compared)" = 4
	check "$build: a recursion is 200 deep, and to the start of the thread" \
		grep -qE '^[0-9]+ 20[345] frames: the same$' compared
	check "$build: names are found" grep -q ' in_recursion' chains
}
compare plain -O2 -fomit-frame-pointer
compare static -O2 -fomit-frame-pointer -static
compare separate -O1 -fomit-frame-pointer
compare nopie -O1 -fcf-protection=none -no-pie
finish
