#!/bin/bash
# record when something is in the way: outputs that are links or unreachable, odd commands and
# targets, little memory, other sessions.
#
# Other obstacles, and the scripts that test them:
#	record_stress     SIGKILL (file, -z, dwarf, 20 kHz, a stream), SIGINT, SIGTERM, SIGHUP,
#	                  SIGQUIT; a full disk, also before the first byte, /dev/full, a limit of
#	                  file size; forks, execs, 501 threads, few descriptors, races at exit,
#	                  sums of kept and lost samples, memory
#	record            a missing program, descriptors that the target inherits, its exit status,
#	                  bad numbers (-F -5, -m -1, -C 0-, -C 9999), a directory as output, a closed pipe,
#	                  closed stdout and stderr
#	record_options, record_threads
#	                  full disks and exits with --aio and --threads
#	permissions       levels of perf_event_paranoid, capabilities, seccomp, limits
#	this one          2000 quick forks
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
event=cpu-clock:u
record() { run "$STROBE" record -q -N -e $event "$@"; }
ended() { until_true eval "! kill -0 $1"; }
wait_for() { until_true test -s "$1"; }

# --- outputs that are links, or whose backup name is taken
ln -s nowhere l.data; record -o l.data true
check "a dangling link is replaced" test $rc = 0 -a ! -L l.data -a ! -e nowhere
: >empty; ln -s empty e.data; record -o e.data true
check "a link to an empty file is replaced" test $rc = 0 -a ! -L e.data -a ! -s empty
echo precious >full; ln -s full f.data; record -o f.data true
check "a link to a file: the link moves" test $rc = 0 -a -L f.data.old -a "$(cat full)" = precious
echo precious >aim; ln -s aim o.data.old; echo earlier >o.data; record -o o.data true
check "a link in the place of the earlier recording is replaced" \
	test $rc = 0 -a "$(cat o.data.old)" = earlier -a "$(cat aim)" = precious
# A large old file is not deleted at once but later: by the end, or when its space is needed.
head -c 3000000 /dev/zero >q.data.old; echo earlier >q.data; record -o q.data true
check "a large recording before the earlier one goes" \
	test $rc = 0 -a "$(cat q.data.old)" = earlier -a "$(ls q.data* | tr '\n' ' ')" \
	= "q.data q.data.old "
if [ "$(id -u)" = 0 ] && mkdir narrow && unshare -m mount -t tmpfs tmpfs narrow 2>/dev/null; then
	unshare \
		-m sh -c "mount -t tmpfs -o size=3m tmpfs narrow && cd narrow &&
		head -c 2900000 /dev/zero >n.data.old && echo earlier >n.data &&
		'$STROBE' record -q -N -e $event -c 20000 -g --max-size 400K -o n.data ../spin 20 2>../err
		echo \$? >../status; stat -c %s n.data >../size; cat n.data.old >../earlier"
	check "the room of the older file is used for the new one" \
		test "$(cat status)" = 0 -a "$(cat size)" -gt 300000 -a "$(cat earlier)" = earlier
else
	skip_part "room of a recording before the earlier one: needs root and a mount"
fi
mkdir d.data.old; echo earlier >d.data; record -o d.data touch ran
check "a directory there stays, and nothing has run" \
	test $rc = 255 -a -d d.data.old -a "$(cat d.data)" = earlier -a ! -e ran
check "the error names the file that is in the way" grep -q "'d.data.old'" err
record -o nodir/x.data touch ran
check "no such directory: named before the command runs" \
	sh -c "test $rc = 255 && grep -q nodir/x.data err && test ! -e ran"
mkdir gone
(cd gone && rmdir ../gone && "$STROBE" record -q -e $event -o x.data touch "$tmp/ran" 2>"$tmp/err"; echo $? >"$tmp/rc")
check "a directory that is gone" test "$(cat rc)" = 255 -a ! -e ran
if [ "$(id -u)" = 0 ]; then user="setpriv --reuid 65534 --regid 65534 --clear-groups"; else user=; fi
mkdir shut; [ -n "$user" ] || chmod 555 shut
chmod 755 .
keep_level
if [ -z "$user" ] || $user test -x "$STROBE" 2>/dev/null; then
	run $user "$STROBE" record -q -N -e $event -o shut/x.data touch ran
	check "a directory we may not write to" \
		sh -c "test $rc = 255 && grep -q 'Permission denied' err && test ! -e ran"
	if [ -n "$user" ]; then
		mkdir -m 777 open; echo root >open/r.data; chmod 600 open/r.data
		run $user "$STROBE" record -N -e $event -o open/r.data true
		cp "$STROBE_BUILD/tests/can" open/can && chmod 755 open/can
		! $user open/can sample >/dev/null ||
			check "another user's file is moved, not written" \
			test "$(cat open/r.data.old)" = root -a "$(stat -c %a open/r.data)" = 600
		check "settings that are another's are no trouble" test -z "$(grep perfconfig err)"
	fi
else
	skip_part "another user: this binary is out of its reach"
