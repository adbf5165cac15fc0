#!/bin/bash
# monitor: histograms and heat maps in the terminal and as a page; lines as those of the founding document; bounds of
# what is remembered. Recordings made up, with known answers.
. "$(dirname "$0")/lib.sh"
need python3

cat >made.py <<'E2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

# each of four seconds: ten pairs of 3 us to a middle, then 50 us to an end whose name is hostile; the third is empty
t = make_trace.Trace()
a = t.event("x", "begin", [("id", "Q")])
b = t.event("x", "mid", [("id", "Q")])
c = t.event("x", '<img/onerror=alert(1)>&"', [("id", "Q")])
for second in (0, 1, 3):
    for i in range(10):
        now = (second + 1) * 10**9 + i * 10**7
        t.sample(a, now, cpu=i % 2, id=i)
        t.sample(b, now + 3000, cpu=i % 2, id=i)
        t.sample(c, now + 53000, cpu=i % 2, id=i)
t.write("three.data")

# two pairs of 5 us that overlap, by name; the bytes behind the end of a name differ
t = make_trace.Trace()
a = t.event("x", "begin", [("name", "16s")])
b = t.event("x", "end", [("name", "16s")])
for now, event, name in ((1000, a, b"eth0\0old"), (3000, a, b"eth1"), (6000, b, b"eth0"), (8000, b, b"eth1\0new")):
    t.sample(event, 10**9 + now, name=name)
t.write("names.data")

# exits of guests: two slow interrupts, short ones, halts; text and numbers as on an Intel CPU
t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("exit_reason", "I"), ("guest_rip", "Q"), ("isa", "I")],
                '"reason %s rip 0x%lx info 0 800000fd", __print_symbolic(REC->exit_reason, {1, "EXTERNAL_INTERRUPT"}, '
                '{12, "HLT"}, {10, "CPUID"}), REC->guest_rip')
enter = t.event("kvm", "kvm_entry", [("vcpu_id", "I")], '"vcpu %u", REC->vcpu_id')
now = 15504452 * 10**9
for reason, ns, n in ((1, 3987000, 2), (10, 300, 20), (10, 600, 5), (12, 9000000, 3)):
    for _ in range(n):
        t.sample(leave, now, cpu=17, pid=206966, tid=206966, exit_reason=reason, isa=1, common_flags=0x24,
                 guest_rip=0xffffffff81c01f58)
        t.sample(enter, now + ns, cpu=17, pid=206966, tid=206966, vcpu_id=20, common_flags=1)
        now += ns + 1000
t.write("exits.data")

# arm64: traps by their class, others by their exception
t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("ret", "I"), ("esr_ec", "I"), ("vcpu_pc", "Q")], '"PC: 0x%016lx", REC->vcpu_pc')
enter = t.event("kvm", "kvm_entry", [("vcpu_pc", "Q")], '"PC: 0x%016lx", REC->vcpu_pc')
now = 10**9
for ret, trap, n in ((2, 0x24, 4), (2, 0x16, 3), (2, 1, 2), (0, 0, 5)):
    for _ in range(n):
        t.sample(leave, now, ret=ret, esr_ec=trap)
        t.sample(enter, now + 2000)
        now += 5000
t.write("arm.data")

# 70000 starts without an end, and as many reasons as there are numbers; then events are lost
t = make_trace.Trace()
a = t.event("x", "begin", [("id", "Q")])
b = t.event("x", "end", [("id", "Q")])
for i in range(70000):
    t.sample(a, 1000 + i, id=i)
for i in range(60000, 70000):
    t.sample(b, 100000 + i, id=i)
t.sample(a, 300000, id=1)
t.records.append((300001, make_trace.record(2, make_trace.struct.pack("<QQIIQI4xQ", a.id, 17, 1, 1, 300001, 0, a.id))))
t.sample(b, 300002, id=1)
t.write("many.data")
t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("exit_reason", "I"), ("isa", "I")], '"reason R%u", REC->exit_reason')
enter = t.event("kvm", "kvm_entry", [("vcpu_id", "I")])
for i in range(9000):
    t.sample(leave, 1000 + 10 * i, exit_reason=i, isa=1)
    t.sample(enter, 1005 + 10 * i)
