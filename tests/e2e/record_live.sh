#!/bin/bash
# record --call-graph live: stacks are unwound while recording. They are whole, and those that an unwinder finds in the
# copies of the same samples (--keep-stacks); perf reads the file as an fp recording.
. "$(dirname "$0")/lib.sh"

live() { "$STROBE" record -q -F 2000 -e task-clock:u --call-graph "${window:-live}" "$@"; }
stacks_of() { "$STROBE" script -i "$1" --no-inline -F comm,tid,time,ip,sym "${@:2}" 2>/dev/null; }
# The chains that were recorded are those of each unwinder.
same_as_offline() {
	stacks_of "$1" >recorded
	stacks_of "$1" --unwind-style "$2" >offline
	test -s recorded || return 1
	[ "$2" = cfi ] || { python3 "$STROBE_SOURCE/tests/lib/same_chains.py" recorded offline; return; }
	diff -U12 recorded offline
}
# Share of whole stacks, by what --quality says.
whole() {
	local share
	share=$("$STROBE" report -i "$1" --stdio --quality 2>/dev/null | awk '/have a whole stack/ { print $2 + 0 }')
	echo "$1: $share% of the stacks are whole"
	awk -v s="${share:-0}" -v least="$2" 'BEGIN { exit !(s >= least) }'
}
# A recording by frame pointers, as far as others can see.
looks_like_fp() {
	"$STROBE" report -i "$1" --header-only >header 2>/dev/null
	grep -q 'user stacks were unwound while recording' header || return 1
	! grep -E 'REGS_USER|STACK_USER' header
}
fails() { ! "$@"; }
samples_in() { "$STROBE" script -i "$1" -F ip "${@:2}" 2>/dev/null | grep -c '^$'; }
without_vdso() { awk '/^[^\t]/ { drop = 0 } /^\t/ && /\(\[vdso\]\)/ { drop = 1 } !drop || !/^\t/'; }
same_as_perf72() {
	"$STROBE" script -i "$1" --no-inline 2>/dev/null | without_vdso >ours
	"$STROBE_PERF72" script -f -i "$1" --no-inline --max-stack 2048 2>/dev/null | without_vdso >theirs
	test -s ours && diff ours theirs
}

need c++ python3
need_can sample
build_and_check() {
	local build=$1; shift
	workload stacks -O2 -fomit-frame-pointer "$@" 2>build.log ||
		{ skip_part "$build does not build here: $(head -1 build.log)"; return; }
	must live -o "$build.data" ./stacks
	check "$build: stacks are whole" whole "$build.data" 97
	check "$build: it looks like a recording by frame pointers" looks_like_fp "$build.data"
	must live --keep-stacks -o "$build.kept" ./stacks
	run "$STROBE" record -e cpu-clock:u -g --keep-stacks -o none true
	check "--keep-stacks needs stacks that strobe unwinds" \
		sh -c "[ $rc = 129 ] && grep -q 'try: --call-graph live' err && [ ! -e none ]"
	check "$build: the chains are those that cfi finds in the copies" same_as_offline "$build.kept" cfi
	check "$build: stacks are those of libdw" same_as_offline "$build.kept" libdw
	if "$STROBE" check -q feature libunwind; then
		check "$build: stacks are those of libunwind" same_as_offline "$build.kept" libunwind
	fi
	if [ -n "${STROBE_PERF72:-}" ]; then
		check "$build: perf 7.2 shows the same" same_as_perf72 "$build.data"
	fi
}
[ -n "${STROBE_PERF72:-}" ] || skip_part "no comparison with perf 7.2 (STROBE_PERF72 is not set)"
build_and_check nopie -no-pie
build_and_check static -static -no-pie
build_and_check static-pie -static-pie
build_and_check pie

