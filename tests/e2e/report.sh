#!/bin/bash
# report --stdio: recordings shown in many ways; the same text for any number of threads; compared
# with perf 7.2; a recording made here; bad input.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
mkdir none	# a --symfs without objects
layers_stored

# One line each: options of a report whose text must equal perf's. (Not here: -v, whose letter for
# the source of symbols is our own, and values that perf computes wrongly, such as --sort time with
# children.)
cat >forms <<'END'
--no-children
-g none
-g graph,0.5,callee
-g fractal,5,caller
-g fractal,0.5,callee --no-children
-g flat,1
-g folded,0.5
-g folded,count,1 --no-children
-g graph,2,count
-g graph,2,period -n --show-total-period
-g graph,1,3
-G --no-children
-s sym
-s dso,sym -g graph,3
-s pid -g none
-s comm,tgid -g none
-s cpu,comm -g none
-s parent,sym -g none
-t , -g none
-t ; -n -g none --no-children
-q -g none
--percent-limit 5
-g none -c layers
-g none -c exe,layers --percentage relative -s comm,dso
-g none -S leaf,main
-g none -S leaf
-s comm_nodigit -g none
-d layers --no-children
-U -g none
-F comm,overhead -g none
-F sym -s dso -g none --no-children
-F overhead,sample,period,comm -g none
-F overhead_children,overhead,sym -g none
-F +period -g none
-s +cpu -g none
--max-stack 3
--max-stack 3 --no-children
-w 10,8,20,30 -g none
-w 5,5,5 -n -g none
-s comm,overhead -g none
-t ab -g none
-p thread -x -g none
--time 10%/2 -g none --no-children
--stdio-color always -g graph,5
END

# The same for one recording: options that do not depend on the kind of recording.
cat >'more' <<'END'
-s addr,weight -g none --no-children
-s transaction,code_page_size,local_ins_lat -g none --no-children
-s symbol_size,sym -g none --no-children
-s overhead_us,overhead_sys,comm -g none --no-children
--show-cpu-utilization -g none
-H -g none --no-children
-H -s sym,pid,dso -n --show-total-period -g none --no-children
-H -F overhead,comm,sample,dso -g none --no-children
-H -s comm,dso,sym -c layers -g none --no-children
-H -s comm,dso,sym --percent-limit 10 -g none --no-children
--socket-filter 0 -g none --no-children
--symbol-filter leaf -g none
-s period,overhead,overhead_children,comm -g none
-s cgroup -g none
-s cgroup_id -g none
-F overhead,weight,comm -g none --no-children
--ignore-callees ^leaf$ --no-children
-s time --ns -g none --no-children
--tasks
END

# Remove text that may differ: the tip; kernel functions, which perf 7.2 marks [.] when they are
# only callers; the rest of a fractal graph, which it sometimes calls inlined; the row of address 0,
# which it sometimes prints twice.
plain() {
	sed -e 's/^# (Tip:.*/# (Tip)/' -e 's/\[k\]/[.]/' -e 's/\[\.\.\.\] (inlined)/[...]/' \
		-e '/\[\.\] 0000000000000000 *$/d'
}

report() { "$STROBE" report --stdio --no-inline "$@"; }
# Zeros before numbers, and their effect on widths.
plain_numbers() {
	sed -i -e 's/=0*\([0-9]\)/=\1/g' -e '/^# *\(Overhead\|[.]\)/s/  *$//' -e '/^# [.]/s/[.][.]*$/.../' "$1"
}
# alike FILE FORM...: the text with one thread, with eight, and perf's.
alike() {
	data=$1; shift
	STROBE_THREADS=1 report -i $data $layers_where "$@" >one 2>one.err; rc1=$?
	STROBE_THREADS=8 report -i $data $layers_where "$@" >eight 2>eight.err; rc8=$?
	check "$data $*: there is text" grep -q '^#\|%' one
	check "$data $*: threads do not change it" cmp one eight
	check "$data $*: nor the exit status" test "$rc1" = "$rc8"
	perf72 report --stdio --no-inline -i $data $layers_where "$@" | plain >perf
	plain <one >ours
	check "$data $*: the text is perf 7.2's" diff perf ours
}
printf '%s\n' '-H -s sym,pid,dso -n -g none' '-s sym,pid -g none' >nameless
printf '%s\n' '-g none' '-s sym -g none' >few_forms
# Wall-clock time: its shares, and how many threads ran.
cat >clock <<'END'
-g none
--latency -g none
--latency --no-children -s comm,parallelism -n
-s latency,comm --no-children
-F latency,comm --no-children
--parallelism 1 -s comm --no-children
-s parallelism --no-children --percentage relative --parallelism 1-2
END
while read -r data forms; do
	[ -e $data ] || { skip_part "$data: not made on this machine"; continue; }
	# shellcheck disable=SC2086
	while read -r form; do
		case $data:$form in
		group:-w*) continue ;;	# perf counts the columns of a group differently
		flat:*-g\ none*) ;;
		flat:*-g\ *) continue ;;	# no stacks, so no graphs
		esac
		alike $data $form
	done < <(cat $forms)
