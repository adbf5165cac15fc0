#!/bin/bash
# script -s: Python scripts get the same data as from perf; -g writes a script, -l and record/report
# find pairs of scripts; errors of scripts and of their output are reported.
. "$(dirname "$0")/lib.sh"
golden=$STROBE_SOURCE/tests/golden
unset PERF_EXEC_PATH STROBE_LIBPYTHON

# --- without an interpreter
run "$STROBE" script -i "$golden/tracepoint.data" -s words.txt
check "a language must be known" grep -q "no known language" err
run env STROBE_LIBPYTHON=/nowhere "$STROBE" script -i "$golden/tracepoint.data" -s Python:"$0"
check "a library that is not there is named" grep -q "cannot load '/nowhere'" err
run "$STROBE" script -i "$golden/tracepoint.data" -s missing.py
check "a missing script is an error" grep -q "cannot open 'missing.py'" err
mkdir -p pairs/scripts/python/bin
cat >pairs/scripts/python/bin/count-record <<'EOS'
#!/bin/sh
perf record -e cpu-clock:u "$@"
EOS
cat >pairs/scripts/python/bin/count-report <<'EOS'
#!/bin/sh
# description: count samples
# args: [word]
perf script "$@" -F comm
EOS
export PERF_EXEC_PATH=$tmp/pairs
run "$STROBE" script -l
check "script -l lists installed scripts" grep -q '^  count \[word\] *count samples$' out
run "$STROBE" script report count -i "$golden/fp.data"
check "report runs its script" test "$(sort -u out)" = "hot" -a $rc = 0 -o "$(grep -c . out)" -gt 20
run "$STROBE" script -i "$golden/fp.data" report count
check "the input before it is the script's" test "$(grep -c hot out)" -gt 20
run "$STROBE" script report other
check "a message about an unknown name" grep -q "Couldn't find script .other'" err
check "the error says how to list the scripts" grep -q "script -l" err
workload spin
if can sample; then
	must "$STROBE" script record count -q -o live.data ./spin 0.2
	check "record runs its script" sh -c '"$STROBE" script -i live.data -F comm | grep -q spin'
	run "$STROBE" script count ./spin 0.2
	check "both run through a pipe" grep -q spin out
else
	skip_part "a script's recording: this machine cannot: $why_not"
fi
unset PERF_EXEC_PATH

# --- with an interpreter
printf 'from Util import *\nprint("here", nsecs_str(nsecs(7, 5)), avg(6, 3))\n' >hello.py
if ! ldd "$STROBE" >/dev/null 2>&1 || ! find /usr/lib* -name 'libpython3.*.so.1.0' | grep -q .; then
	skip_part "no Python library here, or a static build"
	finish
fi
run "$STROBE" script -i "$golden/fp.data" -s hello.py
check "the script's own statements run" grep -qx "here     7.000000005 2.0" out
# the context is a global name, too: intel-pt-events.py of perf relies on it
cat >context.py <<'EOS'
from perf_trace_context import perf_set_itrace_options, perf_sample_insn
def trace_begin(): perf_set_itrace_options(perf_script_context, "i0ns")
def process_event(sample): perf_sample_insn(perf_script_context)
def trace_end(): print("no NameError")
EOS
run "$STROBE" script -i "$golden/fp.data" -s context.py
check "perf_script_context is a global name" grep -qx "no NameError" out
cat >all.py <<'EOS'
import os, sys
sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')
from perf_trace_context import *
from Core import *
import helper
def trace_begin():
	print("begin", sys.argv[1:], helper.word)
def trace_end():
	print("end")
def process_event(d):
	s = d["sample"]
	print(d["comm"], s["pid"], s["tid"], s["time"], s["period"], d["ev_name"], s["ip"],
	    len(d["callchain"]), d.get("symbol"), d.get("symoff"), d.get("dso"))
	print(d["callchain"])
def sched__sched_process_exit(event_name, context, cpu, secs, nsecs, pid, task, chain, comm, fpid, prio, group_dead):
	print(event_name, cpu, secs, nsecs, pid, task, comm, fpid, prio, group_dead,
	    common_pc(context), trace_flag_str(common_flags(context)))
def trace_unhandled(event_name, context, fields, sample):
	print(event_name, sorted(fields.items()), sample["ev_name"], sample["raw_buf"])
EOS
echo 'word = "helped"' >helper.py
run "$STROBE" script -i "$golden/perf-tracepoint.data" -s all.py one two
check "a script gets its arguments and finds files next to it" grep -qx "begin \['one', 'two'\] helped" out
check "the end handler runs last" sh -c 'tail -1 out | grep -qx end'
check "tracepoints without a function of their own come as dictionaries" \
	grep -q "^syscalls__sys_enter_write \[('__syscall_nr', 1)" out
perf=$(command -v perf) || perf=
if [ -n "$perf" ] &&
	"$perf" script -i "$golden/perf-tracepoint.data" -s all.py one two >want 2>/dev/null &&
	grep -qx end want; then
	# The older perf prints the sampled place in its own form; paths and lines of libraries may
	# be spelled differently.
	check "tracepoints are what perf gives" diff want out
	"$perf" script -i "$golden/perf-fp.data" -s all.py >want 2>/dev/null
	run "$STROBE" script -i "$golden/perf-fp.data" -s all.py
	check "other events are what perf gives" diff want out
	cat >data.py <<'EOS'
