#!/bin/bash
# Stacks that are unwound while recording on arm64, where return addresses are signed (pointer authentication) and no
# frame pointers are kept: threads that stand still in known stacks (tests/e2e/workloads/stuck.c), static and with the
# C library of the guest; beside what cfi finds afterwards in the copies of the same samples.
. "$(dirname "$0")/lib_vm.sh"
vm aarch64 bookworm "$libraries"
static_strobe aarch64
for way in -static -pie; do
	# shellcheck disable=SC2086	# a compiler with options
	$compiler -O2 -fomit-frame-pointer -mbranch-protection=standard -pthread $way -o share/stuck$way \
		"$STROBE_SOURCE/tests/e2e/workloads/stuck.c" || exit 1
	"${compiler%%-gcc*}-objdump" -d share/stuck$way | grep -E '<(descend|widen|compare)>:' -A2 | grep -c paciasp \
		>signed$way
done

cat >share/guest.sh <<'G'
export HOME=/tmp
grep -o -m1 -w paca /proc/cpuinfo >paca
for way in -static -pie; do
	./stuck$way >there$way &
	pid=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s there$way ] && break; sleep 0.5; done
	./strobe record -q -F 100 -e cpu-clock:u --call-graph live --keep-stacks -p $pid -o $way.data -- \
		sleep 4 2>$way.err
	echo "$way $?" >>status
	kill -9 $pid
	show() { ./strobe script -i ./$way.data --no-inline --max-stack 2048 -F tid,time,ip,sym "$@" 2>>$way.err; }
	show >recorded$way
	show --unwind-style cfi >offline$way
	./strobe report -i ./$way.data --header-only 2>>$way.err | grep 'unwound while' >ends$way
done
G
guest --cpus 2
cd share || exit 1
check "this CPU signs return addresses" grep -q paca paca
# The chains, each as one line: names joined by ";", innermost first; and how deep the recursion is
lines() {
	awk '/^ *[0-9]+ +[0-9.]+: *$/ { s = ""; next } /^[ \t]+[0-9a-f]+ / { s = s ";" $2 }
		/^$/ { n = gsub(/;descend/, "", s); print s (n ? ";deep " n : "") }' "$1"
}
all_are() {	# FILE PATTERN WANTED: at least ten chains of PATTERN, each as WANTED
	lines "$1" | awk -v p="$2" -v w="$3" '$0 ~ p { n++; good += $0 ~ w }
		END { print good + 0, "of", n + 0; exit !(n >= 10 && good == n) }'
}
start=';[^;]+;[^;]+'	# start_thread and clone, of which a stripped library does not tell the names
for way in -static -pie; do
	check "$way: functions sign: $(cat ../signed$way)" test "$(cat ../signed$way)" -ge 3
	check "$way: records" grep -qx -e "$way 0" status
	check "$way: chains are those that cfi finds in the copies" cmp recorded$way offline$way
	check "$way: a recursion 200 deep, to its thread's start" all_are recorded$way ';in_recursion' \
		"^;stay;in_recursion$start;deep 201\$"
	check "$way: through the C library's sort" all_are recorded$way ';compare;' ";in_callback$start\$"
	check "$way: frames of any size" all_are recorded$way ';widen;' "^;stay(;widen)+;in_wide_frames$start\$"
	check "$way: through a handler of a signal" all_are recorded$way ';on_signal;' ";in_handler$start\$"
	check "$way: all stacks are whole: $(cat ends$way)" grep -q 'samples, whole 100' ends$way
done
finish