fi
let_level
run "$STROBE" record -N -e $event -o $'x\e[31m.data' true
check "names on the terminal are tamed" sh -c "! grep -q '$(printf '\033')' err && grep -q 'x.x1b' err"
mkfifo fifo; "$STROBE" record -q -N -e $event -o fifo sleep 5 2>err & recorder=$!
catching $recorder; kill -INT $recorder; wait $recorder
check "a FIFO that no one reads does not hold us" test $? != 0
"$STROBE" record -q -N -e $event -F 20000 -m 1 -o fifo ./spin 0.4 2>err & recorder=$!
sleep 0.8; cat fifo >late.pipe; wait $recorder
check "one that is read late: what came meanwhile is there" at_least "$(samples late.pipe)" 400
"$STROBE" record -q -B -e $event -o two.data ./spin 0.6 & recorder=$!
sleep 0.3; record -o two.data ./spin 0.1; wait $recorder
for f in two.data two.data.old; do
	check "two recordings into one file: $f" at_least "$(samples $f)" 10; reads_cleanly $f "two at once, $f" script
done

# --- odd commands
printf '#!/nonexistent/interpreter\n' >script; chmod +x script
record -o c.data ./script; check "a missing interpreter: status 127" test $rc = 127 -a ! -e c.data
record -o c.data ./; check "a directory as the command: status 126" test $rc = 126 -a ! -e c.data
record -o c.data "$(printf 'x%.0s' $(seq 5000))"; check "a name too long: an error" test $rc = 126 -o $rc = 127
record -o c.data true $(seq 20000)
check "a command with 20000 arguments is recorded" \
	test $rc = 0 -a "$("$STROBE" report --header-only -i c.data | grep -c ' 20000')" = 1
"$STROBE" record -q -e $event -o - true $(seq 20000) >c.pipe 2>/dev/null
check "20000 arguments in a stream" quietly "$STROBE" report --stats -i c.pipe
sh -c 'grep -E "^Sig(Blk|Ign)" /proc/self/status' >plain
record -o c.data sh -c 'grep -E "^Sig(Blk|Ign)" /proc/self/status'
check "the command has the signals as we got them" cmp plain out
record -o c.data sh -c 'sleep 100 & echo $! >child; exit 5' ; later_kill "$(cat child)"
check "a child that it leaves behind goes on" sh -c "test $rc = 5 && kill -0 $(cat child)"
"$STROBE" record -q -N -e $event -o c.data sh -c 'echo x >on; kill -STOP $$; sleep 9' 2>/dev/null & recorder=$!
wait_for on; sleep 0.1; kill -INT $recorder
check "a stopped command ends as well" ended $recorder
wait $recorder; rm -f on
"$STROBE" record -q -N -e $event -o c.data \
	sh -c 'trap "" TERM INT; echo $$ >on; while :; do sleep 0.1; done' 2>/dev/null &
recorder=$!
wait_for on; command=$(cat on); later_kill "$command"; sleep 0.1; kill -INT $recorder
for i in $(seq 20); do sleep 0.3; kill -INT $recorder 2>/dev/null || break; done
check "one that will not end is killed when asked twice" ended $recorder
wait $recorder
check "a command that ignores signals is ended, too" ended "$command"
check "the file is whole" quietly "$STROBE" report --header-only -i c.data
HOME=$tmp/full/home run "$STROBE" record -q -e $event -o c.data true
check "a home that cannot be" test $rc = 0 -a ! -s err
env -i ASAN_OPTIONS="$ASAN_OPTIONS" "$STROBE" record -q -e $event -o c.data /bin/true >out 2>err </dev/null
check "record runs without environment" test $? = 0 -a ! -s err
record -o c.data cat <&-; check "record runs without standard input" test $rc -lt 128

cat >forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 2000; i++) { pid_t p = fork(); if (!p) _exit(0); waitpid(p, NULL, 0); } return 0; }
END
cc -o forks forks.c || exit 1
record -o k.data ./forks
"$STROBE" report --stats -i k.data >stats
for kind in FORK EXIT; do
	check "2000 quick forks: each $kind is reported" \
		at_least "$(awk "/$kind events/ { print \$3; exit }" stats)" 2000
done

# --- odd targets
for bad in 0 -1 abc '1,,' 99999999999 ','; do
	record -p $bad -o t.data true
	check "-p $bad is refused" test $rc = 129 -o $rc = 244
	check "-p $bad: the error says why" test -s err -a ! -e t.data