done <<'END'
chains forms more
flat forms
group forms
bare.data nameless
garbage.data few_forms
latency clock
END

# A recording made here: the program knows the truth.
workload layers -static -fno-optimize-sibling-calls
can sample switches || { perf72_kept; skip_part "a recording made here: this machine cannot: $why_not"; finish; }
must "$STROBE" record -q -e cpu-clock -F 1999 -g -o chains.data ./layers
mkdir -p dynamic && (cd dynamic && workload layers -fno-optimize-sibling-calls)
must "$STROBE" record -q -e cpu-clock -F 1999 -o flat.data dynamic/layers
must "$STROBE" record -q --latency -e cpu-clock -F 999 -o latency.data ./layers
run "$STROBE" report -i latency.data --parallelism 1,x
check "a list of numbers that is none is bad usage" test "$rc" = 129
run "$STROBE" report -i latency.data -s parallelism
check "-s parallelism shows how many threads ran" grep -q ' [1-4] *$' out
if can system; then
	must "$STROBE" record -q -a --switch-events -e cpu-clock -F 999 -o switches.data sleep 0.2
	run "$STROBE" report -i switches.data -s comm
	check "switches of whole CPUs alone show no latency" \
		sh -c 'grep -q "^# Overhead  Command" out && ! grep -q Latency out'
	run "$STROBE" report -i switches.data -s latency,comm
	check "-s latency shows the column Latency" grep -q "^#  Latency  Command" out
	run "$STROBE" report -i switches.data --latency -s comm
	check "--latency shows the column Latency" grep -q "^#  Latency  Overhead  Command" out
	if [ -n "${STROBE_PERF72:-}" ]; then
		$STROBE_PERF72 report --stdio -i switches.data -s comm 2>/dev/null </dev/null | plain >perf
		report -i switches.data -s comm 2>/dev/null | plain >ours
		check "switches of whole CPUs: the text is perf 7.2's" diff perf ours
	fi
else
	skip_part "recordings of whole CPUs: this machine cannot: $why_not"
fi
run "$STROBE" report -i flat.data -s parallelism
check "other recordings do not tell how many threads ran" grep -q -- "--latency" err

# From the corpus: what only some machines can record. The caches of this machine stay out: its kernel may be the
# recorded one, and perf looks for the kernel's symbols below --symfs alone.
if [ -n "${STROBE_PERF72:-}" ] && [ -n "${STROBE_CORPUS:-}" ]; then
	export HOME=$tmp/none
	xz -dc "$STROBE_CORPUS/data/quipper-weight_struct.data.xz" >memory.data
	for sort in mem,snoop,comm symbol_daddr,dso_daddr,sym local_weight,tlb,locked,blocked \
		weight,comm phys_daddr,data_page_size; do
		report -i memory.data --symfs none --mem-mode -s $sort | plain >ours
		$STROBE_PERF72 report --stdio --no-inline -i memory.data --symfs none \
			--mem-mode -s $sort 2>/dev/null </dev/null |
			plain >perf
		check "memory accesses by $sort: the text is perf 7.2's" diff perf ours
	done
	xz -dc "$STROBE_CORPUS/data/quipper-branch-4.14.data.xz" >branches.data
	xz -dc "$STROBE_CORPUS/data/l61-tp-sched.data.xz" >tracepoints.data
	xz -dc "$STROBE_CORPUS/data/l61-tp-mix.data.xz" >mix.data
	for name in l61-namespaces l72-latency l72-ctxsw; do cp "$STROBE_CORPUS/data/$name.data" .; done
	# perf reads fields out of the text of tracepoints, which plugins of libtraceevent write otherwise.
	plugins=$(find /usr/lib* -maxdepth 3 -path '*/traceevent/plugins' 2>/dev/null)
	without_plugins() {
		[ -n "$plugins" ] || { "$@"; return; }
		unshare -m sh -c 'for dir in $0; do mount -t tmpfs none "$dir" || exit; done; exec "$@"' "$plugins" "$@"
	}
	while read -r file form; do
		case $file in tracepoints | mix)
			without_plugins true 2>/dev/null ||
				{ skip_part "$file $form: plugins are installed"; continue; } ;;
		esac
		# shellcheck disable=SC2086
		report -i $file.data --symfs none $form 2>/dev/null | plain >ours
		# shellcheck disable=SC2086
		without_plugins $STROBE_PERF72 report --stdio --no-inline -i $file.data --symfs none $form \
			2>/dev/null </dev/null | plain >perf
		# Our numbers are plain (docs/compat.md): perf 7.2 keeps the zeros of the format's %03d
		case $form in
		*--raw-trace*) plain_numbers ours; plain_numbers perf ;;
		esac
		check "$file $form: there is text" test -s perf
		check "$file $form: the text is perf 7.2's" diff perf ours
	done <<'END'
