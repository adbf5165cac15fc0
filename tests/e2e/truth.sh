#!/bin/bash
# Programs with known stacks: compare each sample with what the program did. (Builds, signals, vdso:
# unwind.sh. Inlined calls: inlines.sh. JITs: jitdump.sh.)
export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}"	# lib.sh moves HOME
. "$(dirname "$0")/lib.sh"
need gcc awk
graph=${STROBE_TRUTH:-dwarf}	# truth_live.sh: stacks that are unwound while recording
cat >work.h <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile long sink;
static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
/* That much CPU time. */
static inline __attribute__((always_inline)) void work_for(double seconds)
{
	double end = now(CLOCK_PROCESS_CPUTIME_ID) + seconds;
	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		for (long i = 0; i < 200000; i++) sink += i * i;
}
C
build() { gcc -g "$@" || exit 1; }
record() { "$STROBE" record -q -N -e cpu-clock:u "$@" >record.log 2>&1; }
# The stacks, one per line, innermost first: names joined by ";". Frames of libraries below the
# program's own code are left out.
stacks() {
	"$STROBE" script -i perf.data --no-inline --max-stack 4000 -F comm,ip,sym 2>/dev/null |
		awk '/^[^ \t]/ { s = $1 } /^[ \t]/ { s = s ";" $2 } /^$/ { if (s != "") print s; s = "" }'
}
# every STACKS of PATTERN matches one of WANTED (anchored patterns); there are at least 20 stacks,
# and one in a hundred may be taken while a frame is being built
all_are() {
	stacks | grep -E "$1" >some || true
	awk -v wanted="$2" \
		'$0 ~ wanted { good++ } END { print good + 0, "of", NR; exit !(NR >= 20 && good >= 0.99 * NR) }' some ||
		{ grep -Ev "$2" some | head -3; return 1; }
}

# Recursion, 2,000 deep.
cat >recursion.c <<'C'
#include "work.h"
__attribute__((noinline)) void bottom(void) { work_for(0.1); __asm__ volatile(""); }
static int (*volatile next)(int);
__attribute__((noinline)) int down(int n) { if (!n) bottom(); else n = next(n - 1); return n + 1; }
int main(void) { next = down; sink = down(2000); return 0; }
C
build -O1 -fomit-frame-pointer -o recursion recursion.c
need_can sample
must "$STROBE" record -q -N -e cpu-clock:u -F 500 --call-graph "$graph,65528" -o perf.data ./recursion
depth() {
	stacks | grep -o ';bottom.*' |
		awk '{ n = gsub(/;down/, "x"); if (n == 2001 && /;main/) good++ }
		END { print good + 0, "of", NR; exit !(NR >= 20 && good >= 0.99 * NR) }'
}
check "a recursion 2,000 deep has all its frames and main" depth

# The stack copy ends in the middle; the kernel's frame pointers continue.
build -O1 -fno-omit-frame-pointer -o half recursion.c
sed -i 's/down(2000)/down(60)/' recursion.c && build -O1 -fno-omit-frame-pointer -o half recursion.c
record -F 1000 --call-graph dwarf+fp,1024 -o perf.data ./half
half() {
	stacks | grep -o ';bottom.*' |
		awk '{ n = gsub(/;down/, "x"); if (n == 61 && /;main/) good++ }
		END { print good + 0, "of", NR; exit !(NR >= 20 && good >= 0.99 * NR) }'
}
check "a stack longer than its copy goes on by frame pointers, each frame once" half

# A library is unloaded, and another one takes its address.
cat >host.c <<'C'
#include <dlfcn.h>
#include "work.h"
int main(void)
{
	for (int round = 0; round < 6; round++) {
		void *lib = dlopen(round % 2 ? "./libsecond.so" : "./libfirst.so", RTLD_NOW);
		void (*f)(void) = (void (*)(void))dlsym(lib, round % 2 ? "second" : "first");
		printf("%s %p %.0f ", round % 2 ? "second" : "first", (void *)f, now(CLOCK_MONOTONIC) * 1e9);
		f();
		printf("%.0f\n", now(CLOCK_MONOTONIC) * 1e9);
		dlclose(lib);
	}
	return 0;
}
C
for name in first second; do
	printf '#include "work.h"\nvoid %s(void) { work_for(0.04); }\n' $name >lib.c
	build -O1 -fPIC -shared -o lib$name.so lib.c
