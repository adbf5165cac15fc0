#!/bin/bash
# Who may measure what: a user at each level, with and without capabilities, with filters and
# limits. The message names the cause, and the cure that it offers works. System settings are
# restored at the end.
. "$(dirname "$0")/lib.sh"
need_root
need setpriv setcap
check "no other script needs the settings for minutes" own_level
sysctls=/proc/sys/kernel
before_level=$(cat $sysctls/perf_event_paranoid) before_mlock=$(cat $sysctls/perf_event_mlock_kb)
tracing=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
before_tracing=${tracing:+$(stat -c 'mode=%a,gid=%g' "$tracing")}
touched=
restore() {
	case $touched in *level*) echo "$before_level" >$sysctls/perf_event_paranoid ;; esac
	case $touched in *mlock*) echo "$before_mlock" >$sysctls/perf_event_mlock_kb ;; esac
	case $touched in *tracing*) mount -o "remount,$before_tracing" "$tracing" ;; esac
}
trap 'restore; cleanup' EXIT

mkdir -m 777 open
chmod 755 . && cp "$STROBE" bin && chmod 755 bin
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
record() { rm -f open/x.data; run as_user "${around[@]}" ./bin record -q -N -o open/x.data "$@"; }
around=()
# The command that a message offers; its words are used exactly as printed.
offered() { grep -o "$([ "$1" = setcap ] && echo 'setcap [^ ]* [^ ,]*' || echo 'sysctl [^ ,]*')" err | head -1; }
works() { record "$@"; [ $rc = 0 ] || { cat err; return 1; }; }
set_level() { echo "$1" >$sysctls/perf_event_paranoid; }

workload filtered
chmod 755 filtered
cp "$STROBE_BUILD/tests/can" can && chmod 755 can
if [ "$before_level" -le 2 ]; then
	why_not=$(as_user ./can sample) || skip "a user's own events are refused here: $why_not"
	check "a user's own events" works -e cpu-clock:u true
fi

# top shows the most that the level allows, and says what that is; in a terminal, too.
workload spin -O1
cp spin spin_user && chmod 755 spin_user
# A user of its own: other tests have processes of 65534, some of which no user may watch.
alone="setpriv --reuid 64321 --regid 64321 --clear-groups"
$alone ./spin_user 900 & theirs=$!
later_kill $theirs
# A process that holds secrets, as ssh-agent: the kernel hides it from its own user.
cat >hidden.c <<'END'
#include <sys/prctl.h>
#include <unistd.h>
int main(void) { return prctl(PR_SET_DUMPABLE, 0) || sleep(900); }
END
cc -o hidden hidden.c && chmod 755 hidden || exit 1
$alone ./hidden & later_kill $!
top_shows_what_is_allowed() {
	as_user ./can sample >/dev/null || { skip_part "level $level: top: users may measure nothing"; return; }
	run timeout 60 $alone ./bin top --batch -d 0.3 --rounds 1 -s comm
	# on a busy machine it may not have run: look once more, for longer
	grep -q spin_user out || [ $rc != 0 ] || run timeout 60 $alone ./bin top --batch -d 3 --rounds 1 -s comm
	check "level $level: top: it runs" test $rc = 0
	check "level $level: top: with what runs" grep -q spin_user out
	if [ $level -le 0 ]; then
		check "level $level: top: the whole system" sh -c '! grep -q "(uid:" out && grep -q "all, .* CPU" out'
	else
		check "level $level: top: own processes, which it says" \
			sh -c 'grep -q "(uid: 64321" out && grep -q "only processes of this user" out'
	fi
	run $alone ./bin record -N -o /dev/null -u 64321 -e cpu-clock:u -- sleep 0.05
	[ $level -le -1 ] || check "level $level: record -u: a hidden process is left out, and reported" \
		sh -c "test $rc = 0 && grep -q 'processes of this user left out: 1,' err"
	[ -n "$terminal" ] || return
	tui_type "clear; $alone ./bin top -d 0.2 -s comm; echo rc=\$?" Enter
	tui_see 'spin_user'
	if [ $level -gt 0 ]; then
		tui_see 'only processes of this user'
	else
		check "level $level: top: the screen does not speak of own processes" \
			sh -c '! grep -q "only processes" <"$1"' sh <(tui_text)
	fi
	tui_type q
	tui_see 'rc=0'
}
terminal=
if command -v tmux >/dev/null; then
	. "$(dirname "$0")/lib_tui.sh"
	trap 'restore; tui_stop; cleanup' EXIT
	tui_start 120 16
	terminal=yes
