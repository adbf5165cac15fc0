#!/bin/bash
# diff: several recordings joined by what their rows show, compared with perf 7.2; names that
# compilers changed; bad usage.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
mkdir none	# a --symfs without objects
layers_stored

cat >forms <<'END'
a.data b.data
d.data e.data
-s sym d.data e.data
-c delta a.data b.data
-c ratio -F a.data b.data
-c wdiff:1,2 -F -p a.data b.data
-c delta-abs -F -p a.data b.data
-o 0 a.data b.data
-b a.data b.data
-s comm a.data b.data
-s comm -v a.data b.data
-s dso -q a.data b.data
-s dso a.data b.data c.data
-o 2 a.data b.data c.data
-s comm -C layers a.data b.data
-s symbol a.data b.data
-s comm -c wdiff:1,2 -F a.data b.data c.data
-s dso -d layers --percentage relative a.data b.data
END
# Sort neighbours with equal numbers by name: perf's order of them depends on its memory layout.
ties() {
	awk '{ key = $0; sub(/[][A-Za-z\/].*/, "", key); if (key != last) group++; last = key;
		printf "%d\t%s\n", group, $0 }' \
		"$1" |
		sort -s -t "$(printf '\t')" -k1,1n -k2
}
diff_() { "$STROBE" diff $layers_where "$@"; }
while read -r form; do
	# shellcheck disable=SC2086
	STROBE_THREADS=1 diff_ $form >one 2>err; rc=$?
	check "$form succeeds" test $rc = 0
	# shellcheck disable=SC2086
	STROBE_THREADS=8 diff_ $form >eight 2>err
	check "$form: threads do not change the text" cmp one eight
	# shellcheck disable=SC2086
	perf72 diff $layers_where $form >perf
	ties perf >perf.ties
	ties one >one.ties
	grep -q 'nan%' perf && continue		# perf divides by the samples of an event that has none
	check "$form: the text is perf 7.2's" diff perf.ties one.ties
done <forms

run "$STROBE" diff -d bare -q d.data e.data
check "addresses without a function are one row" test "$(grep -c 0x out)" = 1
run "$STROBE" diff a.data a.data
check "nothing changes between a file and itself" \
	sh -c 'grep -q " +0.00%" out && ! grep -qE " [+-]([1-9]|0\.0[1-9]|0\.[1-9])" out'
run "$STROBE" diff a.data
check "one file is compared with perf.data" test "$rc" = 255
check "which is not there" grep -q "perf.data" err
run "$STROBE" diff a.data missing.data
check "a missing file is an error" test "$rc" = 255
run "$STROBE" diff -o 2 a.data b.data
check "an order without a file is wrong usage" test "$rc" = 129
run "$STROBE" diff -c sideways a.data b.data
check "an unknown method of -c is bad usage" test "$rc" = 129
run "$STROBE" diff -c rato a.data b.data
check "one almost right is found" grep -q "'ratio'" err
run "$STROBE" diff --cpu 0 a.data b.data
check "CPUs that are not recorded are not requested" sh -c "grep -q 'on which CPU' err && test $rc = 255"
run "$STROBE" diff -t . a.data b.data
check "a full stop separates no columns" test "$rc" = 129
run "$STROBE" diff -c wdiff:1 a.data b.data
check "wdiff with one weight is bad usage" test "$rc" = 129
run "$STROBE" diff -c cycles a.data b.data
check "blocks need branch stacks, and a message says so" \
	sh -c "grep -q 'branch stacks' err && grep -q 'record -b' err && test $rc = 255"
run "$STROBE" diff --cycles-hist a.data b.data
check "a histogram of cycles needs -c cycles" sh -c "grep -q -- '-c cycles' err && test $rc = 129"

printf '[diff]\n\torder = 0\n\tcompute = ratio\n' >settings
run env PERF_CONFIG=settings "$STROBE" diff -s dso a.data b.data
cp out configured
run "$STROBE" diff -o 0 -c ratio -s dso a.data b.data
check "settings stand for options" cmp out configured
run "$STROBE" diff --stream a.data b.data
check "--stream without branch stacks is refused" \
	sh -c "grep -q 'branch stacks' err && grep -q 'record -b' err && test $rc = 255"
