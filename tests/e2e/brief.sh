#!/bin/bash
# report --brief: each rule has a program here that triggers it, and others that must not.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need gcc python3
need_can sample

cat >copy.c <<'C'
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) void copier(char *a, char *b)
{
	for (int i = 0; i < 4000000; i++) {
		memcpy(a, b, 16384);
		__asm__ volatile("" : : "r"(a) : "memory");
	}
}
int main(void)
{
	char *a = malloc(16384), *b = calloc(1, 16384);
	copier(a, b);
	return a[5] != 0;
}
C
sed 's/copier(a, b);/copier(a, b), second(a, b);/; s/^int main/__attribute__((noinline)) void second(char *a, char *b)\
{\
	for (int i = 0; i < 4000000; i++) {\
		memcpy(a, b, 16384);\
		__asm__ volatile("" : : "r"(b) : "memory");\
	}\
}\
int main/' copy.c >copies.c
cat >spins.c <<'C'
#include <stdatomic.h>
atomic_int lock = 1;
#if defined(__x86_64__)
#define WAIT __builtin_ia32_pause()
#else
#define WAIT __asm__ volatile("yield")
#endif
__attribute__((noinline)) void spin_lock(void)
{
	for (long i = 0; atomic_exchange(&lock, 1) && i < 20000000; i++)
		WAIT;
}
int main(void) { spin_lock(); return 0; }
C
# All faults come in the first fifth, however slow the machine is: also the start of the program counts.
cat >faults.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static double now(void) /* since the boot, which is what field 22 counts from */
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
static double began(void)
{
	unsigned long long ticks = 0;
	FILE *f = fopen("/proc/self/stat", "r");
	for (int i = 1; f && i < 22; i++)
		fscanf(f, "%*s");
	return f && fscanf(f, "%llu", &ticks) == 1 ? ticks / (double)sysconf(_SC_CLK_TCK) : now();
}
int main(void)
{
	size_t n = 200u << 20;
	/* as many faults where the kernel would take large pages */
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile long s = 0;
	double start = began(), fifth;
	__asm__ volatile("" : "+r"(p));
	madvise(p, n, MADV_NOHUGEPAGE);
	memset(p, 1, n);
	fifth = now() - start;
	/* little CPU time: a machine may count most of a fault as time of the program */
	while (now() - start < 5.5 * fifth) {
		for (int i = 0; i < 500000; i++)
			s++;
		usleep(10000);
	}
	return p[4096] != 1;
}
C
# Most of the time in page faults, and some in system calls.
cat >touches.c <<'C'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	size_t n = 400u << 20;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, n, MADV_NOHUGEPAGE);
	memset(p, 1, n);
	for (int i = 0; i < 300000; i++)
		syscall(SYS_getppid);
	return p[4096] != 1;
}
C
cat >steps.c <<'C'
#define STEP(name, by) \
	__attribute__((noinline)) long name(long n) \
	{ \
		long s = 0; \
		for (long i = 0; i < n; i++) { \
			s += i * by; \
			__asm__ volatile("" : "+r"(s)); \
		} \
		return s; \
	}
STEP(one, 3)
STEP(two, 5)
STEP(three, 7)
int main(void)
{
	long s = 0;
	/* Turns of many lengths, or the three would keep step with the samples, one each millisecond. */
	for (long n = 10000; n < 2000000; n += 10000)
		s += one(n) + two(n) + three(n);
	return s == 1;
}
C
gcc -g -O2 -fno-omit-frame-pointer copy.c -o copy
gcc -g -O2 -fno-omit-frame-pointer copies.c -o copies
gcc -g -O2 -fno-omit-frame-pointer spins.c -o spins
gcc -g -O2 -fno-omit-frame-pointer faults.c -o faults
gcc -g -O2 -fno-omit-frame-pointer touches.c -o touches
# Alike in memory, the three loops are equally fast.
gcc -g -O1 -falign-loops=64 -fno-omit-frame-pointer steps.c -o steps
gcc -g -O0 -fno-omit-frame-pointer steps.c -o slow
gcc -O1 steps.c -o bare && strip bare

# brief NAME [RECORD OPTION...] -- COMMAND...: record it, and print its brief into NAME.txt and NAME.json
brief() {
	local name=$1 how=(-e cpu-clock:u); shift
	[ "$1" != --all ] || { how=(-e cpu-clock); shift; }
	while [ "$1" != -- ]; do how+=("$1"); shift; done; shift
	must taskset -c $one_cpu "$STROBE" record -q -N -F 1000 "${how[@]}" -o "$name.data" "$@"
	"$STROBE" report -i "$name.data" --brief >"$name.txt" 2>"$name.err"
	check "$name: the brief has at most 60 lines" test "$(wc -l <"$name.txt")" -le 60
	"$STROBE" report -i "$name.data" --brief -j >"$name.json" 2>>"$name.err"
}
has_line() { grep -q "$1" "$2" || { cat "$2"; return 1; }; }
finds() { check "$1: the page has the finding $2" has_line "^  $2: [^ ]* .*${3:-}" "$1.txt"; }
lacks() { check "$1: the page does not have the finding $2" sh -c "! grep -q '^  $2: ' $1.txt"; }

