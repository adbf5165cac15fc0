#!/bin/bash
# strobe probe in programs: what the kernel is told, and what arrives when the probes are hit.
. "$(dirname "$0")/lib.sh"
workload probed -O0 && mv probed p0
workload probed -O2 -fno-omit-frame-pointer && mv probed p2
definition() { "$STROBE" probe -x "$1" -D "$2" 2>err; }
listed() { "$STROBE" probe -l 'probe_p[02]:*' 2>/dev/null; }
# Names of this script's own: group probe_p0 and probe_p2.
forget() { "$STROBE" probe -q -d 'probe_p0:*' >/dev/null 2>&1; "$STROBE" probe -q -d 'probe_p2:*' >/dev/null 2>&1; }
trap 'forget; cleanup' EXIT

offset() { printf '0x%x' $((0x$(nm "$1" | awk -v n="$2" '$3 == n { print $1 }'))); }	# of a position independent program's code

# ---- what the kernel is told
check "the beginning of a function" test "$(definition ./p2 leaf)" = "p:probe_p2/leaf $PWD/p2:$(offset p2 leaf)"
check "its return" test "$(definition ./p2 'leaf%return $retval')" = "r:probe_p2/leaf__return $PWD/p2:$(offset p2 leaf) \$retval"
check "an alias leads to the same place" test "$(definition ./p2 other_name)" = "p:probe_p2/other_name $PWD/p2:$(offset p2 leaf)"
check "names can be chosen" test "$(definition ./p2 'own:name=leaf')" = "p:own/name $PWD/p2:$(offset p2 leaf)"
check "parameters live in registers" sh -c "'$STROBE' probe -x ./p2 -D 'middle p->value s:string u' | grep -q ' value=+8(%di):s64 s_string=+0(%si):string u=%dx:x32$'"
check "an absolute path first is the program" sh -c "'$STROBE' probe $PWD/p2 -D leaf | grep -q '^p:probe_p2/leaf '"
run "$STROBE" probe -x ./p2 -D nosuch
check "an unknown function ends with perf's status" test $rc = 254
check "and perf's words" sh -c "grep -qx \"Probe point 'nosuch' not found.\" err && grep -qx '  Error: Failed to add events.' err"
run "$STROBE" probe -x ./p2 -D leav
check "a near name is offered" grep -qx '  try: leaf' err
run "$STROBE" probe -x ./p2 -D 'middle p->valeu'
check "so is a member" grep -qx '  try: value' err
run "$STROBE" probe -x ./p0 -D 'middle nosuch'
check "an unknown variable tells where to look" grep -q 'no variable of that name is in scope' err
run "$STROBE" probe -x ./p2 -D 'middle %rdi'
check "registers go by the kernel's names" grep -qx '  try: %di' err
run "$STROBE" probe -x ./p2 -D 'middle +'
check "damaged definitions are refused" test $rc != 0
run "$STROBE" probe -x ./nosuch -D leaf
check "a program that is not there is bad usage" test $rc = 129
check "-F lists functions and leaves out what begins with _" sh -c "'$STROBE' probe -x ./p2 -F | grep -qx middle && ! '$STROBE' probe -x ./p2 -F | grep -q ^_"
check "-F takes a filter" test "$("$STROBE" probe -x ./p2 -F 'm* & !main' | tr '\n' ' ')" = "many middle "
check "-L numbers the lines of code" sh -c "'$STROBE' probe -x ./p0 -L leaf | grep -q '^      2  	int r = n \* 3;'"
check "-V names types" sh -c "'$STROBE' probe -x ./p0 -V middle | grep -qx '		struct node\\*	p'"
check "-V knows the copies" test "$("$STROBE" probe -x ./p2 -V twice | grep -c @)" -ge 2

# ---- in the running system
if [ "$(id -u)" != 0 ] || [ ! -w /sys/kernel/tracing/uprobe_events ]; then
	skip_part "uprobes: needs root and a tracefs with uprobe_events"
	finish
fi
run "$STROBE" probe -x ./p0 'middle p->value p->text:string s:string p->in.bits p->in.big p->in.name:string p->numbers p->small p->shorter p->color p->u counter offset_by'
check "a probe is added" grep -qx 'Added new event:' err
check "its use is shown" grep -q 'record -e probe_p0:middle -aR sleep 1' err
run "$STROBE" probe -x ./p0 'leaf%return got=$retval:s32'
check "and one where it returns" test $rc = 0
run "$STROBE" probe -x ./p2 'twice x y'
check "copies have names of their own" sh -c 'grep -q "probe_p2:twice  *(on twice" err && grep -q "probe_p2:twice_1" err'
listed >list
check "-l shows them" sh -c "grep -q '^  probe_p0:leaf__return (on leaf%return@.*probed.c in $PWD/p0 with got)' list"
run "$STROBE" probe -x ./p0 middle
check "a second of the same name is refused as perf does" test $rc = 239
run "$STROBE" probe -f -x ./p0 middle
check "unless forced" grep -q probe_p0:middle_1 err
before=$(listed | wc -l)
run "$STROBE" probe -x ./p0 -a 'many a' -a 'leaf $nosuch'
check "what the kernel refuses is shown with its reason" grep -q 'why: ' err
check "and what was added by the same command is taken back" test "$(listed | wc -l)" = "$before"

"$STROBE" record -q -o data -e 'probe_p0:*' -e 'probe_p2:*' -- sh -c './p0 4; ./p2 4' >/dev/null 2>record.err
"$STROBE" script -i data >script 2>script.err
check "each call is one event" test "$(grep -c 'probe_p0:middle:' script)" = 4
check "each return too" test "$(grep -c 'probe_p0:leaf__return:' script)" = 12
check "members, text, bitfields, arrays and globals have their values" grep -q 'value=102 text="hello" s_string="world" bits=5 big=12345 name="inner" numbers={1,2,3,4} small=0xc8 shorter=-2 color=0x1 u=77 counter=' script
check "returned values" grep -q 'got=22$' script
check "all copies are hit" test "$(grep -c 'probe_p2:twice' script)" = 5
check "with their arguments" grep -q 'x=7 y=8' script
check "counter is followed through the run" sh -c 'grep -q "counter=5 offset_by=7" script && grep -q "counter=14 " script'

run "$STROBE" probe -d 'probe_p0:*'
check "deleting says what" grep -qx 'Removed event: probe_p0:middle' err
run "$STROBE" probe -d 'probe_p2:*'
check "nothing is left" test -z "$(listed)"
run "$STROBE" probe -d probe_p0:middle
check "what is not there cannot be deleted" test $rc = 254
finish
