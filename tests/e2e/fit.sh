#!/bin/bash
# Very long names: lines fit the terminal. In pipes and with --full-names, names are whole.
. "$(dirname "$0")/lib.sh"
need g++ python3
. "$(dirname "$0")/lib_tui.sh"
cat >long.cc <<'C'
#include <ctime>
template <class... T> struct pack {};
template <class A, class B> struct one { __attribute__((noinline)) static void spin() {
	static volatile long sink;
	for (std::clock_t end = std::clock() + CLOCKS_PER_SEC / 4; std::clock() < end;)
		for (long i = 0; i < 100000; i++) sink = sink + i;
} };
template <class A> struct p2 { typedef pack<A, A, A, A> type; };
int main() { one<p2<p2<p2<pack<unsigned long, unsigned char>>::type>::type>::type, long>::spin(); }
C
g++ -O1 -g -fno-omit-frame-pointer -o long long.cc || exit 1
need_can sample
must "$STROBE" record -q -N -B -g -e cpu-clock:u -F 1000 -o perf.data ./long
# terminal COLUMNS COMMAND...: its output on a terminal with this width, without colors
cat >terminal.py <<'PY'
import fcntl, os, pty, re, struct, sys, termios
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
try:
    while part := os.read(fd, 65536): text += part
except OSError: pass
sys.stdout.buffer.write(re.sub(rb"\x1b\[[0-9;]*m", b"", text.replace(b"\r", b"")))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
# shellcheck disable=SC2016	# the inner shell expands it
terminal() { PERF_PAGER='cat' timeout 60 python3 terminal.py "$1" sh -c '"$@" 2>err' sh "${@:2}"; }
# maximum width of all lines except the hint that scripts for perf know
narrow() { awk -v most="$1" '!/^# To display/ && length($0) > most { print; bad = 1 } END { exit bad }' "$2"; }
name='one<pack<pack<pack<pack<unsigned long, unsigned char>'
for command in "report --stdio" "report --stdio -s sym,dso" "report --stdio --no-children -G" \
	"report --stdio -H" "annotate --stdio" "diff perf.data perf.data"; do
	input="-i perf.data"; case $command in diff*) input= ;; esac
	# shellcheck disable=SC2086	# split into words
	"$STROBE" $command $input >whole 2>/dev/null
	check "$command: in a pipe the name is whole" grep -qF "$name" whole
	for columns in 80 120; do
		# shellcheck disable=SC2086
		terminal $columns "$STROBE" $command $input >fits
		check "$command: there are lines for $columns columns" grep -q 'one<[.][.][.]>::spin' fits
		check "$command: all fit $columns columns" narrow $columns fits
	done
	# shellcheck disable=SC2086
	terminal 80 "$STROBE" $command $input --full-names >full
	check "$command --full-names: the name is whole" grep -qF "$name" full
done
terminal 80 "$STROBE" report --stdio -w 8,8,8,2000 -i perf.data >widths
check "-w keeps its meaning" grep -qF "$name" widths
PERF_PAGER='cat' timeout 60 python3 terminal.py 80 "$STROBE" report --stdio -i perf.data | grep '^# Quality' >quality
check "the quality line fits as well" sh -c 'test -s quality && ! grep -q ".\{81\}" quality'

# Each day has its own tip.
touch -r perf.data when
for day in 1 2 3 4 5 6 7 8 9 10 11 12; do
	touch -d "@$((day * 86400))" perf.data
	terminal 80 "$STROBE" report --stdio -i perf.data | grep '^# (Tip' >"tip-$day"
	check "the tip of day $day fits as well" sh -c "test -s tip-$day && ! grep -q '.\{81\}' tip-$day"
done
check "there are twelve tips" test "$(cat tip-* | sort -u | wc -l)" = 12
touch -r when perf.data

# The browser: shorten names where there is no room; show whole names when lines are moved sideways.
tui_start 80 24
tui_type "'$STROBE' report -i perf.data --no-children" Enter
tui_see 'one<...>::spin'
tui_type Right
tui_see 'one<pack<'
tui_type q
tui_stop
finish