done
build -O1 -o host host.c -ldl
"$STROBE" record -q -N -k mono -e cpu-clock:u -F 2000 -o perf.data ./host >calls 2>/dev/null
check "the libraries shared an address" test "$(awk '{ print $2 }' calls | sort -u | wc -l)" = 1
timed() {
	"$STROBE" script -i perf.data --ns -F time,ip,sym 2>/dev/null | awk '
		FNR == NR { name[FNR] = $1; from[FNR] = $3; to[FNR] = $4; n = FNR; next }
		{ t = $1; sub(/:$/, "", t); sub(/\./, "", t); t += 0;
		for (i = 1; i <= n; i++) if (t > from[i] + 100000 && t < to[i] - 100000) {
			if ($3 == name[i]) good++; else if ($3 == "first" || $3 == "second") wrong++ }
		}
		END { print good + 0, wrong + 0; exit !(good > 40 && !wrong) }' calls -
}
check "every sample has the name of the library that was there" timed

# A program executes another one: both without relocation, so at the same addresses.
cat >e.c <<'C' &&
#include "work.h"
#include <unistd.h>
__attribute__((noinline)) void before(void) { work_for(0.1); }
int main(void) { before(); execl("./later", "./later", (char *)0); return 1; }
C
	build -O1 -no-pie -o earlier e.c
cat >l.c <<'C' &&
#include "work.h"
#include <unistd.h>
__attribute__((noinline)) void after_(void) { work_for(0.1); }
int main(void) { after_(); sink = getpid() == 1 && execl("x", "x", (char *)0); return 0; }
C
	build -O1 -no-pie -o later l.c
record -F 1000 --call-graph "$graph" -o perf.data ./earlier
check "exec: what ran before" all_are '^earlier;before' '^earlier;before;main;'
check "exec: what ran after" all_are '^later;after_' '^later;after_;main;'
check "exec: none is mixed up" test "$(stacks | grep -cE '^earlier;after_|^later;before')" = 0

# Many short processes.
cat >storm.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"
__attribute__((noinline)) void child(void) { work_for(0.001); }
__attribute__((noinline)) void storm(void)
{
	for (int i = 0; i < 400; i++) {
		if (!fork()) { child(); _exit(0); }
		if (i % 16 == 15) while (wait(NULL) > 0) ;
	}
	while (wait(NULL) > 0) ;
}
int main(void) { storm(); return 0; }
C
build -O1 -o storm storm.c
record -F 5000 --call-graph "$graph" -o perf.data ./storm
check "a storm of forks: every child's stack" all_are '^storm;child' '^storm;child;storm;main;'
check "no address of the program is unknown" \
	test "$("$STROBE" script -i perf.data -F ip,sym,dso 2>/dev/null | grep -c '\[unknown\] .*(.*storm)')" = 0