run "$STROBE" diff --stream a.data b.data c.data
check "--stream of three files is bad usage" test $rc = 129
printf '[hist]\n\tpercentage = relative\n' >settings
run env PERF_CONFIG=settings "$STROBE" diff -s dso -d layers a.data b.data
cp out configured
run "$STROBE" diff -s dso -d layers --percentage relative a.data b.data
check "the setting hist.percentage works like --percentage" cmp out configured
run "$STROBE" diff -D a.data b.data
# Only report prints the statistics after the records.
for file in a b; do "$STROBE" report -D -i $file.data 2>err | sed '/^Aggregated stats/,$d' | sed '$d'; done >dumped
check "-D dumps one file after the other" cmp out dumped
run "$STROBE" diff -m -s dso a.data b.data
mv out with
run "$STROBE" diff -s dso a.data b.data
check "-m is the default" cmp out with

# Events that differ only in modifiers are compared; events without a partner are reported.
workload layers
if can kernel; then
	must "$STROBE" record -q -e cpu-clock:u -o user.data ./layers
	must "$STROBE" record -q -e cpu-clock -o all.data ./layers
	must "$STROBE" record -q -e page-faults -c 1 -o faults.data ./layers
	for pair in user.data,all.data all.data,user.data; do
		"$STROBE" diff ${pair/,/ } >out 2>err
		check "$pair: there are changes" grep -qE '^ +[0-9.]+% +[+-][0-9.]+% ' out
		check "$pair: the kernel is on one side only, and a message says so" \
			grep -q "only one of the two has samples of both" err
		[ -n "${STROBE_PERF72:-}" ] || continue
		$STROBE_PERF72 diff ${pair/,/ } 2>/dev/null </dev/null | sort >perf
		sort out >ours
		check "$pair: the text is perf 7.2's" diff perf ours
	done
	run "$STROBE" diff faults.data all.data
	check "nothing to compare with: a message says so" \
		sh -c "test $rc = 0 &&
		grep -q \"nothing is compared with 'page-faults': 'all.data' has 'cpu-clock' instead\" err"
	run "$STROBE" diff -q faults.data all.data
	check "-q prints no warning" test ! -s err
	run "$STROBE" diff all.data all.data
	check "equal events need no word" test ! -s err
else
	skip_part "events that differ in modifiers: this machine cannot: $why_not"
fi

# Blocks of code: real branches of a kernel, twice, with other cycles in the second copy; functions
# are made up.
if [ -n "${STROBE_CORPUS:-}" ]; then
	xz -dc "$STROBE_CORPUS/data/quipper-branch-4.14.data.xz" >old.branches
	python3 - <<'PY'
import random, struct
random.seed(1)
b = bytearray(open('old.branches', 'rb').read())
at, size = struct.unpack_from('<QQ', b, 40)
kinds = struct.unpack_from('<Q', b, struct.unpack_from('<Q', b, 24)[0] + 24)[0]
end = at + size
while at < end:
    kind, _, size = struct.unpack_from('<IHH', b, at)
    if kind == 9:
        p = at + 8 + 8 * sum(kinds >> bit & 1 for bit in (16, 0, 1, 2, 3, 6, 9, 7, 8))
        for i in range(struct.unpack_from('<Q', b, p)[0]):
            flags = struct.unpack_from('<Q', b, p + 24 + 24 * i)[0]
            cycles = flags >> 4 & 0xffff
            if cycles: cycles = max(1, min(65535, cycles + random.randint(-20, 60)))
            struct.pack_into('<Q', b, p + 24 + 24 * i, flags & ~0xffff0 | cycles << 4)
    at += size
