#!/bin/bash
# The corpus: perf.data files of many versions, architectures and both byte orders, with the output
# of perf 7.2 for ten commands each. At least 95 % of our answers equal perf's after the corpus' own
# normalisation. expected/corpus.differences lists each other answer with its reason.
. "$(dirname "$0")/lib.sh"
[ -n "${STROBE_CORPUS:-}" ] || skip "STROBE_CORPUS names no corpus"
need python3 diff
[ -z "${STROBE_SANITIZED:-}" ] || skip "too long with sanitizers; the mutants run under them"

listed=$STROBE_SOURCE/tests/e2e/expected/corpus.differences	# "FILE COMMAND<tab>reason"
memory=8
[ -z "${STROBE_SANITIZED:-}" ] || memory=0
"$STROBE_CORPUS/compare" -q -m "$memory" -j "$(nproc)" "$STROBE" "$STROBE_CORPUS/golden/perf72" \
	"$STROBE_CORPUS/data" >result 2>err
tail -15 result
check "the comparison with perf ran to its end" grep -q 'passed, .* failed' result

# shellcheck disable=SC2046	# split the line into words
set -- $(tail -1 result)
share=$((1000 * $1 / ($1 + $3)))
say "agreement with perf 7.2: $((share / 10)).$((share % 10)) %"
check "at least 95 % of the outputs are perf's" test "$share" -ge 950
check "no command crashes" sh -c '! grep -q crashed\ \( result'

grep -E ' (differs|refused|crashed) \(' result | awk '{ print $1 " " $2 }' | sort >differ
grep -v '^#' "$listed" | cut -f 1 | sort >known
check "every difference is listed with its reason" \
	sh -c '[ -z "$(comm -23 differ known)" ] || { echo "not listed:"; comm -23 differ known; exit 1; }'
check "no listed difference is gone" \
	sh -c '[ -z "$(comm -13 differ known)" ] ||
	{ echo "listed, but it agrees now:"; comm -13 differ known; exit 1; }'
check "every listed difference has a reason" sh -c "! grep -v '^#' '$listed' | grep -vP '^\S+ \S+\t\S.{9,}'"
finish
