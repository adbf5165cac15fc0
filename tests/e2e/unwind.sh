#!/bin/bash
# Stacks of --call-graph dwarf are complete for all kinds of builds and equal those of perf 7.2;
# recordings of other architectures and of the other byte order unwind, too.
. "$(dirname "$0")/lib.sh"

# Each stack with function $2 also has $3 further out, except for $4 in a hundred (default none).
# There must be at least one.
always_below() {
	"$STROBE" script -i "$1" -F comm,ip,sym --no-inline 2>/dev/null |
		awk -v inner="$2" -v outer="$3" -v spared="${4:-0}" '
		function close_stack() { if (saw) { n++; if (!whole) bad++ } saw = whole = 0 }
		/^[^\t]/ { close_stack() }
		/^\t/ { if ($2 ~ "^" inner "$") saw = 1; if (saw && $2 ~ "^" outer) whole = 1 }
		END { close_stack(); print n + 0, bad + 0; exit !(n && bad * 100 <= n * spared) }'
}
# As above, but a machine with other work gives few samples, of which some more may be cut.
few_below() {
	local seen
	seen=$(always_below "$1" "$2" "$3" 5) || { [ "${seen%% *}" -lt 60 ] && always_below "$1" "$2" "$3" 15; }
}
# Nearly all stacks end at the start of the program or thread: every unwinder cuts those taken while
# a frame is being built.
mostly_whole() {
	"$STROBE" script -i "$1" -F comm,ip,sym --no-inline 2>/dev/null | awk -v unnamed="$unnamed" '
		/^[^\t]/ { n++; last = "" }
		/^\t/ { last = $2 }
		/^$/ {
			if (last ~ /^(_start|clone|__clone|start_thread|_dl_start_user|thread_start|__clone3|clone3)/ ||
				(unnamed && last == "[unknown]")) whole++ }
		END { print whole + 0, "of", n; exit !(n && whole >= 0.9 * n) }'
}
# perf 7.2 has the vdso's code only if it is in its build-id cache: otherwise its stacks end earlier.
without_vdso() { awk '/^[^\t]/ { drop = 0 } /^\t/ && /\(\[vdso\]\)/ { drop = 1 } !drop || !/^\t/'; }
# perf takes a static program's stubs in the order of its relocations, which is another one: compat.md.
without_static_stubs() { case $1 in static*) sed 's/[^ ]*@plt+/@plt+/' ;; *) cat ;; esac; }
same_as_perf72() {
	"$STROBE" script -i "$1" --no-inline 2>/dev/null | without_vdso | without_static_stubs "$1" >ours
	"$STROBE_PERF72" script -f -i "$1" --no-inline 2>/dev/null | without_vdso | without_static_stubs "$1" >theirs
	python3 "$STROBE_SOURCE/tests/lib/same_chains.py" ours theirs
}

# All unwinders find the same frames, and --verify-stacks says so. A signal may come in the few instructions that resume
# behind a caught exception: the rules are wrong there, so unwinders meet data, which some of them follow.
frames_by() {	# recording, unwinder
	"$STROBE" script -i "$1" --no-inline --unwind-style "$2" -F comm,tid,time,ip,sym,dso 2>by.err |
		grep -vE '\((\[stack\]|\[heap\]|\[unknown\])\)$'
}
same_by() {
	frames_by "$1" cfi >by.cfi && frames_by "$1" "$2" >by.other &&
		python3 "$STROBE_SOURCE/tests/lib/same_chains.py" by.cfi by.other
}
all_confirmed() {	# but three, see above: each run has one or two of about a hundred
	"$STROBE" report -i "$1" --stdio --verify-stacks >verified 2>/dev/null
	awk '/ distinct stacks are confirmed/ { n++; bad = $4 * (1 - $2 / 100) } END { exit !n || bad > 3.5 }' \
		verified || { cat verified; return 1; }
}

