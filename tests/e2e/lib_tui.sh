# shellcheck shell=bash
# lib_tui.sh: a terminal to type into, through tmux. After lib.sh:  . "$(dirname "$0")/lib_tui.sh"
#
#   tui_start WIDTH HEIGHT [VAR=VALUE...]   a shell on a new terminal; its prompt is "prompt>"
#   tui_type TEXT...     arguments of tmux send-keys: text, or names such as Enter, Escape, C-c, PPage
#   tui_see TEXT         checks that the screen gets this text; tui_gone TEXT: that it disappears
#   tui_screen NAME      the screen must equal tests/e2e/expected/SCRIPT.NAME (STROBE_ACCEPT=1
#                        rewrites it); waits until it does
#   tui_shape NAME       the same for screens whose numbers differ each time: digits are compared as '#', runs of
#                        blanks before them as one
#   tui_ask FORMAT       what tmux knows: '#{alternate_on}', '#{pane_height}' ...
#   tui_colors           prints the colour escape sequences on the screen, one per line
#   tui_before           notes the terminal's modes; tui_ended WHAT: modes and screen are the same again
#   tui_stop             ends the terminal
# No fixed sleeps: each wait ends when its condition holds, after TUI_WAIT tenths of a second at most.
need tmux
export TMUX_TMPDIR=$tmp
unset TMUX
: "${TUI_WAIT:=600}"
tui_server=0	# each terminal has its own server: one that is ending might still answer
tui_tmux() { tmux -L "strobe$tui_server" -f /dev/null "$@"; }
tui_cleanup() { tui_tmux kill-server 2>/dev/null; cleanup; }
trap tui_cleanup EXIT

tui_start() {
	width=$1 height=$2; shift 2
	tui_stop
	tui_server=$((tui_server + 1))
	LC_ALL=C.UTF-8 tui_tmux -u new-session -d -x "$width" -y "$height" \
		env TERM=xterm-256color LC_ALL=C.UTF-8 PS1='prompt> ' HOME="$HOME" "$@" sh ||
		skip "tmux cannot start a session here"
	tui_tmux set-option -g status off
	tui_tmux resize-window -x "$width" -y "$height"
	tui_see 'prompt>'
}
tui_stop() { tui_tmux kill-server 2>/dev/null; }
tui_type() { tui_tmux send-keys "$@"; }
tui_text() { tui_tmux capture-pane -p; }
tui_ask() { tui_tmux display-message -p "$1"; }

tui_colors() {
	tui_tmux capture-pane -ep | grep -aoE "$(printf '\033')"'\[[0-9;]*m' | tr ';' '\n' |
		grep -oE '(^|[^0-9])(3[0-7]|4[0-7]|38|48)$|(3[0-7]|4[0-7]|38|48)m?$' | tr -dc '0-9\n' | sort -u
}
tui_modes() { tui_ask '#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{keypad_flag}'; }
tui_endings=0
tui_before() {
	tui_type 'clear; stty -g >before; echo rea''dy' Enter
	tui_see 'ready'
}
tui_ended() {	# WHAT ended it
	tui_see 'prompt>'
	tui_endings=$((tui_endings + 1))	# each has its own word: the previous one may still be on the screen
	tui_type "stty -g >after.$tui_endings && echo ok''ay.$tui_endings" Enter
	tui_see "okay.$tui_endings"
	check "$1: the modes are what they were" cmp before "after.$tui_endings"
	check "$1: no alternate screen, no mouse, the cursor is seen" test "$(tui_modes)" = '0 0 1 0'
}

tui_wait() {	# yes|no TEXT
	n=0
	while [ "$n" -lt $((TUI_WAIT * 4)) ]; do
		if tui_text | grep -qF -- "$2"; then seen=yes; else seen=no; fi
		[ "$seen" = "$1" ] && return 0
		sleep 0.025
		n=$((n + 1))
	done
	tui_text
	return 1
}
tui_see() { check "the screen shows '$1'" tui_wait yes "$1"; }
tui_gone() { check "the screen does not show '$1' any more" tui_wait no "$1"; }

tui_same() {	# FILE [FILTER]
	n=0
	while [ "$n" -lt $((TUI_WAIT * 4)) ]; do
		tui_text | "${2:-cat}" >got
		cmp -s got "$1" && return 0
		sleep 0.025
		n=$((n + 1))
	done
	diff -u "$1" got
}
tui_still() {	# wait until the screen stops changing
	tui_text >got
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.3
		tui_text >again
		cmp -s got again && return 0
		cp again got
	done
}
tui_screen() {
	want=$STROBE_SOURCE/tests/e2e/expected/$script.$1
	if [ "${STROBE_ACCEPT:-0}" = 1 ]; then tui_still; mkdir -p "$(dirname "$want")"; cp got "$want"; fi
	check "$1: the screen is the expected one" tui_same "$want"
}
tui_numbers() { sed -E 's/[0-9]+[KMG]?/#/g; s/ +#/ #/g; s/ +$//'; }
tui_shape() {
	want=$STROBE_SOURCE/tests/e2e/expected/$script.$1
	if [ "${STROBE_ACCEPT:-0}" = 1 ]; then mkdir -p "$(dirname "$want")"; tui_text | tui_numbers >"$want"; fi
	check "$1: the screen has the expected shape" tui_same "$want" tui_numbers
}
