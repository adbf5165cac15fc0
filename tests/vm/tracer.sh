#!/bin/bash
# Hardware traces. QEMU has no tracer: a module of our own (tracer/) is one, and writes numbers that
# count up, so that whatever is missing or out of order is seen.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
need python3
kernel_module tests/vm/tracer
static_strobe x86_64

cat >share/guest.sh <<'G'
insmod ./tracer.ko || exit 1
export PERF_BUILDID_DIR=/tmp/ids HOME=/tmp
record() { name=$1; shift; ./strobe record -N -o $name.data "$@" >$name.log 2>&1; echo "$name $?" >>status; }
begun() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do test -s $1 && break; sleep 0.5; done; sleep 0.5
}
record task -e intel_pt//u ./spin 0.1
record kernel -e intel_pt// ./spin 0.1
record all -a -e intel_pt// sleep 0.1
record cpu -C 1 -e intel_pt//u sleep 0.3
record thread --per-thread -e intel_pt//u ./spin 0.1
record more -e cpu-clock -g -e intel_pt//u ./spin 0.1
record later -D 200 -e intel_pt//u ./spin 0.5
record packed -z -e intel_pt//u ./spin 0.1
record async --aio=2 -a -e intel_pt// sleep 0.3
record limited -a --max-size 300K -e intel_pt// sleep 5
record files -a --switch-output=1s -e intel_pt// sleep 3
./strobe record -N -o - -a -e intel_pt// sleep 0.3 >stream.data 2>stream.log; echo "stream $?" >>status
./spin 5 &
./strobe record -N -o attached.data -e intel_pt//u -p $! sleep 1 >attached.log 2>&1
echo "attached $?" >>status
record short -a -m ,4 -e intel_pt// sleep 1
record sample --aux-sample -e '{intel_pt//u,cpu-clock:u}' ./spin 0.1
record term -e intel_pt//u -e cpu-clock/aux-sample-size=2048/u ./spin 0.1
record exit -Se0x8000 -m ,16 -e intel_pt//u ./spin 0.1
record none -S -e intel_pt//u ./spin 0.1
# Whole areas by signal, parts of them by command.
record signal -S -m ,256 -a -e intel_pt// sleep 1000 & begun signal.data
signal=$(pidof strobe)
kill -USR2 $signal; sleep 1.5; kill -USR2 $signal; sleep 0.5; kill -USR2 $signal; sleep 0.5; kill -INT $signal; wait
mkfifo /tmp/control /tmp/ack
record control -S0x4000 -m ,16 -a -e intel_pt// --control fifo:/tmp/control,/tmp/ack sleep 1000 &
exec 3>/tmp/control 4</tmp/ack
for word in ping snapshot snapshot stop; do echo $word >&3; read -r answer <&4; echo "$word $answer" >>acks; done
wait
perf record -N -a -e intel_pt// -o theirs_all.data sleep 0.1 >theirs_all.log 2>&1
perf record -N --per-thread -e intel_pt//u -o theirs_thread.data ./spin 0.1 >theirs_thread.log 2>&1
for f in task packed exit; do
	perf script -D -i $f.data >/tmp/dump 2>$f.perf || echo "perf failed" >>$f.perf
	grep -c 'PERF_RECORD_AUXTRACE size' /tmp/dump >$f.count
	perf report --header-only -i $f.data 2>/dev/null | grep 'AUX area' >$f.header
done
echo nobody:x:65534:65534:nobody:/:/bin/sh >>/etc/passwd
cp strobe spin /tmp; mkdir -m 777 /tmp/open
echo 2 >/proc/sys/kernel/perf_event_paranoid
su -s /bin/sh nobody \
	-c "cd /tmp/open && /tmp/strobe record -v -N -e intel_pt//u -o user.data /tmp/spin 0.1" \
	>user.log 2>&1
echo "user $?" >>status
cp /tmp/open/user.data .
dmesg | grep -A3 'WARNING\|BUG' >warnings
G
guest --cpus 2 --cpu max,vendor=GenuineIntel
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
words() { python3 "$STROBE_SOURCE/tests/vm/tracer/words.py" "$@"; }
# Settings of the events without what differs between kernels and machines.
attrs() {
	"$STROBE" evlist -v -i "$1.data" 2>/dev/null | grep '^[a-z]' |
		sed -E 's/type: [0-9]+( \([A-Z_a-z]*\))?, size: [0-9]+, //; s/ \(PERF_COUNT_[A-Z_]*\)//
			s/, build_id: 1//'
}
as_perf() { attrs "$1" >got; printf '%s\n' "$2" | tr '+' '\n' >want; diff got want; }

