#!/bin/bash
# monitor percpu-stat and cpu-util: counts that are known, live and from a recording.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system raw_syscalls:sys_enter

# --- percpu-stat: a program with 20000 calls, which then ends
cat >caller.c <<'E2'
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	char c;

	if (read(0, &c, 1) < 0)
		return 1;
	for (int i = 0; i < 20000; i++)
		syscall(SYS_getppid);
	return 0;
}
E2
cc -o caller caller.c || exit 1
mkfifo go
./caller <go &
caller=$!
later_kill $caller
exec 9>go
"$STROBE" monitor percpu-stat --syscalls -p $caller -i 300 -v >watched 2>said &
watcher=$!
later_kill $watcher
until_true grep -q '^watching$' said
echo >&9
wait $caller
sleep 0.4
kill -INT $watcher
wait $watcher
check "^C ends it with 0" test $? = 0
column() {
	awk -v n="$1" '/^  cpu/ { for (i = 1; i <= NF; i++) if ($i == n) at = i }
		/^\[/ { s += $at } END { print s + 0 }' "$2"
}
calls=$(column syscalls watched)
check "20000 calls and the few around them: $calls" test "$calls" -ge 20000 -a "$calls" -le 20100
check "a program that computes alone gets no packets" test "$(column recv watched)" = 0

# --- of a recording: the samples, by interval and CPU
must "$STROBE" record -q -N -c 1 -a -e context-switches -e irq:softirq_entry -o x.data -- \
	sh -c 'for i in $(seq 20); do sleep 0.05; done'	# no interval without a switch on a quiet machine
for pair in csw:context-switches softirq:softirq_entry; do
	"$STROBE" monitor percpu-stat --input x.data -i 200 >file
	n=$("$STROBE" script -i x.data -F event | grep -c "${pair#*:}")
	check "${pair%:*} of a recording: $n" test "$(column "${pair%:*}" file)" = "$n"
done
check "percpu-stat prints a line per interval" at_least "$(grep -c '^  cpu' file)" 4

# --- cpu-util: a loop on one CPU; what the host of a virtual machine took meanwhile counts as idle
if command -v taskset >/dev/null; then
	taskset -c $one_cpu sh -c 'while :; do :; done' &
	later_kill $!
	"$STROBE" monitor cpu-util -C $one_cpu -i 500 >busy &
	watcher=$!
	later_kill $watcher
	until_true sh -c 'test $(wc -l <busy) -ge 3'
	kill -INT $watcher
	wait $watcher
	check "a loop on CPU $one_cpu keeps it busy: $(head -1 busy)" awk -v cpu=$one_cpu '
		$3 == "cpu" && $4 == cpu && match($0, /steal [0-9.]+/) {
			n += $6 + substr($0, RSTART + 6, RLENGTH - 6) > 90 }
		END { exit !(n >= 2) }' busy
	check "cpu-util names its source" grep -q 'source: /proc/stat$' busy
else
	skip_part "a loop on one CPU: no taskset"
fi

# A CPU comes online, whose times began when the machine did. A file stands for /proc/stat.
if unshare -m true 2>/dev/null; then
	times() { printf 'cpu%d %d 0 0 %d 0 0 0 0 0 0\n' "$@" >stat.new && cat stat.new >stat; }
	times 0 100 100
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind stat /proc/stat && exec "$1" monitor cpu-util -i 200' sh "$STROBE" >online &
	util=$!
	later_kill $util
	lines() { grep -c "^[0-9: .-]* cpu $1 " online; }
	for step in $(seq 1000); do
		[ "$(lines 0)" -lt 3 ] || break
		times 0 $((100 + step)) $((100 + step))
		sleep 0.05
	done
	for step in $(seq 1000); do
		[ "$(lines 1)" -lt 1 ] || break
		times 0 $((5000 + step)) $((5000 + step)) 1 900 $((100 + step))
		sleep 0.05
	done
	kill -INT $util
	wait $util
	check "a CPU that comes online is as busy as it is since then" grep -q ' cpu 1 .* 0\.00% ' online
	check "times before it came online do not count" sh -c '! grep " cpu 1 " online | grep -vq " 0\.00% "'
else
	skip_part "a CPU that comes online: name spaces of one's own are not allowed here"
fi
run "$STROBE" monitor cpu-util --input x.data
check "cpu-util has no past: 129" test $rc = 129
finish
