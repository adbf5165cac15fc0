#!/bin/bash
# Exits of a virtual machine inside of the virtual machine: QEMU emulates a CPU with SVM, and kvm/exits.c leaves its
# guest a known number of times. monitor kvm-exit live, of its record and through a pipe; kvm stat beside perf.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
static_strobe x86_64
cc -g -O1 -Wall -Werror -static -o share/exits "$STROBE_SOURCE/tests/vm/kvm/exits.c" || exit 1

cat >share/guest.sh <<'G'
export HOME=/tmp
ls -l /dev/kvm >dev 2>&1
mkfifo /tmp/go
watch() {	# name command...: it watches while the guest of exits.c runs
	name=$1; shift
	"$@" >$name.out 2>$name.err &
	watcher=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q '^watching$' $name.err && break
		sleep 0.5
	done
	echo | ./exits >>ran 2>&1
	sleep 3
	kill -INT $watcher; wait $watcher; echo "$name $?" >>status
}
ln -s /mnt/strobe /tmp/perf-monitor
watch exit /tmp/perf-monitor kvm-exit -i 60000 --than 0 --percpu -v --record kept.data
watch object /tmp/perf-monitor kvm-exit -j -v
/tmp/perf-monitor kvm-exit -i 60000 --than 0 --percpu --input kept.data >file.out 2>file.err; echo "file $?" >>status
/tmp/perf-monitor kvm-exit -i 60000 --than 0 --percpu --input - <kept.data >pipe.out 2>pipe.err
echo "pipe $?" >>status
echo | ./strobe stat -x, -e kvm:kvm_exit,kvm:kvm_entry -o counts ./exits >>ran
watch live ./strobe kvm stat live -d 60 -v
echo | ./strobe kvm stat record -q -o ours.data -a ./exits >>ran 2>record.err; echo "record $?" >>status
for key in sample time; do
	./strobe kvm stat report -k $key -i ours.data >ours.$key 2>>report.err
	perf kvm -i ours.data stat report -k $key >theirs.$key 2>&1
done
./strobe kvm stat report --event ioport -i ours.data >ours.ports
perf kvm -i ours.data stat report --event ioport >theirs.ports 2>&1
G
guest --cpus 2 --module kvm_amd
cd share || exit 1
grep -q '^c' dev || { cat dev err; skip "this QEMU offers no SVM"; }
check "the guest ran each time to its end: $(sort ran | uniq -c | tr '\n' ' ')" \
	test "$(sort -u ran)" = "100 OUT, 2 HLT"
for name in exit object file pipe record; do check "$name: ends with 0" grep -qx "$name 0" status; done
# of all CPUs: the guest may move to another one
row() { awk -v n="$1" '/^\[/ && $2 == n { s += $3 } END { print s }' "$2"; }
known() { echo "$(row cpuid "$1") $(row io "$1") $(row hlt "$1")"; }
check "kvm-exit: 1000 CPUID, 100 OUT, one HLT: $(known exit.out)" test "$(known exit.out)" = "1000 100 1"
check "of its record: the same text" cmp exit.out file.out
check "and through a pipe" cmp file.out pipe.out
check "--than 0: a line for each exit without HLT: $(grep -c 'kvm:kvm_exit: reason cpuid ' exit.out)" \
	test "$(grep -c 'reason cpuid ' exit.out) $(grep -c 'reason io ' exit.out)" = "1000 100"
calls() { sed -n "s/.*\"kind\":\"exits\".*\"reason\":\"$1\".*\"calls\":\([0-9]*\).*/\1/p" object.out; }
check "-j: $(calls cpuid) $(calls io) $(calls hlt)" test "$(calls cpuid) $(calls io) $(calls hlt)" = "1000 100 1"
all=$(awk -F, '$3 == "kvm:kvm_exit" { print $1 }' counts)
check "stat counts at least these: $all" test "$all" -ge 1102
same() { awk '$1 == "cpuid" || $1 == "io" || $1 == "hlt" { print $1, $2 }' "$1" | sort | tr '\n' ' '; }
check "kvm stat live: $(same live.out)" test "$(same live.out)" = "cpuid 1000 hlt 1 io 100 "
plain() { sed 's/ *$//' "$1" | grep -vE '^$|^unknown kvm'; }
for key in sample time ports; do
	check "kvm stat report, $key: as perf: $(diff <(plain theirs.$key) <(plain ours.$key) | head -3)" \
		cmp -s <(plain theirs.$key) <(plain ours.$key)
done
finish
