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
for _ in $(seq 500); do grep -q '^watching$' said && break; sleep 0.02; done
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
must "$STROBE" record -q -N -c 1 -a -e context-switches -e irq:softirq_entry -o x.data -- sleep 1
for pair in csw:context-switches softirq:softirq_entry; do
	"$STROBE" monitor percpu-stat --input x.data -i 200 >file
	n=$("$STROBE" script -i x.data -F event | grep -c "${pair#*:}")
	check "${pair%:*} of a recording: $n" test "$(column "${pair%:*}" file)" = "$n"
done
check "percpu-stat prints a line per interval" at_least "$(grep -c '^  cpu' file)" 4

# --- cpu-util: a loop on CPU 0
if taskset -c 0 true 2>/dev/null; then
	taskset -c 0 sh -c 'while :; do :; done' &
	later_kill $!
	timeout -s INT 2 "$STROBE" monitor cpu-util -C 0 -i 500 >busy
	check "a loop on CPU 0 keeps it busy: $(awk '{ print $6; exit }' busy)" \
		awk '$3 == "cpu" && $4 == 0 && $6 + 0 > 90 { n++ } END { exit !(n >= 2) }' busy
	check "cpu-util names its source" grep -q 'source: /proc/stat$' busy
else
	skip_part "a loop on CPU 0: taskset cannot"
fi
run "$STROBE" monitor cpu-util --input x.data
check "cpu-util has no past: 129" test $rc = 129
finish