check "the kernel has nothing to complain of" test ! -s warnings
for name in task kernel all cpu thread more later packed async limited files stream attached short \
	sample term exit none control user; do
	check "$name: is recorded" test "$(status $name)" = 0
done

# --- events beside it: as perf 7.2 sets them (with kernel 6.1)
tracer='{ sample_period, sample_freq }: 1, sample_type: IP|TID|TIME|CPU|IDENTIFIER, read_format: ID|LOST, disabled: 1'
follow='mmap: 1, comm: 1, task: 1, sample_id_all: 1, exclude_guest: 1, mmap2: 1, comm_exec: 1, context_switch: 1'
dummy='dummy:u: config: 0x9, { sample_period, sample_freq }: 1, sample_type: IP|TID|TIME|CPU|IDENTIFIER, '\
'read_format: ID|LOST'
user='exclude_kernel: 1, exclude_hv: 1'
task="$dummy, inherit: 1, $user, $follow, ksymbol: 1, bpf_event: 1"
own="intel_pt//u: config: 0x300e601, $tracer, inherit: 1, $user, enable_on_exec: 1, sample_id_all: 1"
placed="$user, sample_id_all: 1, exclude_guest: 1, ksymbol: 1, text_poke: 1"
check "task: settings" \
	as_perf task \
	"$own, aux_watermark: 1048576+$task"
check "kernel: settings" \
	as_perf kernel \
	"intel_pt//: config: 0x300e601, $tracer, inherit: 1, enable_on_exec: 1, sample_id_all: 1, \
aux_watermark: 1048576+$dummy, inherit: 1, $user, $follow, bpf_event: 1+${dummy%%|CPU*}${dummy#*|CPU}, \
inherit: 1, $placed"
check "all: settings" \
	as_perf all \
	"intel_pt//: config: 0x300e601, $tracer, sample_id_all: 1, aux_watermark: 1048576+$dummy, $user, \
$follow, bpf_event: 1+$dummy, $placed"
check "thread: settings" \
	as_perf thread \
	"intel_pt//u: config: 0x300e601, $(echo "$tracer" |
	sed 's/|TIME|CPU//'), $user, enable_on_exec: 1, sample_id_all: 1, aux_watermark: 1048576+$(
	echo "$dummy" |
		sed 's/|TIME|CPU//'), disabled: 1, $user, mmap: 1, comm: 1, enable_on_exec: 1, task: 1, \
sample_id_all: 1, exclude_guest: 1, mmap2: 1, comm_exec: 1, ksymbol: 1, bpf_event: 1"
check "exit: settings, without a watermark" \
	as_perf exit \
	"$own+$task"
clock='{ sample_period, sample_freq }: 4000, sample_type: IP|TID|TIME|PERIOD|IDENTIFIER|AUX, read_format: ID|LOST'
sample() {
	echo "intel_pt//u: config: 0xe601, $tracer, inherit: 1, $user, enable_on_exec: 1, sample_id_all: 1\
+$1: config: 0, $clock, inherit: 1, $user, freq: 1, sample_id_all: 1, aux_sample_size: $2+$task"
}
check "sample: settings" as_perf sample "$(sample cpu-clock:u 4096)"
check "term: settings, and the event joins the tracer's group" \
	as_perf term "$(sample cpu-clock/aux-sample-size=2048/u 2048)"
check "more: the tracer comes first, and has no call chains" \
	sh -c "'$STROBE' evlist -v -i more.data | head -1 | grep '^intel_pt//u: ' | grep -qv CALLCHAIN"
check "more: the other event has" sh -c "'$STROBE' evlist -v -i more.data | grep '^cpu-clock: .*CALLCHAIN'"

# --- the trace itself: all of it, once, in order
lossless() {
	words --on "$@" >out && cat out &&
		awk '$1 == "area" { n++; bad += $8 != 0 || $4 < 4096 } END { exit bad || !n }' out
}
from_start() { lossless "$@" && awk '$1 == "area" && $6 != 0 { bad = 1 } END { exit bad }' out; }
for name in task kernel all cpu thread more packed async stream attached later; do
	check "$name: the whole trace" from_start $name.data