open('new.branches', 'wb').write(b)
with open('functions', 'w') as f:
    base = 0xffffffffb4200000
    f.write('%x T _text\n%x T _stext\n' % (base, base))
    for k in range(0, 1 << 24, 1 << 16): f.write('%x T func_%x\n' % (base + k, k))
    f.write('%x T _etext\n' % (base + (1 << 24)))
PY
	# For perf, a block that begins where it ends begins with the function.
	blocks() { sed -E 's/\[([^ ]+)\+0 -> ([^]]*)\]/[\2 -> \2]/g; s/  +/  /g'; }
	while read -r form; do
		# shellcheck disable=SC2086
		"$STROBE" diff --symfs none --kallsyms functions $form 2>/dev/null </dev/null | blocks >ours
		check "diff $form: there are blocks" grep -q -- ' -> func_' ours
		[ -n "${STROBE_PERF72:-}" ] || continue
		# shellcheck disable=SC2086
		$STROBE_PERF72 diff --symfs none --kallsyms functions $form 2>/dev/null </dev/null | blocks >perf
		check "diff $form: the text is perf 7.2's" diff perf ours
	done <<-'END'
		-c cycles old.branches new.branches
		-c cycles --cycles-hist old.branches new.branches
		-c cycles --cycles-hist old.branches new.branches new.branches
		-c cycles -p -F -s sym old.branches new.branches
		-c cycles -q -b old.branches new.branches
	END
	run "$STROBE" diff --symfs none --kallsyms functions -c cycles -q old.branches old.branches
	check "blocks of one file do not change" sh -c 'test -s out && ! grep -vE "\]    0  " out'
	# Streams of branches: the hottest five of a file, all present in another copy; perf pairs
	# some of them with others.
	"$STROBE" diff --stream --symfs none --kallsyms functions old.branches old.branches >out 2>err
	check "streams are found again" \
		sh -c 'test "$(grep -c "^hot chain pair" out)" = 5 && ! grep -q "^hot chain [0-9]" out'
	check "their frames are on both sides" \
		awk -F '\t' \
		'/func_|0x/ { gsub(/ /, ""); n++; if ($1 != $2) exit 1 } END { exit n < 50 }' out
	STROBE_THREADS=8 "$STROBE" diff --stream --symfs none --kallsyms functions old.branches \
		old.branches >eight 2>err
	check "--stream prints the same on eight threads" cmp out eight
	if [ -n "${STROBE_PERF72:-}" ]; then
		$STROBE_PERF72 diff --stream --symfs none --kallsyms functions old.branches old.branches \
			2>/dev/null </dev/null >perf
		shares() {
			awk -F '\t' '/pair/ { p = 1 } p && /hits:/ { sub(/.*hits: /, "", $1); print $1; p = 0 }' "$1"
		}
		second() { sed -n '/pair 2:/,/pair 3:/p' "$1" | cut -f 1 | sed -n 3,30p; }
		check "their shares are perf 7.2's" diff <(shares perf) <(shares out)
		check "the second file's branches are perf's" diff <(second perf) <(second out)
	fi
	# Compare the first two columns and the last column of the table, too.
	total() { awk '!/^#/ { print $1, $2, $4, $5, $6, $7, $8 }' | sort; }
	if [ -n "${STROBE_PERF72:-}" ]; then
		"$STROBE" report --stdio --symfs none --kallsyms functions --total-cycles -i old.branches 2>/dev/null |
			blocks | total >ours
		$STROBE_PERF72 report --stdio --symfs none --kallsyms functions \
			--total-cycles -i old.branches 2>/dev/null </dev/null |
			blocks | total >perf
		check "report --total-cycles but for the share of averages: the text is perf 7.2's" diff perf ours
	fi
else
	skip_part "STROBE_CORPUS is not set: blocks are not compared"
fi

