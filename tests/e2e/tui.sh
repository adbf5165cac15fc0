#!/bin/bash
# The browser of report on real terminals of several sizes and kinds: keys, screens, and the
# terminal's state after any kind of end.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_tui.sh"
make=$STROBE_BUILD/tests/tui-profile
export STROBE_THREADS=2

for kind in stacks events empty; do check "the recording '$kind' is made" "$make" "$kind" "$kind.data"; done
report() { echo "$STROBE report --kallsyms $tmp/$1.data.kallsyms --ignore-vmlinux -i $1.data"; }

# ---- screens at three sizes ----

for size in 80x24 120x40 300x100; do
	tui_start "${size%x*}" "${size#*x}" NO_COLOR=
	tui_type "$(report stacks)" Enter
	tui_see 'entry_point'
	tui_screen "rows.$size"
	tui_type e
	tui_see '- entry_point'
	tui_screen "open.$size"
	tui_type m
	tui_see 'What to do'
	tui_see 'Zoom into Command: worker'
	tui_type Escape
	tui_gone 'What to do'
	tui_type '?'
	tui_see 'Keys: Profile'
	tui_screen "help.$size"
	tui_type q
	tui_see 'Samples:'
	tui_type q
	tui_see 'prompt>'
done

# ---- keys ----

tui_start 120 40
tui_type "$(report stacks)" Enter
tui_see 'entry_point'
tui_type E
tui_see '- compute'
tui_screen unfolded
tui_type C
tui_gone '- compute'
tui_type /
tui_see 'Filter:'
tui_type -l 'find'
tui_see 'filter: find'
tui_type Enter
tui_see '1 of 13 rows'
tui_screen filtered
tui_type Escape
tui_gone 'of 13 rows'
tui_type f
tui_see 'Find:'
tui_type -l 'write_out'
tui_type Enter r
tui_see "script: each sample of this row's command"
tui_type Enter
tui_see 'write_out+0x10'
tui_type q
tui_see 'Samples:'
tui_type t
tui_see 'Command: e\x1b[2Jvil'
tui_screen zoomed
tui_type F
tui_see '100% are those shown'
tui_type Escape
tui_gone 'of 13 rows'
tui_type Home c
tui_see 'Callees: what it calls'
tui_screen calls
tui_type q w
tui_see 'Stacks of'
tui_screen flame
tui_type Down Down Right
tui_see 'arrows:'
tui_screen flame.moved
tui_type q x
tui_see 'Columns'
tui_type Down Down Space Enter
tui_gone 'Command'
tui_type o
tui_see 'Sort by'
tui_type Down Enter
tui_see '10 rows'
tui_screen sorted
tui_type T
tui_see 'rows'
tui_type q
tui_see 'prompt>'

tui_type "$(report stacks) --hierarchy" Enter
tui_see 'Command / Shared Object / Symbol'
tui_screen hierarchy
tui_type E
tui_see 'find_word'
tui_screen hierarchy.open
tui_type C
tui_gone 'find_word'
tui_type P
tui_see 'Save what is seen to:'
tui_type C-u
tui_type -l 'saved.txt'
tui_type Enter
tui_see "lines are in 'saved.txt'"
check "the file has what was on the screen" test "$(wc -l <saved.txt)" = 3
tui_type r
tui_see 'Run'
tui_type Enter
tui_see 'compute+0x10'	# the text depends on the level, not on rows below it
tui_type q
tui_see 'Command / Shared Object'
tui_type r
tui_see 'Run'
tui_type Down Down Down Down Enter
tui_see 'SAMPLE events:'
tui_type q
tui_see 'Command / Shared Object'
tui_type i
tui_see 'data offset'
tui_type q
tui_see 'Command / Shared Object'
ln -s stacks.data linked.data
mkfifo fifo.data
tui_type s
tui_see 'Recordings here'
check "a link to a recording is listed, a FIFO is not" \
	test "$(tui_text | grep -c 'linked.data')/$(tui_text | grep -c 'fifo.data')" = 1/0
