#!/bin/bash
# script: text of samples, choice of fields and samples, order; collapsers of its output; all of it
# compared with perf 7.2.
. "$(dirname "$0")/lib.sh"
need awk grep sed sort

# Plugins of the libtraceevent that strobe uses. Those of a perf with its own library may lie elsewhere.
traceevent=$(ldd "$STROBE" 2>/dev/null | awk '/libtraceevent/ { print $3 }')
plugins=$(find "$(dirname "${traceevent:-/none/it}")/traceevent/plugins" -name '*.so' 2>/dev/null)

# --- a recording that needs no privilege: two events, chains, raw data and a group read
cp "$STROBE_SOURCE/tests/fuzz/corpus/fuzz_reader/file" .
expect usual "$STROBE" script -i file
expect fields "$STROBE" script -i file -F comm,pid,tid,cpu,misc,time,event,ip,period --ns
expect flat "$STROBE" script -i file -G -F -dso,-sym,-symoff
expect sideband "$STROBE" script -i file --show-task-events --show-mmap-events --show-lost-events --show-round-events
run "$STROBE" script -i file -f comm,ip
cp out old
run "$STROBE" script -i file -F comm,ip
check "-f with a list of fields is -F" cmp out old
run "$STROBE" script -i file -f
check "-f alone is --force" test "$rc" = 0
run "$STROBE" script -i file --header-only
check "--header-only prints no samples" sh -c '! grep -qv "^#" out'
run "$STROBE" script -i file --header
check "--header prints header and samples" sh -c 'grep -q "^# ========" out && grep -q "cpu-clock:" out'
run "$STROBE" script -i file -F -comm,-tid,-cpu,-time,-period,-event,-ip,-sym,-symoff,-dso
check "no field left: nothing printed" test ! -s out

"$STROBE" script -i file -F comm,event,ip | grep -A5 two: >want
run "$STROBE" script -i file -F comm,event,ip --per-event-dump --show-task-events
check "--per-event-dump: a file per event" cmp file.two.dump want
check "--per-event-dump: other records on stdout" grep -q '^x *PERF_RECORD_COMM exec' out
check "--per-event-dump: says what it wrote" \
	grep -qE '^\[ (strobe|perf) script: Wrote 0\.000 MB file\.two\.dump \([0-9]+ samples\) \]$' out
ln -sf target file.two.dump
run "$STROBE" script -i file --per-event-dump
check "--per-event-dump does not write through a link" \
	sh -c '[ "$1" = 0 ] && [ ! -e target ] && [ ! -L file.two.dump ] && [ -s file.two.dump ]' sh "$rc"

# --- refusals, and exit statuses
refused() {
	what=$1 status=$2 text=$3; shift 3
	run "$STROBE" script -i file "$@"
	check "$what: the status is $status" test "$rc" = "$status"
	check "$what: the error says '$text'" grep -qF -- "$text" err
	check "$what: nothing goes to standard output" test ! -s out
}
refused "an unknown field" 129 "Invalid field requested." -F comm,nonsense
refused "an unknown kind of event" 129 "Invalid event type in field string." -F x:comm
refused "no field at all" 129 "Cannot set fields to 'none' for all event types." -F ''
refused "a field that is not for a kind" 129 "'trace' not valid for software events." -F sw:trace
refused "plain fields and changes" 129 "Cannot mix +-field with overridden fields" -F comm,+tid
refused "a field that was not recorded" \
	255 "Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field." -F +addr
refused "a kind that is not there" \
	255 "tracepoint events do not exist. Remove corresponding -F option to proceed." -F trace:
refused "source code without addresses" \
	255 "Display of source line number requested but sample IP is not selected." -F comm,srccode
refused "offsets without symbols" 255 "symbol is not selected" -F ip,symoff
refused "source code without the address it is of" 255 "sample IP is not selected" -F comm,srccode
for field in brstack brstacksym brstackoff; do
	refused "branches that were not recorded" \
		255 "No event was recorded with branches. Cannot print '$field' field." -F "ip,$field"
