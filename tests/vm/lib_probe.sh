# shellcheck shell=bash
# lib_probe.sh: kernel probes on a stock kernel without its debug package. Source it after lib_vm.sh
# and after calling `vm` and `static_strobe`. It tests lines of the seeds, returns, members by BTF,
# what the kernel forbids, module probes, and recordings with a probe of their own.
cat >share/guest.sh <<'G'
try() { name=$1; shift; "$@" >$name.out 2>$name.err; echo "$name $?" >>status; }
S=./strobe
try tcp $S probe 'tcp_sendmsg size sk->__sk_common.skc_state'
try open $S probe 'do_sys_open filename:string'
try openat $S probe 'opn=do_sys_openat2 filename:ustring dfd how->flags'
try return $S probe 'do_sys_openat2%return $retval'
try glob $S probe 'vfs_fsyn*'
try list $S probe -l
try again $S probe 'do_sys_openat2%return $retval'
try member $S probe 'do_sys_openat2 how->flgs'
try near $S probe do_sys_openatt2
try local $S probe 'do_sys_openat2 nosuch'
try line $S probe 'do_sys_openat2:3'
try black $S probe kprobe_dispatcher
try init $S probe start_kernel
cat /sys/kernel/tracing/kprobe_events >before
try back $S probe -a 'own=vfs_read count' -a 'vfs_write $nosuch'
cat /sys/kernel/tracing/kprobe_events >after
try vars $S probe -V tcp_sendmsg
try funcs $S probe -F 'tcp_sendm*'
try record $S record -q -o k.data -e 'probe:opn' -e 'probe:do_sys_openat2__return' --filter 'arg1 > 0' \
	-a -- cat /etc/passwd
$S script -i k.data >k.script 2>&1
perf script -i k.data >k.theirs 2>&1
(sleep 1; echo hello | nc -w 1 127.0.0.1 7777 >/dev/null 2>&1) & nc -l -p 7777 -w 5 >/dev/null 2>&1 &
ip link set lo up 2>/dev/null || ifconfig lo up
try sent $S record -q -o t.data -e probe:tcp_sendmsg -a -- sh -c 'sleep 2'
$S script -i t.data >t.script 2>&1
try delete $S probe -d 'probe:*'
cat /sys/kernel/tracing/kprobe_events >left
try own $S record -q -o o.data --probe 'vfs_open path->dentry->d_name.name:string' -a -- cat /etc/passwd
$S script -i o.data >o.script 2>&1
cat /sys/kernel/tracing/kprobe_events >left2
$S record -q -o x.data --probe 'vfs_open' -a -- sleep 20 2>/dev/null & p=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	cat /sys/kernel/tracing/kprobe_events >during; [ -s during ] && break; sleep 1
done
kill -9 $p
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	cat /sys/kernel/tracing/kprobe_events >left3; [ -s left3 ] || break; sleep 1
done
m=$(find /run/vm/kernel/kernel/lib/modules -name 'dummy.ko*' 2>/dev/null | head -1)
case $m in *.xz) xz -dc $m >/tmp/dummy.ko; m=/tmp/dummy.ko ;; esac
if [ -n "$m" ] && insmod $m 2>insmod.err; then
	try module $S probe -m dummy 'dummy_xmit skb->len'
	cat /sys/kernel/tracing/kprobe_events >module.events
	$S probe -d 'probe:dummy*' >/dev/null 2>&1
fi
G
guest "$@"
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
for name in tcp open openat return glob list vars funcs record delete own; do
	check "$name: works" test "$(status $name)" = 0
done
check "the seeds' line names its arguments" \
	grep -q 'probe:tcp_sendmsg  *(on tcp_sendmsg with size skc_state=sk->__sk_common.skc_state)' tcp.err
check "-l shows them" grep -q '^  probe:tcp_sendmsg    (on tcp_sendmsg with size skc_state)$' list.out
check "-l shows returns" grep -q 'on do_sys_openat2%return with arg1' list.out
check "a glob stands for several" grep -q 'probe:vfs_fsync_range' glob.err
check "a name that is taken is refused as perf does" test "$(status again)" = 239
check "a near member is offered" grep -qx '  try: flags' member.err
check "a near function is offered" grep -qx '  try: do_sys_openat2' near.err
check "what is no parameter is reported" grep -q 'locals take debug information' local.err
check "lines take the debug package" grep -q 'try: install its debug package (linux-image-' line.err
check "the blacklist is asked first" grep -q 'kprobes/blacklist' black.err
check "code that is gone is not probed" grep -q 'only needed while the kernel started' init.err
check "the kernel's refusal ends the command" test "$(status back)" != 0
check "and what it had added is taken back" cmp before after
check "-V names parameters by BTF" grep -qx '		struct sock\*	sk' vars.out
check "-F asks kallsyms" grep -qx tcp_sendmsg_locked funcs.out
check "arguments arrive" grep -q 'probe:opn: ([0-9a-f]*) filename_ustring="/etc/passwd" dfd=-100 flags=0x' k.script
check "returns arrive, filtered by their value" \
	sh -c "grep -q 'do_sys_openat2__return: .* arg1=0x[1-9]' k.script &&
	! grep -q 'do_sys_openat2__return: .* arg1=0x0' k.script"
same() { sed 's/^ *[^ ]* *//' k.script >ours; sed 's/^ *[^ ]* *//' k.theirs >theirs; diff -b ours theirs; }
check "as perf shows them" same
check "nothing is left" test ! -s left
check "a recording brings its probe along" grep -q 'probe:vfs_open: ([0-9a-f]*) name="passwd"' o.script
check "and takes it away" test ! -s left2
check "it is there while it records" grep -q probe/vfs_open during
check "also when killed" test ! -s left3
if [ -n "$(status module)" ]; then
	check "module: members by its own BTF" \
		sh -c "test $(status module) = 0 && grep -q 'dummy:dummy_xmit.* len=+[0-9]*(%' module.events"
else
	skip_part "module: it could not be loaded: $(cat insmod.err 2>/dev/null)"
fi
