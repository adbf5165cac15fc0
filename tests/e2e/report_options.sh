#!/bin/bash
# report: every option of its table is refused with a reason, or changes what is printed. A new option without a row here fails.
. "$(dirname "$0")/lib.sh"
workload layers -fno-optimize-sibling-calls
golden=$STROBE_SOURCE/tests/golden
record() { "$STROBE" record -q -N -F 499 "$@" ./layers >record.log 2>&1; }	# no copies: --symfs is to find nothing
record -e cpu-clock -g --sample-cpu -o chains || skip "cannot record here: $(head -1 record.log)"
record -e cpu-clock,page-faults,alignment-faults -d -o several
record -e '{cpu-clock,page-faults}' -o group
record -e cpu-clock -s -o counts
record -e cpu-clock --latency -o latency
record -e cpu-clock,page-faults/call-graph=no/ -g -o mixed
cp "$golden/tracepoint.data" tracepoints
cp "$golden/kernel.data" kernel
# A class whose method takes most time, in a binary with templates; kernel symbols of another machine, one of them mangled.
cat >names.cc <<'END'
#include <map>
template <class T> __attribute__((noinline)) T spin(T n) { volatile T s = 0; for (T i = 0; i < n; i++) s += i; return s; }
int main() { return spin<unsigned long>(60000000) & 1; }
END
${CXX:-c++} -O1 -o names names.cc 2>/dev/null && "$STROBE" record -q -e cpu-clock -F 1999 -o names.data ./names >record.log 2>&1
printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' 'ffffffff82000000 T _Z6kernelv' 'ffffffff82fff000 T _etext' >kallsyms

# option: input, what else is needed to see it | what shows it
cat >rows <<'END'
input: several | -i chains
verbose: chains | -v
quiet: chains | -q
dump-raw-trace: chains | -D
stats: chains | --stats
tasks: chains | --tasks
quality: chains | --quality
mmaps: chains | --mmaps
header: chains | --header
header-only: chains | --header-only
show-info: chains --header-only | -I
sort: chains | -s cpu
fields: chains | -F comm
show-nr-samples: chains | -n
show-total-period: chains | --show-total-period
group: several | --group
branch-stack: chains | -b
group-sort-idx: group -s sym | --group-sort-idx=1
show-cpu-utilization: chains | --show-cpu-utilization
latency: latency | --latency
raw-trace: tracepoints | --raw-trace
mem-mode: several | --mem-mode
skip-empty: several | --no-skip-empty
column-widths: chains | -w 30,30,30,30,30
field-separator: chains | -t,
threads: counts | -T
pretty: counts -T | --pretty=raw
percent-limit: chains | --percent-limit=50
percentage: chains -c layers | --percentage=relative
time-quantum: chains -s time | --time-quantum=1s
ns: chains -s time | --ns
full-source-path: chains -s srcline --no-children | --full-source-path
stdio-color: chains | --stdio-color=always
hierarchy: chains | -H
children: chains | --no-children
call-graph: chains | -g caller,20
inverted: chains --no-children | -G
max-stack: chains | --max-stack=2
inline: chains | --inline
ignore-callees: chains --no-children | --ignore-callees=^main$
show-ref-call-graph: mixed | --show-ref-call-graph
parent: chains | -p main
exclude-other: chains -p ^leaf$ | -x
comms: chains | -c layers
dsos: chains | -d layers
symbols: chains | -S main
symbol-filter: chains | --symbol-filter=main
pid: chains | --pid=1
tid: chains | --tid=1
cpu: chains | --cpu=9999
parallelism: latency | --parallelism=64
socket-filter: chains | --socket-filter=77
time: chains | --time=10%/2
switch-on: several | --switch-on=page-faults
switch-off: several | --switch-off=page-faults
show-on-off-events: several --switch-on=page-faults | --show-on-off-events
hide-unresolved: chains --symfs=none | -U
kallsyms: kernel -s sym | --kallsyms=kallsyms
symfs: chains | --symfs=none
demangle: names.data -s sym | --no-demangle
demangle-kernel: kernel -s sym --kallsyms=kallsyms | --demangle-kernel
short-templates: names.data -s sym | --short-templates
END
# Whose text differs from perf 7.2's; docs/compat.md says how.
cat >differ <<'END'
quality ours
short-templates ours
verbose the letter before the level, addresses of the objects
dump-raw-trace its frame and sums
mmaps private and shared maps
branch-stack an error there
cpu an error there
raw-trace numbers
pretty ends of lines
percentage call graphs
time-quantum children by time
ns children by time
full-source-path lines of callers
hierarchy own shares
show-ref-call-graph whose stacks
switch-off without the other
symfs the build-id cache
hide-unresolved the same
demangle-kernel not in every perf
ignore-callees callers that go
END
# What nothing here can show, and where else it is tried.
cat >elsewhere <<'END'
force inputs.sh
stdio cli.sh
total-cycles ../unit/report/blocks.c
branch-history ../unit/report/text.c
tui browse.sh
modules symbols.sh
vmlinux symbols.sh
source annotate.sh
asm-raw annotate.sh
disassembler-style annotate.sh
prefix annotate.sh
prefix-strip annotate.sh
objdump annotate.sh
ignore-vmlinux symbols.sh
END