rm linked.data fifo.data
tui_type -l s
tui_type Enter
tui_see 'Command / Shared Object'
tui_type q
tui_see 'prompt>'

# ---- single samples of a row ----

cat >context.conf <<'END'
[samples]
	context = 0
END
tui_type "$(report stacks) --samples 3" Enter
tui_see 'entry_point'
tui_type m
tui_see 'Show individual samples'
tui_type S S Enter	# a line in the flame view begins with this letter, too
tui_see 'Samples of this row'
check "three of the row's samples are listed" test "$(tui_text | grep -c 'CPU 0  thread 1[123] ')" = 3
tui_type Escape
tui_gone 'Samples of this row'
tui_type q
tui_see 'prompt>'
tui_type "clear; PERF_CONFIG=$tmp/context.conf $(report stacks) --samples 3 --no-children" Enter
tui_see 'find_word'
tui_type m
tui_see 'Show individual samples'
tui_type S S Enter
tui_see 'Samples of this row'
tui_see '0.000000010'
tui_type Enter
tui_see 'of its thread'
tui_type Enter
tui_see 'find_word+0x10'
check "a context of 0 ms is the sample alone" test "$(tui_text | grep -c cpu-clock:)" = 1
tui_type q
tui_see 'Samples of this row'
tui_type Escape
tui_gone 'Samples of this row'
tui_type q
tui_see 'prompt>'
tui_type "clear; $(report stacks)" Enter
tui_see 'entry_point'
tui_type m
tui_see 'What to do'
check "without --samples the menu has no list of samples" sh -c '! echo "$1" | grep -q individual' - "$(tui_text)"
tui_type Escape
tui_gone 'What to do'
tui_type q
tui_see 'prompt>'

# ---- several events ----

tui_type clear Enter
tui_type "$(report events)" Enter
tui_see 'Events'
tui_screen events
tui_type Down Enter
tui_see "of event 'page-faults'"
tui_type Tab
tui_see "of event 'cpu-clock'"
tui_type G
tui_see "of events 'cpu-clock, page-faults'"
tui_screen group
tui_type 9
tui_see 'counted from 0'
tui_type q
tui_see 'prompt>'

# ---- resize, mouse ----

tui_type clear Enter
tui_type "$(report stacks)" Enter
tui_see 'entry_point'
tui_tmux resize-window -x 80 -y 24
tui_screen rows.80x24
tui_tmux resize-window -x 20 -y 4
tui_see 'Samples:'
tui_tmux resize-window -x 120 -y 40
tui_screen rows.120x40
tui_type -l "$(printf '\033[<0;10;5M\033[<0;10;5m')"
tui_screen clicked
tui_type -l "$(printf '\033[<2;10;4M\033[<2;10;4m')"
tui_see 'What to do'
tui_type Escape
tui_gone 'What to do'

# ---- the terminal at the end ----

tui_type q
tui_see 'prompt>'
tui_before
pid() { pgrep -f "^$STROBE report --kallsyms $tmp/" | head -1; }
for how in q C-c TERM SEGV HUP; do
	tui_type "clear; $(report stacks)" Enter
	tui_see 'entry_point'
	check "$how: the screen is another one" test "$(tui_modes | cut -c1)" = 1
	case $how in q | C-c) tui_type "$how" ;; *) kill "-$how" "$(pid)" ;; esac
	tui_gone 'entry_point'
	tui_ended "$how"
	tui_type clear Enter
	tui_gone 'okay'
done
tui_type "$(report stacks)" Enter
tui_see 'entry_point'
tui_type C-z
tui_gone 'entry_point'
tui_see 'Stopped'
tui_ended 'suspended'
tui_type clear Enter
tui_gone 'okay'
tui_type fg Enter
tui_see 'entry_point'
tui_type e
tui_see '- entry_point'
tui_type q
tui_gone 'entry_point'
tui_ended 'resumed and left'

# ---- long loading ----

