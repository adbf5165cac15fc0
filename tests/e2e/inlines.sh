#!/bin/bash
# Inlined calls and lines, in every form of DWARF: a loop three calls deep is one function in the
# code. Each sample must show all three calls with their lines.
. "$(dirname "$0")/lib.sh"
need gcc

cat >b.c <<'C'
static inline __attribute__((always_inline)) long inner(long a)
{
	for (long i = 0; i < 5000; i++) a = a * 31 + (a >> 7) + i;	/* line 3 */
	return a;
}
#ifdef LTO
long middle(long a)
#else
static inline __attribute__((always_inline)) long middle(long a)
#endif
{
	return inner(a) + 1;	/* line 12 */
}
C
cat >a.c <<'C'
#ifdef LTO
long middle(long a);
#else
#include "b.c"
#endif
static long (*volatile entry)(long);
static __attribute__((noinline)) long outer(long a)
{
	return middle(a) ^ 3;	/* line 9 */
}
int main(void)
{
	long sum = 0;
	entry = outer;
	for (int i = 0; i < 8000; i++)
		sum += entry(sum);
	return sum == 1;
}
C

# A sample is three pairs of lines: the name with its address, and the source line.
cat >judge.awk <<'A'
function judge() {
	if (!n) return
	samples++
	if (name[1] == "inner" && place[1] == "b.c:3 (inlined)" && name[2] == "middle" &&
		place[2] == "b.c:12 (inlined)" && name[3] == "outer" && place[3] == "a.c:9") good++
	else if (name[1] == "outer" || name[1] == "inner" || name[1] == "middle") odd++
	n = 0
}
/^[ \t]+[0-9a-f]+ / { if (n && $1 != last) over = 1; if (!over) { n++; last = $1; name[n] = $2; place[n] = "" } next }
/^  / { sub(/^ +/, ""); sub(/ +$/, ""); if (!over) place[n] = $0 }
/^$/ { judge(); over = 0 }
END { judge(); print samples + 0, good + 0, odd + 0; exit !(samples > 20 && good >= samples * 0.8) }
A

judged() {
	"$STROBE" script -i perf.data -F ip,sym,srcline "$@" 2>script.err >text && awk -f "$tmp/judge.awk" text
}
# variant NAME COMPILER FLAGS...: build ./p in its own directory and check a recording of it
build() {
	name=$1 compiler=$2; shift 2
	mkdir -p "$name" && cp a.c b.c "$name" && cd "$name" || exit 1
	command -v "$compiler" >/dev/null && "$compiler" -O2 "$@" -c a.c >build.log 2>&1 &&
		{ case $name in *lto) "$compiler" -O2 "$@" -c b.c -o b.o ;; esac; } >>build.log 2>&1 &&
		"$compiler" -O2 "$@" ./*.o -o p >>build.log 2>&1 && rm -f ./*.o && return 0
	skip_part "$name: cannot be built here"
	cd "$tmp" || exit 1
	return 1
}
look() {
	"$STROBE" record -q -N -e cpu-clock:u -F 3000 -g -o perf.data ./p >/dev/null 2>&1
	check "$name: all samples show the three calls and their lines" judged
	cd "$tmp" || exit 1
}
variant() { build "$@" && look; }

variant gcc2 gcc -gdwarf-2
variant gcc3 gcc -gdwarf-3
variant gcc4 gcc -gdwarf-4
variant gcc5 gcc -gdwarf-5
variant gcc-wide gcc -gdwarf-5 -gdwarf64
variant deflated gcc -g -gz
variant gcc-lto gcc -g -flto -DLTO
variant clang4 clang -gdwarf-4
variant clang5 clang -gdwarf-5
variant gcc-split5 gcc -gdwarf-5 -gsplit-dwarf
variant gcc-split4 gcc -gdwarf-4 -gsplit-dwarf
variant clang-split5 clang -gdwarf-5 -gsplit-dwarf
variant clang-split4 clang -gdwarf-4 -gsplit-dwarf

# The split files are next to the program, no longer where they were made.
if build moved gcc -gdwarf-5 -gsplit-dwarf; then
	mkdir ../elsewhere && mv p ./*.dwo ../elsewhere && cd ../elsewhere && rm -rf ../moved && look
fi
# Packed into one file.
package() {	# NAME COMPILER PACKER FLAGS...
	packer=$3
	command -v "$packer" >/dev/null || { skip_part "$1: no $packer here"; return; }
	if build "$1" "$2" "${@:4}"; then
		timeout 20 "$packer" -e p -o p.dwp >/dev/null 2>&1 && [ -s p.dwp ] && rm ./*.dwo && look && return
		skip_part "$1: $packer cannot pack it"; cd "$tmp" || exit 1
	fi
}
package package4 gcc dwp -gdwarf-4 -gsplit-dwarf
package package5 clang llvm-dwp -gdwarf-5 -gsplit-dwarf

# Split off into a debug file, found by its link; shared parts of two programs are in a third file.
if build debuglink gcc -g; then
	objcopy --only-keep-debug p p.debug && strip p && objcopy --add-gnu-debuglink=p.debug p && look
fi
if command -v dwz >/dev/null && build dwz gcc -g; then
	cp p q && dwz -m common.debug p q && look
else skip_part "dwz: not here"; fi

# Do not wait for a split file that is a FIFO, and do not trust one of another unit.
if build hostile gcc -gdwarf-5 -gsplit-dwarf; then
	rm a.dwo && mkfifo a.dwo
	"$STROBE" record -q -N -e cpu-clock:u -F 3000 -g -o perf.data ./p >/dev/null 2>&1
	check "a FIFO in place of a split file" timeout 60 "$STROBE" script -i perf.data -F ip,sym,srcline
	rm a.dwo && cp ../clang-split5/a.dwo a.dwo 2>/dev/null || : >a.dwo
	check "a split file of another unit" timeout 60 "$STROBE" script -i perf.data -F ip,sym,srcline
	# The C library may have one
	no_inlines() { ! "$STROBE" script -i perf.data -F ip,sym,srcline | grep -q '[ab][.]c:.*inlined'; }
	check "a split file of another unit gives no inlined calls" no_inlines
fi
finish