check_build() {
	local build=$1; shift
	workload stacks -O2 -fomit-frame-pointer "$@" 2>build.log ||
		{ skip_part "$build does not build here: $(head -1 build.log)"; return; }
	must "$STROBE" record -q -F 2000 -e task-clock:u --call-graph dwarf -o "$build.data" ./stacks
	# Without debug symbols of libc the start of a thread has no name.
	unnamed=
	"$STROBE" script -i "$build.data" -F comm,ip,sym 2>/dev/null | grep -q start_thread || unnamed='|\[unknown\]'
	check "$build: nearly all stacks are whole" mostly_whole "$build.data"
	check "$build: recursion to main" always_below "$build.data" spin_deep main
	check "$build: through qsort to main" always_below "$build.data" spin_callback main
	check "$build: behind a caught exception to main" always_below "$build.data" spin_caught main
	check "$build: frames of variable size to main" always_below "$build.data" spin_wide main
	# A signal may come while a frame is being built, or so deep in the recursion that the stack
	# copy ends first.
	check "$build: out of a signal handler" few_below "$build.data" spin_signal "(main|start_thread$unnamed)"
	check "$build: out of the vdso to main" always_below "$build.data" __vdso_clock_gettime main
	check "$build: a thread to its start" \
		always_below "$build.data" spin_thread "(start_thread|clone|thread_start$unnamed)"
	check "$build: libdw finds the same frames" same_by "$build.data" libdw
	if "$STROBE" check -q feature libunwind; then
		check "$build: libunwind finds the same frames" same_by "$build.data" libunwind
	fi
	check "$build: --verify-stacks confirms all stacks" all_confirmed "$build.data"
	if [ -n "${STROBE_PERF72:-}" ]; then
		check "$build: the text is perf 7.2's" same_as_perf72 "$build.data"
	fi
}

need c++ awk python3
need_can sample
[ -n "${STROBE_PERF72:-}" ] || skip_part "no comparison with perf 7.2 (STROBE_PERF72 is not set)"
check_build pie
check_build nopie -no-pie
check_build static -static -no-pie
check_build static-pie -static-pie

# Filters choose the stacks that --verify-stacks walks.
walked_of() {
	"$STROBE" report -i pie.data --stdio --verify-stacks --comms "$1" 2>/dev/null | grep -E 'distinct|No stack'
}
if [ -s pie.data ]; then
	check "--verify-stacks walks the stacks of a chosen thread" sh -c 'echo "$1" | grep -q "distinct stacks"' _ \
		"$(walked_of stacks)"
	check "--verify-stacks walks no stack of other threads" sh -c 'echo "$1" | grep -q "^# No stack was walked"' _ \
		"$(walked_of nosuch)"
fi

# Out of memory ends with a message, not by a signal: our own allocator gets libdw's requests.
with_little() {
	for kb in $(seq 36000 500 44000); do
		(ulimit -v "$kb"; STROBE_THREADS=1 exec "$STROBE" script -F ip,sym,srcline -i pie.data >/dev/null 2>err)
		case $? in 0 | 1 | 127 | 255) ;; *) echo "$kb KB: status $?"; return 1 ;; esac
	done
}
if [ -n "${STROBE_SANITIZED:-}" ] || [ ! -s pie.data ]; then skip_part "little memory: sanitizers need a lot"
else check "lines with little memory: an answer or a message" with_little; fi

# One failing allocation, at each of many positions, whoever asks: the C library's allocator, behind
# ours, returns nothing once.
cat >fail.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
static long n, at = -1;
static int fails(void)
{
	if (at < 0) at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
	return __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED) == at;
}
#define NEXT(name, type) static __typeof__(type) next; if (!next) next = (__typeof__(type))dlsym(RTLD_NEXT, name)
void *__libc_malloc(size_t size) { NEXT("__libc_malloc", void *(*)(size_t)); return fails() ? NULL : next(size); }
void *__libc_realloc(void *p, size_t size)
{
	NEXT("__libc_realloc", void *(*)(void *, size_t));
	return fails() ? NULL : next(p, size);
}
void *__libc_calloc(size_t k, size_t size)
{
	NEXT("__libc_calloc", void *(*)(size_t, size_t));
	return fails() ? NULL : next(k, size);
}
/* for a program that has none of its own before the C library's */
void *malloc(size_t size) { return __libc_malloc(size); }
void *realloc(void *p, size_t size) { return __libc_realloc(p, size); }
void *calloc(size_t k, size_t size) { return __libc_calloc(k, size); }
__attribute__((destructor)) static void tell(void)
{
	if (getenv("FAIL_TELL")) {
		char text[32];
		if (write(2, text, (size_t)snprintf(text, sizeof(text), "%ld\n", n)) < 0)
			return;
	}
}
C
each_failing() {
	local all=$1 at status died=0
	for ((at = 1; at < all; at += all / 60)); do
		FAIL_AT=$at LD_PRELOAD=$PWD/fail.so STROBE_THREADS=1 "$STROBE" script -F ip,sym,srcline \
			-i pie.data >/dev/null 2>err
		status=$?
		case $status in
		0 | 1 | 255) ;;
		*) echo "allocation $at: status $status: $(head -1 err)"; return 1 ;;
		esac
		[ $status != 255 ] || { died=$((died + 1)); [ -s err ] || { echo "allocation $at: mute"; return 1; }; }
	done
	echo "$died ended the program"
	[ "$died" -gt 10 ]
}
if [ -z "${STROBE_SANITIZED:-}" ] && [ -s pie.data ] && gcc -O1 -shared -fPIC -o fail.so fail.c 2>/dev/null &&
	getconf GNU_LIBC_VERSION >/dev/null 2>&1 && ldd "$STROBE" >/dev/null 2>&1; then
	all=$(FAIL_TELL=1 LD_PRELOAD=$PWD/fail.so STROBE_THREADS=1 "$STROBE" script -F ip,sym,srcline \
		-i pie.data 2>&1 >/dev/null | tail -1)
	check "script of a recording allocates: $all" test "$all" -gt 1000
	check "an allocation that fails in a library: an answer or a message" each_failing "$all"
