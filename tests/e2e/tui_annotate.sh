#!/bin/bash
# The screen of annotate on real terminals of several sizes and kinds, opened directly or by the
# browser; without a terminal there is no screen.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_tui.sh"
need cc ld
[ "$(uname -m)" = x86_64 ] || skip "the code that is shown is x86-64's"
make=$STROBE_BUILD/tests/tui-profile
export STROBE_THREADS=2

cc -c -o listing.o "$STROBE_SOURCE/tests/e2e/workloads/listing.s" &&
	ld -Ttext=0x401000 -e _text --build-id=none -o listing listing.o ||
	skip "no code can be made here"
LC_ALL=C sed -i "s/evil__31m/evil$(printf '\033')[31m/" listing	# the same length as before
mkdir -p root/opt/app root/src && mv listing root/opt/app/
# Wide letters, which take two columns each.
wide=$(printf '\350\241\250\343\202\222\350\252\255\343\202\200\351\226\242\346\225\260\343\201\247\343\201\231')
cat >root/src/listing.c <<C
/* $(printf '\346\226\207\345\255\227\343\201\256\346\225\260'): words of a text; $(printf 'esc\033[2Jape') */
long count_words(const char *text, long n)
/* ends at n */
{
	long words = 0;
	for (; n; n--) {	/* $wide */
		if (*text == ' ')
			words++;	/* $(printf 'evil\033]0;title\007comment') */
		text++;
	}
	store_result(words);
}
void store_result(long words)
/* where it is looked for */
{ result = words;
}
void hostile(void)
/* a function
   of one instruction */
{ nothing();
}
C
touch root/opt/app/listing	# newer than its source
check "the recording is made" "$make" code code.data
check "a recording of a million rows is made" "$make" rows rows.data 1000000
annotate="$STROBE annotate --symfs root -i code.data"

# ---- screens at three sizes ----

for size in 80x24 120x40 300x100; do
	tui_start "${size%x*}" "${size#*x}" NO_COLOR=
	tui_type "$annotate count_words" Enter
	tui_see 'cmp'
	tui_screen "code.$size"
	tui_type s o t j
	tui_see '40100e:'
	tui_gone 'words++'
	tui_screen "bare.$size"
	tui_type q
	tui_see 'prompt>'
done

# ---- keys ----

tui_start 100 30
tui_type "$annotate" Enter
tui_see 'Functions, hottest first'
tui_screen functions
tui_type Enter
tui_see 'count_words  /opt/app/listing'
tui_type Tab
tui_see '2 of 7 instructions with samples'
tui_type BTab BTab
tui_see '7 of 7 instructions with samples'
tui_type H
tui_see '1 of 7'
tui_type /
tui_see 'Find'
tui_type -l 'call'
tui_type Enter Enter
tui_see 'store_result  /opt/app/listing'
tui_type BSpace
tui_see 'count_words  /opt/app/listing'
tui_type H c
tui_see 'Callers at 40100b'
tui_see '100.00%  evil\x1b[31mred'
tui_type q p
tui_see '[percent: global period]'
tui_type b
tui_see '[percent: global hits]'
tui_type p b t
tui_see '[period: local period]'
tui_type t t R k J O
tui_see '0f b6 0e'
tui_screen all
tui_type h
tui_see 'Keys: Code'
tui_screen help
tui_type q
tui_see 'count_words'
tui_type '>'
tui_see '2 of 3 functions with samples'
tui_type '>' '>'
tui_see 'this is the last function'
tui_type '<' '<'
tui_see '1 of 3 functions with samples'
tui_type '?'
tui_see 'Find above'
tui_type -l 'dec'
tui_type Enter l
tui_see 'root/src/listing.c:7  '
tui_type l P
tui_see 'Save what is seen to: count_words.annotation'
tui_type Enter
tui_see "lines are in 'count_words.annotation'"
check "the file has what was on the screen" \
	sh -c "grep -q ' 34.01 .*movzbl' count_words.annotation && ! grep -q 'count_words  /opt' count_words.annotation"
tui_type r
tui_see "script: each sample of this function"
tui_type Enter
tui_see 'count_words+0x'
tui_type q
tui_see 'count_words  /opt/app/listing'
tui_type H J J
tui_tmux resize-window -x 60 -y 10
tui_screen small
tui_tmux resize-window -x 100 -y 30
tui_screen all
tui_type -l "$(printf '\033[<0;10;19M\033[<0;10;19m')"
tui_screen clicked
tui_type q
tui_see 'Functions, hottest first'
tui_type Down Down Enter
tui_see 'evil\x1b[31mred  /opt/app/listing'
tui_screen hostile
tui_type q q
tui_see 'prompt>'

touch -d '+1 hour' root/src/listing.c
tui_type "clear; $annotate count_words" Enter
tui_see "the source 'root/src/listing.c' is newer than this code"
tui_type q
tui_see 'prompt>'
touch root/src/listing.c
touch root/opt/app/listing

