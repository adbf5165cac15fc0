#!/bin/bash
# inject: the output says the same as the input and has build-ids; perf agrees on which.
. "$(dirname "$0")/lib.sh"
workload spin
need_can sample
must "$STROBE" record -q -B -N -e cpu-clock -F 2000 -g -o perf.data ./spin 0.2

same_text() {
	"$STROBE" script -i perf.data >a 2>/dev/null; "$STROBE" script -i "$1" >b 2>/dev/null
	[ -s a ] && cmp a b
}
ids() { "$1" buildid-list -i "$2" | sort -k2; }
for how in -b --buildid-all -B --mmap2-buildid-all; do
	run "$STROBE" inject $how -i perf.data -o "new$how"
	check "inject $how succeeds" test "$rc" = 0
	check "inject $how: the same samples" same_text "new$how"
	check "inject $how: the program's build-id" \
		sh -c '"$STROBE" buildid-list -i "$1" | grep -q "^[0-9a-f]\{40\} .*/spin"' - "new$how"
done
check "-b: only what was hit" test "$(ids "$STROBE" new-b | wc -l)" -le "$(ids "$STROBE" new--buildid-all | wc -l)"
check "-B: in the map records" \
	sh -c '"$STROBE" script -i new-B --show-mmap-events | grep "MMAP2.*/spin" | grep -q "<[0-9a-f]\{40\}>"'
check "inject -b works through pipes" \
	sh -c 'cat perf.data | "$STROBE" inject -b >piped &&
	"$STROBE" inject -b -i piped | "$STROBE" script -i - >b && "$STROBE" script -i perf.data >a && cmp a b'
run "$STROBE" inject -b -i nosuch -o x
check "inject of a missing file fails" test "$rc" = 255
head -c 5000 perf.data >'cut'
run "$STROBE" inject -b -i cut -o x
check "inject writes the readable part of a damaged file" sh -c '[ '$rc' = 1 ] && "$STROBE" script -i x >/dev/null'

# Objects that contain only callers count as hit, also when the callers are in a stack copy.
echo 'static volatile long n; void burn(void (*f)(void)) { for (long i = 0; i < 300000000; i++) n += i; f(); }' >burn.c
echo 'void burn(void (*)(void)); static void done(void) { } int main(void) { burn(done); return 0; }' >caller.c
if cc -g -O1 -shared -fPIC -Wl,--build-id -o libburn.so burn.c &&
	cc -g -O1 -Wl,--build-id -o caller caller.c -L. -lburn -Wl,-rpath,"$PWD"; then
	must "$STROBE" record -q -B -N --call-graph dwarf -e cpu-clock:u -F 500 -o callers.data ./caller
	"$STROBE" report -i callers.data --no-children -s dso -g none 2>/dev/null >by_dso
	check "the caller itself has next to no samples" \
		sh -c 'awk "/[0-9]%.*libburn.so/ { p = \$1 + 0 } END { exit !(p > 90) }" by_dso'
	"$STROBE" buildid-list -H -i callers.data >hit
	check "buildid-list -H: objects of callers, with the ids of their files" \
		grep -q "^$(readelf -n caller | sed -n 's/.*Build ID: //p') .*/caller$" hit
	run "$STROBE" inject -b -i callers.data -o new-callers
	check "inject -b: the same" sh -c '"$STROBE" buildid-list -i new-callers | grep -q "^[0-9a-f]\{40\} .*/caller$"'
	if [ -n "${STROBE_PERF72:-}" ]; then
		$STROBE_PERF72 buildid-list -H -i callers.data 2>/dev/null | grep -v 'vdso\|kernel' | sort >theirs
		check "buildid-list -H: what perf 7.2 lists" diff theirs <(grep -v 'vdso\|kernel' hit | sort)
	fi
	# The call chains of a file without stacks are the same; perf 7.2 converts to the same chains.
	run "$STROBE" inject --convert-callchain -i callers.data -o converted
	check "inject --convert-callchain succeeds" test "$rc" = 0
	check "--convert-callchain: no stacks or registers are left" \
		sh -c '"$STROBE" evlist -v -i converted | grep CALLCHAIN |
		grep -vq "STACK_USER\|REGS_USER\|sample_.*_user"'
	check "--convert-callchain: a tenth of the size" \
		test -s converted -a $(($(stat -c %s converted 2>/dev/null || echo 0) * 10)) \
		-lt "$(stat -c %s callers.data)"
	chains() { "$1" script -i "$2" --no-inline -F comm,tid,time,period,ip,sym,dso 2>/dev/null; }
	chains() {
		"$1" script -i "$2" --no-inline -F comm,tid,time,period,ip,sym,dso 2>/dev/null |
			sed 's/^ *caller/caller/'
	}
	chains "$STROBE" callers.data >a; chains "$STROBE" converted >b
	check "--convert-callchain: callers are in them" grep -q 'main.*/caller' b
	check "--convert-callchain: the same call chains" cmp a b
	quality() { "$STROBE" report --quality -i "$1" 2>/dev/null | grep 'whole stack'; }
	check "--convert-callchain: as many whole stacks" test -n "$(quality callers.data)" -a \
		"$(quality callers.data)" = "$(quality converted)"
	"$STROBE" report --header-only -i converted >header
	check "--convert-callchain: the header says how the stacks ended" \
		grep -q 'unwound after recording: [1-9][0-9]* samples' header
	"$STROBE" inject --convert-callchain <callers.data >piped
	check "--convert-callchain writes the same through pipes" cmp a <(chains "$STROBE" piped)
	if [ -n "${STROBE_PERF72:-}" ]; then
		check "--convert-callchain: perf 7.2 reads it alike" cmp a <(chains "$STROBE_PERF72" converted)
	fi
	run "$STROBE" inject --convert-callchain -i perf.data -o none
	check "--convert-callchain: not of recordings without stacks" \
		sh -c '[ "$0" = 255 ] && grep -q "requires DWARF call graph" err && [ ! -e none ]' "$rc"
