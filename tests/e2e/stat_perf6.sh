#!/bin/bash
# stat: the same layout as perf 6.1, column by column, in each format and mode that both have.
# Numbers differ from run to run; their positions do not.
. "$(dirname "$0")/lib.sh"
need perf awk
case "$(perf version 2>/dev/null)" in *" 6.1"*) ;; *) skip "the installed perf is not 6.1" ;; esac
perf stat -e cs true 2>/dev/null || skip "perf cannot count here"

# Text: a number and the blanks before it keep their position, rates move their blanks behind them.
# Deviations are there only if not zero. The time an event was counted is there only if it was not
# the whole time: other tasks may run in between.
plain() {
	sed -E -e 's/  \( \+- *[0-9.]+% \)$//' -e 's/  \([0-9.]+%\)$//' \
		-e 's/[+]- [0-9.]+ sec/+- N sec/' -e 's/[KMG](\/sec)( *)/\1\2 /' \
		-e 's/(process|thread) id .[0-9,]+./\1 id X/' \
		-e 's/(sleep|sh)-[0-9]+ +/\1-X /' "$1" |
		awk '{ out = "";
		while (match($0, / *[0-9][0-9.]*/)) { out = out substr($0, 1, RSTART - 1);
		for (i = 0; i < RLENGTH; i++) out = out "9"; $0 = substr($0, RSTART + RLENGTH) }
		print out $0 "|" }'
}
# Fields: a number stays a number, whatever its length.
# perf's JSON has counts as strings, ours as numbers. What 6.1 calls aggregate-number is "counters"
# in 7.2 and here.
fields() {
	sed -E -e 's/"aggregate-number"/"counters"/' -e 's/("counter-value" : )"([0-9.]+)"/\1\2/' \
		-e 's/[KMG]\/sec/\/sec/' -e 's/(sleep|sh)-[0-9]+/\1-X/' -e 's/^ +//' "$1" |
		sed -E ':a; s/(^|[, :;\t"])-?[0-9]+(\.[0-9]+)?(%?)($|[,;\t} "])/\1N\3\4/; ta'
}

# On a busy machine the first interval can end before the command runs: the kernel then counts nothing.
counted_alike() { [ "$(grep -c '<not counted>' perf.err)" = "$(grep -c '<not counted>' our.err)" ]; }

same() {
	how=$1; shift
	for _ in 1 2 3 4 5; do
		perf stat "$@" >perf.out 2>perf.err </dev/null; perf_rc=$?
		"$STROBE" stat "$@" >our.out 2>our.err </dev/null; our_rc=$?
		counted_alike && break
	done
	$how perf.err >perf.plain; $how our.err >our.plain
	check "stat $*: same status" test $perf_rc = $our_rc
	check "stat $*: same layout" diff -u perf.plain our.plain
	check "stat $*: same on stdout" cmp perf.out our.out
}
soft="context-switches,page-faults,task-clock"
wide="context-switches,page-faults,cpu-clock"

same plain true
same plain -e $soft sleep 0.02
same plain -e cs sleep 0.02
same plain -d -d -d true
same plain -e cycles,cs:u true
same plain -r 3 -e $soft sleep 0.01
same plain -n true
same plain -n -r 2 sleep 0.01
same plain -e "{context-switches,page-faults}" true
same plain -i -e $soft true
same plain --no-big-num -B -e $soft true
same plain -S -e cs true
same plain --no-scale -e cs true
same plain -D 20 -e cs sleep 0.1
same plain --metric-only -e cs true
same plain --log-fd 2 -e cs true
same plain --quiet -e cs true
same plain -e cs sh -c 'sleep 0.03; exit 7'	# perf loses the status of a command that ends at once
if perf stat -a -e cs true 2>/dev/null; then
same plain -e cs:k,cs:u true
same plain -e duration_time,cs true
same plain -e 'syscalls:sys_enter_openat,raw_syscalls:sys_enter' true
same plain -a -e $wide sleep 0.02
same plain -a -e cycles,cs sleep 0.02
same plain -C 0 -e $wide sleep 0.02
same plain -C 0-1 -e cs sleep 0.02
for mode in -A --per-core --per-socket --per-die --per-node; do
	same plain -a $mode -e $wide sleep 0.02
	same fields -a $mode -x, -e $wide sleep 0.02
	same fields -a $mode -j -e $wide sleep 0.02
	same plain -a $mode -I 60 --interval-count 1 -e $wide sleep 1
	same fields -a $mode -I 60 --interval-count 1 -x, -e $wide sleep 1