# from the browser; and a row without a symbol
tui_type "clear; $STROBE report --symfs root -i code.data" Enter
tui_see 'count_words'
tui_type a
tui_see 'words++'
tui_type q a
tui_see 'words++'
tui_type q q
tui_see 'prompt>'
tui_type "clear; $STROBE report --percent-type global-hits --symfs root -i code.data" Enter
tui_see 'count_words'
tui_type a
tui_see '[percent: global hits]'
tui_type q q
tui_see 'prompt>'
tui_type "clear; $annotate count_word; echo rc=\$?" Enter
tui_see "try: 'count_words'?"
tui_see 'rc=255'
tui_type "clear; $STROBE annotate -i code.data count_words; echo rc=\$?" Enter
tui_see 'no such file'
tui_see 'rc=255'

# ---- the terminal at the end ----

tui_before
pid() { pgrep -f "^$STROBE annotate --symfs root -i $1" | head -1; }
for how in C-c TERM SEGV; do
	tui_type "clear; $annotate count_words" Enter
	tui_see 'words++'
	case $how in C-c) tui_type "$how" ;; *) kill "-$how" "$(pid code.data)" ;; esac
	tui_gone 'words++'
	tui_ended "$how"
done
tui_type "clear; $annotate count_words" Enter
tui_see 'words++'
tui_type C-z
tui_see 'Stopped'
tui_ended 'suspended'
tui_type 'clear; fg' Enter
tui_see 'words++'
tui_type q
tui_ended 'resumed and left'
for how in C-c q; do
	tui_type "clear; $STROBE annotate --symfs root -i rows.data" Enter
	tui_see 'Loading'
	tui_type "$how"
	tui_gone 'Loading'
	tui_ended "$how while loading"
done

# ---- settings ----

cat >settings <<C
[colors]
	top = magenta, default
	selected = black, brown
[annotate]
	hide_src_code = true
	use_offset = false
	show_total_period = true
[ui]
	show-headers = false
C
printf '[tui]\n\tannotate = false\n\treport = false\n' >text
printf '[colors]\n\ttop = purple, default\n' >wrong
tui_type "clear; PERF_CONFIG=settings $annotate count_words" Enter
tui_see '40100e:'
tui_see '[period: local period]'
tui_gone 'words++'
check "colours of the settings are taken" \
	sh -c 'printf "%s\n" "$1" | grep -qx 35 && printf "%s\n" "$1" | grep -qx 43' _ "$(tui_colors)"
tui_type q
tui_see 'prompt>'
tui_type "clear; PERF_CONFIG=settings $STROBE report --symfs root -i code.data" Enter
tui_see 'count_words'
check "no headings, as the settings want it" tui_wait no 'Shared Object'
tui_type H
tui_see 'Shared Object'
tui_type Q
tui_see 'Quality'
tui_see 'have a symbol'
tui_type q q
tui_see 'prompt>'
tui_type \
	"clear; PERF_CONFIG=text $annotate store_result; \
PERF_CONFIG=text $STROBE report --symfs root -i code.data -q -g none -s symbol; echo do''ne" \
	Enter
tui_see '401030: ret'
tui_see 'done'
run env PERF_CONFIG=wrong $annotate store_result
check "a message about an unknown colour" grep -q "colors.top.*there is no colour 'purple'" err

# ---- colours, and terminals without colours ----

for kind in 'TERM=xterm-256color:38' 'TERM=xterm:3[1-6]' 'TERM=xterm-256color NO_COLOR=1:none' 'TERM=vt100:none'; do
	for screen in annotate report; do
		case $screen in
		annotate) command="$annotate count_words"; seen='cmp' ;;
		*) command="$STROBE report --symfs root -i code.data"; seen='count_words' ;;
		esac
		tui_type "clear; ${kind%:*} $command" Enter
		tui_see "$seen"
		case $kind in
		*:none) check "${kind%:*}: $screen has no colours" test -z "$(tui_colors)" ;;
		*) check "${kind%:*}: $screen has its colours" \
			sh -c "printf '%s\n' \"\$1\" | grep -qx '${kind#*:}'" _ "$(tui_colors)" ;;
		esac
		case $kind in
		*xterm:*)
			check "$screen has none of 256" \
				sh -c '! printf "%s\n" "$1" | grep -qxE "[34]8"' _ "$(tui_colors)"
			;;
		esac
		tui_type q
		tui_see 'prompt>'
	done
done
tui_type "clear; TERM=vt100 LC_ALL=C $annotate count_words" Enter
tui_see 'cmp'
tui_screen vt100
tui_type q
tui_see 'prompt>'
tui_type "clear; TERM=dumb $annotate store_result; echo rc=\$?" Enter
tui_see "no screens here: the terminal 'dumb' cannot show them"
tui_see '0000000000401029 <store_result>:'
tui_see 'rc=0'
tui_type "clear; $annotate --stdio store_result; echo rc=\$?" Enter
tui_see '0000000000401029 <store_result>:'
tui_see 'rc=0'
tui_stop

run $STROBE annotate -i code.data -d listing count_words
check "an object without symbols is the reason" grep -q "samples lie in '/opt/app/listing' without a function" err
run $STROBE annotate -i code.data -d other count_words
check "annotate -d of another object names only that object" sh -c 'grep -q "of other" err && ! grep -q listing err'
run $annotate --tui store_result
check "without a terminal annotate prints text" grep -q '401030: ret' out
check "no terminal: one line why" test "$(grep -c 'not a terminal' err)" = 1
run $annotate store_result
check "no terminal, not asked for: no word" sh -c '! grep -q screens err'
check "no terminal: text by itself" grep -q '401030: ret' out
finish
