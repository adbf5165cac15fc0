#!/bin/bash
# trace: the same calls, results and arguments as strace sees; sums and lines as perf prints them; no event lost.
. "$(dirname "$0")/lib.sh"
need strace setarch awk
need_can system raw_syscalls:sys_enter

cat >plain <<'EOF'
[trace]
	show_arg_names = no
	show_prefix = yes
	show_timestamp = no
	show_duration = no
	args_alignment = 0
EOF

# Lines "name(arguments) = result" of both, without the exec that strobe sees the end of alone.
of_strace() { grep -v '^+++\|^---\|^execve(' "$1" | sed -E 's/ +=/ =/; s/ \(flags .*//'; }
of_strobe() {
	grep -v ' \[continued\]: execve' "$1" | sed -E 's/^[^ ]+\/[0-9]+ //; s/ +=/ =/; s/([0-9])<[^>]*>/\1/g'
}
names() { sed 's/(.*//' "$1"; }
# Results that are one number: not fcntl's flags, and no thread id.
results() { grep -v '^umask\|^fcntl\|^set_tid_address\|^getpid\|^getppid' "$1" | sed 's/.* = //; s/ (.*//'; }
# Calls whose arguments strace writes as we do.
same_words='^(close|mmap|mprotect|munmap|brk|lseek|dup|dup2|exit_group|fadvise64|arch_prctl|getuid|geteuid|pipe2)\('

both() {
	rm -rf made* zeros.copy
	PERF_CONFIG=$tmp/plain setarch -R strace -o strace.raw "$@" >out 2>err </dev/null
	rm -rf made* zeros.copy
	PERF_CONFIG=$tmp/plain setarch -R "$STROBE" trace -o strobe.raw "$@" >out 2>err </dev/null
	of_strace strace.raw >a
	of_strobe strobe.raw >b
}

# Every path that we print is the one that strace saw; others are addresses or marked.
paths() {
	paste -d '\t' <(grep '^openat(\|^access(' a) <(grep '^openat(\|^access(' b) |
		awk -F '\t' '{ match($1, /"[^"]*"/); x = substr($1, RSTART, RLENGTH)
			if (!match($2, /"[^"]*"/)) next
			if (substr($2, RSTART + RLENGTH, 1) == "?") next
			if (substr($2, RSTART, RLENGTH) != x) print }'
}

# --- real programs beside strace
seen=0
head -c 100000 /dev/zero >zeros
while read -r program; do
	command -v "${program%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	both $program
	[ -s a ] || continue
	seen=$((seen + 1))
	check "$program: the same $(wc -l <a) calls in the same order" diff <(names a) <(names b)
	check "$program: the same results" diff <(results a) <(results b)
	check "$program: the same numbers" diff <(grep -E "$same_words" a) <(grep -E "$same_words" b)
	if can bpf && command -v python3 >/dev/null; then
		run python3 "$STROBE_SOURCE/tests/e2e/same_arguments.py" strace.raw strobe.raw
		check "$program: all arguments of all calls as strace has them, also what the kernel filled in" \
			sh -c "test $rc = 0 || { cat out; false; }"
	fi
	check "$program: no wrong path" test -z "$(paths)"
done <<'EOF'
true
ls /
cat /etc/passwd
sort /etc/passwd
uname -a
grep root /etc/passwd
cp zeros zeros.copy
find /etc/init.d
sed s/a/b/ /etc/passwd
head -1 /etc/passwd
tail -1 /etc/passwd
tar cf made.tar /etc/passwd
mkdir -p made
stat /etc/passwd
date -d @0
id
wc /etc/passwd
cut -d: -f1 /etc/passwd
tr a b
sha1sum /etc/passwd
sleep 0.01
EOF
check "twenty programs and more: $seen" test "$seen" -ge 20