memory -F weight1,weight2,weight3,comm
memory -F overhead,ins_lat,retire_lat,comm
memory -s weight1,comm
memory -F overhead,comm,dso_size,simd
memory --mem-mode -s symbol_iaddr,comm
memory --mem-mode -s tgid,comm
memory --mem-mode -s dcacheline
memory --mem-mode -F overhead,comm -s comm
memory --mem-mode -F overhead,comm
branches -s addr_from,addr_to
branches -s addr_to,comm
l61-namespaces -s cgroup_id,comm
l72-latency --latency
l72-latency -F latency,overhead,comm
l72-ctxsw -s parallelism
tracepoints -s trace_fields
tracepoints -s prev_comm,next_pid
tracepoints -s sched_switch.prev_comm
tracepoints -s sched:sched_switch.*
tracepoints -s %1.next_pid
tracepoints -s prev_state/raw,prev_comm/raw
tracepoints -s comm,next_comm
tracepoints -s trace_fields -t,
mix -s trace_fields
mix --raw-trace
tracepoints --raw-trace -s trace
tracepoints --raw-trace -s comm,trace
mix -s function
mix --switch-on irq:softirq_raise -s comm
mix --switch-on irq:softirq_raise --switch-off timer:hrtimer_cancel -s comm
mix --switch-on irq:softirq_raise --switch-off timer:hrtimer_cancel -s comm --show-on-off-events
mix --switch-on irq:softirq_raise --switch-off irq:softirq_raise -s comm
END
	report -i branches.data --symfs none -q -t '|' -F overhead,cycles,local_weight \
		-s cycles,local_weight 2>/dev/null >out
	check "a branch weighs its cycles, 1 if they are not recorded" \
		awk -F '|' \
		'NF > 2 { n++; c = $2 + 0; if ($3 + 0 != (c ? c : 1)) exit 1 } END { exit n < 5 }' out
	# Chains that begin with branches, as many as were recorded; then the rest of the call chain
	# follows.
	xz -dc "$STROBE_CORPUS/data/quipper-callgraph_and_branch-3.8.data.xz" >both.data
	for order in callee callee,count; do
		report -i both.data --symfs none --no-branch-stack --no-children -g branch,$order 2>/dev/null |
			sed -n 1,40p | plain | grep '^ ' | head -12 >ours
		$STROBE_PERF72 report --stdio --no-inline -i both.data --symfs none \
			--no-branch-stack --no-children -g branch,$order 2>/dev/null </dev/null |
			sed -n 1,40p | plain | grep '^ ' | head -12 >perf
		check "-g branch,$order: there is text" test -s perf
		check "-g branch,$order: branches are perf 7.2's" diff perf ours
	done
	for sort in symbol_from,symbol_to dso_from,dso_to,mispredict srcline_from,srcline_to symbol_to \
		comm,in_tx,abort dso,symbol; do
		report -i branches.data --symfs none -b -s $sort | plain >ours
		$STROBE_PERF72 report --stdio --no-inline -i branches.data --symfs none -b -s $sort \
			2>/dev/null </dev/null |
			plain >perf
		check "branches by $sort: the text is perf 7.2's" diff perf ours
	done
