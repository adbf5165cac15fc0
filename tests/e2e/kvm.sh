#!/bin/bash
# kvm stat: known exits of made events, and the text beside perf's for the same file.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
need python3
cat >made.py <<'EOF2'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace

EXIT = [("exit_reason", "I"), ("guest_rip", "Q"), ("isa", "I")]
ENTRY = [("vcpu_id", "I"), ("rip", "Q")]


def x86(path, isa, cpu):
    t = make_trace.Trace()
    t.text_feature(9, cpu)  # CPUID: perf chooses the names by it
    leave = t.event("kvm", "kvm_exit", EXIT)
    enter = t.event("kvm", "kvm_entry", ENTRY)
    mmio = t.event("kvm", "kvm_mmio", [("type", "I"), ("len", "I"), ("gpa", "Q"), ("val", "Q")])
    pio = t.event("kvm", "kvm_pio", [("rw", "I"), ("port", "I"), ("size", "I"), ("count", "I")])
    t.comm(50, 50, "guest")
    now = 1000000
    for vcpu in (0, 1):
        t.sample(enter, now + vcpu, pid=50, tid=50 + vcpu, vcpu_id=vcpu)
    exits = ((0, 10, 2000, 10), (1, 10, 4000, 6), (0, 30, 5000, 4), (1, 12, 1000000, 3), (1, 999, 77, 1))
    for vcpu, reason, ns, n in exits:
        if isa == 2:
            reason = {10: 0x72, 30: 0x7b, 12: 0x78}.get(reason, reason)
        for i in range(n):
            t.sample(leave, now, cpu=i % 2, pid=50, tid=50 + vcpu, exit_reason=reason, isa=isa)
            if reason == 30:
                t.sample(pio, now + 1000, cpu=i % 2, pid=50, tid=50 + vcpu, rw=i % 2, port=0x3f8 + i // 2)
            if reason == 10 and i == 0:
                t.sample(mmio, now + 500, pid=50, tid=50 + vcpu, type=2, gpa=0xfee00000)
            if reason == 10 and i == 1:
                t.sample(mmio, now + 700, pid=50, tid=50 + vcpu, type=1, gpa=0xfee00010)
            t.sample(enter, now + ns + i, cpu=i % 2, pid=50, tid=50 + vcpu, vcpu_id=vcpu)
            now += ns + 1000
    t.write(path)


x86("intel.data", 1, "GenuineIntel,6,106,6")
x86("amd.data", 2, "AuthenticAMD,25,1,1")
t = make_trace.Trace()
leave = t.event("kvm", "kvm_exit", [("ret", "i"), ("esr_ec", "I"), ("vcpu_pc", "Q")])
enter = t.event("kvm", "kvm_entry", [("vcpu_pc", "Q")])
t.sample(enter, 900, tid=7)
for i, (ret, esr_ec) in enumerate(((2, 0x24), (2, 0x24), (2, 0x01), (0, 0))):
    t.sample(leave, 1000 * (i + 1), tid=7, ret=ret, esr_ec=esr_ec)
    t.sample(enter, 1000 * (i + 1) + 500, tid=7)
t.write("arm.data")
EOF2
must python3 made.py "$STROBE_SOURCE/tests/lib"
report() { "$STROBE" kvm -i "${data:-intel.data}" stat report "$@" 2>said; }

report >all
check "16 exits for CPUID are counted" grep -Eq '^ +CPUID +16 ' all
check "the shortest and longest" grep -Eq '^ +CPUID +16 .* 2.00us +4.00us ' all
check "3 of HLT, 1000 us each" grep -Eq '^ +HLT +3 .* 1000.00us +1000.00us +1000.00us \( ' all
check "an exit with an unknown reason is counted" grep -Eq '^ +UNKNOWN +1 ' all
check "the total counts all 24 exits" grep -q '^Total Samples:24, ' all
check "-k time sorts by the mean" test "$(report -k time | awk '/us \(/ { print $1; exit }')" = HLT
check "--vcpu counts exits of one CPU" grep -q '^Total Samples:10, ' <(report --vcpu 1)
check "-p of another process counts nothing" grep -q '^Total Samples:0, ' <(report -p 51)
check "--event ioport names ports" grep -Eq '^ +0x3f9:POUT +1 ' <(report --event ioport)
check "reads of memory-mapped registers" grep -Eq '^ +0xfee00010:R +2 .* 0.70us ' <(report --event mmio)
check "--event mmio tells writes with their times" \
	grep -Eq '^ +0xfee00000:W +2 .* 1.50us +3.50us ' <(report --event mmio)
data=amd.data report >amd
check "exits of AMD have their names" grep -Eq '^ +cpuid +16 ' amd
data=arm.data report >arm
for name in "DABT_LOW +2" "WFx +1" "IRQ +1"; do
	check "names of arm64: $name" grep -Eq "^ +$name " arm
done
"$STROBE" kvm stat report -i - <intel.data >pipe
check "a pipe says the same" cmp all pipe
run "$STROBE" kvm stat report -i intel.data --event foo
check "an unknown event: 129" test $rc = 129
run "$STROBE" kvm report
check "kvm without stat: 129" test $rc = 129
run "$STROBE" kvm -i intel.data stat live
check "live takes no recording" test $rc = 129

# --- beside perf: the same files in the form that has a header
if command -v perf >/dev/null && perf kvm stat report -h 2>&1 | grep -q ioport; then
	# perf knows no shortest time of a single virtual CPU.
		comparable() {
		case $1 in *vcpu*) awk '/us \(/ { $5 = ""; } { $1 = $1; print }' | sort ;; *) sort ;; esac
	}
	for cpu in intel amd; do
		"$STROBE" inject -i $cpu.data -o $cpu.file 2>/dev/null
		for options in "" "-k time" "--event mmio" "--event ioport" "--vcpu 1"; do
			# shellcheck disable=SC2086
			perf kvm -i $cpu.file stat report $options 2>&1 |
				grep -v "^unknown kvm" >theirs
			# shellcheck disable=SC2086
			data=$cpu.file report $options >ours
			check "$cpu $options as perf: $(diff theirs ours | head -3)" \
				diff -q <(comparable "$options" <theirs) \
				<(comparable "$options" <ours)
		done
	done
else
	skip_part "text beside perf: no perf with kvm stat here"
fi

# --- the running system: no guest runs here, but it watches and ends
if can system kvm:kvm_exit kvm:kvm_entry; then
	"$STROBE" kvm stat live -d 1 >live 2>said &
	pid=$!
	later_kill $pid
	counting $pid
	kill -INT $pid
	wait $pid
	rc=$?
	check "live ends with a table: $(cat said)" sh -c '[ "$1" = 0 ] && grep -q "VM-EXIT    Samples" live' sh $rc
	must "$STROBE" kvm stat record -q sleep 0.1
	check "kvm stat record writes perf.data.guest" test -s perf.data.guest
else
	skip_part "the running system: $why_not"
fi
run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" kvm stat report -i plain.data
check "a recording without guests names kvm stat record" grep -q 'try: .*kvm stat record' err
finish
