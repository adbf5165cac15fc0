#!/bin/bash
# A recording in a directory with the kernel's memory and symbols, as `record --kcore` makes it:
# names come from there, wherever that kernel was loaded.
. "$(dirname "$0")/lib.sh"
need python3
need_can kernel symbols
grep -q '^0*[1-9a-f][0-9a-f]* T _text$' /proc/kallsyms || skip "the kernel's list has no _text"
must "$STROBE" record -q -N -e cpu-clock:k -F 3000 -g -o data dd if=/dev/zero of=/dev/null bs=1M count=3000
name=$("$STROBE" report -i data --stdio --no-children -g none -s sym 2>/dev/null | awk '$2 == "[k]" { print $3; exit }')
must test -n "$name"

mkdir -p dir/kcore_dir && cp data dir/data
sed "s/ \([tTwW]\) $name\$/ \1 kept_$name/" /proc/kallsyms >dir/kcore_dir/kallsyms
# The kernel's memory around the function: one segment with a mark in it.
python3 - "$name" <<'PY'
import struct, sys
at = next(int(l.split()[0], 16) for l in open('/proc/kallsyms') if l.split()[2] == sys.argv[1])
code = b'\x90' * 4096
head = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack('<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
open('dir/kcore_dir/kcore',
    'wb').write(head + struct.pack('<IIQQQQQQ', 1, 7, 120, at, 0, len(code), len(code), 1) + code)
# The same list from a kernel loaded 16 MB higher: the reference symbol tells.
with open('moved', 'w') as out:
    for l in open('dir/kcore_dir/kallsyms'):
        a, rest = l.split(' ', 1)
        out.write('%016x %s' % (int(a, 16) + 0x1000000 & 2**64 - 1, rest))
PY
named() { "$@" --stdio --no-children -g none 2>/dev/null | grep -q "kept_$name"; }
check "names come from the list in the recording's directory" named "$STROBE" report -i dir
check "a list that is asked for is better" \
	sh -c '! "$STROBE" report -i dir --kallsyms /proc/kallsyms --stdio 2>/dev/null | grep -q kept_'
check "a list of a kernel that lay elsewhere" named "$STROBE" report -i data --kallsyms moved
check "script knows them, too" sh -c '"$STROBE" script -i dir 2>/dev/null | grep -q kept_'
if command -v perf >/dev/null && perf version >/dev/null 2>&1; then
	check "perf reads the directory alike" named perf report -i dir
else skip_part "no perf to compare with"; fi
if [ "$(uname -m)" = x86_64 ]; then
	run "$STROBE" annotate -i dir --stdio "kept_$name"
	check "annotate shows the memory that was kept" grep -q nop out
else skip_part "annotate: the code is x86-64's"; fi

# The build-id cache of a kernel with readable memory; here a fake kernel in its own directory.
cache=$HOME/.debug id=$("$STROBE" buildid-list -k)
mkdir -p root/proc root/sys/kernel && cat /sys/kernel/notes >root/sys/kernel/notes &&
	cp dir/kcore_dir/kallsyms root/proc/kallsyms &&
	cat /proc/modules >root/proc/modules 2>/dev/null || : >root/proc/modules
python3 - "$name" <<'PY'
import struct, sys
at = {}
for l in open('/proc/kallsyms'):
    a, kind, symbol = l.split()[:3]
    if symbol in ('_stext', '_etext', sys.argv[1]): at.setdefault(symbol, int(a, 16))
start = at['_stext'] & -4096
size = (at['_etext'] - start + 8191) & -4096
with open('root/proc/kcore', 'wb') as f:
    f.write(b'\x7fELF\2\1\1'.ljust(16, b'\0')
        + struct.pack('<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0))
    f.write(struct.pack('<IIQQQQQQ', 1, 7, 4096, start, 0, size, size, 4096))
    f.truncate(4096 + size)
    f.seek(4096 + at[sys.argv[1]] - start)
    f.write(b'\x90' * 4096)
PY
if grep -q GNU /sys/kernel/notes 2>/dev/null; then
	check "buildid-list -k prints the kernel's build-id" test -n "$id"
	run "$STROBE" buildid-cache -v -k root/proc/kcore
	check "buildid-cache -k says where the copy is" \
		grep -q "^kcore added to build-id cache directory $cache/\[kernel.kcore\]/$id/[0-9]\{16\}\$" err
	copy=$(sed -n 's/^kcore added to build-id cache directory //p' err)
	check "names and modules are kept" \
		sh -c 'cmp "$1/kallsyms" root/proc/kallsyms && cmp "$1/modules" root/proc/modules' - "$copy"
	check "only the code from memory" readelf -lW "$copy/kcore"
	run "$STROBE" buildid-cache -v -k root/proc/kcore
	check "the same kcore is kept once" \
		sh -c 'grep -qxF "same kcore found in $1" err && [ "$(ls "$1/.." | wc -l)" = 1 ]' - "$copy"
	sed 's/ 0xffff\([0-9a-f]*\)/ 0xfffe\1/; $s/$/ /' root/proc/modules >m &&
		sed 's/^[0-9a-f]*\( [Tt] _stext\)$/ffffffff00000000\1/' root/proc/kallsyms >k &&
		mkdir -p other/proc other/sys/kernel &&
		cp m other/proc/modules && cp k other/proc/kallsyms &&
		cp root/sys/kernel/notes other/sys/kernel && cp root/proc/kcore other/proc
	run "$STROBE" buildid-cache -v -k other/proc/kcore
	check "a failed copy leaves nothing behind" \
		sh -c 'grep -q "^Couldn.t add other/proc/kcore: " err && [ "$(ls "$1/.." | wc -l)" = 1 ]' - "$copy"
	run "$STROBE" buildid-cache -k /etc/passwd
	check "a file that is not kernel memory" grep -q "^Couldn't add /etc/passwd: " err
	check "the recording finds the names there" named "$STROBE" report -i data
	if [ "$(uname -m)" = x86_64 ]; then
		run "$STROBE" annotate -i data --stdio "kept_$name"
		check "annotate shows instructions of the kept kcore" grep -q nop out
	fi
	if command -v perf >/dev/null && perf version >/dev/null 2>&1; then
		mkdir -p theirs &&
			PERF_BUILDID_DIR=$PWD/theirs perf buildid-cache -v -k "$PWD/root/proc/kcore" >words 2>&1
		PERF_BUILDID_DIR=$PWD/theirs perf --buildid-dir "$PWD/theirs" buildid-cache \
			-k "$PWD/root/proc/kcore" >/dev/null 2>&1
		check "perf lays out its copies alike" \
			sh -c 'ls -d theirs/*kernel.kcore*/"$1"/*/kallsyms "$2"/.debug/*kernel.kcore*/"$1"/*/kallsyms |
			grep -q theirs' \
			- "$id" "$HOME" ||
			cat words
	fi
	rm -rf "$cache/[kernel.kcore]"
else skip_part "the kernel tells no build-id"; fi

# Other things that may be in its place.
rm dir/kcore_dir/kallsyms && mkfifo dir/kcore_dir/kallsyms
check "a FIFO in the list's place is not waited for" timeout 60 "$STROBE" report -i dir --stdio
rm dir/kcore_dir/kallsyms && head -c 100000 /dev/urandom >dir/kcore_dir/kallsyms
check "noise in the list's place" timeout 60 "$STROBE" report -i dir --stdio
rm -r dir/kcore_dir && ln -s /nonexistent dir/kcore_dir
check "report reads a directory whose kcore is missing" timeout 60 "$STROBE" report -i dir --stdio
finish