fi

# Stacks borrowed from another event.
"$STROBE" record -q -g -e cpu-clock,page-faults/call-graph=no,period=1/ -F 1999 -o mixed.data ./layers >record.log 2>&1
faults() {
	STROBE_THREADS=$1 report $2 -i mixed.data --no-children -s sym -g caller,0 2>/dev/null |
		sed -n "/^# Samples.*page-faults/,\$p"
}
faults 1 "" >without
faults 1 --show-ref-call-graph >with
faults 8 --show-ref-call-graph >eight
check "an event without stacks has none" sh -c 'grep -q "%" without && ! grep -q -- "^ .*--" without'
check "--show-ref-call-graph shows chains of the thread's other samples" \
	sh -c 'grep -q -- "^ .*--" with && grep -q main with'
check "--show-ref-call-graph prints the same on eight threads" cmp with eight
check "rows are the same" sh -c 'grep -E "^ +[0-9.]+%  " without >a; grep -E "^ +[0-9.]+%  " with >b; cmp a b'

# Counts per thread.
"$STROBE" record -q -s -e cpu-clock,page-faults -F 999 -o threads.data ./layers >record.log 2>&1
report -i threads.data -T -s comm -g none >out
check "threads have counts of their own" \
	sh -c 'sed -n "/^#  *PID/,\$p" out | grep -qE "^ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$"'
threads_alike() {	# FILE
	report -i "$1" $layers_where -T -s comm -g none | sed -n '/^#  *PID/,$p' >ours
	perf72 report --stdio -i "$1" $layers_where -T -s comm | sed -n '/^#  *PID/,$p' >perf
	[ -s ours ] && diff perf ours
}
check "threads: the text is perf 7.2's" threads_alike threads
[ ! -e few ] || check "threads with short ids: the text is perf 7.2's" threads_alike few

# A hierarchy adds up.
report -i chains.data -q -H -s comm,dso,sym -g none >out
check "the rows below a row of a hierarchy sum up to it" awk '
	{ depth = (match($0, /[^ ]/) - 5); share = $1 + 0 }
	depth < 3 { a += share } depth >= 3 && depth < 6 { b += share } depth >= 6 { c += share }
	END { exit !(a > 99 && a - b < 1 && b - a < 1 && b - c < 2 && c - b < 2) }' out
report -i chains.data -H -s comm,dso -g caller >out
check "the innermost rows of -H have call graphs" grep -q -- '---' out

# Shares, by hand.
report -i flat.data -s comm -q >out
check "shares of all rows make a hundred" awk '{ s += $1 } END { exit !(s > 99.9 && s < 100.1) }' out
check "threads have their own names" grep -q "worker one" out
check "a name from prctl is not a format" grep -q "wk:two%s" out
report -i chains.data -s sym -q -g none >out
check "main has nearly all of its program" awk '/ main$/ { n = $1 + 0 } END { exit !(n > 50) }' out
check "recursion does not make more than everything" awk '$1 + 0 > 100.005 { exit 1 }' out
"$STROBE" report --stdio -q -g none -s sym -i chains.data >out
check "inlined calls have rows" grep -q "small (inlined)" out
"$STROBE" report --stdio -q --no-children -g none -s srcline -i chains.data >out
check "lines of the source are known" grep -q "layers.c:[0-9]" out
run "$STROBE" report --sort help
check "--sort help lists the keys" grep -q "^symbol " out

# A message tells which filter values match nothing, even next to others that match. The status
# tells whether any row is left.
while IFS='|' read -r options said status; do
	# shellcheck disable=SC2086
	run "$STROBE" report -i chains.data --stdio -g none $options
	check "$options: is reported ($said)" grep -q -- "$said" err
	check "$options: ends with $status" test "$rc" = "$status"
	check "$options: says what to try" grep -q '^  try: ' err
	check "$options: the command says it" grep -q '^strobe report: no sample' err