# Code without unwind information: the return address is found on the stack; a frame pointer is sure where none lies
# below its frame.
calls_of() { # calls_of FUNCTION: which callers the samples in it have, and how many
	awk -v inner="$1" '
		/^$/ { if (saw) print all; saw = 0; all = "" }
		/^\t/ { if ($2 == inner) saw = 1; else if (saw) all = all $2 " " }' bare.syms | sort | uniq -c
}
leads_to_start() {
	calls_of "$1" >calls
	cat calls
	awk -v way="$2 main __libc_start" '{ gsub(/\.[a-z0-9.]*/, "") }
		index($0, way) { good += $1 } { n += $1 } END { exit !(n > 20 && good >= 0.98 * n) }' calls
}
if [ "$(uname -m)" = x86_64 ]; then
	must workload bare -O2 -fomit-frame-pointer
	must live --keep-stacks -o bare.data ./bare
	"$STROBE" script -i bare.data --no-inline -F ip,sym >bare.syms 2>/dev/null
	check "no unwind information: the caller of a leaf" leads_to_start leaf leaf_caller
	check "no unwind information: callers by a frame pointer" leads_to_start framed framed_caller
	check "no unwind information: the same afterwards" same_as_offline bare.data cfi
	"$STROBE" report -i bare.data --header-only 2>/dev/null | grep 'unwound while' >header
	check "no unwind information: guesses are reported, and only those" \
		sh -c 'cat header; grep -q "whole [1-7][0-9]\..*guessed [2-8][0-9]\." header'
fi

# Unwind information only in the debug file: .debug_frame there is as good as a table of the object.
cat >parted.c <<'C'
static volatile long sum;
#define HOLD(n) volatile long held[n]; held[0] = sum; __asm__ volatile("" :: "r"(held) : "memory")
__attribute__((noinline)) void work(void) { HOLD(9); for (long i = 0; i < 30000; i++) sum += i + held[0]; }
__attribute__((noinline)) void middle(int n) { HOLD(31); if (n) middle(n - 1); else work(); sum += held[0]; }
__attribute__((noinline)) void outer(void) { HOLD(5); for (int i = 0; i < 4000; i++) middle(20); sum += held[0]; }
int main(void) { outer(); return 0; }
C
chains_in_parted() {
	"$STROBE" script -i parted.data --no-inline -F ip,sym 2>/dev/null | awk '
		/^$/ { if (chain ~ /^ work/) print chain; chain = ""; next } { chain = chain " " $2 }' >chains
	sed 's/\( middle\)*/\1/' chains | sort | uniq -c
	awk '{ good += (gsub(/ middle/, "") == 21 && /^ work outer main __libc_start/) }
		END { print good + 0, "of", NR; exit !(NR > 20 && good == NR) }' chains
}
build_parted() {	# BINARY OPTIONS...
	cc -g -O1 -fomit-frame-pointer -fno-stack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables \
		-fno-optimize-sibling-calls -Wl,--build-id "${@:2}" -o "$1" parted.c 2>build.log &&
		readelf -SW "$1" | grep -q debug_frame
}
if build_parted parted; then
	mkdir -p .debug
	objcopy --only-keep-debug parted .debug/parted.debug
	strip -s parted && objcopy --add-gnu-debuglink=.debug/parted.debug parted
	must live --keep-stacks -o parted.data ./parted
	check "unwind information in a debug file: all frames" chains_in_parted
	"$STROBE" report -i parted.data --header-only 2>/dev/null | grep 'unwound while' >header
	check "unwind information in a debug file: no guesses: $(cat header)" grep -q 'whole \(9[789]\|100\)\.' header
	check "unwind information in a debug file: the same afterwards" same_as_offline parted.data cfi
	mv .debug elsewhere
	must live -o alone.data ./parted
	"$STROBE" report -i alone.data --header-only 2>/dev/null | grep 'unwound while' >header
	check "without the debug file stacks are guessed: $(cat header)" grep -q 'guessed' header
fi

# The same in a container: object and debug file exist only below its root directory, and for the first two only in a
# mount namespace that is gone when the recording ends.
in_container() {	# WORDS...: a program that ends soon
	must live -F 5000 -o contained.data "$@"
	"$STROBE" report -i contained.data --header-only 2>/dev/null | grep 'unwound while' >header
	cat header
	grep -q 'whole \(9[789]\|100\)\.' header
}
container=$PWD/container
if [ "$(id -u)" = 0 ] && build_parted parted_there -static && mkdir container &&
	unshare -m mount -t tmpfs none container 2>/dev/null; then
	cp parted_there parted_by_id
	objcopy --only-keep-debug parted_there parted.debug && strip -s parted_by_id
	id=$(readelf -n parted_by_id | sed -n 's/.*Build ID: //p')
	strip -s parted_there
	objcopy --remove-section=.note.gnu.build-id --add-gnu-debuglink=parted.debug parted_there
	check "in a mount namespace: .gnu_debuglink finds the debug file" in_container unshare -m sh -c "
		mount -t tmpfs none $container && mkdir $container/.debug && cp parted_there $container/there &&
		cp parted.debug $container/.debug/ && exec $container/there"
	by_id="\$0/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)"
	fill="mkdir -p $by_id && cp parted.debug $by_id/$(echo "$id" | cut -c3-).debug && cp parted_by_id \$0/there"
	check "in another mount namespace and root: the build-id finds the debug file" in_container \
		unshare -m sh -c "mount -t tmpfs none \$0 && $fill && exec chroot \$0 /there" "$container"
	sh -c "$fill" "$container"
	check "in another root: the build-id finds the debug file" in_container chroot container /there
	rm -r container/usr
	check "nothing else says where it is" fails in_container chroot container /there
