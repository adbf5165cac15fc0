#!/bin/bash
# export: each form says what report says; foreign names are inert in each; output that cannot be
# written is told. What other programs make of the forms is looked at in export_readers.sh.
. "$(dirname "$0")/lib.sh"
need python3
golden=$STROBE_SOURCE/tests/golden
sums=$STROBE_SOURCE/tests/e2e/readers/sums.py
frames="firefox pprof speedscope chrome otlp"

same_sums() {	# file: all forms have report's totals, and its first 20 functions by self and children
	local form option
	for form in $frames; do
		option=--inline	# which frames are inlined is not said by all
		case $form in speedscope | chrome) option=--no-inline ;; esac
		python3 "$sums" report "$STROBE" "$1" $option >want
		check "$1: report has sums" test -s want
		run "$STROBE" export "$form" $option -i "$1" -o "x.$form"
		check "$1: $form is written" test $rc = 0
		python3 "$sums" "$form" "x.$form" >got
		check "$1: $form has the sums of report" python3 "$sums" compare want got
	done
	# perfetto has numbers of samples
	"$STROBE" export perfetto -i "$1" -o x.perfetto 2>/dev/null
	"$STROBE" export speedscope --samples -i "$1" -o x.speedscope 2>/dev/null
	check "$1: perfetto has the samples of speedscope" diff \
		<(python3 "$sums" perfetto x.perfetto | sed 's/^[^|]*//' | sort) \
		<(python3 "$sums" speedscope x.speedscope | sed 's/^[^|]*//' | sort)
}
for f in fp dwarf kernel perf-fp perf-dwarf pipe perf-z; do same_sums "$golden/$f.data"; done

if can sample && command -v cc >/dev/null; then	# names, threads, inlined calls
	workload threads
	must "$STROBE" record -q -g -e cpu-clock:u -F 1000 -o threads.data ./threads
	same_sums threads.data
	check "threads: functions are among what was compared" grep -q '|self|leaf|' want
	for form in $frames; do
		for n in 1 8; do STROBE_THREADS=$n "$STROBE" export "$form" -i threads.data -o "x.$n" 2>/dev/null; done
		check "threads: $form does not depend on the number of workers" cmp x.1 x.8
	done
	"$STROBE" export pprof -i threads.data | gzip -dc >x.pprof
	"$STROBE" buildid-list -i threads.data | grep threads >ids
	check "threads: pprof has the build-id" grep -qF "$(cut -d' ' -f1 ids)" x.pprof
	check "threads: and the source file" grep -q 'threads\.c' x.pprof
	must "$STROBE" record -q --switch-events -e cpu-clock:u -F 100 -o switches.data sh -c "./threads; sleep 0.05; :"
	"$STROBE" script --show-switch-events -F tid,time -i switches.data 2>/dev/null | grep RECORD_SWITCH >switches
	for form in chrome perfetto; do
		"$STROBE" export $form -i switches.data -o x.json 2>/dev/null
		# Of the first turn of the program the begin is not recorded, and of a thread's last one the end.
		check "switches: $form has a slice for each turn" python3 -c 'if 1:
			import collections, json, re
			x = [e for e in json.load(open("x.json"))["traceEvents"] if e["ph"] == "X"]
			turns, running = collections.Counter(), set()
			for line in open("switches"):
				tid, way = re.match(r" *(\d+) .*RECORD_SWITCH (IN|OUT)", line).groups()
				if way == "IN":
					running.add(tid)
				elif tid in running:
					running.remove(tid)
					turns[int(tid)] += 1
			got = collections.Counter(e["tid"] for e in x)
			assert turns and got == turns, (got, turns)
			assert all(e["dur"] >= 0 and e["name"] == "running" for e in x)'
	done
else skip_part "a recording of our own: no compiler, or this machine cannot: $why_not"; fi
if can system sched:sched_switch; then
	must "$STROBE" record -q -a -e sched:sched_switch -o switches.data -- \
		sh -c 'for i in 1 2 3 4 5; do sleep 0.05; done'
	"$STROBE" script -i switches.data -F cpu,event,trace 2>/dev/null >switches
	for form in chrome perfetto; do
		"$STROBE" export $form -i switches.data -o x.json 2>/dev/null
		# A turn begins where the last record of its CPU names the thread as the next one. The first record of a
		# CPU has none before it, and some kernels do not report every switch.
		check "sched_switch: $form has a slice for each turn" python3 -c 'if 1:
			import collections, json, re
			x = [e for e in json.load(open("x.json"))["traceEvents"] if e["ph"] == "X"]
			turns, running = collections.Counter(), {}
			for line in open("switches"):
				line = re.match(r".*\[(\d+)\].* prev_pid=(\d+) .* next_pid=(\d+) ", line)
				cpu, left, entered = line.groups()
				if left != "0" and running.get(cpu) == left:
					turns[int(left)] += 1
				running[cpu] = entered
			got = collections.Counter(e["tid"] for e in x)
			assert turns and got == turns, (got, turns)
			assert all(e["dur"] >= 0 for e in x)'
	done
else skip_part "slices of sched_switch: $why_not"; fi

