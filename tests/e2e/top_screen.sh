#!/bin/bash
# top on a terminal: the browser of report with samples that arrive.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_tui.sh"
need_can sample
workload spin -g -O1 -fno-omit-frame-pointer
taskset -c $one_cpu ./spin 900 & spinner=$!
later_kill $spinner
must sh -c '"$STROBE" top --stdio --rounds 1 -d 0.1 -e task-clock:u -p "$1" >text' sh $spinner
top() { tui_type "clear; $STROBE top -d 0.2 $* 2>err; echo rc=\$?" Enter; }
own="-e task-clock:u -p $spinner"
quit_top() { tui_type q; tui_see rc=0; }
numbers() { tui_text | tr -dc '0-9'; }
changes() {	# within ten seconds
	local before
	before=$(numbers)
	for _ in $(seq 200); do [ "$(numbers)" = "$before" ] || return 0; sleep 0.05; done
	return 1
}
has_ended() { for _ in $(seq 100); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.1; done; return 1; }
stands() { local before; before=$(numbers); sleep 0.5; [ "$(numbers)" = "$before" ]; }

# ---- the screen, and that it goes on ----

tui_start 120 16
tui_before
top "$own -s sym --percent-limit 5"
tui_see '[.] leaf'
tui_see 'lost: 0/0'
tui_see 'itself:'
tui_see "(target_pid: $spinner)"
tui_shape rows
check "the screen is refreshed" changes
tui_type p
tui_see FROZEN
check "a frozen screen stands still" stands
tui_type p
tui_gone FROZEN
check "after a freeze the page changes again" changes
tui_type z
tui_see '[z]'
tui_type z
tui_gone '[z]'
tui_type U
tui_see 'no samples'
tui_see 'rows of user space are hidden'
tui_type U
tui_see '[.] leaf'
tui_type K
tui_see 'rows of the kernel are hidden'
tui_type K
tui_see 'rows of the kernel are shown'
tui_type -l "$(printf '\033[<2;20;5M\033[<2;20;5m')"
tui_see 'What to do'	# the right button
tui_type Escape
tui_gone 'What to do'
tui_type D
tui_see 'Seconds between refreshes:'
tui_type BSpace BSpace BSpace
tui_type -l nonsense
tui_type Enter
tui_see 'is not a number of seconds'
tui_type Escape
tui_gone 'is not a number'
tui_type '?'
tui_see 'freeze the screen, and continue'
tui_type q
tui_gone 'freeze the screen'
tui_type Q
tui_see 'have no quality report'

# ---- what the user chose stays ----

tui_type /
tui_see 'Filter:'
tui_type -l mid
tui_type Enter
tui_see 'filter: mid'
tui_gone '[.] leaf'
check "a filter stays when the page changes" changes
tui_see 'filter: mid'
tui_type Escape
tui_see '[.] leaf'
tui_type d
tui_see 'DSO: spin'
check "a zoom stays when the page changes" changes
tui_see 'DSO: spin'
tui_type d
tui_gone 'DSO: spin'
tui_type a
tui_see 'percent: local period'
tui_see 'samples,'
tui_type q
tui_see '[.] leaf'
tui_type o
tui_see 'Sort by'
tui_type Enter
tui_see 'Command'
tui_see ' spin'
tui_type T
tui_see '+ spin'
tui_type T
tui_gone '+ spin'

# ---- the last seconds as files ----

tui_type R
tui_see "seconds are in 'top.0.data'"
tui_type W
tui_see "the page is 'top.0.html'"
quit_top
tui_ended "q"
"$STROBE" report --stdio -i top.0.data -s sym >out 2>report.err
check "what was saved is a recording" sh -c 'grep -q "\[\.\] leaf" out && ! grep -q WARNING report.err'
python3 "$STROBE_SOURCE/tests/lib/page_data.py" get top.0.html >page.json
check "a page with a flame graph" grep -q '"leaf"' page.json
check "the screen leaves no message" sh -c '! grep -vE "sampling by|^$" err'

