#!/bin/bash
# export, over all recordings of the corpus: pprof has the sums of report, and the other forms have
# those of pprof, exactly.
. "$(dirname "$0")/lib.sh"
need python3
[ -d "${STROBE_CORPUS:-}/data" ] || skip "STROBE_CORPUS names no directory with recordings"
sums=$STROBE_SOURCE/tests/e2e/readers/sums.py
compared=0
for f in "$STROBE_CORPUS"/data/*.data "$STROBE_CORPUS"/data/*.data.xz; do
	name=$(basename "$f" .xz) input=$f
	case $f in *.xz) command -v xz >/dev/null || continue; xz -dc "$f" >in.data; input=in.data ;; esac
	run "$STROBE" export pprof -i "$input" -o x.pprof
	[ $rc -le 1 ] || continue	# not to be read: e2e-corpus has these
	python3 "$sums" report "$STROBE" "$input" >want
	python3 "$sums" pprof x.pprof >got
	check "$name: pprof has the sums of report" python3 "$sums" compare want got
	for form in firefox otlp; do
		run "$STROBE" export $form -i "$input" -o x.$form
		# of a single event Firefox has no name
		check "$name: $form is as pprof" diff <(sed 's/^[^|]*//' got | sort) \
			<(python3 "$sums" $form x.$form | sed 's/^[^|]*//' | sort)
	done
	"$STROBE" export pprof --no-inline -i "$input" -o x.pprof 2>/dev/null
	python3 "$sums" pprof x.pprof | sed 's/^[^|]*//' | sort >got
	for form in speedscope chrome; do	# these have no place to tell that a call is inlined
		"$STROBE" export $form --no-inline -i "$input" -o x.$form 2>/dev/null
		check "$name: $form is as pprof" diff got <(python3 "$sums" $form x.$form | sed 's/^[^|]*//' | sort)
	done
	for form in speedscope perfetto; do
		"$STROBE" export $form --samples -i "$input" -o x.$form 2>/dev/null
		# perfetto does not tell events apart
		python3 "$sums" $form x.$form | awk -F'|' '{ w = $NF; sub(/^[^|]*/, ""); sub(/[^|]*$/, ""); n[$0] += w }
			END { for (k in n) print k n[k] }' | sort >got.$form
	done
	check "$name: perfetto has the samples of speedscope" diff got.speedscope got.perfetto
	compared=$((compared + 1))
done
check "there were recordings to compare" test $compared -gt 50
finish
