#!/bin/bash
# annotate: shares of instructions add up and equal perf's, the text equals objdump's, and messages
# about missing parts tell how to get them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_record.sh"
need gcc awk

cat >w.c <<'C'
static inline __attribute__((always_inline)) long inner(long x)
{
	for (int i = 0; i < 5000; i++)
		x = x * 31 + (x >> 3);
	return x;
}
__attribute__((noinline)) long leaf(long n)
{
	long s = 0;

	for (long i = 0; i < n; i++)
		s ^= i / 7;
	return s;
}
__attribute__((noinline)) long outer(long n)
{
	return inner(n) + 1;	/* line 17 */
}
int main(void)
{
	long n = 0;

	for (int i = 0; i < 4000; i++)
		n += leaf(6000 + i) + outer(i);
	return n == 1;
}
C
mkdir build && cd build && cp ../w.c . && gcc -g -O1 -Wl,--build-id -o w w.c || exit 1
need_can sample
must "$STROBE" record -q -e '{cpu-clock:u,task-clock:u}' -F 2000 -o g.data ./w
must "$STROBE" record -q -e cpu-clock:u -F 2000 -o w.data ./w

# "percent address text" of instruction rows
rows() {
	awk -F ' : ' \
		'/^ *[0-9][0-9. ]* :/ { split($2, a, ":"); gsub(/ /, "", a[1]); p = $1;
		gsub(/ /, "", p); t = $2; sub(/^[^:]*: */, "", t); print p, a[1], t }' \
		"$@"
}
sums_to_100() {
	rows "$1" |
		awk '{ s += $1; n++ }
		END { exit !(n > 5 && s > 100 - n * 0.005 - 0.001 && s < 100 + n * 0.005 + 0.001) }'
}

for function in leaf outer; do
	run "$STROBE" annotate -i w.data --stdio "$function"
	cp out text
	check "$function: annotate ends well" test "$rc" = 0
	check "$function: shares add up to 100" sums_to_100 text
	check "$function: source lines stand between" grep -Eq '^ +: [0-9]+ +(s \^= i / 7;|return inner)' text
done
check "an inlined function is named, with its line" grep -Eq 'inner\(\) inlined:' text
run "$STROBE" annotate -i w.data --source-view outer
# columns: own, total, line
check "the caller's line has the cost of code inlined there" \
	awk '$3 == ":" && $4 == 17 && $2 > 20 && $1 < 5 { ok = 1 }
	$2 == ":" && $3 == 17 && $1 > 20 { ok = 1 } END { exit !ok }' \
	out
check "the inlined function's line bears its own cost" \
	awk '$3 == ":" && $4 == 4 && $1 > 10 { ok = 1 } END { exit !ok }' out

# perf has the same share for each address; objdump has the same text
if perf version >/dev/null 2>&1 && command -v objdump >/dev/null; then
	for input in w.data g.data; do
		for option in "" -n --show-total-period; do
			perf annotate -i $input --stdio --no-source $option -s leaf 2>/dev/null | rows |
				sed -E 's/(s[ah][lr]) +%/\1    $1,%/' >theirs
			"$STROBE" annotate -i $input --stdio --no-source $option -s leaf 2>/dev/null |
				rows | sed -E 's/(s[ah][lr]) +\$1,%/\1    $1,%/' >ours
			check "$input $option: perf's rows" test -s theirs
			check "$input $option: every row is perf's" diff -w theirs ours
		done
	done
else
	skip_part "no perf and objdump here to compare with"
fi
run "$STROBE" annotate -i g.data --no-source leaf
check "events of a group stand side by side" grep -Eq '^ +[0-9.]+ +[0-9.]+ : +[0-9a-f]+: ' out
run "$STROBE" annotate -i g.data --no-group --no-source leaf
check "--no-group shows each event alone" test "$(grep -c 'Source code & Disassembly' out)" = 2
run "$STROBE" annotate -i w.data --percent-type global-period --no-source leaf outer
check "global shares are of all samples" \
	awk -F ' : ' '/^ *[0-9.]+ :/ { s += $1 } END { exit !(s > 90 && s < 100.2) }' out