t.write("reasons.data")

# many call chains, each one another: of 40000 allocations that last, and of 200000 that are freed at once
for name, n, frames in (("chains.data", 40000, 60), ("freed.data", 100000, 20)):
    t = make_trace.Trace(chains=True)
    alloc = t.event("kmem", "kmalloc", [("ptr", "Q"), ("bytes_alloc", "Q")])
    free = t.event("kmem", "kfree", [("ptr", "Q")])
    for i in range(n):
        t.sample(alloc, 1000 + 2 * i, ptr=i + 1, bytes_alloc=1,
                 chain=[2**64 - 128] + [i * 1000 + k for k in range(frames)])
        if name == "freed.data":
            t.sample(free, 1001 + 2 * i, ptr=i + 1)
    t.sample(alloc, 10**9, ptr=1, bytes_alloc=64, chain=[2**64 - 128, 0x123456])
    t.write(name)
E2
must python3 made.py "$STROBE_SOURCE/tests/lib"

# --- three events by a key: a table, histograms, heat maps
three='x:begin,x:mid,x:<img/onerror=alert(1)>&"'
"$STROBE" monitor pairs -e "$three" --key id --histogram --heatmap --html page.html --input three.data >file
row() { awk -v from="$1" '$1 == from && $2 == "=>" { print $4, $5, $6 }' file; }
check "pairs of the first and second event: $(row begin | head -1)" test "$(row begin | head -1)" = "30 90.000 3.000"
check "pairs of the second and third event: $(row mid | head -1)" test "$(row mid | head -1)" = "30 1500.000 50.000"
check "a histogram: rows before the first that has any are one" \
	grep -qF '         0 -> 2047       : 0        |                                        |' file
check "the fullest row has a bar of 40 stars" \
	grep -qF '      2048 -> 4095       : 30       |****************************************|' file
check "a column for each second, also for the empty one" grep -qE '^ +2.048 us \|@@ @\| 30$' file
"$STROBE" monitor mpdelay -e "$three" --percpu --input three.data >file
check "mpdelay: the same on each CPU" test "$(grep -c '^\[00[01]\]$' file) $(row begin | tr '\n' ' ')" = \
	"2 30 90.000 3.000 15 45.000 3.000 15 45.000 3.000 "

"$STROBE" monitor pairs -e x:begin,x:end --key name --input names.data >file
check "a key may be a text" test "$(row begin | tr '\n' ' ')" = "2 10.000 5.000 "
run "$STROBE" monitor mpdelay -e x:begin,x:end,x:begin --input names.data
check "an event cannot have two places in the row" sh -c "[ $rc = 129 ] && grep -q \"'x:begin' is listed twice\" err"

# --- the page
check "the page names nothing that it would load, and runs no script" \
	sh -c '! grep -qiE "<script|src=|href=|url\(|@import" page.html'
check "names in the page are text, not tags" grep -qF 'x:mid =&gt; x:&lt;img/onerror=alert(1)&gt;&amp;&quot;' page.html
check "--html writes the same page twice" sh -c "'$STROBE' monitor pairs -e '$three' --key id --html again.html \
	--input three.data >/dev/null && cmp page.html again.html"
"$STROBE" monitor kvm-exit --html kvm.html --input exits.data >/dev/null
check "kvm-exit has one, too" grep -q '<title>2 from 2.1 ms to' kvm.html
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -n "$browser" ]; then
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" \
		--virtual-time-budget=2000 --dump-dom "file://$tmp/page.html" >dom 2>browser.log
	check "a browser makes two pictures of it" test "$(grep -c '</svg>' dom)" = 2
	check "the page has a cell per second and a bar per row" \
		test "$(grep -c '<title>10 from' dom) $(grep -c 'class="bar"' dom)" = "6 2"
	check "a name makes no image in the page" sh -c "! grep -q '<img' dom"
else
	skip_part "the page in a browser: no chromium here"