else
	skip_part "debug files of containers: needs root, mount namespaces, and a static C library"
fi

# Code of a JIT that keeps no frame pointers, with unwind information in its jitdump. The second piece takes the place
# of the first: only the clock of jitdumps tells which of them a sample was in.
chains_through_jit() {	# PIECE: its stacks go through it five times
	"$STROBE" script -i jit.data --no-inline -F ip,sym 2>/dev/null | awk '
		/^$/ { if (chain ~ /^ work/) print chain; chain = ""; next } { chain = chain " " $2 }' >chains
	sort chains | uniq -c
	awk -v piece=" $1 level" '$0 ~ piece { n++; good += $0 ~ "^ work level" five " main __libc_start" }
		BEGIN { five = piece piece piece piece piece }	# not every awk knows {5}
		END { print good + 0, "of", n + 0; exit !(n > 20 && good == n) }' chains
}
if [ "$(uname -m)" = x86_64 ]; then
	must workload jit_frames -O1 -fomit-frame-pointer -fno-optimize-sibling-calls
	must "$STROBE" record -q -k mono -F 2000 -e task-clock:u --call-graph live --keep-stacks -o jit.data \
		./jit_frames "$PWD"
	for piece in small_jit large_jit; do
		check "a JIT's unwind information: all frames of $piece" chains_through_jit $piece
	done
	check "a JIT's unwind information: the same afterwards" same_as_offline jit.data cfi
	"$STROBE" report -i jit.data --header-only 2>/dev/null | grep 'unwound while' >header
	check "a JIT's unwind information: stacks are whole: $(cat header)" grep -q 'whole \(9[89]\|100\)\.' header
fi

# Both perfs read it; the installed one may be old.
if command -v perf >/dev/null; then
	perf script -f -i pie.data -F ip >by_perf 2>perf.err
	check "the installed perf reads it" test -s by_perf
	check "perf reads as many samples" test "$(grep -c '^$' by_perf)" = "$(samples_in pie.data)"
fi

# A window that is too small: stacks are joined with earlier ones, or say that they were cut.
window=live,1024 must live -o small.data ./stacks
"$STROBE" report -i small.data --header-only 2>/dev/null >header
check "small windows: the header says how stacks ended" grep -q 'copies of 1024 bytes.*\(joined\|window-full\)' header
"$STROBE" report -i small.data --quality --stdio >quality 2>/dev/null
check "small windows: --quality names the reason" grep -q 'window-full' quality

# All stacks go on behind their copies. Memory tells the rest of some; these tell that of the first and of the last.
cat >rooms.c <<'C'
static volatile long sum;
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 30000; i++) sum += i; }
__attribute__((noinline)) static void inner(void)
{
	volatile char room[6000];
	room[0] = 1;
	work();
	sum += room[0];
}
__attribute__((noinline)) static void outer(void)
{
	volatile char room[6000];
	room[0] = 1;
	for (int i = 0; i < 100000; i++) inner();
	sum += room[0];
}
int main(void) { outer(); return 0; }
C
if cc -O1 -fomit-frame-pointer -o rooms rooms.c 2>build.log; then
	window=live,8192 must live -o rooms.data ./rooms
	"$STROBE" script -i rooms.data -F time,ip,sym 2>/dev/null |
		awk 'BEGIN { RS = "" } /work|inner|outer/ { good[++n] = /_start/; if (!/_start/) print >"cut" }
			END { for (i = 1; i <= 10; i++) { first += good[i]; last += good[n - i + 1] }
				print first, last }' >both
	whole_ends() { [ "$(cat both)" = "10 10" ] || { cat both cut; return 1; }; }
	check "rests from memory: the first and the last are whole" whole_ends
fi