done
record -C 9999 -o t.data true
check "a CPU that is not there is named" grep -q 'CPU 9999' err
# Their events wake several descriptors. The first one asked learns about the data, and the first
# one that ends must not take others along.
for options in "" --threads; do
	spins=
	rm -f go
	for seconds in 0.3 1 1 1; do
		sh -c "until [ -e go ]; do sleep 0.02; done; exec ./spin $seconds" & spins=$spins,$!
		later_kill $!
	done
	"$STROBE" record -N -B -m 4 -F 20000 -e $event $options -o w.data -p ${spins#,} 2>err & recorder=$!
	later_kill $recorder
	counting $recorder
	touch go
	wait
	check "several processes $options: read as their rings fill up" \
		at_least "$(sed -n 's/.*Woken up \([0-9]*\) .*/\1/p' err)" 8
	rm -rf w.data*
done
sleep 0.05 & gone=$!; wait $gone
record -p $gone -o t.data true
check "a process that is gone: perf's status" test $rc = 244

# --- low resources
died=
[ -n "${STROBE_SANITIZED:-}" ] || for mb in 12 16 20 24 32 48 64 96; do
	(
		ulimit -v $((mb * 1024))
		"$STROBE" record -q -e $event -g -o m.data true >/dev/null 2>m.err </dev/null
		rc=$?
		[ $rc = 0 ] || [ -s m.err ] && { [ $rc -lt 126 ] || [ $rc -ge 250 ]; } ||
			grep -q 'loading shared libraries' m.err
	) || died="$died $mb"
done
check "address space of 12 to 96 MB: done, or an error:$died" test -z "$died"
died=
if command -v prlimit >/dev/null; then	# the limit is for strobe; the shell needs memory to start it
	for n in 5 6 8 10 14 20; do
		prlimit --nofile=$n "$STROBE" record -q -N -e $event -o n.data true >/dev/null 2>n.err \
			</dev/null 3>&- 4>&-
		rc=$?
		[ $rc = 0 ] || { [ $rc = 255 ] && [ -s n.err ]; } || died="$died $n"
	done
else
	skip_part "few descriptors: no prlimit"
fi
check "5 to 20 descriptors: done, or an error:$died" test -z "$died"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	unshare -m sh -c "umount -l /proc && exec '$STROBE' record -q -e $event -o p.data ./spin 0.1" \
		>out 2>err </dev/null
	rc=$?
	check "without /proc record succeeds or prints an error" test $rc = 0 -o -s err
	"$STROBE" report --stats -i p.data >/dev/null 2>&1
	check "without /proc the recording can be read" test $? -lt 126
else
	skip_part "no /proc: needs root and mount namespaces"
fi

# --- the file has what options ask for
record --timestamp-boundary -o w.data ./spin 0.1
check "--timestamp-boundary writes the first time" \
	sh -c '"$STROBE" report --header-only -i w.data | grep -q "time of first sample : [1-9]"'
record -B -o w.data ./spin 0.1
check "-B writes no build-ids" no_build_ids w.data
record --buildid-all -o w.data sh -c 'sleep 0.01; exec ./spin 0.05'
check "--buildid-all: also what was not hit" \
	sh -c '"$STROBE" buildid-list -i w.data | grep -q "^[0-9a-f]\{40\} .*sleep"'
record -o w.data ./spin 0.05
check "else only what was" sh -c '! "$STROBE" buildid-list -i w.data | grep -q sleep'
record --buildid-mmap -o w.data ./spin 0.05
check "--buildid-mmap: in the records" \
	sh -c '"$STROBE" report -D -i w.data 2>/dev/null | grep MMAP2 | grep -q "spin" &&
	"$STROBE" evlist -v -i w.data | grep -q "build_id: 1"'
rm -f w.data; record --dry-run -o w.data touch ran
check "--dry-run writes nothing and runs nothing" test $rc = 0 -a ! -e w.data -a ! -e ran
record -m 8,4 -o w.data true
check "-m takes the size of AUX areas too, which nothing uses" test $rc = 0

# --- another session asks for build-ids: then some kernels mark our records as if we had asked
if can system; then
	"$STROBE" record -q -N -e dummy:u --buildid-mmap -a -o beside.data sleep 60 2>err &
	beside=$!
	later_kill $beside
	check "another session records at the same time" counting $beside
	record -g -o b.data sh -c '/bin/true; ls >/dev/null; exec ./spin 0.2'
	reads_cleanly b.data "beside build-ids" script "report --stdio"
	check "mappings with build-ids give names" \
		sh -c '"$STROBE" report --stdio --no-children -F symbol -i b.data 2>/dev/null | grep -q leaf'
	record -z -o b.data sh -c '/bin/true; exec ./spin 0.2'
	reads_cleanly b.data "beside build-ids, -z" script
	"$STROBE" record -q -e $event -o - sh -c '/bin/true; exec ./spin 0.2' >b.pipe 2>/dev/null </dev/null
	for reader in $readers; do
		check "beside build-ids, a stream: ${reader##*/} reads it" quietly $reader script -i b.pipe
	done
	for options in --threads "--threads -z"; do
		rm -rf b.data*
		record $options -o b.data sh -c '/bin/true; exec ./spin 0.2'
		reads_cleanly b.data "beside build-ids, $options" script
	done
	rm -rf b.data*
	"$STROBE" record -q -N -e $event -F 500 -g -o b.data sh -c '/bin/true; ls >ended; exec ./spin 20' 2>err &
	recorder=$!
	wait_for ended; used "$(pgrep -P $recorder)" 100; sleep 1.3	# all data is written once per second
	kill -9 $recorder; wait $recorder 2>/dev/null
	check "a killed recording with build-ids has samples" at_least "$(samples b.data)" 10
	reads_cleanly b.data "beside build-ids, killed" script
	kill -INT $beside; wait $beside
else
	skip_part "a session beside: this machine cannot: $why_not"
fi
finish
