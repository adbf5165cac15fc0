#!/bin/bash
# kmem: known allocations of made events, and the text beside perf's for recordings of this machine.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

t = make_trace.Trace()
fields = [("call_site", "Q"), ("ptr", "Q"), ("bytes_req", "Q"), ("bytes_alloc", "Q"), ("node", "i")]
alloc = t.event("kmem", "kmalloc", fields)
free = t.event("kmem", "kfree", [("call_site", "Q"), ("ptr", "Q")])
page = [("pfn", "Q"), ("order", "I"), ("gfp_flags", "Q"), ("migratetype", "i")]
flags = '"page pfn=%lu order=%d gfp_flags=%s", REC->pfn, REC->order, '
flags += '(REC->gfp_flags) ? __print_flags(REC->gfp_flags, "|", {0xcc0, "GFP_KERNEL"}, {0x100, "__GFP_ZERO"}) : "none"'
get = t.event("kmem", "mm_page_alloc", page, flags)
put = t.event("kmem", "mm_page_free", [("pfn", "Q"), ("order", "I")])
for i in range(10):  # 10 objects of 48 bytes in 64; 7 are freed, 2 of them by another CPU
    t.sample(alloc, 1000 + i, cpu=0, call_site=0xf100, ptr=0x1000 + 0x40 * i, bytes_req=48, bytes_alloc=64, node=-1)
for i in range(7):
    t.sample(free, 2000 + i, cpu=int(i < 2), call_site=0xf200, ptr=0x1000 + 0x40 * i)
t.sample(alloc, 3000, cpu=1, call_site=0xf300, ptr=0x9000, bytes_req=100, bytes_alloc=128, node=1)
t.sample(alloc, 3100, cpu=1, call_site=0xf300, ptr=0x9000, bytes_req=100, bytes_alloc=128, node=0)
t.sample(free, 3200, call_site=0xf200, ptr=0xdead000)  # from before
for i in range(4):  # 4 blocks of 4 pages, 3 are freed
    t.sample(get, 4000 + i, pfn=100 + 4 * i, order=2, gfp_flags=0xdc0, migratetype=1)
for i in range(3):
    t.sample(put, 5000 + i, pfn=100 + 4 * i, order=2)
t.sample(get, 6000, pfn=200, order=0, gfp_flags=0xcc0, migratetype=0)
t.sample(get, 6100, pfn=2**64 - 1, order=3, gfp_flags=0xcc0, migratetype=0)  # failed
t.sample(put, 6200, pfn=77, order=0)
t.write("made.data")
EOF2
must python3 made.py "$STROBE_SOURCE/tests/lib"
kmem() { "$STROBE" kmem "$@" -i made.data 2>said; }

kmem stat >sums
for line in "requested: 680" "allocated: 896" "freed:     448" "Net total bytes allocated: 448" \
	"wasted on internal fragmentation: 216" "Internal fragmentation: 24.107143%" "Cross CPU allocations: 1/12"; do
	check "the sums have the line '$line'" grep -q "$line\$" sums
done
kmem --caller --alloc stat >tables
row() { grep -Eq "^ $1 +\| +$2 +\| +$3 +\| +$4 \| +$5 \| +$6%\$" tables; }
check "the caller of ten" row 0xf100 640/64 480/48 10 2 25.000
check "an object that was used twice" row 0x9000 256/128 200/100 2 0 21.875
rows() { grep -c '^ 0x' "$1"; }
check "-l belongs to the table named before it" test "$(rows <(kmem stat --alloc -l 3 --caller))" = 5
check "more rows are reported" grep -q '^ \.\.\. ' <(kmem stat --alloc -l 3)
check "-s hit sorts by hits" test "$(kmem stat --caller -s hit | grep -m1 -o '^ 0x[0-9a-f]*')" = " 0xf100"
check "--time selects allocations" grep -q 'allocated: 256$' <(kmem stat --time 0.000003000,0.000003100)
kmem stat --time "0.1,0.2 0.3,0.4"
check "--time takes one range" sh -c "[ $? = 129 ] && grep -q 'names 2 ranges' said"
kmem stat --page --caller --alloc >pages
for line in "requests     :                6   \[              100 KB \]" \
	"Total alloc+freed requests    :                3   \[               48 KB \]" \
	"Total alloc-only requests     :                3 " "Total free-only requests      :                1 " \
	"Total allocation failures     :                1   \[               32 KB \]" \
	"^    2             \.             \.             4 " "^    0             1             \. "; do
	check "the table of pages has a row '$line'" grep -Eq -- "$(sed 's/[+]/[+]/' <<<"$line")" pages