else skip_part "allocations that fail: needs glibc, no static build and no sanitizers"; fi

# The output of the guest, with offsets in the page and without calls inlined in libc: addresses in
# old recordings are relative there.
pages_guest() { awk '/^[^\t]/ { print "" } /^\t/ && !/inlined/ { print substr($1, length($1) - 2) }' "$1"; }
pages_ours() {
	"$STROBE" script -i "$1" --symfs "$2" --no-inline -F comm,ip,sym 2>/dev/null |
		awk '/^[^\t]/ { print "" }
		/^\t/ && !/__open|__libc_open64|__libc_read/ { print substr($1, length($1) - 2) }'
}
same_as_guest() {
	pages_guest "$1/dwarf.script.guest.txt" >theirs
	pages_ours "$1/dwarf.data" "$2" >ours
	test -s ours && diff ours theirs
}
# Where cfi stops, libunwind goes on; what it added is counted.
chains_are() {	# UNWINDERS CHAIN: of nearly all samples
	"$STROBE" script -i coroutine.data --unwind-style "$1" --no-inline -F ip,sym 2>/dev/null | awk -v want=" $2" '
		/^$/ { if (chain ~ /^ bare/) { n++; good += chain == want } chain = ""; next } { chain = chain " " $2 }
		END { print good + 0, "of", n + 0; exit !(n > 10 && good >= 0.9 * n) }'
}
if [ "$(uname -m)" = x86_64 ] && grep -q '^LIBUNWIND_LIBRARY:.*=/' "$STROBE_BUILD/CMakeCache.txt" &&
	workload coroutine -O1 2>build.log; then
	must "$STROBE" record -q -F 499 -e cpu-clock:u --call-graph dwarf,16384 -o coroutine.data ./coroutine
	check "cfi stops where no unwind information is" chains_are cfi "bare"
	check "libunwind knows a way out" chains_are libunwind "bare begin"
	check "by default libunwind unwinds where cfi stops" chains_are cfi,libunwind "bare begin"
	"$STROBE" report -i coroutine.data --stdio --quality >quality 2>/dev/null
	check "what it added is counted: $(grep libunwind quality)" \
		grep -qE '^# libunwind went on to the start of ([0-9]+) of \1 stacks' quality
	"$STROBE" report -i coroutine.data --stdio --quality --unwind-style cfi >quality 2>/dev/null
	check "--unwind-style cfi does not use libunwind" sh -c '[ -s quality ] && ! grep -q libunwind quality'
else
	skip_part "what libunwind adds: not on this architecture, or built without it"
fi
run "$STROBE" script -i pie.data --unwind-style cfi,nosuch
check "an unknown unwinder is refused" test "$rc" = 129
check "the unknown unwinder is named" grep -q "unknown unwinder 'nosuch'" err
if [ -d "${STROBE_VM:-/nonexistent}/fixtures" ]; then
	run "$STROBE" script -i "$STROBE_VM/fixtures/aarch64-61/dwarf.data" --unwind-style libunwind
	check "libunwind refuses another architecture" test "$rc" = 129
	check "the error says which unwinders are known" grep -q 'x86-64 only' err
	for arch in aarch64-61 aarch64-72 s390x-61 s390x-72; do
		check "$arch: stacks as the guest printed them" \
			same_as_guest "$STROBE_VM/fixtures/$arch" "$STROBE_VM/fixtures/symfs-${arch%-*}"
	done
else
	skip_part "no recordings of other architectures (STROBE_VM is not set)"
fi
finish
