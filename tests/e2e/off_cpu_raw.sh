#!/bin/bash
# Sleeps as perf from version 6.15 on records them (--off-cpu): a BPF program's raw data.
. "$(dirname "$0")/lib.sh"
need python3
PYTHONPATH="$STROBE_SOURCE/tests/lib" python3 - <<'EOF2' || exit 1
import make_trace
t = make_trace.Trace()
clock, sleeps = t.software(0), t.off_cpu()
USER, KERNEL, SUMS = 2**64 - 512, 1, 0xffffffff00000000
clock.attr = (1, 0, sleeps.attr[2] & ~(1 << 10))
def tick(time):
    body = make_trace.struct.pack("<QQIIQI4xQ", clock.id, 0x401000, 40, 40, time, 0, 1000000)
    t.records.append((time, make_trace.record(9, body, 2)))
t.comm(40, 40, "sleeper")
t.comm(40, 41, "other")
tick(5000000000)
# A long sleep has its own time, and the mode in which the program ran: the kernel's.
t.sleep(sleeps, 6000000000, 40, 40, 700000000, (USER, 0x401008, 0x402008), misc=KERNEL)
tick(7000000000)
# Short ones are summed up, and have no time.
t.sleep(sleeps, SUMS + 1, 40, 41, 30000000, (USER, 0x401008, 0x403008))
t.sleep(sleeps, SUMS + 2, 40, 40, 20000000, (USER, 0x401008, 0x402008), cgroup=77)
t.records.append((0, make_trace.record(19, make_trace.struct.pack("<Q8sIIQI4xQ", 77, b"/boxes", 40, 40, 0, 0, clock.id),
                                       2)))
t.write("sleeps.pipe")
# What is no such data stays raw data.
t.sleep(sleeps, SUMS + 3, 40, 40, 10000000, ())
t.records[-1] = (SUMS + 3, t.records[-1][1].replace(make_trace.struct.pack("<QQ", 10000000, 0),
                                                   make_trace.struct.pack("<QQ", 10000000, 1 << 40)))
t.write("bad.pipe")
EOF2
must "$STROBE" inject -b -i sleeps.pipe -o sleeps.data
for file in sleeps.pipe sleeps.data; do
	input=$file
	[ $file = sleeps.data ] || input=-
	"$STROBE" script -F comm,tid,time,event,period,ip -i $input <$file >script 2>err
	check "$file: threads and periods of the sleeps are those of the raw data" \
		test "$(awk '/offcpu/ { print $1, $2, $4 }' script | sort)" = \
		"$(printf '%s\n' 'other 41 30000000' 'sleeper 40 20000000' 'sleeper 40 700000000')"
	check "$file: so are their call chains" \
		test "$(awk '/offcpu/ { n = $2 } /^\t/ { print n, $1 }' script | sort | tr '\n' ' ')" = \
		"40 401008 40 401008 40 402008 40 402008 41 401008 41 403008 "
	check "$file: the place of a sleep is the first address of its chain" \
		test "$("$STROBE" script -G -F event,ip -i $input <$file 2>err | grep -c 'offcpu.* 401008$')" = 3
	"$STROBE" report --stdio -g none -s cgroup -F period,cgroup -i $input <$file >report 2>err
	check "$file: a sleep has its control group" \
		test "$(awk '/boxes/ { print $1, $2 }' report)" = "20000000 /boxes"
	"$STROBE" report --stdio -g none -s comm -F period,comm -i $input <$file >report 2>err
	check "$file: report sums the times up" \
		test "$(awk '/^ .*(sleeper|other)/ { print $1, $2 }' report | sort -n | tr '\n' ' ')" = \
		"2000000 sleeper 30000000 other 720000000 sleeper "
done
check "percent of the time count to there" \
	test "$("$STROBE" script --time 90%-100% -F time -i sleeps.data | tr -d ' :\n')" = 7.000000
"$STROBE" collapse -e offcpu-time -i sleeps.data >lines
check "stacks have them" grep -Eq '^other;.* 30000000$' lines
check "a number of addresses beyond the data is not believed" \
	sh -c '"$STROBE" script -F comm,tid,event,period,ip -i - <bad.pipe 2>/dev/null |
		grep -q "swapper *0  *1 offcpu"'
if [ -x "${STROBE_PERF72:-}" ]; then
	for tool in "$STROBE_PERF72" "$STROBE"; do
		"$tool" script -F comm,tid,event,period,ip -i sleeps.data >"${tool##*/}.out" 2>/dev/null
	done
	check "perf 7.2 reads the same" diff "${STROBE_PERF72##*/}.out" strobe.out
fi
finish