run "$STROBE" annotate -i w.data --stdio2 leaf
check "--stdio2 draws where jumps go" grep -Eq '(↑|↓) j' out
run "$STROBE" annotate -i w.data -l -P leaf
check "-l begins with the hottest lines" grep -Eq '^ +[0-9.]+ .*/build/w.c:(11|12)$' out
run "$STROBE" annotate -i w.data --asm-raw --no-source leaf
check "--asm-raw shows the bytes of instructions" grep -Eq ':   ([0-9a-f]{2} )+ +ret' out
run "$STROBE" annotate -i w.data -M intel --no-source leaf
check "-M intel writes Intel syntax" grep -Eq 'mov +e[a-d]x,0x0' out
run "$STROBE" annotate -i w.data --no-source --percent-limit 99
check "--percent-limit leaves out the rest" test "$rc" != 0
run "$STROBE" annotate -i w.data --stdio-color always leaf
check "--stdio-color always prints colours" grep -q $'\033\[3' out

# For a single named function we read only the debug information it needs, in any form; the text
# must equal that of the full output.
"$STROBE" annotate -i w.data --stdio >all 2>err
for how in none zlib zlib-gnu zstd; do
	mkdir -p "$how/$PWD"
	objcopy --compress-debug-sections=$how w "$how/$PWD/w" 2>/dev/null ||
		{ skip_part "objcopy here knows no sections compressed by $how"; continue; }
	run "$STROBE" annotate -i w.data --stdio --symfs "$how" leaf
	check "$how: source lines stand between" grep -q 's ^= i / 7;' out
	check "$how: every line is one of all" sh -c '[ -z "$(grep -vxFf all out)" ]'
done

# errors
run "$STROBE" annotate -i w.data leef
check "an unknown function is an error" test "$rc" = 255
check "that names a near one" grep -q "try: 'leaf'?" err
run "$STROBE" annotate -i w.data -M upside-down leaf
check "an unknown style is refused" test "$rc" = 129
check "--addr2line: lines are read as ever" \
	cmp <("$STROBE" annotate -i w.data -l --addr2line /nowhere leaf 2>&1) \
	<("$STROBE" annotate -i w.data -l leaf 2>&1)
run "$STROBE" annotate -i w.data --percent-type some leaf
check "an unknown percent type is refused" test "$rc" = 129

# a source file changed since the recording
run "$STROBE" annotate -i w.data leaf
check "no word on a source that is older" sh -c '! grep -q "is newer" err'
touch -d '+1 hour' w.c
run "$STROBE" annotate -i w.data leaf
check "a message about a newer source file" grep -q "w.c' is newer than the code of 'leaf'" err
run "$STROBE" annotate -i w.data --source-view leaf
check "--source-view also warns that the source is newer" grep -q "is newer than the code" err
# Not for a function of another object, which is older than that source.
echo 'void spin(long n) { for (volatile long i = 0; i < n; i++) ; }' >old.c
gcc -g -O1 -shared -fPIC -o libold.so old.c || exit 1
printf '%s\n' 'void spin(long);' \
	'int main(void) { for (volatile long i = 0; i < 80000000; i++) ; spin(24000000); return 0; }' >new.c
gcc -g -O1 -o two new.c ./libold.so || exit 1
touch -d '-3 hours' old.c; touch -d '-2 hours' libold.so; touch -d '-1 hour' new.c
must "$STROBE" record -q -e cpu-clock:u -o two.data ./two
run "$STROBE" annotate -i two.data --stdio
check "both functions are shown with their source, the newer one first" \
	sh -c 'grep -E "^ +: [0-9]+ .*volatile long" out | head -1 | grep -q main && grep -q "void spin(long n)" out'
check "no word on a source of another object" sh -c '! grep -q "is newer" err'
run "$STROBE" annotate -i w.data -q leaf
check "-q prints no warning" test ! -s err

# sources that were moved
mv w.c moved.c
run "$STROBE" annotate -i w.data leaf
check "missing source is reported" grep -q "w.c' is not here: no such file" err
check "lines of a missing source are shown by number" grep -Eq ': w.c:12$|: 12 +w.c:12$' out
mkdir -p elsewhere/deep && mv moved.c elsewhere/deep/w.c
run "$STROBE" annotate -i w.data --prefix "$PWD/elsewhere/deep" --prefix-strip "$(pwd | tr -cd / | wc -c)" leaf
check "--prefix and --prefix-strip find it" grep -q 's ^= i / 7;' out
cp w kept && gcc -g -O1 -fdebug-prefix-map="$PWD=." -Wl,--build-id=none -o w elsewhere/deep/w.c &&
	"$STROBE" record -q -e cpu-clock:u -F 2000 -o r.data ./w 2>record.err