else skip_part "top on a screen: no tmux"; fi

# --- each level: command lines, and the highest level that allows them
demands=("2|-e cpu-clock:u true|leaves users nothing" "1|-e cpu-clock:k true|leaves user space only" \
	"0|-a -e cpu-clock|leaves users their own processes")
if { set_level "$before_level"; } 2>/dev/null; then
	touched=level
	for level in -1 0 1 2 3; do
		set_level $level
		top_shows_what_is_allowed
		for demand in "${demands[@]}"; do
			IFS='|' read -r allowed words reason <<<"$demand"
			case $words in -a*) words="$words sleep 0.01" ;; esac
			record $words
			run_rc=$rc
			if [ $level -le "$allowed" ]; then
				check "level $level: strobe $words works" test $run_rc = 0
				continue
			fi
			# Only some distributions have level 3; other kernels treat it as 2
			[ $allowed$run_rc != 20 ] || continue
			check "level $level: $words is refused" test $run_rc = 255
			check "level $level: $words: by the level, of which it says what is left" \
				grep -q "why: perf_event_paranoid is $level, which $reason" err
			grant=$(offered setcap) setting=$(offered sysctl)
			check "level $level: $words: a capability of the program is offered" \
				test "$grant" = "setcap cap_perfmon+ep $tmp/bin"
			check "level $level: $words: and a level" \
				test "$setting" = "sysctl kernel.perf_event_paranoid=$allowed"
			if $grant; then
				check "level $level: $words: works with the capability" works $words
				setcap -r bin
			else skip_part "file capabilities: not on this file system"; fi
			set_level "${setting##*=}"
			check "level $level: $words: works at the level" works $words
			set_level $level
		done
	done
	set_level 0
	while :; do :; done & busy=$!
	later_kill $busy
	run as_user ./bin record -N -o open/x.data -a -e cpu-clock sleep 0.3
	kill $busy
	check "level 0: a message says once, and why, that samples will have no names" \
		sh -c "test $rc = 0 && test \$(grep -c '^WARNING: the maps of process [0-9]* cannot be read' err) = 1"
	seen=$(sed -n 's/.*nor can those of \([0-9]*\) others.*/\1/p' err)
	run as_user ./bin record -N -B -o open/x.data -a -e cpu-clock sleep 0.01
	check "level 0: without a search strobe cannot know, and names all processes" \
		sh -c "test \$(grep '^WARNING: the maps of process [0-9]* cannot be read, nor can those of ' err |
			grep -c 'can those of [0-9]* others: their samples will have no names') = 1"
	all=$(sed -n 's/.*nor can those of \([0-9]*\) others.*/\1/p' err)
	check "level 0: else only those with samples count" test "${seen:-0}" -lt "$all"
	check "level 0: and what would give them" grep -q 'try: .*setcap cap_perfmon,cap_sys_ptrace+ep ' err
	set_level 2
else
	skip_part "levels: kernel.perf_event_paranoid cannot be set here"
fi

