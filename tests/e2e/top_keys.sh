#!/bin/bash
# Keys of top as text on a terminal: each one, as typed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_tui.sh"
need_can sample
workload spin -g -O1 -fno-omit-frame-pointer
taskset -c $one_cpu ./spin 600 & spinner=$!
later_kill $spinner
must sh -c '"$STROBE" top --stdio --rounds 1 -d 0.1 -e task-clock:u -p "$1" >text' sh $spinner
type_line() { tui_type -l "$1"; tui_type Enter; }
rows() { tui_text | grep -cE '^ +[0-9.]+%'; }
rows_are() { for _ in $(seq 200); do [ "$(rows)" = "$1" ] && return 0; sleep 0.05; done; tui_text; return 1; }

tui_start 100 24
tui_before
tui_type "clear; $STROBE top --stdio -d 0.3 -e task-clock:u,cpu-clock:u -p $spinner 2>err; echo rc=\$?" Enter
tui_see 'PerfTop:'
tui_see '[.] leaf'
tui_see '[task-clock:u]'
tui_type '?'
tui_see 'Keys:'
tui_see 'seconds between pages: 0.3'
tui_see 'the event that is shown: task-clock:u'
tui_see 'hide rows of the kernel: no'
tui_type x
tui_see 'PerfTop:'
tui_type Up Down C-d
tui_see 'PerfTop:'
tui_type d
tui_see 'Seconds between pages:'
type_line 0.2
tui_see 'PerfTop:'
tui_type '?'
tui_see 'seconds between pages: 0.2'
tui_type d
tui_see 'Seconds between pages:'
type_line soon
tui_see "'soon' is not a number of seconds"
tui_type e
tui_see 'Number of rows'
type_line 1
check "the key e with 1 shows one row" rows_are 1
tui_type e
tui_see 'Number of rows'
type_line many
tui_see "'many' is not a number"
tui_type e
tui_see 'Number of rows'
type_line 0
check "e: as many as fit" tui_wait yes '[.] middle'
tui_type f
tui_see 'Least number of samples'
type_line 100000000
tui_gone '[.] leaf'
tui_type f
tui_see 'Least number of samples'
type_line 0
tui_see '[.] leaf'
tui_type E
tui_see '  1  cpu-clock:u'
type_line 1
tui_see '[cpu-clock:u]'
tui_type E
tui_see 'Number of the event'
type_line 9
tui_see 'there is no event 9'
tui_type s
tui_see 'Function whose code is shown'
type_line leaf
tui_see 'Code of leaf, instructions from 5% of its samples on'
tui_see 'sink += i'
tui_type F
tui_see 'Least percentage of an instruction'
type_line 100
tui_see 'instructions from 100%'
tui_gone 'sink += i'
tui_type s
tui_see 'Function whose code is shown'
type_line none_such
tui_see "a function 'none_such' has no samples now"
tui_type S
tui_see '[.] leaf'
tui_type U
tui_gone '[.] leaf'
tui_type U
tui_see '[.] leaf'
tui_type K
tui_type '?'
tui_see 'hide rows of the kernel: yes'
tui_type K
tui_type '?'
tui_see 'hide rows of the kernel: no'
tui_type z
tui_type '?'
tui_see 'each page starts again at zero: yes'
tui_type p
tui_type '?'
tui_see 'the page is frozen: yes'
tui_type Space
tui_see 'PerfTop:'
tui_type R
tui_see "seconds are in 'top.0.data'"
tui_type q
tui_see rc=0
tui_ended q
"$STROBE" report --stdio -i top.0.data -s sym >out 2>/dev/null
check "R: what was saved is a recording" grep -q '\[\.\] leaf' out

# ^C at a question leaves no terminal without echo behind.
tui_type "clear; $STROBE top --stdio -d 0.3 -p $spinner 2>err; echo rc=\$?" Enter
tui_see 'PerfTop:'
tui_type e
tui_see 'Number of rows'
tui_type C-c
tui_see rc=0
tui_ended '^C at a question'

# The code of a function first.
tui_type "clear; $STROBE top -d 0.2 -e task-clock:u -p $spinner --sym-annotate leaf 2>err; echo rc=\$?" Enter
tui_see 'percent: local period'
tui_see 'leaf'
tui_type q
tui_see '[.] leaf'
tui_type q
tui_see rc=0
finish
