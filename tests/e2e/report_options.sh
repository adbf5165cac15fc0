#!/bin/bash
# report: each option of the table is refused with a reason, or changes the output. A new option
# fails without a row here.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
golden=$STROBE_SOURCE/tests/golden
layers_stored
cp "$golden/tracepoint.data" tracepoints
cp "$golden/kernel.data" kernel
# kernel symbols of another machine, one of them mangled
printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' 'ffffffff82000000 T _Z6kernelv' \
	'ffffffff82fff000 T _etext' >kallsyms

# option: input, other options to make its effect visible | what shows the effect
cat >rows <<'END'
input: several | -i sampled
verbose: sampled | -v
quiet: sampled | -q
dump-raw-trace: sampled | -D
stats: sampled | --stats
tasks: sampled | --tasks
quality: sampled | --quality
mmaps: sampled | --mmaps
header: sampled | --header
header-only: sampled | --header-only
show-info: sampled --header-only | -I
sort: sampled | -s cpu
fields: sampled | -F comm
show-nr-samples: sampled | -n
show-total-period: sampled | --show-total-period
group: several | --group
branch-stack: sampled | -b
group-sort-idx: group -s sym -g none | --group-sort-idx=1
show-cpu-utilization: sampled | --show-cpu-utilization
showcpuutilization: sampled | --showcpuutilization
latency: latency | --latency
raw-trace: tracepoints | --raw-trace
mem-mode: several | --mem-mode
skip-empty: several | --no-skip-empty
column-widths: sampled | -w 30,30,30,30,30
field-separator: sampled | -t,
threads: threads | -T
pretty: threads -T | --pretty=raw
percent-limit: sampled | --percent-limit=50
percentage: sampled -c layers | --percentage=relative
time-quantum: sampled -s time | --time-quantum=1s
ns: sampled -s time | --ns
full-source-path: sampled -s srcline --no-children | --full-source-path
stdio-color: sampled | --stdio-color=always
hierarchy: sampled | -H
children: sampled | --no-children
call-graph: sampled | -g caller,20
inverted: sampled --no-children | -G
max-stack: sampled | --max-stack=2
inline: sampled | --inline
ignore-callees: sampled --no-children | --ignore-callees=^main$
show-ref-call-graph: mixed | --show-ref-call-graph
parent: sampled | -p main
exclude-other: sampled -p ^leaf$ | -x
comms: sampled | -c layers
dsos: sampled | -d layers
symbols: sampled | -S main
symbol-filter: sampled | --symbol-filter=main
pid: sampled | --pid=1
tid: sampled | --tid=1
cpu: sampled | --cpu=9999
parallelism: latency | --parallelism=64
socket-filter: sampled | --socket-filter=77
time: sampled | --time=10%/2
switch-on: several | --switch-on=page-faults
switch-off: several | --switch-off=page-faults
show-on-off-events: several --switch-on=page-faults | --show-on-off-events
hide-unresolved: sampled --symfs=none | -U
kallsyms: kernel -s sym | --kallsyms=kallsyms
symfs: sampled | --symfs=none
demangle: names.data -s sym | --no-demangle
demangle-kernel: kernel -s sym --kallsyms=kallsyms | --demangle-kernel
short-templates: names.data -s sym | --short-templates
END
# The text differs from perf 7.2's; docs/compat.md explains how.
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
# Nothing here can show the effect; another script tests it.
cat >elsewhere <<'END'
force inputs.sh
itrace spe.sh
stdio cli.sh
full-names fit.sh
total-cycles ../unit/report/blocks.c
branch-history ../unit/report/text.c
tui browse.sh
samples tui.sh
modules symbols.sh
percent-type tui_annotate.sh
vmlinux symbols.sh
source annotate.sh
asm-raw annotate.sh
disassembler-style annotate.sh
prefix annotate.sh
prefix-strip annotate.sh
objdump annotate.sh
ignore-vmlinux symbols.sh
stitch-lbr script_branch.sh
trace-text script.sh
unwind-style unwind.sh
verify-stacks unwind.sh
waits waits.sh
wall waits.sh
bundle-first bundle.sh
debuginfod debuginfod.sh
brief brief.sh
json brief.sh
diff brief.sh
END

mkdir none	# without any object
# Text without what differs for all: the tip, and functions of the kernel that are only callers.
plain() { sed -e 's/^# (Tip:.*/# (Tip)/' -e 's/\[k\]/[.]/'; }
report() {
	STROBE_THREADS=${threads:-1} "$STROBE" report --stdio --no-inline $layers_where "$@" 2>/dev/null </dev/null
}

