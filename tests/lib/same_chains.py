"""same_chains.py RECORDED OTHER: are these the same chains? Both are output of script, of strobe or perf.

Code of the C runtime's start and end, and a few lines of assembler, have no unwind information. There strobe's own
unwinder guesses the caller, where others stop, or follow what is no frame. So a chain may differ that leads through
such code, which has one of a few names or none; at most one chain in twenty, or three. libunwind also stops at the end
of a few functions (of 3 chains in 600,000), so one other chain may be shorter."""
import itertools
import re
import sys

BARE = re.compile(r"\[unknown\]|_init|_fini|frame_dummy|__do_global_dtors_aux|(de)?register_tm_clones|"
                  r"_dl_runtime_resolve.*|(__)?clone3?|_dl_start_user|_start|.*@plt")


def chains(path):
    with open(path, encoding="utf-8", errors="replace") as text:
        return [block.split("\n") for block in text.read().strip("\n").split("\n\n")]


def name_of(frame):
    return re.split(r" \(|\+0x", (frame.split(None, 1) + ["", ""])[1])[0]


def same(ours, theirs):
    """Return true if they agree, or both lead through code without unwind information."""
    common = [a for a, b in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs))]
    return bool(common) and (ours == theirs or any(BARE.fullmatch(name_of(frame)) for frame in common[1:]))


ours, theirs = chains(sys.argv[1]), chains(sys.argv[2])
bad = len(ours) != len(theirs)
differ = stopped = 0
for a, b in zip(ours, theirs):
    differ += a != b
    if not same(a, b):
        stopped += 1
        bad |= b != a[:len(b)] or stopped > 1
        print("\n".join(["recorded:", *a, "other:", *b]))
print(differ, "of", len(ours), "differ")
sys.exit(bad or len(ours) < 2 or differ > max(3, len(ours) / 20))