brief copy --call-graph dwarf,4096 -- ./copy
brief hidden -g -- ./copy
finds hidden copying "called by a function that the stacks leave out"
finds copy copying 'nearly all of it called by copier'
brief copies --call-graph dwarf,4096 -- ./copies	# by two functions, half of it each
lacks copies copying
check "copies: it does copy" sh -c 'grep -qE "[3-9][0-9]\.[0-9] %  .*(memcpy|memmove)" copies.txt'
for rule in spinning debug-build few-samples no-names kernel page-faults lost-samples; do lacks copy $rule; done
brief spins -g -- ./spins
finds spins spinning 'waits with a pause instruction and takes a lock'
lacks spins copying
lacks spins one-loop
brief steps --call-graph dwarf,4096 -- ./steps
for rule in copying spinning debug-build broken-stacks one-loop no-names page-faults; do lacks steps $rule; done
check "three loops, each a third" test "$(sed -n '/^Loops/,/^$/p' steps.txt | grep -c 'steps.c:')" = 3
check "functions with their callers" grep -q '%  one < main' steps.txt
check "no totals of what only starts it" sh -c "! sed -n '/^Time with all/,/^\$/p' steps.txt | grep -q start"
check "the total of main" sh -c "sed -n '/^Time with all/,/^\$/p' steps.txt | grep -qE '(9[0-9]|100)\..*main'"
brief slow -g -- ./slow
finds slow debug-build 'GNU C'
gcc -O0 -fno-omit-frame-pointer steps.c -o silent
brief silent -g -- ./silent
finds silent debug-build 'of its instructions access variables on the stack'
gcc -O2 -fno-omit-frame-pointer steps.c -o quick
brief quick -g -- ./quick
lacks quick debug-build
cat >many.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	static int numbers[1 << 20];
	char text[64];
	long sum = 0;
	for (int i = 0; i < 1 << 20; i++)
		numbers[i] = rand();
	qsort(numbers, 1 << 20, sizeof(int), compare);
	for (int i = 0; i < 1 << 20; i++)
		sum += snprintf(text, sizeof(text), "%d %f", numbers[i], numbers[i] * 0.5);
	return sum == 1;
}
C
gcc -O2 many.c -o many	# time in the C library, which has no debug information here and was optimised
brief many --call-graph dwarf,4096 -- ./many
lacks many debug-build
brief bare -g -- ./bare
finds bare no-names stripped
brief few -F 20 -g -- ./steps
finds few few-samples
gcc -g -O1 -fomit-frame-pointer steps.c -o without
brief without -g -- ./without
finds without broken-stacks
brief one -g -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
lacks one one-loop
finds spins broken-stacks
cat >loop.c <<'C'
int main(void)
{
	volatile long s = 0;
	for (long i = 0; i < 500000000; i++)
		s += i;
	return 0;
}
C
gcc -g -O1 loop.c -o loop && brief loop -g -- ./loop
finds loop one-loop 'loop of main'
if can kernel; then
	brief faults --all -g -- ./faults
	finds faults page-faults 'in the first fifth of the recording'
	brief kernel --all -g -- dd if=/dev/zero of=/dev/null bs=256k count=40000
	finds kernel kernel 'of its calls'
	lacks faults kernel
	brief touches --all -g -- ./touches
	finds touches page-faults
	check "touches: there is a system call, too" \
		sh -c '"$STROBE" report --stdio -g none -s sym -i touches.data | grep -q sys_getppid'
	lacks touches kernel	# page faults have a rule of their own
	lacks kernel page-faults
else
	skip_part "no kernel samples: $why_not"
fi

