#!/bin/bash
# import: what export and script wrote comes back as a recording with the same stacks; foreign names
# go through each form and back; bad input gives one line.
. "$(dirname "$0")/lib.sh"
need python3
golden=$STROBE_SOURCE/tests/golden
sums=$STROBE_SOURCE/tests/e2e/readers/sums.py

collapse() { "$STROBE" collapse --max-stack 100000 -i "$1" 2>/dev/null; }
same_stacks() {	# recording: all three forms bring back its stacks
	collapse "$1" >want
	check "$1: there are stacks" test -s want
	run "$STROBE" import collapsed -i want -o back.data
	check "$1: collapsed is read" test $rc = 0
	collapse back.data >got
	check "$1: collapsed brings back the stacks" diff want got
	"$STROBE" export pprof -i "$1" -o x.pb.gz 2>/dev/null
	run "$STROBE" import pprof -i x.pb.gz -o back.data
	check "$1: pprof is read" test $rc = 0
	collapse back.data >got
	check "$1: pprof brings back the stacks" diff want got
	gzip -dc x.pb.gz >x.pb
	"$STROBE" import pprof -i x.pb -o back2.data 2>/dev/null
	check "$1: as it does when it is not packed" cmp back.data back2.data
	"$STROBE" script -i "$1" >text 2>/dev/null
	run "$STROBE" import script -i text -o back.data
	check "$1: the text of script is read" test $rc = 0
	collapse back.data >got
	check "$1: it brings back the stacks" diff want got
	"$STROBE" import script <text -o back2.data 2>/dev/null
	check "$1: also from a pipe" cmp back.data back2.data
}
for f in fp kernel perf-fp; do
	cp "$golden/$f.data" "$f.data"
	same_stacks "$f.data"
done
if can sample && command -v cc >/dev/null; then
	workload threads
	must "$STROBE" record -q -g -e cpu-clock:u -F 1000 -o threads.data ./threads
	same_stacks threads.data
	# back.data is from the text: it has times and CPUs, too
	"$STROBE" script -F +pid -i threads.data >text 2>/dev/null
	"$STROBE" import script -i text -o back.data 2>/dev/null
	for form in "" --tid; do
		"$STROBE" collapse $form -i threads.data >want 2>/dev/null
		"$STROBE" collapse $form -i back.data >got 2>/dev/null
		check "the text has the same threads with '$form'" diff want got
	done
	"$STROBE" script -F tid,time,period -i threads.data | sort >want
	"$STROBE" script -F tid,time,period -i back.data | sort >got
	check "import keeps times and periods" diff <(grep : want) <(grep : got)
	run "$STROBE" report -i back.data --stdio --no-children -g none -s sym
	check "report reads the imported recording" grep -q '% .*\[k\] inner' out
	run "$STROBE" diff threads.data back.data
	check "diff reads the imported recording" test $rc = 0
	run "$STROBE" flamegraph -i back.data -o x.svg
	check "flamegraph reads the imported recording" grep -q '>inner' x.svg
	if command -v perf >/dev/null; then
		run perf report -i back.data --stdio --no-children -g none -s sym
		check "perf reads the imported recording" grep -q '% .*\[k\] inner' out
	fi
else skip_part "a recording of our own: no compiler, or this machine cannot: $why_not"; fi

# Foreign names in every form: valid UTF-8, whole, as report shows them.
python3 - >hostile.folded <<'PY'
import sys
names = [b'quote"\'\\back', b'bell\x07esc\x1b[31m', b'\xff\xfe\xc3', '\u202e\u00fcn\u00ef'.encode(),
         b'<script>alert(1)</script>', b'L' * 60000,
         b'%s%n', b'{"a":1}', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'tab\there']
for i, name in enumerate(names):
    sys.stdout.buffer.write(b'x' + name[:100] + b';main;' + name + b' %d\n' % (i + 1))
PY
must "$STROBE" import collapsed -i hostile.folded -o hostile.data
collapse hostile.data >want
run "$STROBE" import collapsed -i want -o back.data
collapse back.data >got
check "foreign names: escaped ones stay as they are" diff want got
for form in firefox pprof speedscope chrome otlp; do
	python3 "$sums" report "$STROBE" hostile.data >want
	run "$STROBE" export $form -i hostile.data -o x.$form
	check "foreign names: $form is written" test $rc = 0
	case $form in
	pprof | otlp) python3 "$sums" $form x.$form >got ;;
	*)
		check "foreign names: $form has no control bytes" python3 -c 'if 1:
			import sys
			text = open(sys.argv[1], encoding="utf-8").read()
			sys.exit(any(ord(c) < 32 and c != "\n" for c in text))' x.$form
		python3 "$sums" $form x.$form >got
		;;
	esac
	check "foreign names: $form says what report says" python3 "$sums" compare want got
done
check "foreign names: long ones are whole" python3 -c \
	'import sys; sys.exit(b"L" * 60000 not in open("x.otlp", "rb").read())'
head -c 70000 /dev/zero | tr '\0' L >long.folded
echo ' 1' >>long.folded
sed -i 's/^/a;/' long.folded
run "$STROBE" import collapsed -i long.folded -o long.data
check "a name that no record holds is cut, and a message says so" grep -q '1 names* .*cut' err
check "a very long stack is imported" test "$(collapse long.data | wc -l)" = 1

# Inputs that are no such profile.
bad() {	# form file message
	run "$STROBE" import "$1" -i "$2" -o bad.data
	check "$1 $2: it is an error" test $rc = 255
	check "$1 $2: that says why" grep -q "$3" err
	check "$1 $2: in one line" test "$(grep -c '^strobe import:' err)" = 1
	check "$1 $2: nothing is written" test ! -e bad.data
}
: >empty
printf 'a;b 1\na;b c\n' >words
printf 'a;b 99999999999999999999\n' >large
bad collapsed empty 'has no samples'
bad collapsed words 'line 2: no weight'
bad collapsed large 'line 1: the weight is larger'
bad script words 'line 1 is neither'
bad script empty 'has no samples'
bad pprof words 'no pprof profile'
bad pprof empty 'no pprof profile'
head -c 100 x.pprof >short
bad pprof short 'cut short'
{ head -c 60 x.pprof; head -c 60 /dev/zero; tail -c +121 x.pprof; } >damaged
bad pprof damaged 'damaged\|cut short\|no pprof'
bad pprof none 'No such file'
run "$STROBE" import
check "import without a form lists the forms" grep -q 'collapsed, pprof, script' err
check "import without a form is bad usage" test $rc = 129
run "$STROBE" import nothing -i words
check "an unknown format is named" grep -q "no import format 'nothing'" err
run "$STROBE" import collapsed -i hostile.folded -o /dev/full
check "a full disk is reported" test $rc = 255
finish