# --- at level 2: failures that have other causes
if [ "$(cat $sysctls/perf_event_paranoid)" = 2 ]; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon \
		--ambient-caps +perfmon ./bin record -q -N -o open/x.data -a sleep 0.01
	check "a capability that the process has is enough" test $rc = 0

	record -e cpu-clock:u -p $$
	check "another user's process is named" grep -q "process $$ belongs to another user" err
	check "another user's process: the right to look at it is part of the grant" \
		grep -q 'setcap cap_perfmon,cap_sys_ptrace+ep ' err
	# shellcheck disable=SC2091	# the command that strobe offers
	if $(offered setcap); then
		check "the grant lets strobe measure the process" works -e cpu-clock:u -p $$ sleep 0.01
		setcap -r bin
	fi

	run ./bin doctor -- record -e cpu-clock:u -p $$
	check "doctor offers what was enough: newer kernels show maps to CAP_PERFMON" \
		grep -q "least grant for a user, tried: setcap cap_perfmon\(,cap_sys_ptrace\)*+ep $tmp/bin" out
	# shellcheck disable=SC2091	# the command that strobe says it tried
	if $(sed -n 's/.*tried: \(setcap .*\)/\1/p' out); then
		run as_user ./bin record -N -o open/x.data -e cpu-clock:u -p $$ sleep 0.01
		check "which it is: with all maps" sh -c "test $rc = 0 && ! grep -q 'maps of process' err"
		setcap -r bin
	fi

	around=(setpriv --no-new-privs)
	record -a
	check "file capabilities are not offered where they have no effect" test -z "$(offered setcap)"
	check "the message offers a lower perf_event_paranoid instead" \
		test "$(offered sysctl)" = "sysctl kernel.perf_event_paranoid=0"
	around=()
	if as_user unshare -Ur true 2>/dev/null; then
		run as_user unshare -Ur ./bin record -q -o open/x.data -a
		check "a message to root of a user namespace says it is not real root" \
			grep -q 'why: .*; root of a user namespace is a user' err
		check "the message says to try outside of the user namespace" \
			grep -q 'outside of the user namespace' err
	else skip_part "user namespaces: not for users here"; fi
fi

# --- filters: recognised by their effect, at each level and for each user
for answer in EPERM ENOSYS; do
	for who in as_user env; do
		run $who ./filtered $answer ./bin record -q -N -o open/x.data -e cpu-clock:u true
		[ $rc != 77 ] || { skip_part "seccomp: no filters here"; break; }
		check "$who behind $answer: the filter is named" grep -q "seccomp filter refuses perf_event_open" err
		check "$who behind $answer: and its answer" grep -q "answers $answer before the kernel" err
		check "$who behind $answer: doctor fails" \
			test "$($who ./filtered $answer ./bin doctor >/dev/null; echo $?)" = 1
	done
done

# --- limits
many=cs$(printf ',cs%.0s' {1..40})
[ "$(cat $sysctls/perf_event_paranoid)" -gt 2 ] || {
	around=(prlimit --nofile=30:30)
	record -e "$many" true
	check "too few descriptors: how many there are" \
		grep -q 'want [0-9]* descriptors, one per CPU and thread; the hard limit is 30' err
	limit=$(grep -o -- '--nofile=[0-9]*' err)
	around=(prlimit "$limit:${limit#*=}")
	check "too few descriptors: $limit is enough" works -e "$many" true
	around=()

	around=(prlimit --memlock=65536:65536)
	record -e cpu-clock:u -m 4M true
	check "too much locked memory: the limits are named" \
		grep -q "perf_event_mlock_kb is $before_mlock per CPU, ulimit -l is 64 KB" err
	setting=$(offered sysctl)
	if { echo "${setting##*=}" >$sysctls/perf_event_mlock_kb; } 2>/dev/null; then
		touched="$touched mlock"
		check "too much locked memory: $setting is enough" works -e cpu-clock:u -m 4M true
		echo "$before_mlock" >$sysctls/perf_event_mlock_kb
		setpriv --reuid 65534 --regid 65534 --clear-groups "${around[@]}" ./bin record \
			-q -N -o open/first.data -e dummy:u -m 64K sleep 300 2>/dev/null &
		first=$!
		later_kill $first
		until_true test -s open/first.data
		[ "$before_mlock" != 516 ] || {
			record -e cpu-clock:u -m 512K true	# it would fit alone
			check "too much locked memory: the message names the other session" \
				grep -q "64 KB; another session of this user holds some" err
		}
		record -e cpu-clock:u -m 4M true
		setting=$(offered sysctl)
		echo "${setting##*=}" >$sysctls/perf_event_mlock_kb
		check "too much locked memory beside another session: $setting is enough" \
			works -e cpu-clock:u -m 4M true
		echo "$before_mlock" >$sysctls/perf_event_mlock_kb
		kill -INT $first; wait $first
		echo 100 >$sysctls/perf_event_mlock_kb
		setpriv --reuid 65534 --regid 65534 --clear-groups "${around[@]}" ./bin record \
			-q -N -o open/beside.data -e dummy:u sleep 300 2>/dev/null &
		beside=$!
		later_kill $beside
		until_true test -s open/beside.data
		run as_user "${around[@]}" ./bin record -N -o open/x.data -e cpu-clock:u,cs:u true
		check "beside another recording rings are smaller, with one message" \
			test $rc = 0 -a "$(grep -c '^ring buffers are only [0-9]* KB each' err)" = 1
		kill -INT $beside; wait $beside
		echo "$before_mlock" >$sysctls/perf_event_mlock_kb
	else skip_part "locked memory: kernel.perf_event_mlock_kb cannot be set here"; fi
	around=()
}

