#!/bin/bash
# Probes by line and with local variables, on an x86-64 kernel with debug information that
# "fetch-kernel --dbg" left: a test must not download a gigabyte.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
[ -r "$kernel/vmlinux" ] || skip "no kernel image with debug information here: fetch-kernel --dbg"
static_strobe x86_64
facts=$STROBE_VM/facts/probe-in-guest
cat >share/guest.sh <<'G'
try() { name=$1; shift; "$@" >$name.out 2>$name.err; echo "$name $?" >>status; }
S="./strobe probe -k /run/vm/kernel/vmlinux"
cp strobe perf	# perf's messages are known
try add ./perf probe -k /run/vm/kernel/vmlinux 'tcp_sendmsg size'
try addret ./perf probe -k /run/vm/kernel/vmlinux 'ret=tcp_sendmsg%return $retval'
try add2 ./perf probe -k /run/vm/kernel/vmlinux 'opn=do_sys_openat2 filename:ustring dfd how->flags'
./perf probe -l >list.txt 2>&1
try facts ./perf record -o f.data -e 'probe:opn' -a -- cat /etc/passwd
./perf script -i f.data >f.script 2>&1
./perf probe -q -d 'probe:*'
try seed1 $S 'tcp_sendmsg size sk->__sk_common.skc_state'
try seed2 $S 'do_sys_open filename:string'
try line $S 'opening=do_sys_openat2:10 fd op.open_flag filename:string how->flags'
try got $S 'got=do_sys_openat2:15 fd'
try early $S 'early=do_sys_openat2:3 fd'
try sent $S 'sent=tcp_sendmsg:6 sk size ret'
try return $S 'opened=do_sys_openat2%return $retval'
try list ./strobe probe -l
try record ./strobe record -q -o k.data -e probe:opening -e probe:got -e probe:opened__return -a -- cat /etc/passwd
./strobe script -i k.data >k.script 2>&1
ip link set lo up 2>/dev/null || ifconfig lo up
(sleep 1; echo hello | nc -w 1 127.0.0.1 7777 >/dev/null 2>&1) & nc -l -p 7777 -w 5 >/dev/null 2>&1 &
try traffic ./strobe record -q -o t.data -e probe:tcp_sendmsg -e probe:sent -a -- sh -c 'sleep 3'
./strobe script -i t.data >t.script 2>&1
try delete ./strobe probe -d 'probe:*'
cat /sys/kernel/tracing/kprobe_events >left
G
guest --mem 3000
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
for f in add addret add2; do check "$f: as perf printed it" diff $f.err "$facts/$f.txt"; done
check "-l: as perf printed it" diff list.txt "$facts/list.txt"
check "script: as perf printed it" \
	grep -Eq '^ +cat +[0-9]+ \[000\] +[0-9.]+: +probe:opn: \([0-9a-f]+\) filename_ustring="/etc/passwd" '\
'dfd=-100 flags=0x8000$' \
	f.script
for name in facts seed1 seed2 line got sent return list record traffic delete; do
	check "$name: works" test "$(status $name)" = 0
done
check "a local that is not there yet is reported with its place" \
	sh -c "test $(status early) != 0 && grep -q 'try: do_sys_openat2:[0-9]*, where it has one' early.err"
check "-l names the line's arguments" grep -q 'probe:opening .* with fd open_flag filename_string flags' list.out
check "locals of a line have their values" \
	grep -Eq 'probe:opening: \([0-9a-f]+\) fd=[0-9]+ open_flag=-?[0-9]+ filename_string="/etc/passwd" flags=0x' \
	k.script
# The descriptor at this line is what the function returns: of the file that cat opens.
of_cat() {
	sed -n "/^ *cat .*probe:opening: .*passwd\"/,\$s/^ *cat .*probe:$1: .*\($2\)\(0*x*[0-9a-f]*\).*/\2/p" k.script |
		head -1
}
check "a local is what the function returns" \
	test -n "$(of_cat got fd=)" -a "$(($(of_cat got fd=)))" = "$(($(of_cat opened__return arg1=)))"
check "what is sent has its size at the entry and at the line" \
	sh -c "grep -q 'probe:tcp_sendmsg: .* size=0x6 skc_state=0x[18]' t.script &&
	grep -q 'probe:sent: .* size=0x6 ret=6' t.script"
check "nothing is left" test ! -s left
finish
