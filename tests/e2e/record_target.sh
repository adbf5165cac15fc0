#!/bin/bash
# record with several targets: a message tells which ones count.
. "$(dirname "$0")/lib.sh"
need_can sample
sleep 60 & later_kill $!
must "$STROBE" record -e dummy:u -p $! -a -o x.data true
check "-p wins over -a, and a message says so" grep -q 'PID/TID switch overriding SYSTEM' err
run "$STROBE" record -e dummy:u -p $! -o x.data true
check "-p alone needs no warning" test -z "$(grep overriding err)"
run "$STROBE" record -e dummy:u -a --per-thread -o x.data true
check "-a wins over --per-thread, and a message says so" grep -q 'SYSTEM/CPU switch overriding PER-THREAD' err
finish