# --- tracefs: unreadable does not mean unknown, and readable does not mean allowed
point=sched:sched_switch
if [ -d "$tracing/events/sched" ] && mount -o "remount,mode=700,gid=0" "$tracing" 2>/dev/null; then
	touched="$touched tracing"
	record -a -e $point
	check "unreadable tracefs: no word of an unknown event" \
		grep -q "can't access trace events: No permissions to read $tracing" err
	record -e sched_switch true
	check "unreadable tracefs: half a name may be a tracepoint's" \
		grep -q 'tracepoints are not among them: No permissions' err
	record -a -e $point
	run as_user ./bin doctor -- record -a -e $point
	check "doctor names both grants" test "$(grep -c '^ *grant: \|^ *try: .sudo mount' out)" -ge 2
	remount=$(sed -n "s/^ *try: 'sudo \(mount [^']*\)'.*/\1/p" out | tail -1)
	grant=$(sed -n 's/^ *grant: as root: \(setcap .*\)/\1/p' out)
	check "doctor offers tracefs to the group" grep -q 'remount,mode=750,gid=65534' <<<"$remount"
	$remount
	record -a -e $point
	check "tracefs alone is not enough at level 2" grep -q 'what tracepoints record needs -1' err
	if $grant; then
		check "tracefs and the capability together are enough" works -a -e $point sleep 0.01
		run as_user ./bin doctor -- record -a -e $point
		check "doctor says that both are enough" test $rc = 0
		setcap -r bin
	fi
	mount -o "remount,$before_tracing" "$tracing"
else
	skip_part "tracefs: not there, or cannot be remounted"
fi

# --- doctor: everything it says was tried
run as_user ./bin doctor -j -- record -a -e cpu-clock
if [ "$(cat $sysctls/perf_event_paranoid)" -ge 1 ]; then
	check "doctor: a command line that cannot run" test $rc = 1
	check "doctor: JSON names the cause" grep -q '"ok": false, "cause": "paranoid", "what": "cannot open' out
	check "doctor: and the program's capability first" \
		grep -q '"grants": \[ { "command": true, "text": "setcap cap_perfmon+ep' out
	run ./bin doctor -- record -a -e cpu-clock
	check "doctor: root can record" test $rc = 0
	check "doctor: what a user needs was tried as one" \
		grep -q "least grant for a user, tried: setcap cap_perfmon+ep $tmp/bin" out
	run ./bin doctor -- record -e cpu-clock:u true
	check "doctor: where he needs nothing" grep -q 'a user needs no grant' out
fi
if command -v python3 >/dev/null; then
	as_user ./bin doctor -j >one.json
	check "doctor: JSON is sound" \
		python3 -c 'import json; d = json.load(open("one.json"))
assert len(d["checks"]) >= 13 and d["command"]["words"] == ["record", "true"]'
fi
run ./bin doctor -- report
check "doctor: other commands cannot be tried" test $rc = 129
while IFS='|' read -r words reason; do
	run as_user ./bin doctor -- record $words
	check "doctor: $words cannot run" test $rc = 1
	check "doctor: $words: the reason is '$reason'" grep -q "what: .*$reason" out
	run as_user ./bin record -q -N $words
	check "doctor: $words: as record says" grep -q "strobe record: .*$reason" err
done <<'END'
-e cpu-clock:u -o open/x.data --threads --aio true|--threads does not go with --aio
-e cpu-clock:u -o open/x.data -r 5 true|cannot take realtime priority 5
-e cpu-clock:u -o open/x.data --kcore true|/proc/k
-e cpu-clock:u -o nodir/x.data true|nodir/x.data
END
run ./bin doctor -- record -e cyclse true
check "doctor: a mistyped event" test $rc = 1
check "doctor: nothing was written" test ! -e perf.data
finish
