#!/bin/bash
# report --brief: each rule has a program here that triggers it, and others that must not.
. "$(dirname "$0")/lib.sh"
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
	for (long i = 0; atomic_exchange(&lock, 1) && i < 10000000; i++)
		WAIT;
}
int main(void) { spin_lock(); return 0; }
C
cat >faults.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	size_t n = 200u << 20;
	char *p = malloc(n);
	volatile long s = 0;
	__asm__ volatile("" : "+r"(p));
	memset(p, 1, n);
	for (long i = 0; i < 700000000; i++)
		s += i;
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
	for (int i = 0; i < 200; i++)
		s += one(1000000) + two(1000000) + three(1000000);
	return s == 1;
}
C
gcc -g -O2 -fno-omit-frame-pointer copy.c -o copy
gcc -g -O2 -fno-omit-frame-pointer spins.c -o spins
gcc -g -O2 -fno-omit-frame-pointer faults.c -o faults
gcc -g -O1 -fno-omit-frame-pointer steps.c -o steps
gcc -g -O0 -fno-omit-frame-pointer steps.c -o slow
gcc -O1 steps.c -o bare && strip bare

# brief NAME [RECORD OPTION...] -- COMMAND...: record it, and print its brief into NAME.txt and NAME.json
brief() {
	local name=$1 how=(-e cpu-clock:u); shift
	[ "$1" != --all ] || { how=(-e cpu-clock); shift; }
	while [ "$1" != -- ]; do how+=("$1"); shift; done; shift
	must taskset -c 0 "$STROBE" record -q -N -F 1000 "${how[@]}" -o "$name.data" "$@"
	"$STROBE" report -i "$name.data" --brief >"$name.txt" 2>"$name.err"
	check "$name: the brief has at most 60 lines" test "$(wc -l <"$name.txt")" -le 60
	"$STROBE" report -i "$name.data" --brief -j >"$name.json" 2>>"$name.err"
}
finds() { check "$1: $2" grep -q "^  $2: [^ ]* .*${3:-}" "$1.txt"; }
lacks() { check "$1: no $2" sh -c "! grep -q '^  $2: ' $1.txt"; }

brief copy --call-graph dwarf,4096 -- ./copy
brief hidden -g -- ./copy
finds hidden copying "called by a function that the stacks leave out"
finds copy copying 'nearly all of it called by copier'
for rule in spinning debug-build few-samples no-names kernel page-faults lost-samples; do lacks copy $rule; done
brief spins -g -- ./spins
finds spins spinning 'waits with a pause instruction and takes a lock'
lacks spins copying
lacks spins one-loop
brief steps --call-graph dwarf,4096 -- ./steps
for rule in copying spinning debug-build broken-stacks one-loop no-names page-faults; do lacks steps $rule; done
check "three loops, each a third" test "$(sed -n '/^Loops/,/^$/p' steps.txt | grep -c 'steps.c:')" = 3
check "functions with their callers" grep -q '%  one < main' steps.txt
check "the total of main" sh -c "sed -n '/^Time with all/,/^\$/p' steps.txt | grep -qE '(9[0-9]|100)\..*main'"
brief slow -g -- ./slow
finds slow debug-build 'GNU C'
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
else
	skip_part "no kernel samples: $why_not"
fi

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

run "$STROBE" report -i spins.data --brief --diff copy.data
check "what changed" grep -qE '^ +\+[0-9.]+ +0\.0 % -> +[0-9.]+ %  spin_lock' out
check "what went away" grep -qE '^ +-[0-9.]+ .* -> +0\.0 %  .*mem' out
run "$STROBE" report -i spins.data --brief --diff spins.data
check "nothing changed" grep -q 'No own time changed' out
run "$STROBE" report -i spins.data --diff copy.data
check "--diff alone is refused" test "$rc" = 129
finish
