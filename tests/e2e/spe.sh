#!/bin/bash
# Arm SPE: samples of a made trace, beside those of perf 7.2; --itrace; whose operations without context packets are.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
need python3
made() { must python3 "$STROBE_SOURCE/tests/lib/make_spe.py" "$@"; }
made n2.pipe
made a53.pipe 410fd030
made calls.pipe 410fd4f0 branches
made arm.pipe 410fd4f0 sources
made ampere.pipe c00fac40 sources
made hip12.pipe 480fd060 sources
for name in n2 a53 calls arm ampere hip12; do must "$STROBE" inject -i $name.pipe -o $name.data; done
strobe() { "$STROBE" "$@" 2>said; }
no_tip() { sed 's/^# (Tip:.*/# (Tip)/'; }

while IFS= read -r words; do
	# shellcheck disable=SC2086
	check "'$words' prints what perf prints" diff <(perf72 $words | no_tip) <(strobe $words | no_tip)
done <<'WORDS'
script -i n2.data
script -i n2.data --itrace=M -F comm,tid,cpu,time,event,ip,addr,weight,data_src
script -i a53.data --itrace=M -F cpu,ip,addr,weight,data_src
script -i n2.data --itrace=bf -F time,event,ip,addr
script -i n2.data --itrace=mta -F time,event,ip,addr
script -i n2.pipe --itrace=i1i -F time,event,ip
report --stdio --no-children -i n2.data
report --stdio --mem-mode -i n2.data
script -i n2.data --itrace=b -F time,event,ip,addr
mem report -p -i a53.data
script -i arm.data --itrace=M -F addr,data_src
script -i ampere.data --itrace=M -F addr,data_src
script -i hip12.data --itrace=M -F addr,data_src
script -i n2.data --itrace=bl -F time,event,ip,addr,brstack,weight
script -i calls.data --itrace=bl -F ip,addr,brstack
script -i calls.data --itrace=i1il -F event,ip,brstack
script -i n2.data --itrace=i3ilM -F cpu,time,event,ip,addr
script -i n2.data --itrace=befmtlaM -F cpu,time,event,ip,addr
script -i n2.data --itrace=c -F event,ip
report --stdio --mem-mode --itrace=Mi2i -i n2.data
WORDS
# perf also has statistics
check "report shows branches of stacks" diff \
	<(perf72 report --stdio --itrace=bl -i calls.data | grep '% *helper') \
	<(strobe report --stdio --itrace=bl -i calls.data | grep '% *helper')
check "mem report -D shows accesses" test "$(strobe mem report -D -i n2.data | grep -c '^[78],*')" = 10

# Times are those of the clock that the recording describes; the machine's switches tell who ran.
made bare.pipe 410fd030 switches
must "$STROBE" inject -i bare.pipe -o bare.data
check "switches tell the thread" diff \
	<(strobe script -i a53.data -F comm,pid,tid,time,event,ip) \
	<(strobe script -i bare.data -F comm,pid,tid,time,event,ip)
check "--itrace=M makes samples of both threads" \
	test "$(strobe script -i bare.data --itrace=M -F comm | sort | uniq -c | tr -s ' \n' ' ')" = \
	" 8 helper 2 worker "

while IFS='|' read -r letters says; do
	fails 129 "$says" script --itrace="$letters" -i n2.data
done <<'LETTERS'
xb|no samples of transactions
i10us|a number of them
i5|a number of them
w|PTWRITE
p|power
o|PEBS
I|interrupts
y|cycles
g16|no call chains
L|other events
q|no such option
b7|no such option
LETTERS
check "--itrace works on a pipe" diff <(strobe script --itrace=M -i - <n2.pipe) <(strobe script --itrace=M -i n2.data)
check "a file in pipe form needs no option" diff <(strobe script -i n2.pipe) <(strobe script -i n2.data)
check "mem takes a pipe" diff <(strobe mem report -i - <a53.pipe | no_tip) <(strobe mem report -i a53.data | no_tip)
check "mem -D takes a pipe" diff <(strobe mem report -D -i - <a53.pipe) <(strobe mem report -D -i a53.data)
check "c2c takes a pipe" diff <(strobe c2c report -i - <n2.pipe) <(strobe c2c report -i n2.data)
strobe inject --itrace=bl -i n2.data -o samples.data
check "inject --itrace writes the samples" diff <(strobe script -F event,time,ip,addr,brstack -i samples.data) \
	<(strobe script --itrace=bl -F event,time,ip,addr,brstack -i n2.data)
check "no trace is left" test "$(strobe script -D -i samples.data | grep -c AUXTRACE)" = 0
check "perf reads the written samples" \
	grep -q '0x401030/0x401100/P/-/-/3/COND' <(perf72 script -F ip,brstack -i samples.data)
run "$STROBE" annotate --itrace=b -i n2.data
check "annotate decodes: 3 samples" grep -q '3 samples lie in' err
check "--dump-raw-trace shows the records" grep -q 'AUXTRACE' <(strobe script -D -i n2.data)
python3 - n2.data damaged.data <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(bytes([0x52, 2 | 4 | 16, 0]))
data[at] = 0xff
open(sys.argv[2], "wb").write(data)
PY
strobe script -i damaged.data >out
check "bytes that are no packet are reported" grep -q 'bytes of the trace are no packets' said
check "the rest is there" test "$(wc -l <out)" -gt 40
mkdir left
TMPDIR=$PWD/left strobe script -i n2.data >out
check "nothing is left behind" test -z "$(ls left)"
perf72_kept
finish