done
refused "two clocks" 255 "exclude each other" --reltime --deltatime
refused "a bad time" 234 "invalid time string" --time 5,4
refused "a bad process id" 129 "'x' is not a process id" --pid x
refused "a script" 129 "Couldn't find script" nosuch
run "$STROBE" script -i file -F trace:comm,tid
check "fields of a kind that is not there are no error" test "$rc" = 0
run "$STROBE" script -i file -F comm -F tid
check "a second -F replaces the first, and says so" grep -q 'Overriding previous field request for all events.' err

# --- windows by event, and other forms of it
rm -f file.*.dump
printf 'of before\n' >file.two.dump
(trap '' XFSZ; ulimit -f 0; "$STROBE" script -i file --per-event-dump 2>&1; echo "status $?") | cat >full
check "--per-event-dump: files that cannot be written are all named" \
	grep -q "cannot write '.*file.cpu-clock.dump'.*, '.*file.two.dump'" full
check "--per-event-dump: that is an error, with its reason" \
	sh -c 'grep -qx "status 255" full && grep -q "why: File too large" full'
check "--per-event-dump: no file is cut, what was there stays" \
	sh -c '[ "$(ls | grep -c "^file\.")" = 1 ] && [ "$(cat file.two.dump)" = "of before" ]'
"$STROBE" script -i file --per-event-dump >/dev/full 2>err
check "--per-event-dump: stdout that cannot be written is an error" test $? = 255
"$STROBE" script -i file -F comm,event,ip,time >all
run "$STROBE" script -i file -F comm,event,ip,time --switch-on two --show-on-off-events
check "--switch-on begins with its event" \
	sh -c 'head -1 out | grep -q " two:" && tail -n +$(grep -n " two:" all | head -1 | cut -d: -f1) all | cmp - out'
run "$STROBE" script -i file -F comm,event,ip,time --switch-off two
check "--switch-off ends before it" \
	sh -c '[ -s out ] && ! grep -q " two:" out &&
	head -n $(($(grep -n " two:" all | head -1 | cut -d: -f1) - 1)) all | cmp - out'
refused "an unknown event to switch" 254 "switch event not found (three)" --switch-on three
run "$STROBE" script -i file -d
check "-d counts samples out of order" grep -qx "Misordered timestamps: 0" err
run "$STROBE" script -i file -L -F comm,cpu,event
check "-L: CPU without brackets" sh -c 'grep -qE "^ *[a-z]+ +[0-9]+ " out && ! grep -qF "[0" out'
"$STROBE" script -i file --dump-unsorted-raw-trace | grep -oE '^(0x[0-9a-f]+)@' >out
check "--dump-unsorted-raw-trace: as they lie" \
	sh -c '[ -s out ] && sed "s/@//" out | while read -r n; do echo $((n)); done | sort -nc'
for o in --xed --guestmount=/ --dlfilter=x; do
	refused "$o" 129 "known, but not supported" $o
done

