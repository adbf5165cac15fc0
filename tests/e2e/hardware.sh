#!/bin/bash
# test --hardware: every feature gets a verdict, and a result file gives the same lines again, also that of
# another machine.
. "$(dirname "$0")/lib.sh"
golden=$STROBE_SOURCE/tests/golden/hardware

run "$STROBE" test --hardware -o result.json
check "it ends well whatever the machine can do" test $rc = 0
check "each line has a verdict" sh -c '! grep -vE "^[a-z0-9-]+ +(works|differs|refused) +[^:]+: ." out'
check "features of any machine are there" \
	sh -c '[ "$(grep -cE "^(page-faults|breakpoint|instructions|chain|branch-stack) " out)" = 5 ]'
if grep -q '^page-faults  *refused' out; then
	skip_part "counts: this user may not measure"
else
	# Sanitizers touch pages of their own.
	[ -n "${STROBE_SANITIZED:-}" ] || check "faults of fresh pages are counted" grep -q '^page-faults  *works' out
	check "samples of a clock are in the loop" grep -q '^clock-samples  *works' out
	check "three known calls are in the chains" grep -q '^chain  *works' out
fi
cp out first
check "the file does not tell the machine's name, the user, or paths" \
	sh -c "! grep -qE '/|$(uname -n | tr -cd a-zA-Z0-9-)' result.json"
run "$STROBE" test --hardware -i result.json
check "the file gives the same lines" cmp out first
for file in "$golden"/*.json; do
	run "$STROBE" test --hardware -i "$file"
	check "$(basename "$file"): the verdicts are those that it holds" \
		sh -c "sed -n 's/.*\"feature\": \"\([^\"]*\)\", \"verdict\": \"\([^\"]*\)\".*/\1 \2/p' '$file' >want
		awk '{ print \$1, \$2 }' out | cmp - want"
done
echo '{"features": [{"feature": "nosuch"}]}' >bad.json
run "$STROBE" test --hardware -i bad.json
check "an unknown feature is told" grep -q "has the unknown feature 'nosuch'" err
echo '{' >bad.json
run "$STROBE" test --hardware -i bad.json
check "so is bad JSON" grep -q "cannot read 'bad.json': bad JSON in line 2" err
run "$STROBE" test -o x.json
check "-o without --hardware is bad usage" test $rc = 129
finish
