#!/bin/bash
# Each option of top changes what it is for.
. "$(dirname "$0")/lib.sh"
workload spin -g -O1 -fno-omit-frame-pointer
need_can sample
./spin 300 & spinner=$!
later_kill $spinner
# page OPTIONS: one page of the spinning program, in `out`. On a busy machine it may not run at once: without any row,
# look once more, for longer.
page() {
	run timeout 60 "$STROBE" top --batch --rounds 1 -d 0.3 "$@" -p $spinner
	grep -qE '^ +[0-9.]+%' out || [ $rc != 0 ] ||
		run timeout 60 "$STROBE" top --batch --rounds 1 -d 3 "$@" -p $spinner
}
has() { grep -qE -- "$1" out; }
hasnt() { grep -q PerfTop out && ! grep -qE -- "$1" out; }

page -F 99
check "-F sets the rate" has '\[99Hz '
page -e task-clock:u
check "-e selects the event" has 'task-clock:u\]'
page -E 1
check "-E limits the rows" test "$(grep -cE '^ +[0-9.]+%' out)" = 1
page --percent-limit 50
check "--percent-limit hides small rows" hasnt '\[\.\] middle'
page -s pid,sym
check "-s sets the keys" has " $spinner:spin +\[\.\] leaf"
page --fields overhead,sample,sym
check "--fields sets the columns" has '^ +[0-9.]+% +[0-9]+  \[\.\] leaf'
page -n
check "-n shows the number of samples" has '^ +[0-9.]+% +[0-9]+  spin '
page --show-total-period
check "--show-total-period shows periods" has '^ +[0-9.]+% +[0-9]{7,}  spin '
page -v
check "-v: whole names and addresses" has "$PWD/spin +0x[0-9a-f]+"
page -w 8,30
check "-w sets the widths of columns" has '^ +[0-9.]+%  spin {26,}  *\[\.\] leaf'
page --dsos libc.so.6
check "--dsos selects objects" hasnt '\[\.\] leaf'
page --comms nobody
check "--comms selects commands" hasnt '\[\.\] leaf'
page -s sym --symbols leaf,outer
check "--symbols selects functions" hasnt '\[\.\] middle'
page --symbols middle --percentage relative -e task-clock:u
check "--percentage relative: the rows shown are 100 %" has '^ +100\.00%'
page --symbols middle --percentage absolute -e task-clock:u
check "--percentage absolute: all samples are 100 %" hasnt '^ +100\.00%'
page -H -s comm,sym
check "-H shows a hierarchy" has '^ +[0-9.]+% +spin *$'
page -K
check "-K hides kernel functions" hasnt '\[k\]'
page -U
check "-U hides user functions" hasnt '\[\.\]'
page -m 16
check "-m sets the size of rings" has '\[\.\] leaf'
page --overwrite -m 4
check "--overwrite shows samples" has '\[\.\] leaf'
check "-m with a word fails" sh -c '! "$STROBE" top --batch --rounds 1 -m nonsense -p 1 2>/dev/null'
page --kallsyms /dev/null -U
check "--kallsyms replaces the kernel's names" hasnt '\[k\] [a-z]'
page -k /nonexistent
check "-k: an image that is not there" sh -c "test $rc = 255 && grep -q nonexistent err"

page --sym-annotate leaf -e task-clock:u
check "--sym-annotate: instructions of the function, with shares" has '^ +[0-9.]+ :  +[0-9a-f]+: '
check "--sym-annotate shows no table" hasnt '%  spin'
check "--sym-annotate: source lines between them" has '^ +: +[0-9]+ +.*for \('
page --sym-annotate leaf -e task-clock:u --no-source --asm-raw
check "--no-source --asm-raw show bytes and no source" \
	sh -c 'grep -qE "^ +[0-9.]+ :  +[0-9a-f]+: +([0-9a-f]{2} )+ " out && ! grep -q "for (" out'
page --sym-annotate nothing_like_it
check "--sym-annotate: a function without samples" has "a function 'nothing_like_it' has no samples now"

