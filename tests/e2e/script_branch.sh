#!/bin/bash
# script: the instructions between branches (brstackinsn and its relatives) of recordings with branch records made by hand, as perf 7.2 prints them.
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
cc -g -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-Ttext=0x401000 -o code code.s 2>cc.log || skip "the assembler does not work: $(head -1 cc.log)"
nm code | grep -q '401022 T _start' || skip "the linker put the code somewhere else"

head=
recording() { { printf 'arch x86_64\n%s' "$head"; echo "mmap 401000 1000 1000 $tmp/code"; cat; } | "$make" br.data; }
# The same text as perf's, where it is here.
same() {
	run "$STROBE" script -i br.data "$@"
	[ "$rc" = 0 ] || { cat err; return 1; }
	[ -z "$peer" ] || { "$peer" script -i br.data "$@" >theirs 2>/dev/null; diff -u theirs out; }
}

# _start calls middle, whose loop calls leaf twice.
truth='sample 401018 40100a,401018,600032 401013,401000,400022 40101e,401011,100021 40100a,401018,600102 401013,401000,400012 401022,40100b,400002'
echo "$truth" | recording
expect usual "$STROBE" script -i br.data -F ip,sym,brstackinsn
expect lengths "$STROBE" script -i br.data -F ip,brstackinsnlen,srcline
expect disasm "$STROBE" script -i br.data -F ip,brstackdisasm
for fields in +brstackinsn +brstackinsnlen brstackinsn ip,sym,brstackinsn,srcline ip,sym,brstackinsn,srccode ip,sym,brstack,brstackinsn,insn ip,phys_addr,-phys_addr,brstackinsn; do
	case $fields in *-*) continue ;; esac
	check "-F $fields" same -F $fields
done
for n in 1 2 20; do check "--max-blocks $n" same -F ip,brstackinsn --max-blocks $n; done
run "$STROBE" script -i br.data -F ip,brstackinsn --max-blocks 1
check "--max-blocks 1: two branches are left" test "$(grep -c '# ' out)" = 2

# Records that do not fit the code, flags, samples that are not behind the latest branch.
while read -r branches; do
	echo "sample $branches" | recording
	check "sample $branches" same -F ip,sym,brstackinsn
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
counted='sample 401018 40100a,401018,600032,5 401013,401000,400022,0 40101e,401011,100021,3 40100a,401018,600102,2 401013,401000,400012,f'
echo "$counted" | recording
for fields in ip,brcntr ip,brstackinsn,brcntr ip,brstackinsnlen,brcntr,srcline; do check "-F $fields" same -F $fields; done
expect counters "$STROBE" script -i br.data -F ip,brstackinsn,brcntr
head=$(printf 'filter 80008\n ')
head=${head% }
echo "$counted" | recording
run "$STROBE" script -i br.data -F ip,brstackinsn,brcntr
check "brcntr: no width of the counters is told" test $rc != 0 -a "$(grep -c branch_counter_width err)" = 1
head=
echo "$truth" | recording
run "$STROBE" script -i br.data -F ip,brcntr
check "brcntr: none were recorded" grep -q "not enabled" err
head=$(printf 'filter 10\n ')
head=${head% }
echo "$truth" | recording
run "$STROBE" script -i br.data -F ip,brstackinsn
check "brstackinsn: calls alone do not tell what ran between" test $rc != 0 -a "$(grep -c 'non all-branch filter' err)" = 1

# Every field's text survives a hostile name.
head=
cp code "$(printf 'co\033de')"
{ printf 'arch x86_64\nmmap 401000 1000 1000 %s/co\033de\n' "$tmp"; echo "$truth"; } | "$make" br.data
objcopy --redefine-sym "leaf=$(printf 'le\033af')" "$(printf 'co\033de')" 2>/dev/null
run "$STROBE" script -i br.data -F ip,sym,dso,brstackinsn,brstackdisasm,srcline
check "names have no control bytes" sh -c '! grep -q "$(printf "\033")" out'
finish
