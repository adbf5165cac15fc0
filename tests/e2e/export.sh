#!/bin/bash
# export: each form says what report says; foreign names are inert in each; output that cannot be
# written is told. What other programs make of the forms is looked at in export_readers.sh.
. "$(dirname "$0")/lib.sh"
need python3
golden=$STROBE_SOURCE/tests/golden
sums=$STROBE_SOURCE/tests/e2e/readers/sums.py
frames="firefox pprof speedscope chrome otlp"

same_sums() {	# file: all forms have report's totals, and its first 20 functions by self and children
	local form
	python3 "$sums" report "$STROBE" "$1" >want
	check "$1: report has sums" test -s want
	for form in $frames; do
		run "$STROBE" export "$form" -i "$1" -o "x.$form"
		check "$1: $form is written" test $rc = 0
		python3 "$sums" "$form" "x.$form" >got
		check "$1: $form has the sums of report" python3 "$sums" compare want got
	done
	# perfetto has numbers of samples
	python3 "$sums" report "$STROBE" "$1" >want
	"$STROBE" export perfetto -i "$1" -o x.perfetto 2>/dev/null
	"$STROBE" export speedscope --samples -i "$1" -o x.speedscope 2>/dev/null
	check "$1: perfetto has the samples of speedscope" diff \
		<(python3 "$sums" perfetto x.perfetto | sed 's/^[^|]*//' | sort) \
		<(python3 "$sums" speedscope x.speedscope | sed 's/^[^|]*//' | sort)
}
for f in fp dwarf kernel perf-fp perf-dwarf pipe perf-z; do same_sums "$golden/$f.data"; done

for form in $frames; do
	"$STROBE" export "$form" -i "$golden/group.data" -o "x.$form" 2>/dev/null
	python3 "$sums" "$form" "x.$form" | grep '|total|' >got
	check "group: $form has all events" test "$(wc -l <got)" = 3
	"$STROBE" export "$form" -e page-faults -i "$golden/group.data" -o "x.$form" 2>/dev/null
	python3 "$sums" "$form" "x.$form" | grep '|total|' >got
	check "group: $form has the one asked for" grep -qx '.*|total|75' got
	check "group: and no other" test "$(wc -l <got)" = 1
done

run "$STROBE" export collapsed -i "$golden/fp.data"
"$STROBE" collapse -i "$golden/fp.data" >want
check "collapsed is what collapse prints" diff want out

# Not known, not there, not to be written.
run "$STROBE" export
check "without a format it names the formats" grep -q 'one of: firefox, pprof' err
check "and is bad usage" test $rc = 129
run "$STROBE" export nothing -i "$golden/fp.data"
check "an unknown format is named" grep -q "there is no export format 'nothing'" err
check "and is bad usage, too" test $rc = 129
for form in $frames perfetto collapsed; do
	run "$STROBE" export "$form" -i "$golden/fp.data" -o /dev/full
	check "$form: a full disk is told" test $rc = 255
	check "$form: in one line and its reason" test "$(grep -c 'strobe export:' err)" = 1
	run "$STROBE" export "$form" -i no.data -o "x.$form.none"
	check "$form: a missing input is told" test $rc != 0
	check "$form: and no output is left" test ! -e "x.$form.none"
done
finish