# --- descriptors and text: what was true at the call
workload opens
"$STROBE" trace -o opened ./opens
check "a duplicate keeps the name of its file" grep -q 'read(fd: [0-9]*</etc/passwd>' opened
check "a number that was used again has the new name" grep -q 'read(fd: [0-9]*</dev/null>' opened
check "a descriptor that is used once more has its new name again" grep -q 'read(fd: [0-9]*</dev/zero>' opened
check "close names what it closes" grep -q 'close(fd: [0-9]*</dev/zero>)' opened
check "text of the program's code is exact" grep -q 'openat(dfd: CWD, filename: "/dev/zero", flags: RDWR)' opened
check "FD_CLOEXEC is not inverted" grep -q 'fcntl(fd: [0-9]*</dev/zero>, cmd: SETFD, arg: CLOEXEC)' opened
check "errors are printed by name" \
	grep -q 'lseek(fd: -1, offset: 7, whence: END) *= -1 EBADF (Bad file descriptor)' opened
printf '[trace]\n\tbpf = no\n' >without
PERF_CONFIG=$tmp/without "$STROBE" trace -o opened ./opens
check "text that may have changed is marked" sh -c '! grep access.*wrong opened | grep -v "?"'

workload replaced
sed 's/AAAAAA/BBBBBB/g' replaced >replaced.new
chmod 755 replaced.new
PERF_CONFIG=$tmp/without must "$STROBE" trace -e access -o some ./replaced
check "a file that took the program's place is not asked" sh -c 'grep -q "access(" some && ! grep -q BBBBBB some'
check "the other file did take the program's place" grep -q BBBBBB replaced

# --- what arguments point at, copied when the call is entered
if can bpf; then
	"$STROBE" trace -v -o opened ./opens 2>err
	check "-v tells that the kernel copies arguments" grep -q '^the kernel copies arguments' err
	check "text is what it was at the call" grep -q 'access(filename: "/etc/passwd", mode: R)' opened
	check "no printed argument is uncertain" sh -c '! grep "?[,) ]" opened | grep -v "= ?$\|continued"'
	check "both file names of rename are printed" \
		sh -c '"$STROBE" trace -e "rename*" -o some mv /nonexist1 /nonexist2 2>/dev/null
		"$STROBE" trace -e "rename*" -o some mv -T nonexist1 nonexist2 2>/dev/null
		: >from && "$STROBE" trace -e "rename*" -o some mv from to
		grep -q "oldname: \"from\", .*newname: \"to\"" some'
	"$STROBE" trace -e '*sleep' -o some sleep 0.25
	check "a struct timespec is printed" grep -q 'rqtp: { .tv_sec: 0, .tv_nsec: 250000000 }' some
	if command -v python3 >/dev/null; then
		"$STROBE" trace -o some python3 -c '
import socket, select, os
s = socket.socket(); s.setblocking(False); s.connect_ex(("127.0.0.9", 77))
p = select.poll(); p.register(s, select.POLLOUT); p.poll(1)
u = socket.socket(socket.AF_UNIX); u.connect_ex("/nonexist/sock")
os.writev(os.open("/dev/null", 1), [b"abc", b"de"])
os.write(os.open("/dev/null", 1), b"a\nb" * 20)'
		check "an internet address is printed" \
			grep -q 'connect(.*{ .family: INET, port: 77, addr: 127.0.0.9 }' some
		check "the path of a local socket is printed" \
			grep -q 'connect(.*{ .family: LOCAL, path: /nonexist/sock }' some
		check "a list of descriptors" grep -q 'poll(ufds: \[{ .fd: [0-9]*, .events: OUT.* }\]' some
		check "a list of buffers" grep -q 'writev(.*\[{ .iov_base: 0x[0-9a-f]*, .iov_len: 3 }, {' some
		check "what is written, cut" grep -q 'write(.*buf: "a.x0aba.x0a.*"\.\.\., count: 60)' some
	fi
	if command -v python3 >/dev/null; then
		workload sixty
		both ./sixty
		run python3 "$STROBE_SOURCE/tests/e2e/same_arguments.py" strace.raw strobe.raw
		check "$(tail -1 out) calls have the arguments that strace prints" \
			sh -c "test $rc = 0 && test $(tail -1 out) -ge 90 || { cat out; false; }"
	fi
	"$STROBE" trace -e execve -o some env -i A=1 BC=2 sh -c '/bin/true; :'
	variables=$(env -i A=1 BC=2 sh -c env | grep -c =)
	check "how many variables a program gets" sh -c \
		"grep -q 'envp: 0x[0-9a-f]* /\* $variables vars \*/)' some || { cat some; false; }"
	"$STROBE" trace -e bpf -o some "$STROBE" trace -s -o sums true
	check "what a command of bpf() has of its union" sh -c '
		grep -q "bpf(cmd: MAP_CREATE, uattr: { .map_type: BPF_MAP_TYPE_[A-Z_]*, .key_size: 4, " some &&
		grep -q "PROG_LOAD, uattr: { .prog_type: BPF_PROG_TYPE_[A-Z_]*, .insn_cnt: [0-9]*, .insns: 0x" some'
	"$STROBE" trace -a -e openat,access -o some -- ./opens
	check "-a: exact as well" grep -q 'opens/.* access(filename: "/etc/passwd", mode: R)' some