# Stacks of 40 kB: the window is widened, which is said once; to others it is still one event.
cat >large.c <<'C'
#include <string.h>
static volatile long sum;
__attribute__((noinline)) static int down(int n)
{
	char room[1024];
	memset(room, n, sizeof(room));
	if (!n) for (long i = 0; i < 20000; i++) sum += i;
	else sum += down(n - 1);
	return room[sum & 1023];
}
int main(void) { for (int i = 0; i < 60000; i++) down(40); return 0; }
C
if cc -O1 -fomit-frame-pointer -fno-stack-protector -o large large.c 2>build.log; then
	run "$STROBE" record -m 128 -F 2000 -e task-clock:u --call-graph live -o large.data \
		sh -c './large & ./large; wait; ./stacks'
	grep '65528 bytes of each are copied from now on' err >said
	check "long stacks: it says once that it copies more" test "$(wc -l <said)" = 1
	check "long stacks: most are whole then" whole large.data 80
	"$STROBE" script -i large.data -F comm,ip,dso --comms stacks 2>/dev/null >later
	check "long stacks: programs that start then are known" grep -q '/stacks)$' later
	"$STROBE" report -i large.data --header-only >header 2>/dev/null
	check "long stacks: one event" test "$(grep -c '^# event : name' header)" = 1
	"$STROBE" script -i large.data -F time,ip,sym --comms large 2>/dev/null |
		awk '/^ *[0-9.]+: *$/ { n++; hit = 0 } /_start/ && !hit { hit = 1; good[n] = 1 }
			END { for (i = n - 200; i <= n; i++) whole += good[i]; print whole }' >last
	check "long stacks: the last are all whole" test "$(cat last)" -gt 190
	must "$STROBE" record -q -m 128 -F 2000 -e task-clock:u --call-graph live --keep-stacks -o kept.data ./large
	"$STROBE" report -i kept.data --header-only 2>/dev/null | grep 'unwound while' >header
	check "long stacks: kept copies leave room for chains: $(cat header)" fails grep -q depth-limit header
	# Where rings may be large, copies are from the start; a program that ends soon has whole stacks, too.
	cpus=$(getconf _NPROCESSORS_ONLN)
	capabilities=0x$(awk '/CapEff/ { print $2 }' /proc/self/status)
	if [ "$cpus" -le 12 ] && [ $((capabilities >> 14 & 1)) = 1 ]; then
		must "$STROBE" record -q -F 2000 -e task-clock:u --call-graph live -o soon.data ./large
		check "large rings: all are whole" whole soon.data 99
	else
		skip_part "large rings: there are more than 12 CPUs, or no CAP_IPC_LOCK"
	fi
fi

# A recursion of 2,000 calls with frames of 32 bytes fits into the window. With frames of 80 bytes it does not, and only
# memory tells the rest.
cat >down.c <<'C'
static volatile long sum;
__attribute__((noinline)) static long down(int n)
{
	volatile char room[ROOM];
	room[0] = (char)n;
	if (!n) for (long i = 0; i < SPIN; i++) sum += i;
	else sum += down(n - 1);
	return room[0];
}
int main(void) { for (int i = 0; i < 400000000 / SPIN; i++) down(2000); return 0; }
C
deep() {	# share of the stacks of down() that have all its frames, and the start
	"$STROBE" script -i "$1" --no-inline --max-stack 4000 -F ip,sym 2>/dev/null | awk -v least="$2" '
		/^$/ { if (n) { all++; good += n >= 2001 && last ~ /_start/ }; n = 0; next }
		{ n += $2 == "down"; last = $2 }
		END { print good + 0, "of", all + 0; exit !(all > 50 && good >= all * least) }'
}
if cc -O1 -fomit-frame-pointer -fno-stack-protector -DROOM=8 -DSPIN=20000000 -o down32 down.c 2>build.log &&
	cc -O1 -fomit-frame-pointer -fno-stack-protector -DROOM=64 -DSPIN=400000000 -o down80 down.c; then
	window=live,65528 must live -o down32.data ./down32
	check "a recursion 2,000 deep in frames of 32 bytes is whole" deep down32.data 0.98
	window=live,65528 must live -o down80.data ./down80
	check "one in frames of 80 bytes: by memory" deep down80.data 0.8
fi