done
check "the legend of flags" grep -q '^# 00000dc0: K|Z: GFP_KERNEL|__GFP_ZERO$' pages
check "pages: the row of a page is right" \
	grep -q '^              100 |               16 |         1 |     2 |  MOVABLE | K|Z       | ' pages
check "pages: the row of a caller is right" \
	grep -q '^               64 |         4 |     2 |  MOVABLE | K|Z       | ' pages
kmem stat --page --live --alloc >live
check "--live: what was not freed" test "$(grep -c '^  *[0-9]* |' live)" = 2
"$STROBE" kmem --caller --alloc stat -i - <made.data >pipe
check "a pipe says the same" cmp tables pipe
run "$STROBE" kmem stat -s order -i made.data
check "a column of pages for objects: 129" test $rc = 129

# --- beside perf, on recordings of this machine
perf_has_kmem() { command -v perf >/dev/null && perf kmem -h 2>&1 | grep -q -- --raw-ip; }
if can system kmem:kmalloc; then
	must "$STROBE" kmem record -q -o k.data ls /
	must "$STROBE" kmem --page record -q -o p.data ls /
	check "the events of slabs" test "$("$STROBE" evlist -i k.data | grep -c '^kmem:')" = 4
	check "the events of pages" test "$("$STROBE" evlist -i p.data | grep -c '^kmem:mm_page_')" = 2
	check "callers of pages are named" grep -Eq '\| [a-z_]+$' <("$STROBE" kmem stat --page --caller -i p.data)
	if perf_has_kmem; then
		for options in "" "--caller" "--alloc -l 20" "--caller --raw-ip -l 3 -s hit" \
			"--caller -s bytes,hit -l 9" "--alloc --caller -s pingpong,callsite -l 5" "--alloc -s ptr"; do
			# shellcheck disable=SC2086
			diff <(perf kmem -i k.data $options stat 2>/dev/null) \
				<("$STROBE" kmem -i k.data $options stat) >differ
			check "slab $options as perf: $(head -3 differ)" test ! -s differ
		done
		# perf finds no callers in new kernels, and swaps the names of two kinds of pages.
		swapped() {
			sed -E 's/ MOVABLE/ movable/; s/ RECLAIM/ MOVABLE/; s/movable/RECLAIM/
				/^Order|^ +[0-9]+ .* \./d'
		}
		# Pages that were allocated again without an event that freed them: perf adds them up.
		"$STROBE" kmem -i p.data --page --live --alloc stat 2>/dev/null |
			awk -F '|' '/^ +[0-9]+ [|]/ { hits[$1] += $3 }
				END { for (page in hits) if (hits[page] > 1) print page "|" }' >again
		for options in "" "--alloc -s page" "--live --alloc -s page"; do
			# shellcheck disable=SC2086
			diff <(perf kmem -i p.data --page $options stat 2>/dev/null |
				sed '/^ .*|/s/| [^|]*$//; /^Order/,$d' | grep -vFf again) \
				<("$STROBE" kmem -i p.data --page $options stat | swapped |
					sed '/^ .*|/s/| [^|]*$//; /^-----  /,$d' | grep -vFf again) >differ
			check "pages $options as perf: $(head -3 differ)" test ! -s differ
		done
	else
		skip_part "text beside perf: no perf with kmem here"
	fi
else
	skip_part "recordings of this machine: $why_not"
fi
run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" kmem stat --page -i plain.data
check "a recording without such events names kmem record" grep -q 'try: .*kmem --page record' err
finish