# ---- call graphs: folds and the cursor in them ----

tui_start 100 20
top "$own -g --no-children -s sym"
tui_see '+ '
tui_type Down Up e
tui_see 'outer'
check "opened rows stay when the page changes" changes
tui_see 'outer'
graph() { tui_text | sed -n '/^-.*leaf/,$p' | grep -oE 'leaf|outer' | tr '\n' ' '; }
turned() { for _ in $(seq 100); do case $(graph) in "$1"*) return 0 ;; esac; sleep 0.05; done; graph; return 1; }
tui_type I
check "callers first, and the graph stays open" turned 'leaf outer leaf'
tui_type I
check "the key I puts the function first" turned 'leaf leaf outer'
tui_type c
tui_see 'allers'
tui_type Escape
tui_see 'samples/s'
tui_type w
tui_gone 'samples/s'
tui_type Escape
tui_see 'samples/s'
tui_type m
tui_see 'What to do'
sleep 0.3	# samples go on to be taken in below a menu
tui_type Escape
tui_gone 'What to do'
tui_type x
tui_see 'Columns'
tui_type Escape
tui_gone 'Columns'
tui_type P
tui_see 'perf.hist.0'
tui_type Enter
tui_see 'lines are in'
check "the rows as text" grep -q leaf perf.hist.0
tui_type F
tui_see '100% are those shown'
tui_type F
tui_type H
tui_gone 'Overhead'
tui_type H
tui_see 'Overhead'
tui_type L
tui_see 'Leave out rows below'
tui_type BSpace
tui_type -l 50
tui_type Enter
tui_gone '[.] middle'
tui_type A
tui_see 'Children'
tui_type A
tui_gone 'Children'
tui_type C
tui_gone 'outer'
tui_type E
tui_see 'outer'
tui_type C
tui_gone 'outer'
tui_type +
tui_see 'outer'
tui_type +
tui_gone 'outer'
quit_top

# The cursor stays on its row: what was below comes to the top.
./spin 900 & other=$!
later_kill $other
top "-e task-clock:u -p $spinner,$other -s pid,sym --percent-limit 1"
tui_see "$spinner:spin"
tui_see "$other:spin"
kill -STOP $other
top_row() { tui_text | grep -oE '[0-9]+:spin' | head -1; }
first() { for _ in $(seq 100); do [ "$(top_row)" = "$1:spin" ] && return 0; sleep 0.1; done; tui_text; return 1; }
check "who runs comes to the top" first $spinner
tui_type f
tui_see 'Find:'
tui_type -l "$other:spin"
tui_type Enter
tui_gone 'Find:'
tui_type n N
kill -STOP $spinner
kill -CONT $other
check "the process that runs again comes first" first $other
tui_type t
tui_see "Pid:Command: $other:spin"
kill -CONT $spinner
quit_top
kill $other

# ---- several events, threads, ends ----