"$STROBE" --dump-opts report | awk -F '\t' '{ print ($2 == "-" ? $1 : $2), $4 }' >table
check "the table has options" test "$(wc -l <table)" -gt 50
while read -r option flags; do
	case $flags in *refused*)
		run "$STROBE" report -i sampled "--$option=1"
		check "report --$option is bad usage" test "$rc" = 129
		check "--$option: with a reason" grep -q 'why:' err
		continue ;;
	esac
	grep -q "^$option " elsewhere && continue
	case $option in addr2line*)	# selects who reads lines; the result is the same
		report -i sampled -s srcline >without; report -i sampled -s srcline "--$option" llvm >with
		check "--$option is accepted, and lines are the same" sh -c '[ -s with ] && cmp with without'
		continue ;;
	esac
	row=$(grep "^$option: " rows)
	check "--$option has a row in this test" test -n "$row"
	[ -n "$row" ] || continue
	row=${row#*: }
	# shellcheck disable=SC2086
	{ report -i ${row%|*} >without; report -i ${row/|/} >with; }
	check "--$option: there is a report without it" test -s without
	check "--$option changes what is printed (${row})" sh -c '! cmp -s with without'
	# shellcheck disable=SC2086
	threads=8 report -i ${row/|/} >eight
	check "--$option: threads do not change it" cmp with eight
	if grep -q "^$option " differ; then continue; fi
	# Compare call graphs only for options about them: neighbours with equal sums sometimes
	# change places.
	case $option in
	call-graph | inverted | children | max-stack | parent | exclude-other | group*) alike= ;;
	*) alike="-g none --no-children" ;;
	esac
	# shellcheck disable=SC2086
	perf72 report --stdio --no-inline $layers_where -i ${row/|/} $alike | plain >perf
	# shellcheck disable=SC2086
	report -i ${row/|/} $alike | plain >ours
	check "--$option: the text is perf 7.2's (${row} $alike)" diff perf ours
done <table

# All objects in one directory, whatever their paths were.
mkdir by_name && cp root/mnt/layers by_name
export PERF_BUILDID_DIR=/dev/null
report -i chains -s sym --symfs by_name >below
report -i chains -s sym --symfs by_name,flat >inside
check "--symfs DIR,flat finds objects by their names" sh -c 'grep -q " main$" inside && ! grep -q " main$" below'
run "$STROBE" report -i sampled --symfs nowhere
check "--symfs: a directory that is not there is an error" \
	sh -c "[ $rc = 255 ] && grep -q \"cannot use the directory 'nowhere'\" err && grep -q '  try: ' err"
run "$STROBE" report -i sampled --symfs kallsyms
check "--symfs with a file is an error" sh -c "[ $rc = 255 ] && grep -q \"'kallsyms' is no directory\" err"
# Files of another kind would only lose names.
mkfifo fifo
echo 'no list' >text
printf '%s\n' '' '                 U undefined' 'ffffffff81000000 A first' >list	# as of nm
: >empty
printf '\177ELF' | gzip >image.gz
while IFS='|' read -r options said; do
	# shellcheck disable=SC2086
	run timeout 120 "$STROBE" report -i kernel -s sym $options
	if [ -n "$said" ]; then
		check "$options: is refused ($said)" \
			sh -c "[ $rc = 255 ] && [ \$(wc -l <err) = 1 ] && grep -q \"$said\" err"
	else
		check "$options: is accepted" test "$rc" = 0
	fi
done <<END
--kallsyms text|'text' is no list of kernel symbols
--kallsyms $STROBE|is no list of kernel symbols
--kallsyms none|'none' is no regular file
--kallsyms fifo|'fifo' is no regular file
--kallsyms /dev/zero|is no list of kernel symbols
--kallsyms list|
--kallsyms empty|
--kallsyms /dev/null|
--vmlinux kallsyms|'kallsyms' is no kernel image
--vmlinux empty|'empty' is no kernel image
--vmlinux none|'none' is no regular file
--vmlinux fifo|'fifo' is no regular file
--vmlinux image.gz|
--vmlinux $STROBE|
END
for o in --total-cycles --branch-history; do
	run "$STROBE" report -i sampled $o
	check "$o without branches is an error, as -b" \
		sh -c "[ $rc = 255 ] && grep -q 'no branch stacks' err && grep -q '  try: strobe record -b' err"
done

# Called as perf, from a script: nothing on stderr that perf does not print, and its exit statuses.
mkdir bin && ln -s "$STROBE" bin/perf
run "$STROBE" report -i sampled; check "strobe shows the quality" grep -q '^# Quality: ' err
run bin/perf report -i sampled; check "called as perf, report shows no quality" test "$rc $(cat err)" = "0 "
run "$STROBE" report -i sampled --pid 1; check "if no sample passes --pid, strobe fails" test "$rc" = 255
check "if no sample passes --pid, the message says so" grep -q "no sample passes --pid '1'" err
run bin/perf report -i sampled --pid 1; check "perf: a table without rows" test "$rc $(cat err)" = "0 "
printf '[report]\n\tquality = true\n' >settings
run env PERF_CONFIG=settings bin/perf report -i sampled; check "called as perf, report.quality=true shows the quality" \
	grep -q '^# Quality: ' err
printf '[report]\n\tquality = false\n' >settings
run env PERF_CONFIG=settings "$STROBE" report -i sampled; check "report.quality=false hides the quality" \
	test "$rc $(cat err)" = "0 "
printf '[report]\n\tquality = maybe\n\tpercent-limit = x\n' >settings
run env PERF_CONFIG=settings "$STROBE" report -i sampled
check "a bad setting is named once" \
	grep -qx "strobe report: the setting report.percent-limit: 'x' is no percentage" err
if command -v script >/dev/null; then
	script -qec "PERF_PAGER=cat bin/perf report --stdio -i sampled" /dev/null </dev/null >out 2>&1
	check "perf on a terminal shows the quality" grep -q '^# Quality: ' out
fi
perf72_kept
finish
