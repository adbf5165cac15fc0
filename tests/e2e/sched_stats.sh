#!/bin/bash
# sched stats: snapshots of /proc/schedstat in recordings of each version, beside perf's text.
. "$(dirname "$0")/lib.sh"
need python3
cat >made.py <<'EOF2'
import os, struct, sys
sys.path.insert(0, os.environ["STROBE_SOURCE"] + "/tests/lib")
from make_trace import record
def text(s):
    body = s.encode() + b"\0"
    body += b"\0" * (-len(body) % 64)
    return struct.pack("<I", len(body)) + body
def feature(number, body):
    return record(80, struct.pack("<Q", number) + body + b"\0" * (-len(body) % 8))
# Each counter of the second snapshot, less that of the first, is one of these, times the CPU's number + 1.
GROUP = {15: [90, 40, 10, 7, 80, 3, 5, 2], 16: [90, 40, 10, 7, 80, 3, 5, 2], 17: [90, 40, 10, 7, 8, 9, 1, 80, 3, 5, 2]}
CPU = [3, 0, 400, 100, 200, 50, 123456789, 23456789, 395]
def start():
    attr = struct.pack("<IIQQQQQ", 1, 128, 9, 1, 1 << 16 | 1 << 2, 0, 1 << 18)
    return b"PERFILE2" + struct.pack("<Q", 16) + record(64, attr.ljust(128, b"\0") + struct.pack("<Q", 1))
def many(path, cpus):  # without domains
    with open(path, "wb") as f:
        f.write(start())
        for time in (1000, 1500):
            for cpu in range(cpus):
                f.write(record(85, struct.pack("<QIHH6I3Q", time, cpu, 17, 0, *[time] * 9)))
def make(path, version, times, cpus=2):
    domains = b"".join(struct.pack("<III", cpu, 1, 0) + (text("MC") if version > 16 else b"") + text("3") + text("0-1")
        for cpu in range(cpus))
    out = start()
    out += feature(7, struct.pack("<II", cpus, cpus)) + feature(32, struct.pack("<II", version, 1) + domains)
    counts = GROUP[version] + [2 * n for n in GROUP[version]] + [0] * len(GROUP[version]) + list(range(1, 13))
    for after in (0, 1):
        for cpu in range(cpus):
            head = struct.pack("<QIHH", 1000 + after * 500, cpu, version, 0)
            at = lambda values: [1000 + after * times * (cpu + 1) * n for n in values]
            out += record(85, head + struct.pack("<6I3Q", *at(CPU)))
            body = head + struct.pack("<%dI" % len(counts), *at(counts))
            out += record(86, body + b"\0" * (-len(body) % 8))
    open(path, "wb").write(out)
for version in (15, 16, 17):
    make("s%d.data" % version, version, 1)
make("t17.data", 17, 3)
many("many.data", 3000)
whole = open("s17.data", "rb").read()
open("cut.data", "wb").write(whole[:-280])  # CPU 1 lacks its second snapshot
EOF2
must python3 made.py
has() { check "$1: the line is there" grep -Fqx "$2" out; }
run "$STROBE" sched stats report -i s17.data
has "elapsed time" 'Time elapsed (in jiffies)                                        :         500'
# CPU 0 grew by 100 of 400, CPU 1 by twice that: the mean is 150, a quarter of schedule().
has "the mean, and its part" \
	'sched_goidle                                                     :         150  (    25.00% )'
has "a CPU alone" 'sched_goidle                                                     :         200  (    25.00% )'
has "a domain has its name and CPUs" 'CPU: 1 | DOMAIN: MC | DOMAIN_CPUS: 0-1'
# 90 - 40 - 10 successes of the first CPU, in 500 jiffies 90 calls.
has "what follows from counters" '*busy_lb_success_count                                           :          40'
has "time from one to the next" \
	'busy_lb_count                                                    :          90  $        5.56 $'
has "tasks moved by each" '*busy_lb_avg_pulled                                              :        2.00'
run "$STROBE" sched stats report -C 1 -i s17.data
check "-C prints only one CPU" sh -c 'grep -q "^CPU: 1$" out && ! grep -q "^CPU: 0$" out'
run "$STROBE" sched stats report -v -i s17.data
check "-v explains the columns" grep -q '^schedule() left the processor idle  *: ' out
run "$STROBE" sched stats diff s17.data t17.data
has "diff: both, and how much more" \
	'ttwu_count                                                       :         300,        900  |   200.00% |'
run "$STROBE" sched stats diff s15.data s17.data
check "diff of versions that count differently is refused" grep -q 'versions 15 and 17' err
run "$STROBE" sched stats report -i cut.data
check "one snapshot is not enough" grep -q 'one snapshot of CPU 1' err
run "$STROBE" sched stats report -C 7 -i s17.data
check "-C of a missing CPU fails" test $rc = 255
must "$STROBE" sched stats report -i many.data
check "each of many CPUs has its part" test "$(grep -c '^CPU: [0-9]*$' out)" = 3000
for words in "report more" "diff s17.data"; do
	# shellcheck disable=SC2086
	run "$STROBE" sched stats $words
	check "sched stats $words is bad usage" test $rc = 129