fi
run "$STROBE" monitor pairs -e "$three" --html /nowhere/page.html --input three.data
check "a page that cannot be written is an error" sh -c "[ $rc != 0 ] && grep -q /nowhere err"

# --- the founding document's own example
"$STROBE" monitor kvm-exit --than 1000 --input exits.data >file
exit="kvm:kvm_exit: reason EXTERNAL_INTERRUPT rip 0xffffffff81c01f58 info 0 800000fd"
cat >want <<E2
           <...> 206966 .N.. [017] 15504452.000000: $exit
           <...> 206966 d... [017] 15504452.003987: kvm:kvm_entry: vcpu 20
           <...> 206966 .N.. [017] 15504452.003988: $exit
           <...> 206966 d... [017] 15504452.007975: kvm:kvm_entry: vcpu 20
E2
head -4 file >got
check "both lines of slow exits, without halts" diff want got
"$STROBE" monitor kvm-exit --than 0 --input exits.data >all
check "--than 0: each, without halts" test "$(grep -c 'kvm:kvm_entry: ' all)" = 27
"$STROBE" monitor pairs -e "$three" --key id --than 0 --input three.data >all
check "--than 0 prints each pair" grep -q '^# 60 above the limit$' all
cat >want <<'E2'

     kvm-exit latency(ns) : count    distribution
         0 -> 255        : 0        |                                        |
       256 -> 511        : 20       |****************************************|
       512 -> 1023       : 5        |**********                              |
E2
sed -n 5,9p file >got
check "kvm-exit prints the expected histogram" diff want got
check "up to the last that has any" grep -qF '   2097152 -> 4194303    : 2        |****' file
cat >want <<'E2'
exit_reason             calls        total(us)   min(us)   avg(us)      max(us)
-------------------- -------- ---------------- --------- --------- ------------
HLT                         3        27000.000  9000.000  9000.000     9000.000
EXTERNAL_INTERRUPT          2         7974.000  3987.000  3987.000     3987.000
CPUID                      25            9.000     0.300     0.360        0.600
E2
sed -n '/^exit_reason/,$p' file | cut -c-79 >got
check "kvm-exit prints the expected table" diff want got
"$STROBE" monitor kvm-exit --input arm.data >file
check "arm64: reasons by trap and by exception" test "$(awk '/^---/ { t = 1; next } t { print $1, $2 }' file | sort |
	tr '\n' ' ')" = "DABT_LOW 4 HVC64 3 IRQ 5 WFx 2 "

# --- what is remembered is bounded, and it is told what was dropped
"$STROBE" monitor pairs -e x:begin,x:end --key id --input many.data >file
dropped=$(sed -n 's/.*dropped because too many were open \([0-9]*\),.*/\1/p' file)
check "more than 65536 starts: the oldest give way, $dropped" test "$dropped" -ge 4464 -a "$dropped" -le 20000
check "the newest have their ends" test "$(awk '$1 == "begin" { print $4 }' file)" = 10000
check "lost events are reported" grep -q '^lost 17 events on CPU #0$' file
check "pairs that were open when events were lost are dropped" grep -qE 'because events were lost [1-9]' file
"$STROBE" monitor kvm-exit --input reasons.data >file
check "reasons beyond 4096 share a row" test "$(awk '$1 == "(other)" { print $2 }' file)" = 4904
leaks="kmemleak -g --alloc kmem:kmalloc --free kmem:kfree"
# shellcheck disable=SC2086
"$STROBE" monitor $leaks --input chains.data >file
check "more than 32 MB of call chains: $(tail -1 file)" \
	grep -qE '^# call chains not kept, because there were too many different ones: [1-9][0-9]*$' file
check "calls without a kept chain are counted" grep -q '^KMEMLEAK REPORT: 40000$' file
# shellcheck disable=SC2086
"$STROBE" monitor $leaks --input freed.data >file
check "unused ones make room for new ones" grep -q '^ *123456 \[unknown\]$' file
check "no message says that chains were not kept" sh -c '! grep -q "not kept" file'
finish