# Threads that wait: four threads share one lock that each holds while it sleeps; one program only computes.
if can system sched:sched_waking; then
	cat >locked.c <<'C'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *holder(void *none)
{
	for (int i = 0; i < 25; i++) {
		pthread_mutex_lock(&lock);
		nanosleep(&(struct timespec){ 0, 4000000 }, NULL);
		pthread_mutex_unlock(&lock);
	}
	return none;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, holder, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
	cat >crowd.c <<'C'
#include <pthread.h>
static void *busy(void *none)
{
	volatile long s = 0;
	for (long i = 0; i < 150000000; i++)
		s += i;
	return none;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, busy, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
	gcc -g -O2 -fno-omit-frame-pointer locked.c -o locked -lpthread
	gcc -g -O2 -fno-omit-frame-pointer crowd.c -o crowd -lpthread
	waits() {
		whole "$1.data" -q -N --wall --stack-rate=0 -m 4M -F 1000 taskset -c $one_cpu "./$2"
		"$STROBE" report -i "$1.data" --brief >"$1.txt" 2>"$1.err"
		"$STROBE" report -i "$1.data" --brief -j >"$1.json" 2>>"$1.err"
		check "$1: the brief has at most 60 lines" test "$(wc -l <"$1.txt")" -le 60
	}
	waits locks locked
	finds locks waiting 's) for: lock; of that .* in locked/'
	check "locks: a line of waits" grep -qE '^  running .*blocked .*: .*lock [0-9.]+ %' locks.txt
	# on a busy machine they wait for a CPU, too: the rule has to say so from a quarter of the time on
	if python3 -c 'import json; raise SystemExit(json.load(open("locks.json"))["waits"]["runnable"] >= 25)'; then
		lacks locks no-cpu
	else
		finds locks no-cpu 'had no CPU for'
	fi
	waits crowds crowd
	finds crowds no-cpu 'had no CPU for'
	lacks crowds waiting
	check "JSON has the waits, and their parts add up" python3 - <<'EOF'
import json
for name in "locks", "crowds":
    w = json.load(open(name + ".json"))["waits"]
    assert abs(w["running"] + w["runnable"] + w["blocked"] - 100) < 0.1, w
    assert abs(sum(w["kinds"].values()) - w["blocked"]) < 0.1 and w["seconds"] > 0.1, w
EOF
	check "without --wall the page has no waits" \
		sh -c '! grep -q "^Waits" steps.txt && ! grep -q "\"waits\"" steps.json'
else
	skip_part "waits: this machine cannot: $why_not"
fi

# Lost samples: recordings with counts of lost samples beside their samples.
python3 - <<'EOF'
import struct
record = lambda kind, misc, body: struct.pack("<IHH", kind, misc, 8 + len(body)) + body
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 4, 0, 1 << 8 | 1 << 9 | 1 << 18).ljust(128, b"\0")
for name, lost in ("lossy", 100), ("lossless", 1):
    sid = struct.pack("<IIQ", 7, 7, 1)
    data = record(3, 0x2000, struct.pack("<II8s", 7, 7, b"prog") + sid)
    for i in range(1000):
        data += record(9, 2, struct.pack("<QIIQ", 0x401000, 7, 7, 1000000 * (i + 1)))
    data += record(13, 0, struct.pack("<QIIQ", lost, 7, 7, 10**9 + 1))
    head = b"PERFILE2" + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 1 << 3, 0, 0, 0)
    tail = struct.pack("<QQ", 248 + len(data) + 16, 68) + struct.pack("<I64s", 64, b"host")
    open(name + ".data", "wb").write(head + attr + bytes(16) + data + tail)
EOF
for name in lossy lossless; do "$STROBE" report -i $name.data --brief >$name.txt 2>$name.err; done
finds lossy lost-samples 'samples were lost, 9.1 % of them'
lacks lossless lost-samples

python3 - <<'PY' >json.log 2>&1
import json
for name in ('copy', 'steps', 'slow'):
    brief = json.load(open(name + '.json'))
    assert brief['version'] == 1 and brief['samples'] > 100, brief
    assert {'event', 'lost', 'seconds', 'kernel', 'named', 'self', 'total', 'lines', 'loops', 'findings'} <= set(brief)
    assert all({'function', 'object', 'self', 'total', 'callers'} == set(f) for f in brief['self'])
    assert all(0 <= f['share'] <= 100 and f['text'] for f in brief['findings'])
    assert abs(sum(f['self'] for f in brief['self']) - 100) < 15
PY
check "JSON has what the manual says" test $? = 0

printf 'PERFILE2\020\0\0\0\0\0\0\0' >eventless.data
run "$STROBE" report -i eventless.data --brief
check "a recording without events has a brief" \
	grep -qx '0 samples of no event in 0.00 s; 0.0 % of them in the kernel' out
run "$STROBE" report -i eventless.data --brief -j
check "--brief -j of no samples is valid JSON" python3 -c 'import json; assert json.load(open("out"))["event"] == ""'
run "$STROBE" report -i spins.data --brief --diff eventless.data
check "against a recording without samples all is new" grep -qE '0\.0 % -> +[0-9.]+ %  spin_lock' out

run "$STROBE" report -i spins.data --brief --diff copy.data
check "--diff shows functions that got more time" grep -qE '^ +\+[0-9.]+ +0\.0 % -> +[0-9.]+ %  spin_lock' out
check "--diff shows functions that went away" grep -qE '^ +-[0-9.]+ .* -> +0\.0 %  .*mem' out
run "$STROBE" report -i spins.data --brief --diff spins.data
check "--diff with itself says that nothing changed" grep -q 'No own time changed' out
run "$STROBE" report -i spins.data --diff copy.data
check "--diff alone is refused" test "$rc" = 129
finish