# --- plugins of libtraceevent, from the directory that is named and from no other
mkdir plugins
cat >plugin.c <<'EOF'
#include <event-parse.h>
#include <trace-seq.h>
static int print(struct trace_seq *s, struct tep_record *r, struct tep_event *e, void *context)
{
	unsigned long long count;
	const char *function = tep_find_function(e->tep, 0xffffffff81000123);

	if (tep_get_field_val(s, e, "count", r, &count, 1))
		return -1;
	trace_seq_printf(s, "the plugin saw\033 %llu", count);
	if (function)
		trace_seq_printf(s, " at %s+0x%llx", function,
				 0xffffffff81000123 - tep_find_function_address(e->tep, 0xffffffff81000123));
	return 0;
}
int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	return tep_register_event_handler(tep, -1, "syscalls", "sys_enter_write", print, 0) < 0;
}
void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	tep_unregister_event_handler(tep, -1, "syscalls", "sys_enter_write", print, 0);
}
EOF
# shellcheck disable=SC2046	# split the flags into words
if cc -shared -fPIC $(pkg-config --cflags libtraceevent 2>/dev/null) -o plugins/plugin_write.so plugin.c \
	2>/dev/null; then
	points=$STROBE_SOURCE/tests/golden/perf-tracepoint.data
	"$STROBE" script -i "$points" -F event,trace >without
	TRACEEVENT_PLUGIN_DIR=$tmp/plugins run "$STROBE" script -i "$points" -F event,trace
	check "a plugin prints its tracepoint" grep -qF 'sys_enter_write: the plugin saw\x1b 1' out
	check "the plugin changes no other event" \
		sh -c 'grep -v sys_enter_write out >a; grep -v sys_enter_write without | cmp - a'
	run "$STROBE" script -i "$points" -F event,trace
	check "without the variable no plugin is loaded" cmp out without
	printf 'ffffffff8%s\n' '1000000 T _text' '1000000 T _stext' '1000100 T seen' '2000000 T _etext' \
		>functions
	export TRACEEVENT_PLUGIN_DIR=$tmp/plugins
	run "$STROBE" script -i "$points" -F event,trace --kallsyms functions
	check "a plugin learns the kernel's functions" grep -qF 'the plugin saw\x1b 1 at seen+0x23' out
	run "$STROBE" script -i "$points" -F event,trace --trace-text=plugins
	check "--trace-text=plugins takes it as well" grep -q 'the plugin saw' out
	run "$STROBE" script -i "$points" -F event,trace --trace-text=kernel
	check "--trace-text=kernel uses no plugin" cmp out without
	printf '[script]\n\ttrace-text = kernel\n[report]\n\ttrace-text = kernel\n' >settings
	run env PERF_CONFIG=settings "$STROBE" script -i "$points" -F event,trace
	check "the setting trace-text uses no plugin" cmp out without
	run env PERF_CONFIG=settings "$STROBE" script -i "$points" -F event,trace --trace-text=plugins
	check "which the option overrules" grep -q 'the plugin saw' out
	STROBE_THREADS=8 run "$STROBE" report -i "$points" -s trace
	check "report uses the plugin" grep -q 'the plugin saw' out
	run env PERF_CONFIG=settings "$STROBE" report -i "$points" -s trace
	check "report heeds its own setting for plugins" sh -c 'grep -q "%" out && ! grep -q "the plugin saw" out'
	unset TRACEEVENT_PLUGIN_DIR
	mkdir -p "$HOME/.local/lib/traceevent"
	mv plugins "$HOME/.local/lib/traceevent/"
	run "$STROBE" script -i "$points" -F event,trace --trace-text=plugins
	check "plugins of a home directory are left alone" sh -c '! grep -q "the plugin saw" out'
	TRACEEVENT_PLUGIN_DIR=$HOME/.local/lib/traceevent/plugins run "$STROBE" script -i "$points" -F event,trace
	check "unless they are named" grep -q 'the plugin saw' out
	[ -n "$plugins" ] ||
		check "no plugins: that is an error" \
		sh -c '"$STROBE" script -i "$1" --trace-text=plugins 2>err
		test $? = 255 && grep -q "has no plugins" err && grep -q TRACEEVENT_PLUGIN_DIR err' \
		- "$points"
	run "$STROBE" script -i "$points" --trace-text=words
	check "there are no other texts" test "$rc" = 129
	for command in script report diff; do
		set -- $command -i "$points"
		[ $command != diff ] || set -- diff "$points" "$points"
		run "$STROBE" "$@" --trace-text=words
		check "$command: the option is named once" \
			test "$rc $(head -1 err)" = \
			"129 strobe $command: --trace-text: 'words' is neither kernel nor plugins"
		check "$command: ... and what to try" grep -q '^  try: kernel' err
	done
	printf '[script]\n\ttrace-text = x\n[report]\n\ttrace-text = x\n' >settings
	for command in script report; do
		run env PERF_CONFIG=settings "$STROBE" $command -i "$points"
		check "$command: so is the setting" test "$rc $(head -1 err)" = \
			"129 strobe $command: the setting $command.trace-text: 'x' is neither kernel nor plugins"
	done
	export TRACEEVENT_PLUGIN_DIR=$HOME/.local/lib/traceevent/plugins
	run "$STROBE" diff -s trace "$points" "$points"
	check "diff: the plugins that are named" grep -q 'the plugin saw' out
	run "$STROBE" diff -s trace --trace-text=kernel "$points" "$points"
	check "diff --trace-text=kernel uses no plugin" sh -c '[ -s out ] && ! grep -q "the plugin saw" out'
	unset TRACEEVENT_PLUGIN_DIR
