# shellcheck shell=bash
# lib.sh: all end-to-end scripts source it first:  . "$(dirname "$0")/lib.sh"
#
# The script then runs in its own empty directory, which is removed at the end. Tools:
#   check "what must hold" COMMAND...   COMMAND (a test, a grep, a function) must succeed
#                                       (the name says what, without the lines above: "-C selects a CPU")
#   run COMMAND...                      run it; its results are in rc and the files out and err
#   expect NAME COMMAND...              rc, stdout, stderr must equal tests/e2e/expected/SCRIPT.NAME
#                                       (STROBE_ACCEPT=1 rewrites it)
#   workload NAME [CFLAGS]              compiles tests/e2e/workloads/NAME.c (or .cc) to ./NAME;
#                                       skips the script without a compiler
#   skip "reason"                       ends the whole script as skipped;  skip_part "reason" tells
#                                       that a part was skipped
#   need COMMAND...                     skip unless all commands exist;  need_root: skip unless root
#   can WORD...                         true if the machine allows it: sample, kernel, system, sched:sched_switch ...
#                                       (tests/can/can.c has the words and asks the kernel, never
#                                       strobe); why_not prints what it lacks
#   need_can WORD...                    skips the script unless the machine can
#   fails STATUS TEXT WORDS...          strobe WORDS ends with this status, and its error has the text
#   must COMMAND...                     like run; if it fails, the script fails: the rest depends on it
#   alone_with_probes                   waits until no other script that calls it has probes
#                                       defined: their names are global on the machine
#   "$while_working" PID SECONDS        ends when the process has used so much CPU time:
#                                       the clock of "record -p PID"
#   counting PID                        waits until it, or its child, has opened its events and handles
#                                       SIGINT;  catching PID: only the latter
#   until_true COMMAND...               waits until the command succeeds, a minute at most
#   one_cpu                             a variable: the first CPU that this script may run on; all others may be
#                                       denied to it ("taskset -c $one_cpu")
#   keep_level, let_level               between them no other script changes perf_event_paranoid, locked memory of
#                                       users or the rights of tracefs, if the script changes them by own_level
#   finish                              last line of a script: prints the totals, exits 0 or 1
# Environment (set by CTest): STROBE the binary, STROBE_SOURCE the source tree, STROBE_BUILD the
# build tree. Optional: STROBE_CORPUS, STROBE_PERF72 (a perf 7.2 for reading), STROBE_VM;
# STROBE_FIRST_FAILURE=1 ends the script at its first failure. Messages and output are in the C
# locale and UTC.
set -u
unset DEBUGINFOD_URLS
export LC_ALL=C TZ=UTC PERF_CONFIG=/dev/null PAGER=cat
# Commands leave their memory to the kernel at their end; the unit tests look for leaks.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
: "${STROBE:?the strobe binary to test}" "${STROBE_SOURCE:?}" "${STROBE_BUILD:?}"
script=$(basename "$0" .sh)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/strobe-$script.XXXXXX") || exit 1
pids=
# A process ended long ago may have left its number to one of another test: the time of its start tells.
started() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
cleanup() {
	for p in $pids; do
		[ "$(started "${p%:*}")" != "${p#*:}" ] || kill -9 "${p%:*}" 2>/dev/null
	done
	cd / && rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 129' HUP INT TERM
BASH_ARGV0=$(realpath "$0") # scripts find further files beside themselves
cd "$tmp" || exit 1
OLD_HOME=${HOME:-}
HOME=$tmp
export HOME
passed=0 failed=0

say() { printf '%s\n' "$*"; }
skip() { say "SKIP: $*"; exit 77; }
skip_part() { say "skipped part: $*"; }
need() { for c in "$@"; do command -v "$c" >/dev/null 2>&1 || skip "no $c here"; done; }
need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
why_not=
can() {
	local rc=0
	why_not=$("$STROBE_BUILD/tests/can" "$@") || rc=$?
	[ $rc -le 1 ] || { say "FAILED: tests/can does not know: $*"; exit 1; }
	return $rc
}
need_can() { can "$@" || skip "this machine cannot: $why_not"; }
alone_with_probes() {
	[ -r /sys/kernel/tracing/uprobe_events ] || return 0
	exec 8</sys/kernel/tracing/uprobe_events && flock -w 300 8 && return
	say "FAILED: another run has had probes for five minutes"
	exit 1
}
while_working=$STROBE_SOURCE/tests/e2e/workloads/while_working
one_cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
export one_cpu
until_true() {
	local end=$((SECONDS + 60))
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}
keep_level() { exec 7</proc/sys/kernel/perf_event_paranoid && flock -s -w 300 7; }
own_level() { exec 7</proc/sys/kernel/perf_event_paranoid && flock -w 300 7; }
let_level() { exec 7<&-; }
own_uid=$((1000000 + $$))	# a user without a name who runs nothing else: other tests use nobody
# End this background process with the script.
later_kill() { local since; since=$(started "$1") && pids="$pids $1:${since:-ended}"; }

check() {
	what=$1; shift
	if "$@" >check.log 2>&1; then passed=$((passed + 1)); else
		failed=$((failed + 1)); say "FAILED: $what"; say "  command: $*"; head -20 check.log | sed 's/^/  | /'
		if [ -s err ]; then say "  the last run said:"; head -5 err | sed 's/^/  | /'; fi
		[ -z "${STROBE_FIRST_FAILURE:-}" ] || exit 1
	fi
}

run() {
	rc=0
	"$@" >out 2>err </dev/null || rc=$?
}

fails() {
	local want=$1 says=$2
	shift 2
	run "$STROBE" "$@"
	check "strobe $*: status $want" test "$rc" = "$want"
	check "strobe $*: the error has '$says'" grep -q -- "$says" err
}

must() {
	run "$@"
	[ "$rc" != 0 ] || return 0
	say "FAILED, and the rest needs it: $*: status $rc"
	head -20 err | sed 's/^/  | /'
	exit 1
}

expect() {
	name=$1; shift
	run "$@"
	want=$STROBE_SOURCE/tests/e2e/expected/$script.$name
	{ printf 'exit %s\n--- stdout\n' "$rc"; cat out; printf -- '--- stderr\n'; cat err; } | sed "s#$tmp#TMP#g" >got
	if [ "${STROBE_ACCEPT:-0}" = 1 ]; then mkdir -p "$(dirname "$want")"; cp got "$want"; fi
	check "$name: $* gives the expected text" diff -u "$want" got
}

catching() { until_true grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status"; }
counting() {
	local id end=$((SECONDS + 60))
	while [ -e "/proc/$1" ] && [ $SECONDS -lt $end ]; do
		for id in $(pgrep -P "$1") "$1"; do
			grep -q '^SigCgt:.*[2367abef]$' "/proc/$id/status" &&
				find "/proc/$id/fd" -lname '*perf_event*' | grep -q . && return
		done 2>/dev/null
		sleep 0.02
	done
	return 1
}

workload() {
	name=$1; shift
	if [ -f "$STROBE_SOURCE/tests/e2e/workloads/$name.cc" ]; then
		need c++
		c++ -g -O1 -fno-omit-frame-pointer -o "$name" "$@" \
			"$STROBE_SOURCE/tests/e2e/workloads/$name.cc" -lpthread ||
			exit 1
	else
		need cc
		cc -g -O1 -fno-omit-frame-pointer -o "$name" "$@" \
			"$STROBE_SOURCE/tests/e2e/workloads/$name.c" -lpthread ||
			exit 1
	fi
}

finish() {
	say "$script: $passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