run "$STROBE" annotate -i r.data --symfs / leaf
check "a message about a source path without a directory" \
	sh -c "grep -q 'its directory is not known' err && grep -q 'try: --prefix DIR' err"
run "$STROBE" annotate -i r.data --prefix "$PWD/" leaf
check "--prefix is its directory" grep -q 's ^= i / 7;' out
mv elsewhere/deep/w.c w.c && mv kept w

# objdump, if asked for; hostile names are treated as names
if command -v objdump >/dev/null; then
	run "$STROBE" annotate -i w.data --objdump objdump --no-source leaf
	check "--objdump shows shares that add up to 100 %" sums_to_100 out
	run "$STROBE" annotate -i w.data --objdump "$PWD/no such program" leaf
	check "--objdump that is not there is reported" grep -q 'cannot start' err
	for name in '$(touch pwned)' '`touch pwned`' '; touch pwned' '--help' '-x|touch pwned'; do
		mkdir -p ./hostile && cp w "./hostile/$name"
		"$STROBE" record -q -e cpu-clock:u -F 2000 -o h.data "./hostile/$name" 2>/dev/null
		run "$STROBE" annotate -i h.data --objdump objdump --no-source leaf
		check "a program called $name is annotated" sums_to_100 out
	done
	check "no name was run" test ! -e pwned
fi
printf 'esc\033[31m' >name; cp w "./hostile/$(cat name)"
"$STROBE" record -q -e cpu-clock:u -F 2000 -o h.data "./hostile/$(cat name)" 2>/dev/null
run "$STROBE" annotate -i h.data --no-source --stdio-color never leaf
check "control bytes in names are escaped" sh -c '! grep -q "$(printf "\033")" out && grep -q "x1b" out'

# binaries that were replaced
PERF_BUILDID_DIR=/dev/null; export PERF_BUILDID_DIR
cp w kept
rm w
run "$STROBE" annotate -i w.data leaf
check "a deleted binary: nothing to show is an error" test "$rc" = 255
check "that says what is missing and how to get it" sh -c "grep -q 'no such file' err && grep -q 'symfs' err"
mkdir -p root/"$PWD" && cp kept root/"$PWD"/w
run "$STROBE" annotate -i w.data --symfs root leaf
check "annotate finds the program below --symfs" sums_to_100 out
sed 's/31/33/' w.c >other.c && gcc -g -O1 -Wl,--build-id -o w other.c
run "$STROBE" annotate -i w.data leaf
check "a replaced binary is not taken for the recorded one" sh -c 'test ! -s out && grep -q "build-id differs" err'
cp kept w && strip w
run "$STROBE" annotate -i w.data
check "a stripped one says that it has no symbols" sh -c 'grep -qi "symbols" err'
objcopy --only-keep-debug kept w.debug && cp kept w && objcopy --strip-all --add-gnu-debuglink=w.debug w
run "$STROBE" annotate -i w.data leaf
check "with the symbol file beside it, the program is annotated" sums_to_100 out
check "source lines of that program are shown" grep -q 's ^= i / 7;' out
# code of a JIT, from its jitdump
cc -O1 -o jitter "$STROBE_SOURCE/tests/e2e/workloads/jitter.c" -lpthread && mkdir dump
must "$STROBE" record -q -N -k mono -e cpu-clock:u -F 2000 -o jit.data ./jitter "$PWD/dump" 0.3
run "$STROBE" annotate -i jit.data alpha_jit
check "code of a jitdump is annotated" sums_to_100 out
run "$STROBE" annotate -i jit.data --source-view alpha_jit
check "code of a JIT is shown with its source lines" grep -q 'source.jit' out

# no lines
gcc -O1 -o bare w.c && "$STROBE" record -q -e cpu-clock:u -F 2000 -o bare.data ./bare 2>/dev/null
run "$STROBE" annotate -i bare.data --source-view leaf
check "--source-view without lines says what is missing" sh -c '[ "$1" = 255 ] && grep -q "compile with -g" err' _ "$rc"
finish