else
	skip_part "copies of arguments: $why_not"
fi

# --- Linux 7.2: an event of each call carries its text, recorded by perf before and behind the entry's own event
if command -v xz >/dev/null; then
	tar -xJf "$STROBE_SOURCE/tests/golden/told.tar.xz"
	for order in raw_first calls_first; do
		"$STROBE" trace -i $order.data >some
		check "$order: all file names are printed" \
			test "$(grep -c 'openat(dfd: CWD, filename: "/[a-z]' some)" = 8
		check "$order: two names of a call, one cut by the kernel" grep -q \
			'oldname: "/nonexistent/a*"\.\.\., newdfd: CWD, newname: "/none/b", flags: NOREPLACE)' some
		check "$order: the name has 63 bytes" \
			test "$(sed -n 's/.*oldname: "\([^"]*\)".*/\1/p' some | tr -d '\n' | wc -c)" = 63
		check "$order: each write has its own buffer" sh -c '
			grep -q "write(fd: 2, buf: \"mv: \", count: 4)" some &&
			grep -q "write(fd: 2, buf: \": No such file or directory\", count: 27)" some &&
			grep -q "write(fd: 2, buf: \".x0a\", count: 1)" some'
	done
fi

# --- many events
run "$STROBE" trace -s -o many dd if=/dev/zero of=/dev/null bs=512 count=200000
counted() { awk -v name="$1" '$1 == name { print $2 }' many; }
for call in read write; do # dd's own; starting and the closing words take a few more
	check "each $call is counted: $(counted $call)" \
		test "$(counted $call)" -ge 200000 -a "$(counted $call)" -lt 200020
done
check "no event is lost" sh -c '! grep -qi lost err'

# --- selecting
"$STROBE" trace -e openat -o some cat /etc/passwd >out
check "-e NAME selects one call" sh -c 'test -s some && ! grep -v "openat\|execve" some'
"$STROBE" trace -e '!openat,mmap' -o some cat /etc/passwd >out
check "-e !LIST leaves out calls" sh -c 'grep -q "read(" some && ! grep -q "openat(\|mmap(" some'
"$STROBE" trace -e 'm*' -o some cat /etc/passwd >out
check "-e GLOB selects matching calls" \
	sh -c 'grep -q "mmap(" some && grep -q "mprotect(" some && ! grep -q "read(" some'
"$STROBE" trace -e file -o some cat /etc/passwd >out
check "-e GROUP selects a group of calls" sh -c 'grep -q "openat(" some && ! grep -q "mmap(" some'
"$STROBE" trace -o some --failure -- cat /nonexist 2>/dev/null
check "--failure: $(wc -l <some) lines, all of them errors" sh -c 'grep -q ENOENT some && ! grep -v "= -1 E" some'
"$STROBE" trace -o some --duration 50 sleep 0.1
check "--duration selects long calls" sh -c 'test $(wc -l <some) = 1 && grep -q nanosleep some'
"$STROBE" trace -o some --max-events 5 cat /etc/passwd >out
check "--max-events limits the lines" test "$(wc -l <some)" = 5
"$STROBE" trace -e trace=%memory,/^open -o some cat /etc/passwd >out
check "-e with words of strace: a group, a regular expression" \
	sh -c 'grep -q "openat(" some && grep -q "mmap(" some && ! grep -q "read(" some'
"$STROBE" trace -e '!/a' -o some cat /etc/passwd >out
check "-e !/PATTERN leaves out matching calls" sh -c 'grep -q "close(" some && ! grep -q "[a-z_]*a[a-z_]*(.*=" some'
run "$STROBE" trace -e '/[' true
check "-e with a broken pattern is bad usage" test $rc = 129
run "$STROBE" trace -e 'openat,!close' true
check "a late ! is an error" test $rc = 129
run "$STROBE" trace -e nosuchcall true
check "an unknown word is an error" test $rc = 129
run "$STROBE" trace ./nosuchprogram
check "no such program: 127" test $rc = 127
"$STROBE" trace -o some -F all --no-syscalls true
check "--no-syscalls prints page faults alone" sh -c 'grep -q minfault some && ! grep -q " = " some'
if can system sched:sched_process_exec; then
	"$STROBE" trace -o some -e sched:sched_process_exec true
	check "-e TRACEPOINT prints it alone" grep -q 'sched:sched_process_exec(filename: ".*true", pid: ' some
	"$STROBE" trace -o some -e sched:sched_process_exec/nr=2/ sh -c 'ls; ls; ls; ls' >out
	check "nr= limits an event" test "$(grep -c . some)" = 2
	"$STROBE" trace -o some -e sched:sched_process_exec -e openat true
	check "-e TRACEPOINT prints it between calls" sh -c 'grep -q sched_process_exec some && grep -q "openat(" some'
fi
for opts in "--call-graph dwarf" "--call-graph live" "--max-stack 1" "--min-stack 2"; do
	# shellcheck disable=SC2086
	"$STROBE" trace -o some $opts -e '*sleep' sleep 0.01
	check "$opts: the stack of the call, unwound" sh -c "
		grep -A1 'nanosleep(' some | grep -Eq '^ {38}.*nanosleep.* \(/.*libc'"
done
check "--max-stack: so many lines" sh -c '"$STROBE" trace -o some --max-stack 2 -e "*sleep" sleep 0.01
	test $(wc -l <some) = 3'
"$STROBE" trace -o some --call-graph fp -e openat cat /etc/passwd >out
check "--call-graph prints chains" grep -q '^ \{38\}[^ ].* (/' some

# --- JSON
if command -v python3 >/dev/null; then
	"$STROBE" trace -j -o some.json cat /etc/passwd >out
	check "every line is an object of JSON" python3 -c '
import json
rows = [json.loads(line) for line in open("some.json")]
assert any(r["call"] == "openat" and r["result"] >= 0 and r["duration_ms"] >= 0 for r in rows)'
fi

# --- sums of all threads, histogram, errors
"$STROBE" trace -s --summary-mode=total --histogram --errno-summary -o sums \
	sh -c 'cat /nonexist; cat /nonexist' 2>/dev/null
check "one table for all threads" test "$(grep -c '^   syscall  ' sums)" = 1
check "the sums count errors by name" grep -q 'ENOENT: [0-9]' sums
check "the sums have a histogram" grep -q ' us  *[0-9]* |#' sums
"$STROBE" trace -s --max-summary 2 -o sums true
check "--max-summary limits the rows" test "$(grep -c '^   [a-z].*%$' sums)" = 2

# --- a running process, and without rights
sh -c 'while :; do read -r line </etc/passwd; sleep 0.05; done' &
target=$!
later_kill $target
"$STROBE" trace -p $target --max-events 20 -o some
check "-p: a running process" sh -c 'test $(wc -l <some) = 20 && grep -q openat some'
: >said
"$STROBE" trace -p $target -e openat -v -o some >said 2>&1 &
tracer=$!
for _ in $(seq 300); do grep -q '^tracing$' said && break; sleep 0.02; done
sleep 0.3
kill -INT $tracer
wait $tracer
check "SIGINT ends it: 0" test $? = 0

keep_level
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp "$STROBE" "$tmp/strobe" && chmod 755 "$tmp" "$tmp/strobe"
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/strobe" trace true
	if [ -r /sys/kernel/tracing/events ] && [ "$(stat -c %a /sys/kernel/tracing)" != 700 ]; then
		skip_part "without rights: everybody may read tracefs here"
	else
		check "without rights trace prints one error" \
			grep -q '^strobe trace: no permission to read .*raw_syscalls' err
		check "without rights the error names doctor" grep -q 'try: strobe doctor -- trace' err
		run setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/strobe" doctor -- trace true
		check "doctor trace: 1, and a grant" sh -c "[ $rc = 1 ] && grep -q 'as root:' out"
	fi
fi
let_level

# --- recordings
for kinds in "-F all" "-F min --no-syscalls"; do
	# shellcheck disable=SC2086
	must "$STROBE" trace $kinds record -q -N -o faults.data ls /
	"$STROBE" trace -i faults.data >some
	check "trace $kinds record: page faults" sh -c 'test $(grep -c "minfault \[.*\] => .*@0x" some) -gt 20'
done
check "a recording without system calls prints none" sh -c '! grep -q " = " some'
run "$STROBE" trace -p 1 record true
check "options of recordings stand behind the word" sh -c "test $rc = 129 && grep -q 'may come before' err"
must "$STROBE" trace record -q -N -o calls.data -- setarch -R ls / >out
check "a recording has the calls" sh -c '"$STROBE" trace -i calls.data | grep -q "openat(dfd: CWD, filename: 0x"'
"$STROBE" trace -i calls.data -s >summed
check "the recording gives sums" grep -q '^   openat  *[0-9]' summed
"$STROBE" trace -i calls.data -e openat >some
check "-e on a recording" sh -c 'test -s some && ! grep -v "openat(" some'
ls_pid=$(sed -n 's|.* ls/\([0-9]*\) .*|\1|p' <("$STROBE" trace -i calls.data) | head -1)
check "-p on a recording" sh -c "! '$STROBE' trace -i calls.data -p '$ls_pid' | grep -v '/$ls_pid '"
check "--filter-pids on a recording" sh -c "! '$STROBE' trace -i calls.data --filter-pids '$ls_pid' | grep '/$ls_pid '"
run "$STROBE" trace -i calls.data -u root
check "-u on a recording is an error" test $rc = 129
run "$STROBE" trace -i calls.data -s --bpf-summary
check "--bpf-summary on a recording is an error" sh -c "test $rc = 129 && grep -q 'reads a recording' err"
check "a pipe says the same" cmp <("$STROBE" trace -i calls.data) \
	<("$STROBE" inject -i calls.data -o - 2>/dev/null | "$STROBE" trace -i -)

# --- perf's own recording, and its lines
if command -v perf >/dev/null && perf trace -h 2>&1 | grep -q -- --max-stack; then
	perf trace record -o perfs.data ls / >out 2>err
	perf trace -i perfs.data >theirs 2>&1
	"$STROBE" trace -i perfs.data >ours
	front() { sed -E 's/\(.*\) += .*//; s/\(\)? *\)? *\.\.\.$//' "$1" | cut -c1-60; }
	check "times, durations, threads and names of perf's recording are perf's" diff <(front theirs) <(front ours)
	# perf 6.1 itself refuses "trace -F all record": its filter follows the events of faults
	for _ in 1 2 3 4 5 6 7 8 9 10; do	# it aborts while a test beside this one records with --buildid-mmap
		run perf record -R -m 1024 -c 1 -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -e major-faults \
			-e minor-faults -d -o faults.data ls /
		[ "$rc" = 134 ] || break
		sleep 1
	done
	must test "$rc" = 0
	perf trace -i faults.data >theirs 2>&1
	"$STROBE" trace -i faults.data >ours
	check "beside page faults the calls are perf's: $(grep -c fault ours)" \
		diff <(front theirs | grep -v fault) <(front ours | grep -v fault)
	# what a fault of the program wanted; perf looks for that of the kernel in the kernel's own map
	wanted() { sed -n 's/.*\(m[ai][jn]fault\) .* => /\1 /p' "$1" | sed 's/ (..)$//'; }
	wanted theirs | paste - <(wanted ours) | awk '$2 !~ /^0x/ && ($1 != $3 || $2 != $4)' >different
	check "each page fault has the object and the address of perf" \
		sh -c 'test $(grep -c "fault.*ld-linux" ours) -gt 5 && ! grep . different'
	perf trace -s -i perfs.data >theirs 2>&1
	"$STROBE" trace -s -i perfs.data >ours
	rows() { awk '$3 ~ /^[0-9]+$/ && NF == 8 { print $1, $2, $3, $4, $5, $6, $7, $8 }' "$1" | sort; }
	check "perf prints sums" sh -c 'test -s theirs'
	check "all lines of the sums are perf's" diff <(rows theirs) <(rows ours)
else
	skip_part "beside perf: none that traces"
fi
finish