else
	skip_part "no headers of libtraceevent"
fi

# --- our own recordings
workload spin
if ! can sample; then
	skip_part "recordings of our own: this machine cannot: $why_not"
	finish
fi
must "$STROBE" record -q -F 2000 -g -o g.data ./spin 0.4
must "$STROBE" record -q -F 2000 -o flat.data ./spin 0.2

check "--addr2line: lines are read as ever" \
	cmp <("$STROBE" script -i g.data -F ip,srcline --addr2line /nowhere 2>&1) \
	<("$STROBE" script -i g.data -F ip,srcline 2>&1)
run "$STROBE" script -i g.data
cp out all
samples=$("$STROBE" report -i g.data --stats | awk '/SAMPLE events:/ { print $3; exit }')
check "a stack per sample" test "$(grep -c '^$' all)" = "$samples"
check "our functions are there" grep -qE '^	 +[0-9a-f]+ leaf\+0x[0-9a-f]+ \(.*/spin\)$' all
for threads in 1 2 8; do
	STROBE_THREADS=$threads "$STROBE" script -i g.data >"by$threads"
	check "$threads threads print the same" cmp "by$threads" all
done
awk '/^[^\t]/ && NF { t = $(NF - 2); sub(/:$/, "", t); if (t < last) bad = 1; last = t } END { exit bad }' all
check "times do not run backwards" test $? = 0
check "a reader who goes away is no error" \
	sh -c '"$STROBE" script -i g.data 2>err | head -1 >out && [ -s out ] && [ ! -s err ]'
run "$STROBE" script -i g.data -S leaf -G
check "-S keeps samples of that function" sh -c '[ -s out ] && ! grep -qv " leaf+" out'
run "$STROBE" script -i g.data --comms nobody
check "--comms keeps no other threads" test ! -s out
run "$STROBE" script -i g.data --stop-bt leaf -F ip,sym
check "--stop-bt ends chains at that function" sh -c 'grep -q leaf out && ! grep -A1 leaf out | grep -q outer'
for f in leaf outer leaf,outer; do
	run "$STROBE" script -i g.data --graph-function $f -F ip,sym
	"$STROBE" script -i g.data -F ip,sym |
		awk -v names="$f" 'BEGIN { RS = ""; ORS = "\n\n"; split(names, name, ",") }
		{ for (i in name) if ($0 ~ " " name[i] "(\n|$)") { print; next } }' >want
	check "--graph-function $f: what it did and what it called" \
		sh -c '[ -s out ] && cmp_lines() { grep -v "^$" "$1"; } && cmp_lines out >a &&
		cmp_lines want >b && cmp a b'
done
run "$STROBE" script -i g.data --graph-function leaf -G -F ip
check "--graph-function without call graphs: in the samples' own" \
	test "$(wc -l <out)" \
	= "$("$STROBE" script -i g.data -F ip,sym | awk 'BEGIN { RS = "" } / leaf/ { n++ } END { print n }')"
must "$STROBE" record -q -F 500 -e '{cpu-clock,page-faults}:S' -o group.data ./spin 0.1
run "$STROBE" script -i group.data -F comm,period,event,metric
check "metric: a rate of the counts of each group" awk '
	/cpu-clock:/ { clock = $2; faults = 0; n++ }
	/page-faults:/ { faults = $2 }
	/^ *spin *\tmetric: / {
		m++; x = faults * 1e9 / clock
		if ($4 == "K/sec") x /= 1000
		if ($4 == "M/sec") x /= 1e6
		d = x - $3; if (d < -.001 || d > .001) bad = 1
	}
	END { exit bad || !m || m != n }' out
