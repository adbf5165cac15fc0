#!/bin/bash
# script: instructions between branches (brstackinsn and related fields) of handmade recordings with
# branch records, as perf 7.2 prints them.
. "$(dirname "$0")/lib.sh"
need cc nm
[ "$(uname -m)" = x86_64 ] || skip "the program is one of x86-64"
make=$STROBE_BUILD/tests/script-branches
[ -x "$make" ] || skip "script-branches was not built"
peer=
[ -x "${STROBE_PERF72:-}" ] && peer=$STROBE_PERF72 || skip_part "perf 7.2 beside: STROBE_PERF72 names none"

cat >code.s <<'S'
	.text
	.globl _start, leaf, middle
	.type leaf, @function
leaf:
	lea (%rdi,%rdi,2), %edx
	test $1, %dil
	cmovne %edx, %eax
	ret
	.size leaf, . - leaf
	.type middle, @function
middle:
	push %rbx
	mov $0, %ebx
.Lagain:
	mov %ebx, %edi
	call leaf
	add $1, %ebx
	cmp $9, %ebx
	jne .Lagain
	pop %rbx
	ret
	.size middle, . - middle
	.type _start, @function
_start:
	call middle
	mov $60, %eax
	syscall
	.size _start, . - _start
S
cc -g -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-Ttext=0x401000 -o code code.s 2>cc.log ||
	skip "the assembler does not work: $(head -1 cc.log)"
nm code | grep -q '401022 T _start' || skip "the linker put the code somewhere else"

head=
recording() { { printf 'arch x86_64\n%s' "$head"; echo "mmap 401000 1000 1000 $tmp/code"; cat; } | "$make" br.data; }
# The same text as perf's, if perf is here.
same() {
	run "$STROBE" script -i br.data "$@"
	[ "$rc" = 0 ] || { cat err; return 1; }
	[ -z "$peer" ] || { "$peer" script -i br.data "$@" >theirs 2>/dev/null; diff -u theirs out; }
}

# _start calls middle, whose loop calls leaf twice.
truth='sample 401018 40100a,401018,600032 401013,401000,400022 40101e,401011,100021 '\
'40100a,401018,600102 401013,401000,400012 401022,40100b,400002'
echo "$truth" | recording
expect usual "$STROBE" script -i br.data -F ip,sym,brstackinsn
expect lengths "$STROBE" script -i br.data -F ip,brstackinsnlen,srcline
expect disasm "$STROBE" script -i br.data -F ip,brstackdisasm
for fields in +brstackinsn +brstackinsnlen brstackinsn ip,sym,brstackinsn,srcline \
	ip,sym,brstackinsn,srccode ip,sym,brstack,brstackinsn,insn \
	ip,phys_addr,-phys_addr,brstackinsn; do
	case $fields in *-*) continue ;; esac
	check "-F $fields is perf's" same -F $fields
done
for n in 1 2 20; do check "--max-blocks $n is perf's" same -F ip,brstackinsn --max-blocks $n; done
run "$STROBE" script -i br.data -F ip,brstackinsn --max-blocks 1
check "--max-blocks 1: two branches are left" test "$(grep -c '# ' out)" = 2

# Records that do not fit the code, flags, samples that do not follow the latest branch.
while read -r branches; do
	echo "sample $branches" | recording
	check "branches of sample $branches are perf's" same -F ip,sym,brstackinsn
done <<'S'
401018
401018 40100a,401018,52
401018 40100a,401018,52 900000,401000,42
900010 40100a,900000,52 401013,401000,42
401018 40100a,401018,52 401013,401019,42
401018 401009,401018,52 401013,401000,42
401018 40101f,401018,52 401013,401012,42
401018 410000,401018,52 401013,401000,42
401018 40100a,401018,5e 401013,401000,4c
401018 40100a,401018,58 401013,401000,42
401018 40100a,401018,54 401013,401000,42
401018 401022,401018,52 401013,401020,42
401019 40100a,401018,52
401012 40100a,401018,52
401027 40100a,401018,52
401018 40100a,900000,52 401013,401000,0
401018 ffffffff81000000,401018,52 401013,401000,42
S

head=$(printf 'filter 80008\ncaps 4 2\n ')
head=${head% }
counted='sample 401018 40100a,401018,600032,5 401013,401000,400022,0 40101e,401011,100021,3 '\
'40100a,401018,600102,2 401013,401000,400012,f'
echo "$counted" | recording
for fields in ip,brcntr ip,brstackinsn,brcntr ip,brstackinsnlen,brcntr,srcline; do
	check "-F $fields is perf's" same -F $fields