done
else
	skip_part "the whole system: not allowed here"
fi
same plain -I 60 --interval-count 1 -e $soft sleep 1
same fields -I 60 --interval-count 1 -x, -e $soft sleep 1
same fields -I 60 --interval-count 1 -j -e $soft sleep 1
same fields -x, -e cycles,$soft sleep 0.02
same fields -x ';' -e $soft sleep 0.02
same fields -x '\t' -e $soft sleep 0.02
same fields -j -e cycles,$soft sleep 0.02
same fields -r 2 -x, -e cycles,$soft sleep 0.01
same fields -r 2 -j -e cycles,$soft sleep 0.01
sleep 30 & later_kill $!; sleeper=$!
same plain -p $sleeper -e cs,task-clock sleep 0.02
same plain -t $sleeper -e cs,task-clock sleep 0.02
same plain -p $sleeper --per-thread -e cs,task-clock sleep 0.02
same fields -p $sleeper --per-thread -x, -e cs,task-clock sleep 0.02
same fields -p $sleeper --per-thread -j -e cs,task-clock sleep 0.02
same plain -p $sleeper --per-thread -I 60 --interval-count 1 -e cs sleep 1
if [ -d /sys/fs/cgroup ] && perf stat -a -e cs -G / true 2>/dev/null; then
	same plain -a -e cs,cpu-clock --for-each-cgroup / sleep 0.02
	same fields -a -e cs,cpu-clock --for-each-cgroup / -x, sleep 0.02
	same fields -a -e cs,cpu-clock --for-each-cgroup / -j sleep 0.02
	same plain -a -e cycles -G / sleep 0.02
else
	skip_part "control groups: none that events can be bound to"
fi

# A locale with a decimal comma: only text, because perf's other formats are broken there.
if localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
	export LOCPATH=$PWD LC_ALL=de_DE.UTF-8
	german() { sed -E ':a; s/([0-9]),([0-9])/\1.\2/; ta' "$1" >pointed; plain pointed; }
	same german -e $soft sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
	check "thousands are separated, decimals have a comma" \
		grep -Eq '^ +[0-9]+\.[0-9]{3}  +page-faults(:u)? .* [0-9]+,[0-9]{3} ' our.err
	same german -r 2 -e $soft sleep 0.02
	export LC_ALL=C
else
	skip_part "a locale with a decimal comma: no package of locales here"
fi

# -o: the same after the line with the time; --append continues after it.
for tool in perf "$STROBE"; do
	$tool stat -o out.txt -e cs true; $tool stat -o out.txt --append -x, -e cs true
	sed -E -e 's/^# started on .*/# started on/' -e '/,cs(:u)?,/s/[0-9.]+/N/g' out.txt >started
	if [ "$tool" = perf ]; then plain started >out.perf; else plain started >out.strobe; fi
done
check "-o and --append write the same" diff -u out.perf out.strobe

# Conflicting options: perf's status and, first, its words.
refused() {
	perf stat "$@" >/dev/null 2>perf.err </dev/null; perf_rc=$?
	"$STROBE" stat "$@" >/dev/null 2>our.err </dev/null; our_rc=$?
	check "stat $*: status as perf's" test $perf_rc = $our_rc
	check "stat $*: words as perf's" grep -qF -- "$(head -1 perf.err)" our.err
}
refused --table -e cs true
refused -r -1 true
refused -r 3 --metric-only true
refused --interval-count 1 true
refused --timeout 5 true
refused --per-core true
refused -A true
refused -o f --log-fd 2 true
refused --per-thread -e cs true
refused -p 999999999 true
refused -G foo true
refused --filter x true
refused -e nosuch true
refused -e cs, -e 'cs,,cs' true
refused -B -x, true
finish