done <<'END'
-c layers,layesr|'layers'|0
-c layers,nosuchname|'strobe report -s comm'|0
-c nosuchname|no sample is of a thread called|255
-c perf-exec|no sample passes the filters|255
--pid 1|passes --pid '1'|255
--tid 1|passes --tid '1'|255
--symbol-filter nosuch|passes --symbol-filter 'nosuch'|255
--socket-filter 77|passes --socket-filter|255
--time 1,2|they are from [0-9]|255
END
run "$STROBE" report -i chains.data --stdio -g none -c layers,:1
check "a number is no misspelt name of a thread" sh -c '! grep -q "thread called" err'
run "$STROBE" report -i chains.data --stdio -q -c layesr
check "-q prints no message" sh -c '! test -s err'

for filter in "-c layer layers" "-d libc.so libc.so.6" "-S laef leaf"; do
	# shellcheck disable=SC2086
	set -- $filter
	run "$STROBE" report -i flat.data --stdio "$1" "$2"
	check "$1 with a name almost right names the right one" grep -q "'$3'" err
	check "nothing is left to show: not 0" test "$rc" = 255
done
run "$STROBE" report -i chains.data --switch-on cpu-clok
check "an event almost right is found" grep -q "'cpu-clock'" err
check "an unknown word is an error" test "$rc" = 254

# The header and other parts without a profile.
run "$STROBE" report -i chains.data --header-only
check "--header-only succeeds" test "$rc" = 0
check "the header shows the command" grep -q '^# cmdline : ' out
check "--header-only prints no samples" sh -c '! grep -q Samples: out'
run "$STROBE" report -i chains.data --stats
check "--stats prints the number of samples" grep -q "SAMPLE events" out
run "$STROBE" report -i chains.data --mmaps
check "--mmaps shows the program's code" grep -q "r-xp .*/layers" out
run "$STROBE" report -i chains.data -D
check "-D prints records" grep -q "PERF_RECORD_MMAP" out

# Bad usage.
run "$STROBE" report -i chains.data -s nonsense
check "an unknown key is bad usage" test "$rc" = 129
check "the unknown key is named" grep -q "nonsense" err
run "$STROBE" report -i chains.data -s smybol
check "a key almost right is found" grep -q "'symbol'" err
run "$STROBE" report -i chains.data -g sideways
check "an unknown word of -g is bad usage" test "$rc" = 129
while IFS='|' read -r options said; do
	# shellcheck disable=SC2086
	run "$STROBE" report -i chains.data $options
	check "$options: is reported ($said)" grep -q -- "$said" err
	check "$options: ends as bad usage does" test "$rc" = 129
done <<'END'
-g callr|'caller'
--percentage reltive|'relative'
--pretty rwa|'raw'
--stdio-color allways|'always'
-F ovrehead|'overhead'
-t .|separated
--time-quantum 0|length 0
--group-sort-idx 1|side by side
--symfs /,nosuch|flat
END
while IFS='|' read -r options said; do
	# shellcheck disable=SC2086
	run "$STROBE" report -i chains.data $options
	check "$options: is reported ($said)" grep -q -- "$said" err
	check "$options: is an error" test "$rc" = 255
done <<'END'
-C 0|on which CPU
--vmlinux nosuch|nosuch
--kallsyms nosuch|nosuch
END
run "$STROBE" report -i chains.data --gtk
check "refused options are bad usage with a reason" sh -c "grep -q 'why:' err && test $rc = 129"
run "$STROBE" report -i chains.data -p '('
check "a broken pattern of -p is bad usage" test "$rc" = 129
run "$STROBE" report chains.data
check "a word too many is bad usage" test "$rc" = 129
check "the message suggests -i with the file's name" grep -q -- "-i 'chains.data'" err

# Bad input.
run "$STROBE" report -i missing.data
check "a missing file is an error" test "$rc" = 255
check "the message names the missing file" grep -q "missing.data" err
: >empty.data
run "$STROBE" report -i empty.data
check "an empty file is an error" test "$rc" = 255
printf 'not a recording at all, only text' >text.data
run "$STROBE" report -i text.data
check "a file of another kind is an error" test "$rc" = 255
size=$(stat -c %s chains.data)
for percent in 5 25 50 75 95; do
	head -c $((size * percent / 100)) chains.data >cut.data
	run timeout 60 "$STROBE" report --stdio -i cut.data
	check "cut at $percent %: no crash" test "$rc" -lt 126 -o "$rc" -ge 255
	check "cut at $percent %: there is a message" test -s err
done
check "records before a cut are read" grep -q "^# Samples: " out
perf72_kept
finish
