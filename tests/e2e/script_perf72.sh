#!/bin/bash
# script compared with the stored text of perf 7.2: fields and options that once differed, for our
# own recordings and those of the corpus.
. "$(dirname "$0")/lib.sh"
need objcopy sed grep
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
layers_stored

same() {
	what=$1; shift
	# perf copies its own vdso to a file, and then prints that file's name.
	perf72 script "$@" | sed 's#/tmp/perf-vdso.so-[^+)]*#[vdso]#' >want
	run "$STROBE" script "$@"
	check "$what: the text of perf 7.2 ($*)" sh -c '[ -s want ] && diff want out'
}

# --- unknown lines: print the object's address, or "??:0" if the object has other lines
same "the length of an instruction, then its bytes" -i bare.data $layers_where -G -F ip,insn,insnlen
cp -r root lineless
objcopy --strip-debug lineless/mnt/layers
same \
	"places of a program without lines" -i mixed --symfs lineless --kallsyms functions \
	--no-inline -F ip,sym,dso,srcline
same \
	"places of a program without lines, no stacks" -i group --symfs lineless --kallsyms functions \
	--no-inline -G -F ip,sym,dso,srcline
# perf's addr2line guesses a file, but no line, from nearby symbols.
perf72 script -i mixed $layers_where --no-inline -F ip,sym,dso,srcline | sed 's/^  [^ ]*\.[co]:0$/  ??:0/' >want
run "$STROBE" script -i mixed $layers_where --no-inline -F ip,sym,dso,srcline
check "places without a line in a program with lines" sh -c 'grep -q "^  ??:0$" out && diff want out'

# --- lines of other records: fields without text there, and all fields without samples
same "records with fields of guests" -i flat $layers_where -F +vcpu,+machine_pid --show-task-events --show-mmap-events
same "records with a field of guests and one more" -i flat $layers_where -F vcpu,pid --show-task-events
same "records while samples are only counted" -i flat $layers_where -d --show-task-events --show-mmap-events

# --- views of a hardware trace, for recordings without one
for view in --call-trace --call-ret-trace --insn-trace=raw; do
	same "samples in the fields of a trace" -i flat $layers_where $view
done
run "$STROBE" script -i bare.data $layers_where -G --insn-trace=disasm
"$STROBE" script -i bare.data $layers_where -G --ns -F +disasm,-event,-period >want
check "--insn-trace=disasm: instructions as text" sh -c 'grep -q "%r" out && diff want out'
run "$STROBE" script -i flat $layers_where --insn-trace=xed
check "an unknown view is refused" sh -c "test $rc = 129 && grep -q 'try: --insn-trace=raw or --insn-trace=disasm' err"

# --- the first time, to which others are relative, adds no sample
"$STROBE" script -i flat $layers_where -F comm,ip,sym >want
run "$STROBE" script -i flat $layers_where -F comm,ip,sym --per-event-dump --reltime
check "--per-event-dump with --reltime: each sample once" diff want flat.cpu-clock.dump
"$STROBE" script -i several $layers_where -F comm,event,ip --switch-on page-faults | sed 's/^ *//' >want
run "$STROBE" script -i several $layers_where -F comm,event,ip,time --switch-on page-faults --reltime
check "--switch-on with --reltime: from that event on" \
	sh -c '[ -s want ] && sed "s/^ *//; s/ *[0-9.]*: / /" out | diff want -'

# --- files of the corpus
if [ -z "${STROBE_CORPUS:-}" ]; then
	skip_part "files of the corpus: STROBE_CORPUS names none"
	finish
fi
corpus() {
	for name; do
		if [ -e "$STROBE_CORPUS/data/$name.data.xz" ]; then
			xz -dc "$STROBE_CORPUS/data/$name.data.xz" >"$name.data"
		else
			cp "$STROBE_CORPUS/data/$name.data" .
		fi
	done
}
mkdir nothing
corpus quipper-raw_callgraph_branch-3.4 quipper-hybrid_topology l61-raw l61-pipe sp-perf_with_add_counter
same \
	"modules by their path where offsets are shown" -i quipper-raw_callgraph_branch-3.4.data \
	--symfs nothing --max-stack 5 -F ip,dso,dsoff
same \
	"modules by their path as part of the kernel" -i quipper-raw_callgraph_branch-3.4.data \
	--symfs nothing --max-stack 5 -F ip,dso --show-kernel-path
run "$STROBE" script -i quipper-hybrid_topology.data -F sw:
check "a dummy event is no software event to show" \
	sh -c '[ "$1" = 255 ] && grep -q "software events do not exist" err' sh "$rc"
same \
	"it has no part in which fields records have" -i quipper-hybrid_topology.data --symfs nothing \
	--show-task-events -F +misc
same "what a pipe stream says of itself" -i l61-pipe.data --symfs nothing -I -G -F comm,time
same \
	"dumped samples of other times have no owners" -i l61-raw.data --symfs nothing \
	-D --time 2035.45,2035.5 -F comm,time
same "nor have those of other CPUs" -i l61-raw.data --symfs nothing -D --cpu 0 -F comm,time
same \
	"a dumped sample of several counters has an owner for each" -i sp-perf_with_add_counter.data \
	--symfs nothing -D -F comm,time
same "dumps while samples are only counted" -i l61-raw.data --symfs nothing -D -d
perf72_kept
finish