done
check "all: of each CPU" \
	sh -c "test \$(python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' all.data | grep -c '^area') = 2"
check "cpu: of the one alone" \
	sh -c "python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' cpu.data | grep -c '^area' | grep -qx 1"
check "files: there are several" test "$(ls files.data.* | wc -l)" -ge 3
check "files: the trace goes on from one to the next" from_start files.data.*
tells_trace() {
	for f in files.data.*; do
		"$STROBE" script -D -i "$f" 2>/dev/null | grep -q 'PERF_RECORD_AUXTRACE_INFO type: 1' || return 1
	done
}
check "files: each says what decoders need" tells_trace
check "limited: no more than that" \
	sh -c 'test $(stat -c %s limited.data) -lt 400000 && grep -q "size limit reached" limited.log'
check "limited: what there is, is whole" from_start limited.data
check "short: what did not fit is reported" grep -Eq 'AUX data lost [0-9]+ times out of [0-9]+!' short.log
check "short: the tracer goes on, and what was written is in order" \
	sh -c "python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' --on short.data |
	awk '\$1 == \"area\" && \$4 > 65536 { n++ } END { exit n != 2 }'"
check "all: no loss is reported" sh -c '! grep -q lost all.log'

# --- snapshots
areas() {
	words "$1" >out && cat out &&
		awk -v n="$2" -v b="$3" '$1 == "area" { n--; bad += $4 != b } END { exit bad || n }' out
}
check "none: without a request there is none" \
	sh -c "python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' none.data | grep -qx 'records 0'"
check "exit: so many bytes of each area" \
	sh -c "python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' exit.data |
	awk '\$1 == \"area\" { n++; bad += \$4 > 32768 } END { exit bad || !n }'"
check "control: each command is answered" test "$(tr '\n' ' ' <acks)" = "ping ack snapshot ack snapshot ack stop ack "
check "control: twice so many bytes" areas control.data 2 32768
newest() {
	words signal.data >out
	cat out
	awk '$1 == "records" && $2 != 6 { bad = 1 }
		$1 == "area" { n++; bad += $4 <= 2 * 1048576 || $4 > 3 * 1048576 }
		END { exit bad || n != 2 }' \
		out
}
check "signal: whole areas, but perhaps for the first time" newest
check "-v mentions them" sh -c "grep -q 'AUX area mmap length 131072' user.log"

# --- samples that hold a part
held() { "$STROBE" script -D -i sample.data 2>/dev/null | grep -c 'PERF_RECORD_SAMPLE'; }
check "sample: there are samples" test "$(held)" -gt 20
check "sample: most hold 4096 bytes" \
	sh -c "test \$('$STROBE' script -D -i sample.data 2>/dev/null |
		grep -cE '\[0x10[0-9a-f]{2}\]: PERF_RECORD_SAMPLE') -gt 10"
check "sample: nothing else of the trace is written" test "$(words sample.data)" = "records 0"

# --- perf 6.1 beside it
for name in task packed exit; do
	check "$name: perf reads it without a message" test ! -s $name.perf
	check "$name: perf knows that there is a trace" grep -q 'contains AUX area data' $name.header
	check "$name: perf finds as many records" \
		test "$(cat $name.count)" = "$(words $name.data | sed -n 's/^records //p')"
done
for name in all thread; do
	words --info $name.data >ours.info
	words --info theirs_$name.data >theirs.info
	check "$name: decoders get what perf gives them: $(cat ours.info)" diff ours.info theirs.info
done
check "user: 128 KB, and a whole trace" \
	sh -c "python3 '$STROBE_SOURCE/tests/vm/tracer/words.py' --on user.data | grep -q 'missing 0'"

# --- our own commands
for name in all packed stream; do
	check "$name: report has no samples to show, and says so" \
		sh -c "'$STROBE' report --stdio -i $name.data 2>&1 | grep -q 'has no samples'"
done
for name in task packed stream; do
	"$STROBE" inject -b -i $name.data -o $name.injected 2>inject.err
	check "$name: inject keeps the trace and says where it lies" from_start $name.injected
done
finish
