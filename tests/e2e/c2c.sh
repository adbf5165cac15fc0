#!/bin/bash
# c2c: the text of perf 7.2 for made accesses to shared lines, options that go on to record, and the events that
# machines have.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
need python3 tar xz
tar -xJf "$STROBE_SOURCE/tests/golden/layers.tar.xz" --strip-components=2 root/mnt/layers
made() {	# name words of make_c2c.py
	must python3 "$STROBE_SOURCE/tests/lib/make_c2c.py" "$1.pipe" "${@:2}"
	must "$STROBE" inject -i "$1.pipe" -o "$1.data"
}
c2c() { "$STROBE" c2c "$@" 2>said; }

no_nan() { sed 's/   -nan%/    0.0%/'; } # shares of nothing

# Loads of every kind; many CPUs of two nodes; threads that share memory, files and neither; names of functions.
made any
made arm arm n=300 seed=2
made plain chains seed=3 n=200
made calls chains seed=3 n=200 "program=$PWD/layers" code=401665
made names seed=4 n=200 "program=$PWD/layers" code=4014ee
# levels by number, hops, several levels at once
odd=800442,8000800c42,82200800062,82400800062,8a000000042,102000200142,2000800042
odd=$odd,a000000062,46,4000000,83a00800062,2000200942
made odd n=200 seed=5 src=$odd
made stores n=60 seed=6 src=144,1c4,24,40044
as_report_of() {	# PERF NAME: each line of words gives the report of this program
	while IFS= read -r words; do
		# shellcheck disable=SC2086
		check "c2c report $words is $2's" diff <("$1" c2c report --stdio $words | no_nan) \
			<(c2c report --stdio $words)
	done
}
as_report_of perf72 perf <<'WORDS'
-i any.data
-i any.data -d lcl
-i any.data -d rmt -N
-i any.data -d peer -N
-i any.data -NN
-i any.data -c pid,tid,iaddr,dso
-i any.data -c tid
-i any.data -c dso
-i any.data -c iaddr,pid --no-source
-i any.data --double-cl
-i any.data --show-all
-i any.data --stats
-i arm.data
-i arm.data -d tot -c pid
-i calls.data
-i calls.data -g caller
-i calls.data -g flat
-i calls.data -g folded
-i calls.data -g none
-i calls.data -g graph,0,count
-i names.data --no-source
-i names.data --no-source --full-symbols -c dso,tid,iaddr
-i odd.data
-i odd.data -d peer
-i stores.data --show-all
WORDS

# perf 6.1 as installed, which asks a program for source lines and dies when that ends early.
perf61() { (trap '' PIPE; perf "$@" 2>/dev/null); }
if perf version 2>/dev/null | grep -q ' 6\.1\.' &&
	perf61 c2c report --stats -i any.data | grep -q 'Load Operations'; then
	as_report_of perf61 "perf 6.1" <<'WORDS'
-i any.data
-i any.data -d lcl
-i any.data -d rmt -NN
-i any.data -c pid,tid,iaddr,dso
-i any.data --show-all --full-symbols
-i any.data --stats
-i arm.data -d peer
-i plain.data -g caller
-i names.data --no-source
-i stores.data --show-all
WORDS
else
	skip_part "no perf 6.1 here"
fi

check "a pipe gives the same" diff <(c2c report -i any.data) <(c2c report -i - <any.pipe)
check "stores alone are no shared lines" grep -q 'Total Shared Cache Lines *: *0$' <(c2c report -i stores.data)
check "a threshold leaves out branches" test "$(c2c report -g graph,50 -i calls.data | grep -c -- '--')" -lt \
	"$(c2c report -i calls.data | grep -c -- '--')"
c2c report -i any.data >lines
check "shares of lines add up" \
	awk '/^ +[0-9]+ +0x[0-9a-f]+ / { sum += $5 } END { exit !(sum > 99.9 && sum < 100.1) }' lines

# Traces become accesses, with data sources that tell of other clusters.
must python3 "$STROBE_SOURCE/tests/lib/make_spe.py" spe.pipe
must "$STROBE" inject -i spe.pipe -o spe.data
check "c2c report of a trace is perf's" diff <(perf72 c2c report --stdio -i spe.data) <(c2c report -i spe.data)

fails 129 'tot, lcl, rmt, peer' c2c report -d nothing -i any.data
fails 129 'pid, tid, iaddr, dso' c2c report -c nothing -i any.data
fails 129 "unexpected 'word'" c2c report -i any.data word
fails 129 'record, report' c2c
fails 129 'spe-ldst' c2c record -e nothing

need_machines
# attrs of a PMU whose type is that of a clock, so that the kernel opens it
mkdir -p sys/ibs_op/format log
echo 1 >sys/ibs_op/type
check "record -e list shows the event of AMD" grep -q '^mem-ldst *: available' <(on "$STROBE" c2c record -e list)
of() { sed -n "s/^$1=//p" log/event-* | sort -u | tr '\n' ' '; }
run on env PERF_TEST_ATTR="$tmp/log" "$STROBE" c2c record -u -o x.data true
check "c2c record succeeds" test "$rc" = 0
# WEIGHT_STRUCT PHYS_ADDR DATA_SRC PERIOD CPU ADDR TIME TID IP
check "samples have what c2c needs" test $(($(of sample_type) & 0x108818f)) = $((0x108818f))
check "c2c record -u excludes the kernel" test "$(of exclude_kernel)$(of exclude_user)" = "1 0 "
echo config:0-7 >sys/ibs_op/format/ldlat
rm log/*
run on env PERF_TEST_ATTR="$tmp/log" "$STROBE" c2c record -l 1 -k -- -a -o x.data true
check "options behind -- are those of record" test "$(of pid)" = "-1 "
check "c2c record -l passes the least latency" grep -q "^config=1$" -r log
check "c2c record -k excludes user space" test "$(of exclude_kernel)$(of exclude_user)" = "0 1 "
rm -rf sys/ibs_op
run on "$STROBE" c2c record -- true
check "a machine without such a PMU fails" test "$rc" = 255
check "the error says that no PMU samples accesses" grep -q 'failed: no PMU supports the memory events' err
perf72_kept
finish