def process_event(d):
	# Which of a symbol's aliases is named differs, and where a mapping ends that later ones cover in part.
	own = ("addr_symbol", "addr_symoff", "addr_dso_map_end")
	print(sorted((k, v if k not in own else "") for k, v in d["sample"].items() if "addr" in k))
EOS
	if can sample; then
		must "$STROBE" record -q -e page-faults:u -c 1 -d -o faults.data ./spin 0.01
		"$perf" script -i faults.data -s data.py >want 2>/dev/null
		run "$STROBE" script -i faults.data -s data.py
		check "addresses of data are what perf gives" diff want out
		check "some addresses have symbols" grep -q addr_symoff out
	fi
else
	skip_part "no perf with Python here"
fi
run "$STROBE" script -i "$golden/fp.data" --time 0%-50% -s all.py
check "samples are filtered as for text" \
	test "$(grep -c '^hot ' out)" \
	= "$("$STROBE" script -i "$golden/fp.data" --time 0%-50% -F comm,pid -G | wc -l)"

run "$STROBE" script -i "$golden/tracepoint.data" -g python
check "-g says what it wrote" grep -qx "generated Python script: perf-script.py" err
run "$STROBE" script -i "$golden/tracepoint.data" -s perf-script.py
check "the generated script runs" test $rc = 0
check "the generated script prints the samples" \
	test "$(grep -c 'syscalls__sys_enter_write' out)" \
	= "$("$STROBE" script -i "$golden/tracepoint.data" | grep -c sys_enter_write)"
run "$STROBE" script -i "$golden/fp.data" -g cobol
check "there are no scripts in other languages" test $rc = 129

cat >flags.py <<'EOS'
from Core import *
def irq__softirq_entry(event_name, context, cpu, s, ns, pid, comm, chain, vec):
	print(symbol_str(event_name, "vec", vec))
EOS
if can system irq:softirq_entry; then
	must "$STROBE" record -q -e irq:softirq_entry -a -o irq.data \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.03; done'
	run "$STROBE" script -i irq.data -s flags.py
	"$STROBE" script -i irq.data -F trace:trace | sed 's/.*action=\([A-Z_]*\).*/\1/' >want
	check "names of values are those of the text" diff want out
else
	skip_part "tracepoints: this machine cannot: $why_not"
fi

# --- a tracepoint's pid is a thread id, and print fmt names the bits of a masked field
cat >threads.c <<'EOS'
#include <pthread.h>
#include <unistd.h>
static void *run(void *arg) { for (int i = 0; i < 20; i++) usleep(500); return arg; }
int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); run(NULL); return pthread_join(t, NULL); }
EOS
cat >threads.py <<'EOS'
from Core import *
def sched__sched_switch(event_name, context, cpu, s, ns, pid, comm, chain, prev_comm, prev_pid,
    prev_prio, prev_state, *rest):
	if prev_comm == "threads" and 0 < prev_state < 256:
		print(pid == prev_pid, flag_str(event_name, "prev_state", prev_state))
EOS
if can sched:sched_switch; then
	must cc -o threads threads.c -lpthread
	must "$STROBE" record -q -e sched:sched_switch -o threads.data ./threads
	run "$STROBE" script -i threads.data -s threads.py
	check "the pid of a tracepoint is the thread, its flags have names" \
		sh -c '[ "$(grep -c . out)" -gt 20 ] && ! grep -qvE "^True [A-Zx|]+$" out'
else
	skip_part "tracepoints: this machine cannot: $why_not"
fi

# --- code and source line of a sample, as the fields insn and srccode print them
cat >code.py <<'EOS'
from perf_trace_context import *
def process_event(d):
	insn, where, code = perf_sample_insn(d), perf_sample_srcline(d), perf_sample_srccode(d)
	assert code[:2] == where
	if insn and code[2]:
		print(insn.hex(" "), where[1], code[2].strip(), sep="|")
EOS
if can sample; then
	must "$STROBE" record -q -F 5000 -e task-clock:u -o code.data ./spin 0.1
	run "$STROBE" script -i code.data -s code.py
	"$STROBE" script -i code.data -F insn,srccode,ip >text
	check "instructions and source lines are there" test "$(grep -c '|' out)" -gt 5
	check "instructions are those of the text" \
		sh -c 'cut -d"|" -f1 out | sort -u >a
		sed -n "s/.*insn: //p" text | sort -u >b
		test -s a && ! comm -23 a b | grep -q .'
	check "source lines are those of the text" \
		sh -c 'cut -d"|" -f2- out | sort -u >a
		sed -n "s/^|\([0-9]*\) *[[:blank:]]*/\1|/p" text | sort -u >b
		test -s a && ! comm -23 a b | grep -q .'
else
	skip_part "code and source of a sample: this machine cannot: $why_not"
fi