# A page that the program never touched ends the copies: the rest is read from its memory.
cat >hole.c <<'C'
static volatile long sum;
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 100000; i++) sum += i; }
__attribute__((noinline)) static void huge(volatile char *up)
{
	volatile char room[200000];
	room[0] = *up;
	for (int i = 0; i < 10000; i++) { work(); sum += room[0]; }
}
int main(void) { char c = 1; huge(&c); return 0; }
C
if cc -O1 -fomit-frame-pointer -fno-stack-protector -o hole hole.c 2>build.log; then
	must live -o hole.data ./hole
	check "copies that end at a missing page: stacks are whole" whole hole.data 40
fi

# --- other options
for option in --threads --overwrite "--user-regs=ip"; do
	run live "$option" -o refused.data true
	check "--call-graph live $option is refused" test "$rc" = 234
	check "$option: the error names it" grep -q "does not go with ${option%=*}" err
	check "$option: nothing is written" test ! -e refused.data
done
must live -z -o z.data ./stacks
check "-z: stacks are whole" whole z.data 97
must live --aio -o aio.data ./stacks
check "--aio: stacks are whole" whole aio.data 97
live -o - ./stacks >pipe.data 2>err
check "-o -: stacks are whole" whole pipe.data 97
must live --per-thread -o perthread.data ./stacks
check "--per-thread: stacks are whole" whole perthread.data 97
must "$STROBE" record -q -F 999 -e '{task-clock:u,cpu-clock:u}' --call-graph live -o group.data ./stacks
check "groups: stacks are whole" whole group.data 97
must "$STROBE" record -q -F 2000 -e task-clock/call-graph=live/u -e cpu-clock:u -o term.data ./stacks
check "one event of two: its stacks are whole" \
	sh -c '"$1" report -i term.data --header-only 2>/dev/null | grep -q "unwound while recording"' sh "$STROBE"
must live --switch-output=1s -o switched.data sh -c 'for i in 1 2 3 4 5 6 7 8; do ./stacks; sleep 0.2; done'
for file in switched.data.*; do	# the last one may be empty
	[ "$(samples_in "$file")" -lt 20 ] || check "--switch-output: stacks are whole" whole "$file" 90
done
# Making the next file may take long on a busy disk. What arrives meanwhile waits for its beginning.
if strace -qq -o traced -e inject=lseek:delay_exit=1000 true 2>/dev/null; then
	run strace -qq -o traced -e trace=lseek -e inject=lseek:delay_exit=300ms \
		"$STROBE" record -q -F 2000 -e task-clock:u --call-graph live --switch-output=1s -o slow.data \
		sh -c './stacks; ./stacks; ./stacks; ./stacks'
	check "--switch-output: a file that takes long to make is no error" test $rc = 0
	for file in slow.data.*; do
		check "--switch-output: $file was ended in order" \
			test -z "$("$STROBE" report --stdio -i "$file" 2>&1 >/dev/null | grep WARNING)"
	done
else
	skip_part "--switch-output with slow files: strace cannot delay calls here"
fi
must live --max-size=60K -o most.data sh -c './stacks; ./stacks; ./stacks'
check "--max-size limits the file" test "$(stat -c %s most.data)" -le 90000
check "--max-size: stacks are whole" whole most.data 90
must live --tail-synthesize -o tail.data ./stacks
check "--tail-synthesize: stacks are whole" whole tail.data 97

"$STROBE" test -w thloop 60 >/dev/null 2>&1 &
later_kill $!
"$while_working" $! 0.2 2>/dev/null
must live -p $! -o attached.data -- "$while_working" $! 0.3
check "-p records samples" test "$(samples_in attached.data)" -gt 10
check "-p: stacks are whole" whole attached.data 97
thread=$(find /proc/$!/task -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -1)
must live -t "${thread##*/}" -o thread.data -- "$while_working" $! 0.5
check "-t records samples" test "$(samples_in thread.data)" -gt 5
check "-t: stacks are whole" whole thread.data 97
seen=$("$STROBE" script -F tid -i thread.data | sort -un | tr -d ' ')
check "-t: of this thread alone" test "$seen" = "${thread##*/}"
kill $! 2>/dev/null