check "a recording of a million rows is made" "$make" rows rows.data 1000000
for how in C-c q; do
	tui_type "clear; $STROBE report -i rows.data" Enter
	tui_see 'part of the samples'
	tui_type "$how"
	tui_gone 'Samples:'
	tui_ended "$how while loading"
done
tui_type "clear; $STROBE report -i rows.data" Enter
tui_see 'part of the samples'
under_cursor() {
	tui_type m
	tui_see 'Zoom into Symbol'
	tui_text | grep -oE 'Zoom into Symbol: [^ ]+ [^ ]+' >"$1"
	tui_type Escape
	tui_gone 'What to do'
}
tui_type /
tui_see 'Filter:'
tui_type -l '40ff'
tui_type Enter
tui_see 'filter: 40ff'
tui_type End
under_cursor first
tui_see 'of 1000000 rows'
under_cursor second
check "the cursor stays on its row when all samples are there" cmp first second
tui_type Escape
tui_type End
tui_see '0.00%'
for _ in 1 2 3 4 5 6 7 8 9 10; do tui_type PPage; done
tui_type /
tui_see 'Filter:'
tui_type -l '4fff0'
tui_see 'filter: 4fff0'
tui_type Enter
tui_see '16 of 1000000 rows'
tui_type Escape
tui_gone 'of 1000000 rows'
tui_see '1000000 rows'
tui_type q
tui_see 'prompt>'
rm -f rows.data

# ---- no samples, and unsuitable terminals ----

tui_type clear Enter
tui_type "$STROBE report -i empty.data; echo rc=\$?" Enter
tui_see 'The empty.data data has no samples!'
tui_see 'rc=0'
tui_type clear Enter
tui_type "$STROBE report -i nothing.data; echo rc=\$?" Enter
tui_see "nothing.data"
tui_see 'rc=255'
tui_type "clear; TERM=dumb $(report stacks) --no-children -g none -s symbol" Enter
tui_see "no screens here: the terminal 'dumb' cannot show them"
tui_see '# Overhead'
tui_type "clear; $(report stacks) --no-children -g none -s symbol </dev/null" Enter
tui_see 'no screens here: standard input is not a terminal'
tui_see '# Overhead'
tui_type \
	"clear; cat stacks.data | $STROBE report --kallsyms $tmp/stacks.data.kallsyms --ignore-vmlinux \
--no-children -g none -s symbol; echo en''d" \
	Enter
tui_see 'all of the pipe'
tui_type q
tui_see 'end'
check "input from a pipe gives screens without a message" tui_wait no 'no screens here'
tui_type "clear; TERM=vt100 LC_ALL=C $(report stacks)" Enter
tui_see 'Samples:'
tui_screen vt100
tui_type e m
tui_see 'What to do'
tui_see '| Zoom into Command: worker'
tui_type Escape q
tui_see 'prompt>'
tui_gone 'q: quit'	# a terminal with only one screen keeps what was drawn, except for the prompt's line
tui_stop

run $(report stacks) --tui -s symbol
check "without a terminal report prints text" grep -q 'find_word' out
check "no terminal: one line why" test "$(grep -c 'not a terminal' err)" = 1
run $(report stacks) -s symbol
check "no terminal, not asked for: no word" sh -c '! grep -q screens err'

# The output has only bytes that ncurses composes: no bytes from names act on the terminal.
check "foreign names act on nothing" \
	sh -c "TERM=xterm-256color LC_ALL=C.UTF-8 script -qfec '$(report \
	stacks)' typed </dev/null >/dev/null 2>&1 & p=\$!; n=0
	while [ \$n -lt $TUI_WAIT ] &&
		! grep -qa vil typed 2>/dev/null; do sleep 0.1; n=\$((n + 1)); done
		kill \$p 2>/dev/null; wait \$p 2>/dev/null
	grep -qa vil typed &&
		! grep -qaF \"\$(printf 'e\\033[2Jvil')\" typed && ! grep -qaF \"\$(printf '\\033]0;title')\" typed"
finish