# --- settings
cat >settings.py <<'EOS'
from perf_trace_context import *
def trace_begin():
	print(perf_config_get("annotate.objdump"), perf_config_get("Core.Name"), perf_config_get("none.such"))
	for wrong in ((), (7,), ("\ud800",)):
		try:
			perf_config_get(*wrong)
		except Exception as e:
			print(type(e).__name__)
EOS
printf '[annotate]\n\tobjdump = /bin/dump it\n[core]\n\tname = \303\244\377\n' >settings
run env PERF_CONFIG="$PWD/settings" PYTHONIOENCODING=utf-8 "$STROBE" script \
	-i "$STROBE_SOURCE/tests/golden/fp.data" -s settings.py
check "settings are those of the file" test "$(head -1 out)" = '/bin/dump it ä\xff None'
check "an invalid name of a setting raises" \
	test "$(tail -n +2 out | tr "\n" " ")" = "IndexError TypeError UnicodeEncodeError "

# --- perf's modules
cat >modules.py <<'EOS'
from EventClass import *
import struct
def trace_begin():
	words = struct.pack("=22Q", *range(22))
	for size in (8, 144, 176):
		e = create_event("ev", "comm", "dso", "symbol", words[:size])
		print(type(e).__name__, e.ev_type, getattr(e, "ip", None), getattr(e, "sp", None),
		    getattr(e, "lat", None))
		e.show()
	print(PerfEvent.event_num, PebsEvent.pebs_num, PebsNHM.pebs_nhm_num)
	try:
		import SchedGui
	except ImportError as e:
		print(e)
EOS
run env PERF_EXEC_PATH=/nowhere "$STROBE" script -i "$golden/fp.data" -s modules.py
cat >want <<'EOS'
PerfEvent 0 None None None
PMU event: name=          ev, symbol=                  symbol, comm=    comm, dso=         dso
PebsEvent 1 1 9 None
PMU event: name=          ev, symbol=                  symbol, comm=    comm, dso=         dso
PebsNHM 2 1 9 21
PMU event: name=          ev, symbol=                  symbol, comm=    comm, dso=         dso
3 2 1
EOS
check "EventClass: objects of samples" sh -c 'head -7 out | diff want -'
check "SchedGui: where to get it" grep -q 'SchedGui draws windows with wxPython' out

# --- errors
echo 'def process_event(d): 1 / 0' >raises.py
run "$STROBE" script -i "$golden/fp.data" -s raises.py
check "an exception is shown once" test "$(grep -c ZeroDivisionError err)" = 1
check "an unhandled exception is an error" test $rc = 255
echo 'import sys; sys.exit(3)' >exits.py
run "$STROBE" script -i "$golden/fp.data" -s exits.py
check "a script may end it all" test $rc = 3
"$STROBE" script -i "$golden/tracepoint.data" -s perf-script.py >/dev/full 2>err
check "a full disk is an error" test $? = 255
"$STROBE" script -i "$golden/tracepoint.data" -s perf-script.py 2>err | head -1 >/dev/null
check "a reader that went away is not worth a word" test ! -s err
mkdir named && cp perf-script.py named/default.py
run "$STROBE" script -i "$golden/tracepoint.data" -g named/mine.py
check "-g FILE.py writes that file" cmp named/default.py named/mine.py
run "$STROBE" script -i "$golden/tracepoint.data" -g named/mine.rb
check "-g of an unknown language" test $rc = 129
# --- counts: as perf gives them, since the round before
cat >counts.py <<'EOS'
def trace_begin(): print("begin")
def trace_end(): print("end")
def stat__cs(*numbers): print("cs", *numbers)
def stat__faults_u(cpu, thread, time, value, enabled, running):
    print("faults", cpu, thread, time, value, enabled, running)
def stat__interval(time): print("interval", time)
EOS
busy="python3 -c 'import time
for i in range(4): bytearray(1 << 20); time.sleep(0.05)'"
for options in "" "-I 50" "-a" "-A -I 50 -a"; do
	case $options in *-a*) needed=system ;; *) needed=count ;; esac
	can $needed || { skip_part "counts with $options: this machine cannot: $why_not"; continue; }
	# shellcheck disable=SC2086
	must "$STROBE" stat record -q -e cs,faults:u $options -o counts.data -- sh -c "$busy"
	run "$STROBE" script -i counts.data -s counts.py
	cp out counts.out
	check "stat record $options: functions for counts are called" sh -c "grep -q '^cs .* [0-9]' counts.out &&
		grep -q '^interval' counts.out && tail -1 counts.out | grep -qx end"
	case $options in *-I*)
		check "the sum of all rounds is the count at the end" test \
			"$(awk '$1 == "faults" { sum += $5 } END { print sum }' counts.out)" = \
			"$("$STROBE" script -i counts.data | awk '$7 ~ /faults/ { now[$1] = $3 }
				END { for (cpu in now) sum += now[cpu]; print sum }')" ;;
	esac
	if [ -n "$perf" ] && "$perf" version --build-options 2>/dev/null | grep -q "libpython.*on"; then
		"$perf" script -i counts.data -s counts.py >want 2>/dev/null
		check "stat record $options: perf gives the same" diff want counts.out
	fi
done

finish
