#!/bin/bash
# trace -s: the kernel sums up (BPF) what events sum up; threads, errors, selections; what cannot be is told.
. "$(dirname "$0")/lib.sh"
need awk
need_can system raw_syscalls:sys_enter bpf

# Names, calls and errors of the tables without thread ids, and what is not the same twice.
rows() {
	awk '/ events/ { name = $1; if (name != "sh") print name, $3; next }
		/%$/ { call = $1; print name, call, $2, $3 } /^\t/ { print name, call, $1, $2 }' "$1" |
		grep -v 'rt_sig\|^sh wait4' | sort
}
cat >work <<'END'
ls /nonexist
cat /etc/passwd | sort
( exec true )
END
for opts in '' --no-inherit '-e !mmap,read'; do
	# shellcheck disable=SC2086
	for how in --bpf-summary --no-bpf-summary; do
		taskset -c $one_cpu "$STROBE" trace -s -v --errno-summary $opts $how -o $how.sums \
			setarch -R sh work >out 2>$how.err
	done
	check "${opts:-all}: both sums are the same: $(rows ./--bpf-summary.sums | wc -l) rows" \
		diff <(rows ./--bpf-summary.sums) <(rows ./--no-bpf-summary.sums)
	check "the sums count openat" grep -q '^   openat  *[1-9]' ./--bpf-summary.sums
done
check "-v says that the kernel sums up" grep -q '^the kernel sums up system calls' ./--bpf-summary.err
check "--no-bpf-summary does not sum up in the kernel" sh -c '! grep -q "kernel sums up" ./--no-bpf-summary.err'
run "$STROBE" trace -s -v -o sums true
check "by default the kernel sums up" grep -q '^the kernel sums up system calls' err
check "histograms and errors are printed" sh -c '
	"$STROBE" trace -s --histogram --errno-summary -o sums sh -c "ls /nonexist" >out 2>&1
	grep -q "ENOENT: [1-9]" sums && grep -q " us  *[0-9]* |#" sums'

# --- threads, a running process, a CPU, everything
cat >threads.py <<'END'
import os, threading, time
def work(): [os.getsid(0) for _ in range(1000)]; time.sleep(0.3)
while not os.path.exists(__import__("sys").argv[1]): time.sleep(0.02)
ts = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]
END
if command -v python3 >/dev/null; then
	"$STROBE" trace -s --bpf-summary -e getsid -o sums python3 threads.py .
	check "each thread has its table" test "$(grep -c '^   getsid  *1000 ' sums)" = 3
	"$STROBE" trace -s --bpf-summary --summary-mode=total -e getsid -o sums python3 threads.py .
	check "--summary-mode=total has one table for all threads" grep -q '^   getsid  *3000 ' sums
	python3 threads.py traced &
	target=$!
	later_kill $target
	"$STROBE" trace -v -s --bpf-summary --summary-mode=total -e getsid -p $target -o sums 2>said &
	tracer=$!
	later_kill $tracer
	until_true eval "grep -q '^tracing$' said || [ ! -e /proc/$tracer ]"
	touch traced
	wait $tracer
	check "-p: its later threads, too, and it ends with them" grep -q '^   getsid  *3000 ' sums
	rm traced
	python3 threads.py traced &
	target=$!
	later_kill $target
	"$STROBE" trace -s --bpf-summary --filter-pids $target -o sums -a -- python3 -c '
import os, sys, time
for _ in range(77): os.getsid(0)
open("traced", "w").close()
while os.path.exists("/proc/" + sys.argv[1]): time.sleep(0.02)' $target
	check "-a counts calls of all processes" grep -q '^   getsid  *77 ' sums
	check "--filter-pids hides a thread, not its children" \
		sh -c "! grep -q ' ($target), ' sums && test \$(grep -c '^   getsid  *1000 ' sums) = 3"
	"$STROBE" trace -s --bpf-summary -C $one_cpu -o sums taskset -c $one_cpu python3 -c 'import os
for _ in range(78): os.getsid(0)' &
	tracer=$!
	wait $tracer
	check "-C: what ran there" grep -q '^   getsid  *78 ' sums
	check "strobe does not count itself" sh -c "! grep -q ' ($tracer), ' sums"