# Call graphs of each mode. Without frame pointers, copied stacks and those unwound at once know the callers.
cc -g -O1 -fomit-frame-pointer -o bare "$STROBE_SOURCE/tests/e2e/workloads/spin.c" -lm -lpthread
./bare 300 & bare=$!
later_kill $bare
page -g --no-children -e task-clock:u
check "-g shows callers" has 'outer'
page -g --children -e task-clock:u -s sym
check "--children: callers have rows" has '^ +[0-9.]+% +0\.00%  \[\.\] main'
page -g --children -e task-clock:u --max-stack 1
check "--max-stack: the outermost frame alone" hasnt '^ {12,}.*outer'
page -g --no-children -e task-clock:u --ignore-callees outer -s sym
check "--ignore-callees hides called functions" hasnt '\[\.\] leaf'
page --call-graph fp,graph,0.5,callee --no-children -e task-clock:u
check "--call-graph with the words of report" has 'leaf'
for mode in dwarf dwarf,4096 dwarf+fp live live,8192; do
	run timeout 60 "$STROBE" top --batch --rounds 1 -d 0.5 --call-graph $mode --no-children -e task-clock:u -p $bare
	check "--call-graph $mode shows callers" has 'main'
done
run timeout 60 "$STROBE" top --batch --rounds 1 -d 0.5 --call-graph fp --no-children -e task-clock:u -p $bare
check "frame pointers find no callers there" hasnt 'main'
page --call-graph none
check "--call-graph none shows no graph" hasnt '---[a-z_]'

# Groups.
page -e '{task-clock:u,cpu-clock:u}'
check "a column for each event of a group" has '^ +[0-9.]+% +[0-9.]+%  spin '
page -e '{task-clock:u,cpu-clock:u}' --group-sort-idx 1
check "--group-sort-idx shows both events" has '^ +[0-9.]+% +[0-9.]+%  spin '

for refused in -D --branch-history --stitch-lbr; do
	run "$STROBE" top $refused
	check "$refused is refused, and says why" \
		sh -c "test $rc = 129 && grep -q 'not supported' err && grep -q why: err"
done

# Windows: the first sample of the second event comes at once; that of page faults never, for who only counts.
page -e task-clock:u,cpu-clock:u --switch-on cpu-clock:u
check "--switch-on: from its first sample on" has '\[\.\] leaf'
page -e task-clock:u,minor-faults:u --switch-on minor-faults:u
check "--switch-on shows nothing before that event" hasnt '\[\.\] leaf'
page -e task-clock:u,minor-faults:u --switch-off minor-faults:u
check "--switch-off shows all before that event" has '\[\.\] leaf'
page -e task-clock:u -c 1000000 --switch-off task-clock:u
check "--switch-off shows nothing after that event" hasnt '\[\.\] leaf'
page -e task-clock:u -c 1000000 --switch-off task-clock:u --show-on-off-events
check "--show-on-off-events: with the sample that ends it" has '^ +100\.00%'
page -e task-clock:u --switch-on nothing
check "--switch-on: an event that is not there" sh -c "test $rc = 254 && grep -q 'switch-on event not found' err &&
	grep -q '^  try: task-clock:u\$' err"

if can system raw_syscalls:sys_enter; then
	all() { run timeout 60 "$STROBE" top --batch --rounds 1 -d 0.3 "$@"; }
	all -e sched:sched_switch --filter 'prev_pid == 0 && next_pid == 0' -s comm
	check "--filter: the kernel drops what does not fit" hasnt '^ +[0-9.]+%'
	all -e sched:sched_switch -s trace
	check "fields as the kernel prints them" has 'prev_comm=.* ==> next_comm='
	all -e sched:sched_switch -s trace --raw-trace
	check "--raw-trace prints plain fields" sh -c 'grep -q prev_comm= out && ! grep -q "==>" out'
	all -a -s pid -e cpu-clock
	has " $spinner:spin" || all -a -s pid -e cpu-clock -d 5 # on a busy machine it may not run in 0.3 s
	check "-a shows all processes" has " $spinner:spin"
	all --all-cgroups -s cgroup
	check "--all-cgroups gives names of cgroups" has '^ +[0-9.]+%  /'
	all --namespaces -s cgroup_id
	check "--namespaces gives ids of cgroups" has '^ +[0-9.]+%  [0-9]+/0x'
	all --num-thread-synthesize 2 --proc-map-timeout 1000 --no-bpf-event --ignore-vmlinux --force \
		--demangle-kernel
	check "options of reading what runs" has '\[\.\] leaf'
else
	skip_part "the whole system: $why_not"
fi
finish