else skip_part "no stacks of a program with a library here"; fi

# With a named kernel image, its build-id and path become the kernel's.
printf 'int main(void) { return 0; }\n' >k.c && gcc -Wl,--build-id -o vmlinux-mine k.c
mine=$(readelf -n vmlinux-mine | sed -n 's/.*Build ID: //p')
if can kernel && [ -n "$mine" ]; then
	must "$STROBE" record \
		-q -B -N -e cpu-clock:k -F 5000 -o kernel.data dd if=/dev/zero of=/dev/null bs=1M count=1000
	run "$STROBE" inject -b -k vmlinux-mine -i kernel.data -o new-k
	check "-k: the image's build-id is the kernel's" \
		sh -c '"$STROBE" buildid-list -i new-k | grep -q "^$0 .*vmlinux-mine"' "$mine"
	run "$STROBE" inject -b -k vmlinux-mine --ignore-vmlinux -i kernel.data -o new-i
	check "--ignore-vmlinux does not use the vmlinux of -k" \
		sh -c '[ '$rc' = 0 ] && ! "$STROBE" buildid-list -i new-i | grep -q "$0"' "$mine"
	"$STROBE" inject -b -k vmlinux-mine -i kernel.data -o first &&
		printf 'int main(void) { return 1; }\n' >k.c && gcc -Wl,--build-id -o vmlinux-other k.c
	run "$STROBE" inject -b -k vmlinux-other -i first -o new-o
	check "an image of another kernel than the recorded one is refused" \
		sh -c '[ '$rc' = 255 ] && [ ! -e new-o ] && grep -q "build-id is another" err'
	for option in -k --kallsyms; do
		run "$STROBE" inject -b $option nosuch -i kernel.data -o new-n
		check "$option: a file that is not there" \
			sh -c '[ '$rc' = 255 ] && [ ! -e new-n ] && grep -q nosuch err'
	done
	run "$STROBE" inject -b --kallsyms /proc/kallsyms -i kernel.data -o new-s
	check "inject --kallsyms succeeds" test "$rc" = 0
	if perf version >/dev/null 2>&1 &&
		perf inject -b -k "$PWD/vmlinux-mine" -i kernel.data -o theirs-k 2>/dev/null; then
		check "perf writes the same of the kernel" \
			grep -q "^$mine $PWD/vmlinux-mine" <("$STROBE" buildid-list -i theirs-k)
	fi
else skip_part "an image of the kernel: no build-ids here, or this machine cannot: $why_not"; fi

# --aslr: other addresses, the same answers; registers, stacks and samples with physical addresses
# are dropped.
"$STROBE" record -q -N -e cpu-clock:u -F 2000 -g -o placed.data ./spin 0.1
run "$STROBE" inject --aslr -i placed.data -o moved.data
check "inject --aslr succeeds" test "$rc" = 0
plain_script() {
	"$STROBE" script -F comm,tid,time,event,ip,sym,symoff,dso -i "$1" 2>/dev/null | sed 's/^\t *[0-9a-f]*//'
}
check "--aslr: names and offsets stay" diff <(plain_script placed.data) <(plain_script moved.data)
# an address in no object becomes 0, which a broken stack may contain already
"$STROBE" script -F ip -i placed.data 2>/dev/null | tr -d ' \t' | grep -vx 0 | sort -u >old-ips
check "--aslr: no address stays" \
	sh -c '! "$STROBE" script -F ip -i moved.data 2>/dev/null | tr -d " \t" | grep . | grep -qxFf old-ips'
"$STROBE" report -D -i placed.data 2>/dev/null | sed -n 's/.*MMAP2.*: \[\(0x[0-9a-f]*\)(.*/\1/p' | sort -u >old-maps
check "--aslr: no map stays" \
	sh -c '[ -s old-maps ] && ! "$STROBE" report -D -i moved.data 2>/dev/null | grep MMAP2 | grep -qFf old-maps'