# Generated code in the middle of a stack, with frame pointers and a map file or a jitdump.
cat >jit.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "work.h"
__attribute__((noinline)) void called(void) { work_for(0.1); __asm__ volatile(""); }
/* How code without a frame pointer is unwound: an .eh_frame of one function, which lies behind the code. */
static void frames(int fd, uint64_t time, size_t len)
{
	struct { uint32_t id, size; uint64_t time, both, header, mapped; } head = { 4, 40 + 56, time, 56, 0, 0 };
	unsigned char bytes[56] = {
		/* CFA = rsp + 8, return address below it */
		20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
		/* from 1 on + 16, rbp saved; from 7 on + 32 */
		24, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0x0e, 16, 0x86, 2, 0x46, 0x0e, 32,
	};
	int32_t start = -(int32_t)((len + 7) / 8 * 8 + 32), size = (int32_t)len;
	memcpy(bytes + 32, &start, 4);
	memcpy(bytes + 36, &size, 4);
	if (write(fd, &head, 40) != 40 || write(fd, bytes, 56) != 56) exit(2);
}
static void dump(const void *code, size_t len, int unwound)
{
	char name[64];
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} head = { 0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), 0, 0 };
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, len, index;
	} load = { 0, (uint32_t)(56 + 9 + len), (uint64_t)(now(CLOCK_MONOTONIC) * 1e9), head.pid, head.pid,
		(uint64_t)code, (uint64_t)code, len, 1 };
	snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (write(fd, &head, 40) != 40) exit(2);
	if (unwound) frames(fd, load.time, len);
	if (write(fd, &load, 56) != 56 || write(fd, "in_the_d", 9) != 9 || write(fd, code, len) != (ssize_t)len)
		exit(2);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
}
int main(int argc, char **argv)
{
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	/* push %rbp; xor %ebp,%ebp; sub $16,%rsp; call *%rdi; add $16,%rsp; pop %rbp; ret */
	static const unsigned char bare[] = { 0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 0x10, 0xff,
					      0xd7, 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3 };
	int unwound = argc > 1 && !strcmp(argv[1], "frames");
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	memcpy(p, unwound ? bare : code, unwound ? sizeof(bare) : sizeof(code));
	if (argc > 1) dump(p, unwound ? sizeof(bare) : sizeof(code), unwound);
	else {
		snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
		FILE *f = fopen(name, "w");
		fprintf(f, "%lx %zx in_the_map\n", (long)p, sizeof(code));
		fclose(f);
		puts(name);
	}
	((void (*)(void (*)(void)))p)(called);
	__asm__ volatile("");
	return 0;
}
C
if [ "$(uname -m)" = x86_64 ]; then
	build -O1 -fno-omit-frame-pointer -o jit jit.c
	"$STROBE" record -q -N -e cpu-clock:u -F 1000 --call-graph "$graph" -o perf.data ./jit >map 2>/dev/null
	check "stacks lead through code of a map file" all_are ';called' '^jit;.*called;in_the_map;main;'
	rm -f "$(cat map)"
	"$STROBE" record -q -N -k mono -e cpu-clock:u -F 1000 --call-graph "$graph" -o perf.data ./jit \
		dump >/dev/null 2>&1
	check "stacks through code of a jitdump are whole" all_are ';called' '^jit;.*called;in_the_d;main;'
	"$STROBE" record -q -N -k mono -e cpu-clock:u -F 1000 --call-graph "$graph" -o perf.data ./jit \
		frames >/dev/null 2>&1
	if [ "$graph" = live ]; then
		skip_part "unwind tables of a jitdump: they come too late for a recording that unwinds"
	else
		check "without frame pointers the jitdump's unwind information is used" \
			all_are ';called' '^jit;.*called;in_the_d;main;'
	fi
	mv perf.data whole.data && "$STROBE" inject -j -i whole.data -o perf.data && rm -f jit-*.dump
	[ "$graph" = live ] ||
		check "the files that inject makes give whole stacks" all_are ';called' '^jit;.*called;in_the_d;main;'
else skip_part "generated code: not for this machine"; fi

# Rust, in both manglings.
cat >r.rs <<'R'
fn opaque(x: u64) -> u64 { unsafe { std::ptr::read_volatile(&x) } }
struct Ring<T> { v: Vec<T> }
trait Turn { fn turn(&self, n: u64) -> u64; }
impl Turn for Ring<u64> {
    #[inline(never)]
    fn turn(&self, n: u64) -> u64 {
        let mut sum = n;
        for _ in 0..1500 { for i in 0..100000u64 { sum = opaque(sum.wrapping_mul(31) ^ i ^ self.v[0]); } }
        opaque(sum)
    }
}
#[inline(never)]
fn generic<T: Turn>(t: &T) -> u64 { opaque(t.turn(7)) + 1 }
fn main() { println!("{}", generic(&Ring { v: vec![1u64] })); }
R
if rustc --version >/dev/null 2>&1; then
	for mangling in legacy v0; do
		flags="-C symbol-mangling-version=$mangling"
		[ $mangling = v0 ] || rustc $flags -g -O -o r r.rs 2>/dev/null || flags="-Z unstable-options $flags"
		RUSTC_BOOTSTRAP=1 rustc $flags -g -O -o r r.rs 2>rust.log ||
			{ skip_part "rust $mangling: $(head -1 rust.log)"; continue; }
		record -F 1000 --call-graph "$graph" -o perf.data ./r
		# a name may contain blanks: compare its first word
		check "rust, $mangling: names and the stack to main" \
			all_are ';<r::Ring<u64>' ';<r::Ring<u64>;r::generic(::<r::Ring<u64>>)?;r::main;'
	done
else skip_part "no rustc here"; fi
finish
