#!/bin/bash
# Damaged inputs end in an answer or in a message, whatever was damaged: no crash, no hang, no flood, nothing mute. The runner judges
# (tests/mutate/mutants.c); STROBE_MUTANTS=N asks for more of them, STROBE_SEED for others, STROBE_CORPUS adds the files of the corpus.
# By hand:  build/dev/tests/mutants -n 20000 -s 7 -k /tmp build/dev/strobe tests/golden/*.data
. "$(dirname "$0")/lib.sh"

golden=$STROBE_SOURCE/tests/golden
mutants=$STROBE_BUILD/tests/mutants
seed=${STROBE_SEED:-1}
if [ -n "${STROBE_SANITIZED:-}" ]; then options=-a count=${STROBE_MUTANTS:-80}; else options= count=${STROBE_MUTANTS:-400}; fi
if [ -n "${STROBE_MUTANTS:-}" ]; then limit=; else limit="-t 20"; fi
export TMPDIR=$tmp

judge() {	# WHAT ARGUMENTS...: says what was found, or what was done
	what=$1; shift
	if "$mutants" $options $limit -s "$seed" -n "$count" "$@" >report.log 2>&1; then
		passed=$((passed + 1)); say "$what: $(tail -1 report.log)"
	else
		failed=$((failed + 1)); say "FAILED: $what, with $(basename "$mutants") -s $seed -n $count"; cat report.log
	fi
}

# Among them is what once was a mistake, as it was found.
judge "recordings as they are" -g "$STROBE" "$golden"/*.data
judge "own recordings" "$STROBE" "$golden"/*.data

# What the others leave out: output for other programs, recordings written anew, keys of memory and branches.
judge "further commands" -c "script --json" -c "script --csv" -c collapse -c flamegraph -c "flamegraph --html" -c "inject -b -o /dev/null" -c "report -D" -c "report --quality" \
	-c "report --stdio --hierarchy" -c "report --stdio -s mem,symbol_daddr,symbol_from,symbol_to,mispredict,local_weight,srcline" "$STROBE" "$golden"/*.data

# Objects, as they are read for symbols, lines, inlined calls and unwinding.
objects() {
	command -v c++ >/dev/null || { skip_part "mutants of objects: no compiler"; return; }
	workload stacks
	for mode in fp dwarf,4096; do
		"$STROBE" record -q -N -B -e cpu-clock:u -F 300 --call-graph $mode -o objects.data ./stacks >err 2>&1 || { skip_part "mutants of objects: $(head -1 err)"; return; }
		judge "objects, $mode" -e "objects.data=$tmp/stacks" -c "report --stdio" -c "script -F +srcline,+symoff" -c "report --stdio -s symbol,srcline" \
			-c "report --stdio -g caller,srcline" -c "report --quality" -c "annotate --stdio" -c "annotate --source-view" "$STROBE" stacks
	done
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
	judge "corpus" "$STROBE" corpus/*
else
	skip_part "mutants of the corpus: STROBE_CORPUS is not set"
fi
finish