if can kernel; then
	"$STROBE" record -q -N -e cpu-clock:k -F 5000 -g -o placed-k.data dd if=/dev/zero of=/dev/null \
		bs=1M count=1000 2>/dev/null
	"$STROBE" inject --aslr -i placed-k.data -o moved-k.data
	by_name() {	# without addresses that have no name: a BPF program of another test may have ended
		"$STROBE" report --stdio --no-children -g none -s sym,dso -i "$1" 2>/dev/null |
			grep '%' | grep -v ' 0x' | sort
	}
	by_name placed-k.data >placed-names
	by_name moved-k.data >moved-names
	check "--aslr: the kernel's names stay" sh -c '[ -s placed-names ] && cmp placed-names moved-names'
fi
"$STROBE" record -q -N -e cpu-clock:u -F 2000 --call-graph dwarf,1024 -o stacks.data ./spin 0.1
run "$STROBE" inject --aslr -i stacks.data -o moved-s.data
check "--aslr: no registers, no stacks" \
	sh -c '"$STROBE" evlist -v -i moved-s.data | grep sample_type &&
	! "$STROBE" evlist -v -i moved-s.data | grep -E "REGS_USER|STACK_USER"'
run "$STROBE" inject --aslr --convert-callchain -i stacks.data -o none.data
check "--aslr goes with no conversion" sh -c '[ '$rc' = 129 ] && [ ! -e none.data ] && grep -q "inject twice" err'

# Recordings of others: add nothing from this machine.
if [ -d "${STROBE_CORPUS:-}/data" ]; then
	for name in l72-pipe-tp quipper-piped.target-3.4 pp-contentsize l61-fp; do
		[ -f "$STROBE_CORPUS/data/$name.data.xz" ] || continue
		xz -dc "$STROBE_CORPUS/data/$name.data.xz" >perf.data &&
			"$STROBE" inject --buildid-all -i perf.data -o "new-$name"
		check "$name: the same samples" same_text "new-$name"
	done
	"$STROBE" record -q -B -N -e cpu-clock -F 2000 -g -o perf.data ./spin 0.1
	"$STROBE" inject -b -i perf.data -o new-b
fi
perf version >/dev/null 2>&1 || { skip_part "no perf to compare with, or none that runs"; finish; }
perf inject -b -i perf.data -o theirs 2>/dev/null
# perf uses only sampled addresses, not callers; and it always counts the vdso.
known_to_both() { grep -v vdso want >a; [ -s a ] && [ -z "$(grep -vxFf got a)" ]; }
ids perf theirs >want; ids perf new-b >got
check "perf reads ours, and finds all the ids of its own" known_to_both
ids "$STROBE" theirs >got
check "strobe reads perf's injected build-ids" known_to_both
# For old readers: what they do not know is left out, and said.
must "$STROBE" record -q -N --call-graph live -z -e cpu-clock:u -F 1000 -o live.data ./spin 0.2
must "$STROBE" bundle -q -i live.data -o bundled.data
run "$STROBE" inject --compat=6.1 -i bundled.data -o compat.data
check "--compat: it says what is gone" grep -qE 'readers of 6.1: [0-9]+ records of newer types, [2-9] sections' err
"$STROBE" script -i live.data >a 2>/dev/null; "$STROBE" script -i compat.data >b 2>/dev/null
check "--compat: the same samples" sh -c '[ -s a ] && cmp a b'
"$STROBE" report -i compat.data --header-only -I >header
check "--compat: no sections of ours" sh -c '! grep -qE "unwound while recording|^# bundle|e_machine" header'
"$STROBE" report -D -i compat.data >dump 2>/dev/null
check "--compat: nothing is compressed" sh -c '! grep -q COMPRESSED dump && grep -q RECORD_SAMPLE dump'
python3 - <<'PY'
import struct
data = bytearray(open('compat.data', 'rb').read())
attrs, = struct.unpack_from('<Q', data, 24)
flags, = struct.unpack_from('<Q', data, attrs + 40)
struct.pack_into('<Q', data, attrs + 40, flags | 1 << 38)
open('newer.data', 'wb').write(data)
PY
run "$STROBE" inject --compat=6.1 -i newer.data -o old.data
check "--compat: a newer flag of an event" grep -q 'parts of 1 events' err
"$STROBE" script -i old.data >c 2>/dev/null
check "--compat: samples written anew are the same" cmp b c
run "$STROBE" inject --compat=5.0 -i live.data -o x
check "--compat of another version is bad usage" test "$rc" = 129
if command -v perf >/dev/null 2>&1; then
	perf script -i compat.data 2>perf.err </dev/null | grep -c cpu-clock >c
	check "--compat: perf reads all of it" test "$(cat c)" = "$(grep -c cpu-clock a)"
fi
# hotspot has a reader of its own, which knows no zstd and none of the newer records.
hotspot=$(find /usr/lib /usr/libexec -name hotspot-perfparser 2>/dev/null | head -1)
if [ -n "$hotspot" ]; then
	run "$hotspot" --input compat.data --print-stats
	check "--compat: hotspot has all samples" grep -qx "samples: $(grep -c cpu-clock a)" out
	run "$hotspot" --input compat.data --output hotspot.out
	check "--compat: hotspot names them" sh -c "test $rc = 0 && grep -aq leaf hotspot.out"
else
	skip_part "no hotspot here"
fi
finish