cp out with
run "$STROBE" script -i group.data -F comm,period,event,metric --per-event-dump
check "metric: with the samples of the leader" sh -c 'grep -v page-faults: with | cmp - group.data.cpu-clock.dump'
"$STROBE" script -i g.data >plain 2>/dev/null
for field in metric bpf-output; do
	run "$STROBE" script -i g.data -F +$field
	check "$field: left out with a word where no event has it" \
		sh -c '[ "$1" = 0 ] && grep -q "^.$2. needs .*Ignoring" err && cmp plain out' sh "$rc" $field
done
run "$STROBE" script -i g.data
check "fields without a request are left out without a message" sh -c '! grep -q Ignoring err'
refused "metrics for programs" 255 "text only" -F metric --json
run "$STROBE" script -i flat.data -F dso,ip,sym,insn,insnlen,disasm
check "instructions are printed with bytes, length and text" \
	grep -qE '/spin\) ilen: [1-9][0-9]* insn:( [0-9a-f]{2})+		[a-z]+' out
check "insn has as many bytes as ilen says" \
	awk '/\/spin\) ilen:/ { sub(/\t\t.*/, "");
	for (i = 1; i < NF; i++) if ($i == "ilen:" && $(i + 1) != NF - i - 2) bad = 1; n++ }
	END { exit bad || !n }' \
	out
# An instruction that capstone 4 does not know (vpcmpeqb into a mask); perf has a decoder of its own.
if grep -qm1 ' avx512bw ' /proc/cpuinfo && grep -qm1 ' avx512vl ' /proc/cpuinfo; then
	cat >masks.c <<-'END'
	#define MASK ".byte 0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00\n"
	int main(void)
	{
		static char data[64];

		for (int i = 0; i < 20000000; i++)
			__asm__ volatile(MASK MASK MASK MASK MASK MASK MASK MASK : : "D"(data) : "memory");
		return 0;
	}
	END
	cc -O1 -o masks masks.c || exit 1
	must "$STROBE" record -q -N -e task-clock:u -F 500 -o masks.data ./masks
	run "$STROBE" script -i masks.data -F insn,insnlen
	check "insn: bytes of unknown vector instructions" grep -q '^ ilen: 7 insn: 62 f3 7d 20 3f 07 00$' out
	check "insn: each sample has its instruction" sh -c '! grep -q "ilen: 0" out'
else
	skip_part "insn: no AVX-512 here"
fi
run "$STROBE" script -i flat.data -F ip,sym,srccode
check "source lines follow their first sample" sh -c 'grep "^|" out | while IFS="|" read -r none line; do
	n=${line%% *}
	text=$(printf "%s" "$line" | cut -c10-)
	[ "$text" = "$(sed -n "${n}p" "$1" | tr -d "\r")" ] || exit 1
	done &&
		grep -q "^|" out' \
		sh "$STROBE_SOURCE/tests/e2e/workloads/spin.c"
run "$STROBE" script -i flat.data --time 0%-50% -F ip
half=$(wc -l <out)
run "$STROBE" script -i flat.data --time 50%-100% -F ip
check "two halves are the whole, one sample may be in both" sh -c \
	'n=$(($1 + $(wc -l <out)))
	all=$("$STROBE" script -i flat.data -F ip | wc -l)
	[ $n -ge $all ] && [ $n -le $((all + 1)) ]' \
	sh "$half"

# --- collapsers: the head line begins with the comm and ends with the event, frames have an
# address, a name and an object, an empty line ends the stack. Scripts for perf rely on this.
collapse() {
	awk '
	/^#/ { next }
	/^$/ { if (comm != "") stacks[comm stack]++; comm = stack = ""; next }
	/^[^ \t].* +[0-9]+(\/[0-9]+)? / && /: +([0-9]+ +)?[^ ]+: *$/ {
		match($0, / +[0-9]+(\/[0-9]+)? /); comm = substr($0, 1, RSTART - 1); next }
	/^[ \t]+[0-9a-f]+ .+ \(.*\)$/ {
		line = $0; sub(/^[ \t]+[0-9a-f]+ /, "", line); sub(/ \([^()]*\)$/, "", line);
		sub(/\+0x[0-9a-f]+$/, "", line)
		stack = ";" line stack; next
	}
	{ print "not collapsed: " $0 > "/dev/stderr"; bad = 1 }
	END { for (s in stacks) print s, stacks[s]; exit bad }' "$1" | sort
}
collapse all >folded 2>bad
check "every line is one that a collapser knows" test ! -s bad
check "stacks begin with the comm" sh -c '! grep -qv "^spin;" folded'
check "stacks go from the outermost to the innermost" grep -qE ';main;.*;leaf ' folded
check "no sample is lost" sh -c '[ "$(awk "{ n += \$NF } END { print n }" folded)" = "$1" ]' sh "$samples"

