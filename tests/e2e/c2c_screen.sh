#!/bin/bash
# c2c report on a terminal: the table of lines, the places of one, sums, forms of the last column.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_tui.sh"
need python3
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
tui_see 'Enter: who accesses it'
tui_type s
tui_see 'Trace Event Information'
tui_type q '?'
tui_see 'who accesses which offset of the line'
tui_type q q
tui_see 'prompt>'
tui_type "$STROBE c2c report -i any.data --stdio | head -3" Enter
tui_see 'Trace Event Information'

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