# An ordinary user may record own programs.
keep_level
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 user && cp stacks user && chmod 755 . user/stacks
	if setpriv --reuid 65534 --clear-groups test -x user/stacks -a -x "$STROBE"; then
		(cd user && HOME=/nonexistent must setpriv --reuid 65534 --clear-groups \
			"$STROBE" record -q -B -F 2000 -e task-clock:u --call-graph live -o own.data ./stacks)
		cp user/own.data own.data	# of our user, so that it may be read
		check "an ordinary user: stacks are whole" whole own.data 97
		setpriv --reuid $own_uid --clear-groups "$STROBE" test -w thloop 60 >/dev/null 2>&1 &
		later_kill $!
		"$while_working" $! 0.2 2>/dev/null
		must live -u $own_uid -o by_user.data -- "$while_working" $! 0.3
		check "-u records samples" test "$(samples_in by_user.data)" -gt 10
		check "-u: stacks are whole" whole by_user.data 97
		kill $! 2>/dev/null
	else
		skip_part "an ordinary user: may not reach these files"
	fi
fi
let_level
if can system; then
	must "$STROBE" record -q -a -F 999 -e cpu-clock --call-graph live -o all.data -- sh -c './stacks; ./stacks'
	"$STROBE" report -i all.data --stdio -g none >all 2>/dev/null
	check "-a: samples of the program" grep -q stacks all
	must "$STROBE" record -q -C $one_cpu -F 999 -e cpu-clock --call-graph live -o cpu.data -- \
		taskset -c $one_cpu ./stacks
	check "-C: samples of the program" test "$(samples_in cpu.data --comm stacks)" -gt 10
else
	skip_part "whole system: $why_not"
fi
if can sched:sched_switch; then
	must "$STROBE" record -q -e sched:sched_switch --call-graph live -o point.data -- sh -c 'sleep 0.05; sleep 0.05'
	check "tracepoints: stacks are whole but for those of an exec" whole point.data 50
else
	skip_part "tracepoints: $why_not"
fi

# --- processes that are gone when their samples are unwound
cat >short.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 3000000; i++) sum += (unsigned long)i; }
__attribute__((noinline)) static void outer(void) { work(); sum++; }
int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
		if (!fork()) { execl(argv[0], argv[0], (char *)0); _exit(1); }
		wait(0);
	}
	outer();
	return 0;
}
C
if cc -O2 -fomit-frame-pointer -static -o short short.c 2>build.log; then
	must live -F 5000 -o storm.data ./short 60
	check "short-lived programs: stacks are whole" whole storm.data 95
	"$STROBE" script -i storm.data -F pid,ip 2>/dev/null | grep -E '^ *[0-9]+ *$' | sort -u >pids
	check "samples of more than 40 processes are there" test "$(wc -l <pids)" -gt 40
	if [ "$(id -u)" = 0 ]; then
		mkdir jail && mv short jail/there
		must live -F 5000 -o jail.data chroot jail /there 60
		"$STROBE" report -i jail.data --header-only 2>/dev/null >header
		check "in another root: stacks are whole" \
			awk '/unwound while/ { sub(/.*whole /, ""); exit !($0 + 0 > 80) }' header
	else
		skip_part "another root: needs root"
	fi
fi

# --- who records by frame pointers what has none is told; doctor knows the way out
run "$STROBE" record -g -F 2000 -e task-clock:u -o fp.data ./stacks
check "a recording by frame pointers names --call-graph live" grep -q 'user stacks lead nowhere.*--call-graph live' err
run "$STROBE" record --call-graph live -F 2000 -e task-clock:u -o fp.data ./stacks
check "one that unwinds does not" sh -c '! grep -q "lead nowhere" err'
run "$STROBE" doctor
check "doctor says whether it works" grep -q '^ *yes  stacks' out
printf '[call-graph]\n\trecord-mode = live\n' >config
PERF_CONFIG=config run "$STROBE" record -g -q -F 2000 -e task-clock:u -o set.data ./stacks
check "call-graph.record-mode = live makes it the mode of -g" looks_like_fp set.data

# --- a full disk: what fitted stays readable
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=100k none small 2>/dev/null; then
	live -o small/full.data sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ./stacks; done' 2>err
	check "a full disk: it says so" grep -q 'No space left' err
	check "a full disk: the samples that fitted" test "$(samples_in small/full.data)" -gt 100
	umount small
else
	skip_part "a full disk: needs the right to mount"
fi

# --- a recorder that is killed leaves what it wrote
"$STROBE" test -w thloop 60 >/dev/null 2>&1 &
later_kill $!
live -p $! -o killed.data &
recorder=$!
later_kill $recorder
sleep 3
kill -9 $recorder
wait $recorder 2>/dev/null
check "kill -9: the samples so far" test "$(samples_in killed.data)" -gt 100
finish