fi

# --- a user; control groups
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
	chmod 755 .
	setpriv --reuid=$own_uid --clear-groups sh -c 'until [ -e watched ]; do sleep 0.1; done; nice true' &
	later_kill $!
	until_true pgrep -u $own_uid >/dev/null
	tracers=
	for how in --bpf-summary --no-bpf-summary; do
		"$STROBE" trace -v -s $how --summary-mode=total -u $own_uid -e getpriority -o $how.user 2>said.$how &
		later_kill $!
		tracers="$tracers $!"
		until_true eval "grep -q '^tracing$' said.$how || [ ! -e /proc/$! ]"
	done
	touch watched
	# shellcheck disable=SC2086	# a list
	wait $tracers
	check "-u: threads of a user and their children, summed up in the kernel" \
		grep -q '^   getpriority  *1 ' ./--bpf-summary.user
	check "sums from events count the calls of a user" grep -q '^   getpriority  *1 ' ./--no-bpf-summary.user
fi
groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$groups" ] && mkdir "$groups/strobe-sums-$$" 2>/dev/null; then
	for how in --bpf-summary --no-bpf-summary; do
		"$STROBE" trace -s $how --summary-mode=cgroup -e getpriority -o $how.groups -- sh -c "
			nice true; echo \$\$ >'$groups/strobe-sums-$$/cgroup.procs'; nice true; nice true"
		printf '%s, 1\n/strobe-sums-%s, 2\n' "$(sed -n 's/^0:://p' /proc/self/cgroup)" $$ | sort >want
		awk '/ events/ { group = $1 } /getpriority/ { print group, $2 }' ./$how.groups | sort >got
		check "$how: a table for each control group, by its name" diff want got
	done
	if ! grep -q 'perf_event' /proc/self/cgroup; then
		"$STROBE" trace -s --bpf-summary -a -G "strobe-sums-$$" -e getpriority -o sums -- sh -c "
			nice true; echo \$\$ >'$groups/strobe-sums-$$/cgroup.procs'; exec nice true"
		check "-G: what ran in a group" grep -q '^   getpriority  *1 ' sums
	fi
	rmdir "$groups/strobe-sums-$$"
else
	skip_part "no control groups of version 2 may be made here"
fi

# --- what cannot be
for opts in "--max-events 3" "-D 10" "--call-graph fp"; do
	# shellcheck disable=SC2086
	run timeout 20 "$STROBE" trace -s $opts --bpf-summary true
	check "$opts needs events: an error" sh -c "test $rc = 129 && grep -q 'is not possible: ' err"
done
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ]; then
	run setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$STROBE" trace -s -v -o sums true
	check "without CAP_BPF sums come from events: $(grep -c . sums)" \
		sh -c "test $rc = 0 && grep -q 'calls from events: ' err && grep -q '^   close  *[1-9]' sums"
	run setpriv --bounding-set=-bpf,-sys_admin "$STROBE" trace -s --bpf-summary -o sums true
	check "without CAP_BPF --bpf-summary says what is missing" sh -c "test $rc = 255 && grep -q CAP_BPF err"
fi

# --- many calls: none is lost, and the program is slowed little
n=100000
run "$STROBE" trace -s --bpf-summary -o sums dd if=/dev/zero of=/dev/null bs=512 count=$n
for call in read write; do
	counted=$(awk -v c=$call '$1 == c { print $2 }' sums)
	check "each $call is counted: $counted" test "$counted" -ge $n -a "$counted" -lt $((n + 20))
done
check "no call is lost" sh -c '! grep -q "not counted" err'

# --- many threads: each has its name, though a live session forgets those that ended, and sums may be ahead of names
workload spawn
run "$STROBE" trace -s --bpf-summary -o sums sh -c './spawn 8000; sleep 3'
check "no thread of thousands is without a name" sh -c '! grep -qE "^ :[0-9]+ \(" sums'
check "most are called as they want" test "$(grep -c "^ child (" sums)" -ge 7900
finish
