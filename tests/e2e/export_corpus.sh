#!/bin/bash
# export, over all recordings of the corpus: pprof has the sums of report, and the other forms have those of pprof,
# exactly, as far as they go: json has no weights, ctf no names, collapsed lines are of one event. Parquet is read by
# DuckDB (scripts/readers), ctf by babeltrace2. All recordings go through pprof, each fourth one through the other
# forms, and each twelfth one through those that take seconds; with STROBE_ALL_FORMS=1, all go through all.
. "$(dirname "$0")/lib.sh"
need python3
[ -d "${STROBE_CORPUS:-}/data" ] || skip "STROBE_CORPUS names no directory with recordings"
sums=$STROBE_SOURCE/tests/e2e/readers/sums.py
engine=$STROBE_SOURCE/tests/e2e/readers/engine.mjs
modules=$("$STROBE_SOURCE/scripts/readers" --where)/node_modules
duckdb=$modules/@duckdb/node-api
if [ ! -d "$duckdb" ] || ! command -v node >/dev/null; then
	skip_part "parquet: no DuckDB in $modules (scripts/readers)"
	duckdb=
fi
command -v babeltrace2 >/dev/null || skip_part "ctf: no babeltrace2 here"

# The sums of this recording; x.sums and plain.sums are those of pprof, with inlined calls and without.
same_parquet() {
	rm -rf x.parquet
	"$STROBE" export parquet -i "$1" -o x.parquet 2>/dev/null
	node "$engine" duckdb "$modules" "$tmp/x.parquet" sums | grep -vE '\|(0x[0-9a-f]+|0|\[unknown\])\|[0-9]+$' |
		sed 's/^[^|]*//' | grep -v '|0$' | sort >got.parquet
	diff <(sed 's/^[^|]*//' x.sums | grep -v '|0$' | sort) got.parquet
}
same_collapsed() {
	# all tracepoints together are one profile; those of which nothing is known belong to any
	! grep -q '^unknown tracepoint' plain.sums || return 0
	[ "$(grep -c '^[a-z0-9_]*:[a-z][^|]*|total|' plain.sums)" -le 1 ] || return 0
	"$STROBE" export collapsed --no-inline -i "$1" 2>/dev/null >x.collapsed
	python3 "$sums" collapsed x.collapsed | grep -vE '\|\[[^]|]*\]\|[0-9]+$' >got.collapsed
	python3 "$sums" plain plain.sums >want.collapsed
	python3 "$sums" one got.collapsed want.collapsed
}
same_json() {	# samples of functions by themselves
	"$STROBE" export json -i "$1" -o x.json --force 2>/dev/null
	"$STROBE" export speedscope --samples --no-inline -i "$1" -o x.speedscope 2>/dev/null
	diff <(python3 "$sums" samples_json x.json | grep '|self|' | sort) \
		<(python3 "$sums" speedscope x.speedscope | grep '|self|' |
			awk -F'|' '{ w = $NF; sub(/^[^|]*/, ""); sub(/[^|]*$/, ""); n[$0] += w }
				END { for (k in n) print k n[k] }' | sort)
}
same_ctf() {
	# what leaders read of their groups is not in this form
	! "$STROBE" evlist -v -i "$1" 2>/dev/null | grep -q 'sample_type:[^,]*READ' || return 0
	rm -rf x.ctf
	"$STROBE" export ctf -i "$1" -o x.ctf 2>/dev/null
	babeltrace2 x.ctf 2>/dev/null >x.events
	diff <(python3 "$sums" ctf x.events | sort) <(grep '|total|' x.sums | grep -v '|0$' | sort)
}
compared=0
each() { [ -n "${STROBE_ALL_FORMS:-}" ] || [ $((compared % $1)) = 1 ]; }
for f in "$STROBE_CORPUS"/data/*.data "$STROBE_CORPUS"/data/*.data.xz; do
	name=$(basename "$f" .xz) input=$f
	case $f in *.xz) command -v xz >/dev/null || continue; xz -dc "$f" >in.data; input=in.data ;; esac
	run "$STROBE" export pprof -i "$input" -o x.pprof
	[ $rc -le 1 ] || continue	# not to be read: e2e-corpus has these
	check "$name: pprof has the sums of report" python3 "$sums" steps report "$STROBE" "$input" '>want' -- \
		pprof x.pprof '>x.sums' -- compare want x.sums
	compared=$((compared + 1))
	each 4 || continue
	rm -f -- *.plain *.samples [!x]*.sums
	steps=()
	for form in firefox otlp; do
		run "$STROBE" export $form -i "$input" -o x.$form
		steps+=("$form" "x.$form" ">$form.sums" --)
	done
	for form in pprof speedscope chrome; do	# the last two have no place to tell that a call is inlined
		"$STROBE" export $form --no-inline -i "$input" -o x.$form 2>/dev/null
		steps+=("$form" "x.$form" ">$form.plain" --)
	done
	for form in speedscope perfetto; do
		"$STROBE" export $form --samples -i "$input" -o x.$form.samples 2>/dev/null
		steps+=("$form" "x.$form.samples" ">$form.samples" --)
	done
	check "$name: all forms can be read" python3 "$sums" steps "${steps[@]}"
	mv pprof.plain plain.sums
	for form in firefox otlp; do	# of a single event Firefox has no name
		check "$name: $form is as pprof" diff <(sed 's/^[^|]*//' x.sums | sort) \
			<(sed 's/^[^|]*//' $form.sums | sort)
	done
	for form in speedscope chrome; do
		check "$name: $form is as pprof" diff <(sed 's/^[^|]*//' plain.sums | sort) \
			<(sed 's/^[^|]*//' $form.plain | sort)
	done
	for form in speedscope perfetto; do	# perfetto does not tell events apart
		awk -F'|' '{ w = $NF; sub(/^[^|]*/, ""); sub(/[^|]*$/, ""); n[$0] += w }
			END { for (k in n) print k n[k] }' $form.samples | sort >got.$form
	done
	check "$name: perfetto has the samples of speedscope" diff got.speedscope got.perfetto
	each 12 || continue
	if [ "$name" != l61-kcallch.data ]; then	# its chains are without the user's part, where samples are
		check "$name: collapsed is as pprof" same_collapsed "$input"
		check "$name: json has the samples of speedscope" same_json "$input"
	fi
	[ -z "$duckdb" ] || check "$name: parquet is as pprof" same_parquet "$input"
	! command -v babeltrace2 >/dev/null || check "$name: ctf has the sums of pprof" same_ctf "$input"
done
check "there were recordings to compare" test $compared -gt 50
finish