done

# The recorder, on a machine whose counters are ours. Below /proc, a command replaces them by later ones.
if [ ! -e /proc/schedstat ]; then
	for words in true "record true"; do
		# shellcheck disable=SC2086
		run "$STROBE" sched stats $words
		check "stats $words: says what the kernel lacks" sh -c "[ $rc = 255 ] && grep -q CONFIG_SCHEDSTATS err"
	done
fi
cat >counters.py <<'EOF2'
import sys
version, after = int(sys.argv[1]), int(sys.argv[2])
counters = {15: 24, 16: 24, 17: 33}.get(version, 40) + 12
print("version %d\ntimestamp %d" % (version, 4295000000 + after * 500))
for cpu in range(2):
    at = lambda values: " ".join(str(1000 + after * (cpu + 1) * n) for n in values)
    print("cpu%d %s" % (cpu, at([3, 0, 400, 100, 200, 50, 123456789, 23456789, 395])))
    print("domain0 %s00000000,00000003 %s" % ("MC " * (version > 16), at(range(1, counters + 1))))
EOF2
for v in 15 16 17 18; do for after in 0 1; do python3 counters.py $v $after >c$v.$after; done; done
cat >own_proc.sh <<'EOF2'
# own_proc.sh VERSION ARGUMENT...: strobe sched stats with these, where /proc has those counters
mount --make-rprivate / && mkdir -p real && mount --rbind /proc real && mount -t tmpfs none /proc || exit 77
for f in real/*; do ln -s "$PWD/$f" /proc/ || exit 77; done
rm -f /proc/sys /proc/schedstat && mkdir -p /proc/sys/kernel && echo 0 >/proc/sys/kernel/sched_schedstats || exit 77
for f in real/sys/kernel/*; do [ -e "/proc/sys/kernel/${f##*/}" ] || ln -s "$PWD/$f" /proc/sys/kernel/; done
v=$1; shift
cp "c$v.0" /proc/schedstat
"$STROBE" sched stats "$@" sh -c "cat /proc/sys/kernel/sched_schedstats >switch; cp c$v.1 /proc/schedstat"
rc=$?
cat /proc/sys/kernel/sched_schedstats >>switch
exit $rc
EOF2
with_counters() { run unshare -m sh own_proc.sh "$@"; }
if unshare -m sh -c 'mount --make-rprivate / && mount -t tmpfs none /proc' 2>/dev/null; then
	with_counters 17 record -o r17.data
	check "sched stats record succeeds" test $rc = 0
	check "sched stats record names its file" grep -q 'sched stats: Wrote samples to r17.data' err
	check "the kernel counts meanwhile, and no longer" test "$(tr -d '\n' <switch)" = 10
	must "$STROBE" sched stats report -i r17.data
	has "a recording of ours: the mean" \
		'sched_goidle                                                     :         150  (    25.00% )'
	has "its domains" 'CPU: 1 | DOMAIN: MC | DOMAIN_CPUS: 0-1'
	cp out recorded
	with_counters 17
	check "without a recording sched stats prints the same text" cmp recorded out
	line='newidle_lb_nobusyg                                               :          36  $       13.89 $'
	for v in 15 16; do
		with_counters $v record -o r$v.data
		must "$STROBE" sched stats report -i r$v.data
		has "version $v" "$line"
	done
	with_counters 17 record -C 1 -o one.data
	must "$STROBE" sched stats report -i one.data
	check "record -C: one CPU" sh -c 'grep -q "^CPU: 1$" out && ! grep -q "^CPU: 0$" out'
	with_counters 18 record -o r18.data
	check "counters of a new version are refused" \
		sh -c "[ $rc = 255 ] && grep -q 'version 18' err && [ ! -e r18.data ]"
else
	skip_part "the recorder: no mount namespace of our own"
fi

if [ -n "${STROBE_PERF72:-}" ]; then
	beside() {
		# Version 15 has one name of its own for the last counter of newidle.
		"$STROBE_PERF72" sched stats "$@" 2>&1 |
			sed 's/^\*newidle_lb_avg_count /*newidle_lb_avg_pulled/' >theirs
		"$STROBE" sched stats "$@" >ours
		check "$* as perf 7.2" diff -u theirs ours
	}
	for v in 15 16 17; do
		beside report -i s$v.data
		beside report -v -i s$v.data
	done
	beside report -C 1 -i s17.data
	beside diff s17.data t17.data
	[ ! -e r17.data ] || beside report -i r17.data
else
	skip_part "text beside perf 7.2: STROBE_PERF72 is not set"
fi
finish
