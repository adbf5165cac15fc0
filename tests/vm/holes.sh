#!/bin/bash
# Four CPUs, the second one offline: CPU lists with a hole, from the kernel and from the user.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
static_strobe x86_64

cat >share/guest.sh <<'G'
echo 0 >/sys/devices/system/cpu/cpu1/online && cat /sys/devices/system/cpu/online >online
count() { name=$1; shift; ./strobe stat -x, -e cpu-clock "$@" sleep 0.2 >$name.out 2>$name; echo "$name $?" >>status; }
count all -a -A
count list -A -C 0,2-3
count turned -A -C 3,0
count through -A -C 0-2
count socket -a --per-socket
./strobe record -q -a -e cpu-clock -F 500 -o all.data sleep 0.3 2>record.err; echo "record $?" >>status
./strobe script -i all.data -F cpu 2>script.err | sort -u >sampled
G
guest --cpus 4
cd share || exit 1
status() { awk -v n="$1" '$1 == n { print $2 }' status; }
cpus() { cut -d, -f1 "$1" | tr '\n' ' '; }

check "the second is offline" test "$(cat online)" = 0,2-3
check "system wide: each that is there" test "$(status all)" = 0 -a "$(cpus all)" = "CPU0 CPU2 CPU3 "
check "a list with a hole" test "$(status list)" = 0 -a "$(cpus list)" = "CPU0 CPU2 CPU3 "
check "in any order" test "$(status turned)" = 0 -a "$(cpus turned)" = "CPU0 CPU3 "
check "a range through the hole is refused" test "$(status through)" = 255 -a ! -s through.out
check "with the CPUs that are there" grep -q 'CPUs online are 0,2-3' through
check "sums count three" grep -q '^S0,3,' socket
check "recording has no trouble either" test "$(status record)" = 0
check "and samples on each of them" test "$(tr -d '[] \n' <sampled)" = 000002003
finish
