#!/bin/bash
# Damaged input ends in an answer or a message: no crash, no hang, no flood of output, no silence.
# The runner judges (tests/mutate/mutants.c). STROBE_MUTANTS=N runs more mutants, STROBE_SEED other
# ones, STROBE_CORPUS adds the files of the corpus.
# By hand:  build/dev/tests/mutants -n 20000 -s 7 -k /tmp build/dev/strobe tests/golden/*.data
. "$(dirname "$0")/lib.sh"

golden=$STROBE_SOURCE/tests/golden
mutants=$STROBE_BUILD/tests/mutants
seed=${STROBE_SEED:-1}
if [ -n "${STROBE_SANITIZED:-}" ]; then
	options=-a count=${STROBE_MUTANTS:-80}
else
	options=''
	count=${STROBE_MUTANTS:-400}
fi
if [ -n "${STROBE_MUTANTS:-}" ]; then limit=; else limit="-t 8"; fi
export TMPDIR=$tmp

judge() {	# WHAT ARGUMENTS...: print the findings, or the number of mutants
	what=$1; shift
	if "$mutants" $options $limit -s "$seed" -n "$count" "$@" >report.log 2>&1; then
		passed=$((passed + 1)); say "$what: $(tail -1 report.log)"
	else
		failed=$((failed + 1))
		say "FAILED: $what, with $(basename "$mutants") -s $seed -n $count"
		cat report.log
	fi
}

# Reading the kernel's symbols would take most of the time: use a short list instead.
printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' 'ffffffff81000100 T do_syscall_64' \
	'ffffffff82000000 T _etext' 'ffffffffa0000000 t e1000_probe	[e1000]' >kallsyms
k="--kallsyms $tmp/kallsyms"
commands() { for c; do printf '%s\n' "-c" "$c"; done; }
mapfile -t usual \
	< <(commands "report --stdio $k" "report --stdio -g caller --children $k" "script $k" \
	"script -D $k" "evlist -v" "report --header-only" "report --stats" "buildid-list")

# These include past bugs in their original form.
judge "recordings as they are" -g "$STROBE" "$golden"/*.data
judge "own recordings" "${usual[@]}" "$STROBE" "$golden"/*.data

# The rest: output for other programs, rewritten recordings, keys of memory and branches.
mapfile -t further \
	< <(commands "script --json $k" "script --csv $k" "collapse $k" "flamegraph $k" \
	"flamegraph --html $k" "inject -b -o /dev/null" "report --quality $k" \
	"report --stdio --hierarchy $k" "report --brief -j $k" "export chrome $k" "export firefox $k" \
	"report --stdio -s mem,symbol_daddr,symbol_from,symbol_to,mispredict,local_weight,srcline $k")
judge "further commands" "${further[@]}" "$STROBE" "$golden"/*.data

# Accesses to shared lines, and traces of Arm SPE, which are decoded into a file.
if command -v python3 >/dev/null; then
	must python3 "$STROBE_SOURCE/tests/lib/make_c2c.py" shared.data chains n=60
	must python3 "$STROBE_SOURCE/tests/lib/make_spe.py" trace.pipe
	must "$STROBE" inject -i trace.pipe -o trace.data
	mapfile -t accesses < <(commands "c2c report --stdio -NN $k" "script --itrace=bl $k" "mem report -D")
	judge "accesses and traces" "${accesses[@]}" "$STROBE" shared.data trace.pipe trace.data
else
	skip_part "mutants of accesses and traces: no python3"
fi

# Objects, read for symbols, lines, inlined calls and unwinding.
objects() {
	command -v c++ >/dev/null || { skip_part "mutants of objects: no compiler"; return; }
	can sample || { skip_part "mutants of objects: this machine cannot: $why_not"; return; }
	workload stacks
	# in another form, too: older DWARF, types in their own section, compressed
	cp stacks plain && workload stacks -gdwarf-4 -fdebug-types-section -gz 2>/dev/null &&
		mv stacks deflated || skip_part "mutants of deflated objects: this compiler makes none"
	mv plain stacks
	forms="stacks $(ls deflated 2>/dev/null)"
	for mode in fp dwarf,4096; do
		must "$STROBE" record -q -N -B -e cpu-clock:u -F 300 --call-graph $mode -o objects.data ./stacks
		judge "objects, $mode" -e "objects.data=$tmp/stacks" -c "report --stdio" \
			-c "script -F +srcline,+symoff" -c "report --stdio -s symbol,srcline" \
			-c "report --stdio -g caller,srcline" -c "report --quality" \
			-c "report --stdio -s type,typeoff,symoff" -c "annotate --stdio" \
			-c "annotate --source-view" "$STROBE" $forms
	done
	judge "objects, as probes see them" -c "probe -x @ -F" -c "probe -x @ -L spin_wide" \
		-c "probe -x @ -L stacks.cc:20-60" -c "probe -x @ -V descend" \
		-c "probe -x @ -V --externs --range main" \
		-c "probe -x @ -D descend%return" -c "probe -x @ -D stacks.cc:30" \
		-c "probe -x @ -D spin_*" -c "buildid-list" "$STROBE" $forms
}
objects

if [ -n "${STROBE_CORPUS:-}" ]; then
	mkdir corpus
	for f in "$STROBE_CORPUS"/data/*; do
		case $f in
		*.xz) xz -dkc "$f" >"corpus/$(basename "$f" .xz)" ;;
		*) if [ -f "$f" ]; then cp "$f" corpus/; fi ;;
		esac
	done
	judge "corpus" "${usual[@]}" "$STROBE" corpus/*
else
	skip_part "mutants of the corpus: STROBE_CORPUS is not set"
fi
finish
