#!/bin/bash
# c2c report on a terminal: the table of lines, the places of one, sums, forms of the last column.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_tui.sh"
need python3 tar xz
must python3 "$STROBE_SOURCE/tests/lib/make_c2c.py" any.pipe
must "$STROBE" inject -i any.pipe -o any.data
tui_start 100 24
tui_type "$STROBE c2c report -i any.data" Enter
tui_see 'Shared Data Cache Line Table'
tui_see 'Index             Address  Node'
tui_screen lines
tui_type Right Right
tui_see 'LclHitm  RmtHitm'
tui_type Left Left Down Enter
tui_see 'Data address'
tui_see "$("$STROBE" c2c report -i any.data --stdio | awk '$1 == 1 && NF > 20 { print $2 }')"
tui_type q
tui_see 'Enter: accesses'
tui_type s
tui_see 'Trace Event Information'
tui_type q '?'
tui_see 'the code that accesses each offset of the line'
tui_type q q
tui_see 'prompt>'
tui_type "$STROBE c2c report -i any.data --stdio | head -3" Enter
tui_see 'Trace Event Information'

# a: the code of a place's function
tar -xJf "$STROBE_SOURCE/tests/golden/layers.tar.xz" --strip-components=2 root/mnt/layers
must python3 "$STROBE_SOURCE/tests/lib/make_c2c.py" names.pipe seed=4 n=200 "program=$PWD/layers" code=401665
must "$STROBE" inject -i names.pipe -o names.data
cat >objdump <<'SH'
#!/bin/sh
echo "$@" >>"$0.asked"
printf '  401665:\tits own words\n  401667:\tand more\n'
SH
chmod +x objdump
for how in '-M att:(%rax)' '-M intel:[rax]' "--objdump $PWD/objdump -M masm:its own words"; do
	tui_start 250 30
	tui_type "$STROBE c2c report -i names.data ${how%:*}" Enter
	tui_see 'Shared Data Cache Line Table'
	tui_type Enter
	tui_see 'a: code of the function'
	tui_type a / 'shared[10' Enter
	tui_see 'line 12 of'
	tui_type a
	tui_see 'this address is in no known function'
	tui_type q / leaf Enter a
	tui_see "${how##*:}"
	tui_see leaf
	tui_type q
	tui_see 'a: code of the function'
	tui_type q q
	tui_see 'prompt>'
done
check "--objdump disassembles with that program" grep -q -- '-Mmasm' objdump.asked
fails 129 'knows att and intel' c2c report -i names.data -M masm

# n: the same places, other words on nodes
tui_start 260 24
tui_type "$STROBE c2c report -i any.data" Enter
tui_see 'Shared Data Cache Line Table'
tui_type n
tui_see 'Node{cpus %hitms %stores}'
tui_type q n
tui_see 'Node{cpu list}'
tui_type q q
tui_see 'prompt>'
finish