done
expect counters "$STROBE" script -i br.data -F ip,brstackinsn,brcntr
head=$(printf 'filter 80008\n ')
head=${head% }
echo "$counted" | recording
run "$STROBE" script -i br.data -F ip,brstackinsn,brcntr
check "brcntr: the recording lacks the width of counters" test $rc != 0 -a "$(grep -c branch_counter_width err)" = 1
head=
echo "$truth" | recording
run "$STROBE" script -i br.data -F ip,brcntr
check "brcntr: none were recorded" grep -q "not enabled" err
head=$(printf 'filter 10\n ')
head=${head% }
echo "$truth" | recording
run "$STROBE" script -i br.data -F ip,brstackinsn
check "brstackinsn: calls alone do not tell what ran between" \
	test $rc != 0 -a "$(grep -c 'non all-branch filter' err)" = 1

# --- call stacks that were too deep for the registers: a ring of four. Thread 7 calls a to h,
# thread 8 has other calls in the same registers, thread 9 has one different call.
a=401000,1,2 b=401001,1,2 c=401002,1,2 d=401003,1,2 e=401004,1,2 f=401005,1,2 g=401006,1,2 h=401007,1,2 \
	x=401008,1,2 y=401003,2,2
head=$(printf 'stacks 4\n ')
head=${head% }
recording <<S
sample 7/3/401010 $d $c $b $a
sample 7/1/401011 $f $e $d $c
sample 8/1/401011 $f $e $x $g
sample 9/3/401010 $d $c $b $a
sample 9/1/401011 $f $e $d $x
sample 7/2/401012 $g $f $e $d
sample 8/1/401011 $h $e
sample 7/0/401013 $e $d
sample 9/3/401010 $d $c $b $a
sample 9/1/401011 $f $e $y $c
sample 9/2/401013 $g $f $e $y
S
expect stitched "$STROBE" script -i br.data --stitch-lbr -F tid,ip
check "--stitch-lbr: the stacks of perf 7.2" same --stitch-lbr -F tid,ip
check "without --stitch-lbr chains are as recorded" same -F tid,ip
run "$STROBE" script -i br.data --stitch-lbr -F tid,ip --max-stack 6
check "no more frames than are wanted" \
	awk '/^\t/ { n++; if (n > 6) bad = 1; if (n > most) most = n } /^$/ { n = 0 } END { exit bad || most < 6 }' out
# Registers 2, 3, 0, 1 and then 2 again: perf takes the index of the outermost one as a number
# beyond the ring.
recording <<S
sample 7/1/401010 $d $c $b $a
sample 7/2/401011 $e $d $c $b
sample 7/2/401011 $e
S
run "$STROBE" script -i br.data --stitch-lbr -F ip
check "--stitch-lbr joins chains across the end of the ring" test "$(grep -c 401000 out)" = 3
run "$STROBE" report -i br.data --stitch-lbr --stdio --children -s symoff -g none
check "report joins them as well" grep -q '100.00% *0.00%  \[.\] leaf+0x0' out
run "$STROBE" report -i br.data --stdio --children -s symoff -g none
check "report joins no chains without --stitch-lbr" grep -q '33.33% *0.00%  \[.\] leaf+0x0' out
# What the recording must have for stitching.
head='filter 20800
'
echo "sample 7/1/401010 $d $c" | recording
run "$STROBE" script -i br.data --stitch-lbr -F ip
check "reported: the number of registers is not known" sh -c '[ "$1" = 0 ] && grep -q "how many registers" err' sh "$rc"
head='filter 800
'
echo "sample 401010 $d $c" | recording
run "$STROBE" script -i br.data --stitch-lbr -F ip
check "reported: the last written one is unknown" grep -q "which register" err
head=
echo "$truth" | recording
run "$STROBE" report -i br.data --stitch-lbr --stdio
check "reported: there are no such stacks" grep -q "joined no call stacks.*record --call-graph lbr" err

# --- a record with counts does not hide samples
{ echo round; echo "$truth"; } | recording
run "$STROBE" script -i br.data -F comm,ip
check "samples are printed next to records of counts" grep -q '^ *branchy *401018' out

# --- a record with counts does not hide samples
{ echo round; echo "$truth"; } | recording
run "$STROBE" script -i br.data -F comm,ip
check "samples are printed next to records of counts" grep -q '^ *branchy *401018' out

# Each field prints a hostile name safely.
head=
cp code "$(printf 'co\033de')"
{ printf 'arch x86_64\nmmap 401000 1000 1000 %s/co\033de\n' "$tmp"; echo "$truth"; } | "$make" br.data
objcopy --redefine-sym "leaf=$(printf 'le\033af')" "$(printf 'co\033de')" 2>/dev/null
run "$STROBE" script -i br.data -F ip,sym,dso,brstackinsn,brstackdisasm,srcline
check "names have no control bytes" sh -c '! grep -q "$(printf "\033")" out'
finish
