#!/bin/bash
# trace.dat in the programs it is for: kernelshark's library loads what ftrace record writes, with the same lines.
. "$(dirname "$0")/lib.sh"
need xz tar python3
where=$("$STROBE_SOURCE/scripts/readers" --where)/kernelshark
[ -e "$where/libkshark.so.2" ] || skip "kernelshark's library is not here: scripts/readers fetches it"
export LD_LIBRARY_PATH=$where
kernelshark() { run python3 "$STROBE_SOURCE/tests/e2e/readers/kshark.py" "$where/libkshark.so.2" "$1"; }

# Apart from columns, and the list of CPUs that ours begins with. kernelshark keeps the ends of calls that call nothing;
# ours, like trace-cmd's, stand on one line with the beginning. The kernel remembers the names of few threads: where the
# file has no name for one (ours is "<...>"), kernelshark takes one from the events.
unnamed() {
	awk 'NR == FNR { if (/^<\.\.\.>-/) nameless[$1]; next }
		match($0, /-[0-9]+ \[/) {
			id = "<...>" substr($0, RSTART, RLENGTH - 2)
			if (id in nameless) $0 = id substr($0, RSTART + RLENGTH - 2)
		} 1' ours "$1"
}
same_lines() {
	"$STROBE" script -i "$1" | grep -v '^cpus=\|^version = ' | sed -E 's/^ +//; s/ +/ /g; s/ +$//' >ours
	sed -E 's/^ +//; s/ +/ /g; s/ +$//' out >kernelsharks
	unnamed kernelsharks >theirs
	diff ours theirs | grep '^[<>]' | grep -v '^> .*: funcgraph_exit: .* }$' >different
	test -s ours && ! grep . different
}

tar -xJf "$STROBE_SOURCE/tests/golden/ftrace.tar.xz" || exit 1
kernelshark graph.dat
check "graph.dat: kernelshark has the same lines" same_lines graph.dat

instances=/sys/kernel/tracing/instances
if [ "$(id -u)" = 0 ] && mkdir "$instances/strobe-test-$$" 2>err && rmdir "$instances/strobe-test-$$"; then
	must "$STROBE" ftrace record -t nop -e sched -a -o own.dat -- sleep 0.05
	kernelshark own.dat
	check "own.dat: kernelshark has the same $(wc -l <out) lines" same_lines own.dat
else
	skip_part "no instances of tracefs here, or not root"
fi
finish