# --- compared with perf 7.2 on the same files
if ! "${STROBE_PERF72:-false}" version >/dev/null 2>&1; then
	skip_part "against perf 7.2: STROBE_PERF72 names none that runs"
	finish
fi
same() {
	what=$1 data=$2; shift 2
	"$STROBE_PERF72" script -i "$data" "$@" >want 2>/dev/null
	"$STROBE" script -i "$data" "$@" $perfs_words >got 2>/dev/null
	check "$what: the text of perf 7.2 ($*)" sh -c '[ -s want ] && diff want got'
}
# It takes the text of tracepoints from plugins where these are installed.
perfs_words=
[ -z "$plugins" ] || perfs_words=--trace-text=plugins
for options in "" "-G" "--ns" "--reltime" "--deltatime --ns" "--max-stack 2" "--time 20%-40%" \
	"-F comm,pid,tid,time,event,ip" "-F +misc,-period" \
	"-F comm,ip,sym,dso,dsoff" "--show-mmap-events --show-task-events" "--stop-bt leaf" "-S leaf"; do
	# shellcheck disable=SC2086
	same "a call graph" g.data --no-inline $options
done
# Lines and inlined calls only of the program itself: for libraries the answer of perf 7.2 depends
# on its addr2line.
same_own() {
	what=$1 data=$2; shift 2
	"$STROBE_PERF72" script -i "$data" "$@" 2>/dev/null | grep -A 1 '/spin)' >want
	"$STROBE" script -i "$data" "$@" 2>/dev/null | grep -A 1 '/spin)' >got
	check "$what: the text of perf 7.2 ($*)" sh -c '[ -s want ] && diff want got'
}
same_own "source lines" g.data --no-inline -F comm,ip,sym,dso,srcline
same "no call graph" flat.data
for field in insn insnlen synth; do
	same "the sampled instruction" flat.data -F +$field; same "the same below chains" g.data --no-inline -F +$field
done
same "records and their samples" flat.data -D
same "records and their call graphs" g.data --no-inline -D
"$STROBE_PERF72" script --no-inline -i g.data 2>/dev/null >want
"$STROBE" script --no-inline -i g.data >all 2>/dev/null
collapse all >folded
collapse want >folded72
check "folded stacks equal those of perf's text" cmp folded72 folded
if can system sched:sched_switch syscalls:sys_enter_openat; then
	must "$STROBE" record \
		-q -o tp.data -e 'sched:sched_process_*,sched:sched_switch,syscalls:sys_enter_openat' \
		-a sh -c ':; :'
	same "tracepoints" tp.data
	same "tracepoints in fields" tp.data -F comm,tid,cpu,time,event,trace
	for details in -v -F; do	# without the tip, which contains the tool's name
		"$STROBE_PERF72" evlist -i tp.data $details 2>/dev/null | grep -v '^# Tip' >want
		"$STROBE" evlist -i tp.data $details | grep -v '^# Tip' >got
		check "evlist $details of tracepoints: the text of perf 7.2" sh -c '[ -s want ] && diff want got'
	done
	"$STROBE" record -q -g -o tpg.data -e syscalls:sys_enter_openat -e cpu-clock ./spin 0.05
	same "tracepoints and clock with call graphs" tpg.data --no-inline
else
	skip_part "tracepoints: this machine cannot: $why_not"
fi
must "$STROBE" record -q -d -W -o mem.data -e page-faults ./spin 0.05
same "data addresses" mem.data -F +addr,+weight,+data_src
finish