for form in $frames; do
	"$STROBE" export "$form" -i "$golden/group.data" -o "x.$form" 2>/dev/null
	python3 "$sums" "$form" "x.$form" | grep '|total|' >got
	check "group: $form has all events" test "$(wc -l <got)" = 3
	"$STROBE" export "$form" -e page-faults -i "$golden/group.data" -o "x.$form" 2>/dev/null
	python3 "$sums" "$form" "x.$form" | grep '|total|' >got
	check "group: $form has the one asked for" grep -qx '.*|total|75' got
	check "group: and no other" test "$(wc -l <got)" = 1
done

# The wire format as protoc knows it: every field has the type and number it is declared with.
if command -v protoc >/dev/null; then
	decoded() {	# message input
		protoc --proto_path="$STROBE_SOURCE/tests/e2e/readers" --decode="$1" "${1%%.*}.proto" <"$2" >decoded.txt
	}
	for f in fp dwarf group kernel; do
		"$STROBE" export pprof -i "$golden/$f.data" 2>/dev/null | gzip -dc >x.pprof
		"$STROBE" export otlp -i "$golden/$f.data" -o x.otlp 2>/dev/null
		for message in pprof.Profile otlp.ProfilesData; do
			check "$f: protoc decodes $message" decoded $message "x.${message%%.*}"
			check "$f: and knows all its fields" test "$(grep -cE '^ *[0-9]+(:| [{])' decoded.txt)" = 0
			check "$f: there are some" grep -q 'value' decoded.txt
		done
	done
else skip_part "no protoc here"; fi

run "$STROBE" export collapsed -i "$golden/fp.data"
"$STROBE" collapse -i "$golden/fp.data" >want
check "collapsed is what collapse prints" diff want out

# json and ctf hold samples.
"$STROBE" export json -i "$golden/group.data" -o x.json 2>/dev/null
"$STROBE" data convert --to-json y.json -i "$golden/group.data" 2>/dev/null
check "json is what data convert writes" cmp x.json y.json
run "$STROBE" export json -e page-faults -i "$golden/group.data"
check "json refuses options about stacks" test $rc = 129
samples_of() { "$STROBE" script -G -F tid,time,event,ip -i "$1" 2>/dev/null | grep -c .; }
if command -v babeltrace2 >/dev/null; then
	for f in fp group kernel tracepoint perf-tracepoint perf-z pipe; do
		run "$STROBE" export ctf -i "$golden/$f.data" -o "$f.ctf"
		check "ctf: $f is written" test $rc = 0
		run babeltrace2 "$f.ctf"
		check "ctf: babeltrace2 reads $f and prints nothing" test "$rc.$(wc -l <err)" = 0.0
		check "ctf: $f has all samples" test "$(wc -l <out)" = "$(samples_of "$golden/$f.data")"
	done
	babeltrace2 --clock-seconds --no-delta tracepoint.ctf | grep sys_enter_write |
		awk '{
			gsub(/[][,]/, "")
			for (i = 2; i < NF; i++) if ($i == "=") value[$(i - 1)] = $(i + 1)
			print $1, value["perf_tid"], value["fd"], value["count"]
		}' >got
	"$STROBE" script --ns -G -F tid,time,trace -i "$golden/tracepoint.data" 2>/dev/null |
		grep 'fd: ' | tr -d ':,' |
		while read -r tid time _ fd _ _ _ count; do echo "$time $tid $((fd)) $((count))"; done >want
	check "ctf: fields of tracepoints are those of script" diff want got
	mkdir there
	run "$STROBE" data convert --to-ctf there -i "$golden/fp.data"
	check "ctf: a directory that exists is left alone" test "$rc.$(ls there)" = 255.
	run "$STROBE" data convert --to-ctf there -f -i "$golden/fp.data"
	check "ctf: with --force it is written into" test "$rc" = 0
else skip_part "no babeltrace2 here"; fi

# Not known, not there, not to be written.
run "$STROBE" export
check "export without a form lists the forms" grep -q 'one of: firefox, pprof' err
check "export without a form is bad usage" test $rc = 129
run "$STROBE" export nothing -i "$golden/fp.data"
check "an unknown format is named" grep -q "there is no export format 'nothing'" err
check "an unknown form is bad usage" test $rc = 129
for form in $frames perfetto collapsed; do
	run "$STROBE" export "$form" -i "$golden/fp.data" -o /dev/full
	check "$form: a full disk is reported" test $rc = 255
	check "$form: in one line and its reason" test "$(grep -c 'strobe export:' err)" = 1
	run "$STROBE" export "$form" -i no.data -o "x.$form.none"
	check "$form: a missing input is reported" test $rc != 0
	check "$form: and no output is left" test ! -e "x.$form.none"
done
for command in annotate "collapse -o x.cpu" "flamegraph -o x.cpu" "export pprof -o x.cpu"; do
	# shellcheck disable=SC2086
	run "$STROBE" $command -i "$golden/fp.data" -C 0
	check "$command -C: samples without CPUs are an error" \
		sh -c "test $rc = 255 && grep -q 'do not say on which CPU' err && test ! -e x.cpu"
done
mkdir taken
run "$STROBE" export ctf -i "$golden/fp.data" -o taken
check "ctf: a directory that exists is kept, with advice" sh -c "test $rc = 255 && grep -q 'try: .*--force' err"
run "$STROBE" export ctf -i "$golden/fp.data" -f -o taken
check "ctf: the message names export" sh -c "grep -q 'strobe export: wrote .taken' err && ! grep -q 'data convert' err"
finish
