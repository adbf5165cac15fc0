#!/bin/bash
# top as text: what is hot now, of whom it was asked for, page after page.
. "$(dirname "$0")/lib.sh"
workload spin -O1 -fno-omit-frame-pointer
need_can sample
top() { timeout 60 "$STROBE" top --batch "$@"; }
row() { grep -E "^ +[0-9.]+%.* $1" "${2:-out}"; }
share() { sed -n "s/^ *\([0-9]*\)\.[0-9]*%.* $1\$/\1/p" "${2:-out}" | head -1; }

./spin 60 & spinner=$!
later_kill $spinner
run top -p $spinner -d 0.5 --rounds 3
check "top ends well after its rounds" test "$rc" = 0
check "three pages" test "$(grep -c PerfTop: out)" = 3
head='^   PerfTop: +[0-9]+ irqs/sec  kernel: *[0-9.]+%  exact: *[0-9.]+% lost: [0-9]+/[0-9]+ drop: 0/0 '
check "the head has perf's form" grep -qE "$head\[[0-9]+Hz [^]]+\],  \(target_pid: $spinner\)" out
check "a hot function stands at the top" sh -c "grep -A4 PerfTop: out | grep -q '\[\.\] leaf'"
check "the cost of strobe is shown" grep -qE '^   (strobe|perf) itself: [0-9.]+% of one CPU' out
check "no control characters in a log" sh -c '! grep -q "$(printf "\033")" out'
run top -p $spinner -d 0.5 --rounds 1 -g --no-children
check "call graphs" sh -c 'grep -q -- "--.*outer\|---.*leaf" out'
run top -p $spinner -d 0.5 --rounds 1 --call-graph dwarf,4096,caller
check "call graphs from copied stacks" grep -q outer out
run top -p $spinner -d 0.5 --rounds 1 -s comm,sym -n -E 1
check "sort keys, samples, one row" test "$(grep -cE '^ +[0-9.]+% +[0-9]+  spin ' out)" = 1
run top -p $spinner -d 0.5 --rounds 1 --hierarchy -s comm,sym
check "a tree" sh -c 'grep -qE "^ +[0-9.]+% +spin *$" out && grep -qE "^ +[0-9.]+% +\[\.\] leaf" out'
run top -p $spinner -d 0.5 --rounds 1 -U
check "-U: no rows of user space" sh -c '! grep -q "\[\.\]" out && grep -q PerfTop out'
run top -p $spinner -d 0.5 --rounds 1 -K
check "-K: no rows of the kernel" sh -c '! grep -q "\[k\]" out && grep -q "\[\.\]" out'
run top -p $spinner -d 0.5 --rounds 1 -f 1000000
check "-f: rows of few samples are hidden" sh -c 'grep -q PerfTop out && ! grep -q "\[\.\]" out'
run top -p $spinner -d 0.5 --rounds 2 -c 1000000
check "-c: the head tells the period" grep -q '\[1000000 ' out

# Fading: what ended counts less with each page; -z shows the new samples alone.
./spin 1 & short=$!
later_kill $short
run top -p $short,$spinner -s pid -d 1 --rounds 4
check "rows of ended tasks fade and are not forgotten at once" sh -c "tail -4 out | grep -q ' $short:spin'"
./spin 1 & short=$!
later_kill $short
run top -p $short,$spinner -s pid -d 1 --rounds 4 -z
check "-z: who has ended is gone" \
	sh -c "tail -4 out | grep -q ' $spinner:spin' && ! tail -4 out | grep -q ' $short:spin'"
./spin 1 & short=$!
later_kill $short
run top -p $short -d 0.5
check "a log ends with what it watches" sh -c "test $rc = 0 && grep -q 'has ended' out"

run top -p 999999999 --rounds 1
check "nobody of that number" sh -c "test $rc != 0 && grep -q 999999999 err"
run top ./spin 1
check "top runs no command" sh -c "test $rc = 129 && grep -q 'runs no command' err"
run top --overwrite
check "refusals say why" grep -q 'read in time' err
if can system raw_syscalls:sys_enter; then
	run top -e raw_syscalls:sys_enter -ns comm -d 0.5 --rounds 1
	check "system calls by program" grep -qE '^ +[0-9.]+% +[0-9]+  [^ ]' out
	run top -e cpu-clock,raw_syscalls:sys_enter -d 0.5 --rounds 1
	check "the first of several events is shown" grep -q '\[cpu-clock' out
	run top -C 0 -d 0.5 --rounds 1
	check "-C is told" grep -q '(all, CPU(s): 0)' out
else
	skip_part "the whole system: $why_not"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ]; then
	chmod 755 . && cp "$STROBE" ./as_user && cp spin spin_user
	setpriv --reuid 65534 --clear-groups ./spin_user 30 & theirs=$!
	later_kill $theirs
	HOME=/ run timeout 60 setpriv --reuid 65534 --clear-groups ./as_user top --batch -d 0.5 --rounds 1 -s comm
	check "without privilege: only own processes, and a message says so" \
		sh -c 'grep -q "(uid: 65534" out && grep -q "only processes of this user" out && grep -q spin_user out'
else
	skip_part "without privilege: needs root and perf_event_paranoid of 1 or more"
fi
finish