top "-e task-clock:u,cpu-clock:u -p $spinner -s sym"
tui_see "event 'task-clock:u'"
tui_see '[.] leaf'
tui_type Tab
tui_see "Samples: "
tui_see "event 'cpu-clock:u'"
tui_type BTab
tui_see "event 'task-clock:u'"
tui_type Tab
tui_see "event 'cpu-clock:u'"
tui_type G
tui_see "events 'task-clock:u, cpu-clock:u'"
tui_type 1
tui_gone 'the group has'
tui_type 0
tui_gone 'the group has'
tui_type 7
tui_see 'the group has 2 events, counted from 0'
tui_type G
tui_see "event 'task-clock:u'"
tui_type 1
tui_see 'there is one event'
tui_type S
tui_see 'rows are not grouped by socket'
tui_type i
tui_see '# header version'
tui_see "$(date +'captured on    : %a %b %e')"
tui_type q
tui_see 'samples/s'
tui_type k
tui_see 'no row passes the filters'
tui_type k
tui_see '[.] leaf'
tui_type V
tui_see '%  0x'
tui_type V
tui_gone '%  0x'
tui_type r
tui_see 'a script reads a recording: R saves one'
tui_type s
tui_see 'Recordings here'
tui_type Enter
tui_see 'top shows what happens now'
tui_type Escape
tui_gone 'what happens now'
tui_type b
tui_see 'Events'
tui_type Escape
tui_gone ' samples  '
quit_top
./spin 600 & short=$!
later_kill $short
top "-e task-clock:u -p $short"
tui_see '[.] leaf'
kill $short
tui_see 'the watched processes have'
tui_see '[.] leaf'
quit_top
top "-e task-clock:u -t $spinner"
tui_see '[.] leaf'
tui_see "(target_tid: $spinner)"
tui_tmux resize-window -x 60 -y 10
tui_see '[.] leaf'
tui_tmux resize-window -x 140 -y 40
tui_see 'target_tid'
tui_type C-c
tui_see 'rc=0'
top "-e cpu-clock:u -C $one_cpu"
tui_see "CPU(s): $one_cpu)"
tui_see '[.] leaf'
pid=$(pgrep -f "^$STROBE top .*-C $one_cpu" | head -1)
kill -TERM "$pid"
tui_see 'rc=0'
top "-e cpu-clock:u -u $(id -u)"
tui_see "(uid: "
tui_see '[.] leaf'
quit_top

# Control groups: an event for each, and the sum of all.
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
awk '$3 == "cgroup" && $4 ~ /perf_event/ { found = 1 } END { exit !found }' /proc/mounts && cgroups=
one=strobe-top-$$-one two=strobe-top-$$-two
if can system raw_syscalls:sys_enter && [ -n "$cgroups" ] && mkdir "$cgroups/$one" "$cgroups/$two" 2>/dev/null; then
	./spin 900 & inside=$!
	later_kill $inside
	echo $inside >"$cgroups/$one/cgroup.procs"
	echo $spinner >"$cgroups/$two/cgroup.procs"
	top "-a -e cpu-clock:u,task-clock:u -G $one,$two -s pid,sym"
	tui_see "cgroup: $one,$two)"
	tui_see "$inside:spin"
	tui_type Tab
	tui_see "event 'task-clock:u'"
	tui_see "$spinner:spin"
	tui_gone "$inside:spin"
	quit_top
	top "-a -e cpu-clock:u -G $two -s pid,sym"
	tui_see "cgroup: $two)"
	tui_see "$spinner:spin"
	tui_gone "$inside:spin"
	quit_top
	top "-a -e cpu-clock:u --all-cgroups -s cgroup,sym"
	tui_see "/$one"
	tui_see "/$two"
	quit_top
	top "--stdio -a -e cpu-clock:u,task-clock:u -G $one,$two -s pid,sym"
	tui_see "cgroup: $one)"
	tui_type E
	tui_see 'Number of the event'
	tui_type 1 Enter
	tui_see "cgroup: $two)"
	quit_top
	echo $spinner >"$cgroups/cgroup.procs"
	kill -9 $inside
	wait $inside 2>/dev/null
	for group in $one $two; do
		for _ in $(seq 50); do rmdir "$cgroups/$group" 2>/dev/null && break; sleep 0.1; done
	done
else
	skip_part "-G: no control group can be made here"
fi
top "-e cpu-clock:u -u $(id -u)"
tui_see "(uid: "
pid=$(pgrep -f "^$STROBE top .*-u $(id -u)" | head -1)
tui_stop	# the terminal goes away
check "a killed terminal ends top" has_ended "$pid"

# ---- text where there is no screen ----

"$STROBE" top --tui -p $spinner -d 0.3 --rounds 1 >out 2>err </dev/null
check "--tui without a terminal says why" grep -q 'text follows' err
run "$STROBE" top --batch --history 5 --rounds 1
check "--history has keys or is refused" sh -c "test $rc = 129 && grep -q 'no keys' err"
run "$STROBE" top --history 100000
check "--history: not more than a day" sh -c "test $rc = 129 && grep -q 'more than a day' err"
finish