# Whole stacks, from recordings made here.
workload layers -fno-optimize-sibling-calls
can sample || { perf72_kept; skip_part "whole stacks: this machine cannot: $why_not"; finish; }
for name in a b; do must "$STROBE" record -q -e cpu-clock -F 999 -g -o stacks-$name.data ./layers; done
STROBE_THREADS=8 "$STROBE" diff -s stack stacks-a.data stacks-b.data >eight 2>err
STROBE_THREADS=1 "$STROBE" diff -s stack stacks-a.data stacks-b.data >out 2>err
check "-s stack compares stacks" grep -qE '[0-9]%  +[+-][0-9.]+%  .*main;' out
check "-s stack prints the same on eight threads" cmp out eight
# A stripped program: frames have no names and other addresses in each run, but the same places in the file.
# Without the id that would find an older copy with names
workload layers -s -Wl,--build-id=none && mv layers bare
for name in a b; do "$STROBE" record -q -N -e cpu-clock -F 999 -g -o bare-$name.data ./bare >record.log 2>&1; done
"$STROBE" diff -s stack bare-a.data bare-b.data >out 2>err
check "stacks of frames without names are compared" grep -qE '[0-9]%  +[+-][0-9.]+%  .*[[]bare[+]0x[0-9a-f]+[]];' out
"$STROBE" report --stdio -q --no-children -g none -F period,stack -s stack -i stacks-a.data 2>err >out
"$STROBE" report --stdio -g none --no-children -s comm -i stacks-a.data 2>err |
	awk '/^# Event count/ { print $NF }' >total
check "stacks of a report are the whole" test "$(awk '{ s += $1 } END { printf "%.0f\n", s }' out)" = "$(cat total)"
check "no stack has two rows" sh -c 'test -z "$(sed "s/^ *[0-9]* *//" out | sort | uniq -d)"'
"$STROBE" report --stdio -q --no-children -g none -F period,stack -s stack -i bare-a.data 2>err >out
check "no stack of frames without names has two rows" \
	sh -c 'test -z "$(sed "s/^ *[0-9]* *//" out | sort | uniq -d)"'

# Several runs on each side.
run "$STROBE" diff --stat=2 -s dso a.data b.data b.data a.data
check "equal sides do not grow" test $rc = 0
check "all samples are reported" grep -q "all samples" out
cp out numbered
run "$STROBE" diff --stat -s dso a.data b.data b.data a.data
check "--stat without a number compares two halves" cmp out numbered
run "$STROBE" diff --stat a.data b.data c.data
check "files without halves are wrong usage" sh -c "grep -q -- --stat=N err && test $rc = 129"
run "$STROBE" diff --stat=2 a.data b.data c.data
check "one run on a side is wrong usage" test $rc = 129
run "$STROBE" diff --stat=x a.data b.data c.data
check "--stat=x is bad usage" test $rc = 129
"$STROBE" record -q -e cpu-clock -F 999 -o idle.data true >record.log 2>&1
run "$STROBE" diff --stat=2 -s comm idle.data idle.data a.data a.data
check "new rows have grown" sh -c "grep -q 'more  *layers' out && test $rc = 3"

# A function that got a suffix and one that lost its hash are the same; two in one file stay two.
cat >one.c <<'END'
volatile unsigned long n;
#ifdef LATER
#define NAME "work.constprop.0"
#else
#define NAME "work"
#endif
__attribute__((noinline)) void work(void) __asm__(NAME);
void work(void) { for (int i = 0; i < 200000000; i++) n++; }
int main(void) { work(); return 0; }
END
if ${CC:-cc} -O1 -o prog one.c 2>/dev/null; then
	must "$STROBE" record -q -e cpu-clock -F 499 -o old.data ./prog
	cp prog prog.1
	must ${CC:-cc} -O1 -DLATER -o prog one.c
	must "$STROBE" record -q -e cpu-clock -F 499 -o new.data ./prog
	run "$STROBE" diff -s sym old.data new.data
	check "a clone's suffix does not make another function" sh -c 'test "$(grep -c "\] work" out)" = 1'
	check "a name with a new suffix has shares on both sides" grep -qE '[0-9]%  +[+-][0-9.]+%  \[\.\] work' out
else
	skip_part "no compiler here: names of clones are not tried"
fi
perf72_kept
finish
