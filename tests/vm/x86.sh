#!/bin/bash
# Kprobes, tracepoints and kernel symbols, and Debian's level 3 of perf_event_paranoid.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
static_strobe x86_64

cat >share/guest.sh <<'G'
record() { name=$1; shift; ./strobe record -o $name.data "$@" >$name.log 2>&1; echo "$name $?" >>status; }
echo 'p:test/opened do_sys_openat2 flags=+0(%dx):x64' >>/sys/kernel/tracing/kprobe_events || echo "no kprobes" >>status
record kprobe -e test:opened -c 1 cat /etc/passwd
record points -a -e sched:sched_switch,sched:sched_process_exec,syscalls:sys_enter_openat \
	sh -c 'cat /etc/passwd; sleep 0.1'
record kernel -a -g -e cpu-clock -F 2000 dd if=/dev/zero of=/dev/null bs=64k count=20000
record kcore --kcore -a -e cpu-clock -F 2000 dd if=/dev/zero of=/dev/null bs=64k count=10000
ls -l kcore.data kcore.data/kcore_dir >kcore.files
readelf -lW kcore.data/kcore_dir/kcore >kcore.elf
cp /proc/kallsyms kallsyms.then
record module -a -e cpu-clock \
	-F 2000 sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		cat strobe >/dev/null; echo 3 >/proc/sys/vm/drop_caches
	done'
record default ./spin 0.2
# The hottest function of the kernel and of a module, instruction by instruction.
hottest() {
	./strobe report --stdio -q -g none --no-children -s dso,symbol -i $1 2>/dev/null |
		awk -v k="$2" '($2 == "[kernel.kallsyms]") == k && $2 ~ /^\[/ && $3 == "[k]" { print $2, $4; exit }'
}
annotated() {
	./strobe annotate --stdio -v --no-source -i "$@" >${1%.*}.code 2>${1%.*}.from
	perf annotate --stdio -i $1 $2 >${1%.*}.code.theirs 2>&1
}
set -- $(hottest kernel.data 1); echo "$2" >kernel.hot; annotated kernel.data "$2"
set -- $(hottest module.data 0); echo "$1" "$2" >module.hot; annotated module.data "$2" -d "$1"
for f in *.data; do
	./strobe report --stdio -g none -i $f >${f%.data}.report 2>>report.err
	./strobe script -i $f >${f%.data}.script 2>>report.err
	perf script -i $f >${f%.data}.theirs 2>${f%.data}.perf || echo "perf failed" >>${f%.data}.perf
done
./strobe doctor >doctor.txt
cp strobe /tmp/strobe; mkdir -m 777 /tmp/open
echo nobody:x:65534:65534:nobody:/:/bin/sh >>/etc/passwd
echo 3 >/proc/sys/kernel/perf_event_paranoid
user() { cd /tmp/open && su -s /bin/sh nobody -c "$*"; }
(user /tmp/strobe record -e cpu-clock:u true) >level3.log 2>&1; echo "level3 $?" >>status
(user /tmp/strobe doctor) >level3.doctor 2>&1; echo "doctor3 $?" >>status
echo 2 >/proc/sys/kernel/perf_event_paranoid
(user /tmp/strobe record -e cpu-clock true) >level2.log 2>&1; echo "level2 $?" >>status
G
guest
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }

for name in kprobe points kernel kcore module default; do
	check "$name: is recorded" test "$(status $name)" = 0
	check "$name: perf reads it without a message" test ! -s $name.perf
done
check "kprobe: its samples name the function" grep -q 'test:opened: ([0-9a-f]*) flags=0x' kprobe.script
# Columns, and names of threads that have ended, are those of perf 7.2; the one in the guest is older.
same() { sed 's/^ *[^ ]* *//' "$1.script" >ours; sed 's/^ *[^ ]* *//' "$1.theirs" >theirs; diff -b ours theirs; }
check "kprobe: as perf shows them" same kprobe
check "tracepoints: a switch with its fields" grep -q 'sched:sched_switch: .*==> ' points.script
check "tracepoints: an exec" grep -q 'sched:sched_process_exec: filename=.*sh ' points.script
check "tracepoints: a system call" grep -q 'syscalls:sys_enter_openat: dfd:' points.script
check "tracepoints: as perf shows them" same points
check "kernel: functions have names" \
	grep -q '\[k\] [a-z_]*zero\|\[k\] [a-z_]*clear\|\[k\] [a-z_]*copy\|\[k\] [a-z_]*read' \
	kernel.report
check "kernel: all of them" sh -c "! grep '\[k\] 0x' kernel.report"
check "kernel: chains lead to the system call" grep -q 'do_syscall_64' kernel.script
check "kcore: the code of the kernel and of its modules, no more" \
	sh -c '[ $(grep -c " LOAD " kcore.elf) -ge 2 ] && [ $(du -m kcore.data/kcore_dir/kcore | cut -f1) -lt 100 ]'
check "kcore: names as they were then" cmp kallsyms.then kcore.data/kcore_dir/kallsyms
check "kcore: functions have names" sh -c "grep -q '\[k\] [a-z]' kcore.report && ! grep '\[k\] 0x' kcore.report"
# perf takes all of the copy for the kernel itself, we tell its modules apart.
same_names() {
	for f in script theirs; do sed -E 's/^ *[^ ]* *//; s/ \(\[[^]]*\]\)$//' "$1.$f" >$f; done; diff -b script theirs
}
check "kcore: as perf shows them" same_names kcore
# By place in the function: where perf has samples we have as many.
shares() {
	sed -nE 's/^ *([0-9.]+) : *([0-9a-f]+):.*/\2 \1/p' "$1" | while read -r address share; do
		[ -n "$first" ] || first=$((0x$address))
		echo $((0x$address - first)) "$share"
	done | grep -v ' 0\.00$' | sort
}
first=
for name in kernel module; do
	shares $name.code >$name.shares
	shares $name.code.theirs >$name.shares.theirs
	check "annotate, $name: code from its memory: $(cat $name.hot)" grep -q 'code from /proc/kcore' $name.from
	check "annotate, $name: shares add up to 100" \
		sh -c "sed -nE 's/^ *([0-9.]+) : *[0-9a-f]+:.*/\1/p' $name.code |
		awk '{ s += \$1 } END { exit !(s > 99.5 && s < 100.5) }'"
	check "annotate, $name: each instruction's is perf's" \
		sh -c "diff $name.shares $name.shares.theirs && test -s $name.shares"
done
check "level 3: nothing is left to users" grep -q 'why: perf_event_paranoid is 3, which leaves users nothing' level3.log
check "level 3: refused" test "$(status level3)" = 255
check "level 3: level 2 is enough" grep -q 'sysctl kernel.perf_event_paranoid=2' level3.log
check "level 3: doctor knows it" sh -c "test $(status doctor3) = 1 && grep -q '^no   user' level3.doctor"
check "level 2: is" test "$(status level2)" = 0
check "doctor: kprobes and symbols" sh -c "grep -q '^yes  kprobes' doctor.txt && grep -q '^yes  symbols' doctor.txt"
check "reports say nothing odd" sh -c '! grep -v "^# Quality:" report.err'
finish