# Text without what differs for all: the tip, and functions of the kernel that are only callers.
plain() { sed -e 's/^# (Tip:.*/# (Tip)/' -e 's/\[k\]/[.]/'; }
report() { STROBE_THREADS=1 "$STROBE" report --stdio --no-inline "$@" 2>/dev/null </dev/null; }

"$STROBE" --dump-opts report | awk -F '\t' '{ print ($2 == "-" ? $1 : $2), $4 }' >table
check "the table has options" test "$(wc -l <table)" -gt 50
while read -r option flags; do
	case $flags in *refused*)
		run "$STROBE" report -i chains "--$option=1"
		check "--$option is refused" test "$rc" = 129
		check "--$option: with a reason" grep -q 'why:' err
		continue ;;
	esac
	grep -q "^$option " elsewhere && continue
	row=$(grep "^$option: " rows)
	check "--$option has a row in this test" test -n "$row"
	[ -n "$row" ] || continue
	row=${row#*: }
	# shellcheck disable=SC2086
	{ report -i ${row%|*} >without; report -i ${row/|/} >with; }
	check "--$option: there is a report without it" test -s without
	check "--$option changes what is printed (${row})" sh -c '! cmp -s with without'
	# shellcheck disable=SC2086
	STROBE_THREADS=8 "$STROBE" report --stdio --no-inline -i ${row/|/} >eight 2>/dev/null </dev/null
	check "--$option: threads do not change it" cmp with eight
	if [ -z "${STROBE_PERF72:-}" ] || grep -q "^$option " differ; then continue; fi
	# Call graphs are compared where the option is about them: neighbours with equal sums are now and then in another order.
	case $option in call-graph|inverted|children|max-stack|parent|exclude-other|group*) alike= ;; *) alike="-g none --no-children" ;; esac
	# shellcheck disable=SC2086
	$STROBE_PERF72 report --stdio --no-inline -i ${row/|/} $alike 2>/dev/null </dev/null | plain >perf
	# shellcheck disable=SC2086
	report -i ${row/|/} $alike | plain >ours
	check "--$option: the text is perf 7.2's (${row} $alike)" diff perf ours
done <table

# Objects in one directory, whatever their paths were.
mkdir flat && cp layers flat
export PERF_BUILDID_DIR=/dev/null
report -i chains -s sym --symfs flat >below
report -i chains -s sym --symfs flat,flat >inside
check "--symfs DIR,flat finds objects by their names" sh -c 'grep -q " main$" inside && ! grep -q " main$" below'
finish
