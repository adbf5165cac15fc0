#!/bin/bash
# Names for thousands of random addresses in real objects equal those of perf 7.2, in script for a
# handmade recording.
. "$(dirname "$0")/lib.sh"
need python3 readelf gcc

# recording OBJECT... > perf.data: each object mapped completely, with 1500 samples at random
# addresses in its code
cat >recording.py <<'PY'
import os, random, re, struct, subprocess, sys
def record(kind, misc, body): return struct.pack('<IHH', kind, misc, 8 + len(body)) + body
def padded(b): b += b'\0'; return b + b'\0' * (-len(b) % 8)
def code(path):
    text = subprocess.run(['readelf', '-lW', path], capture_output=True, text=True).stdout
    for l in text.splitlines():
        w = l.split()
        if w and w[0] == 'LOAD' and 'E' in ''.join(w[6:-1]): yield int(w[1], 16), int(w[4], 16)
out, kernel, objects = sys.argv[1], sys.argv[2] == 'kernel', sys.argv[3:]
random.seed(7)
pid, t, records, samples = 4242, 1000, [], []
def trailer(p): return struct.pack('<IIQ', p & 0xffffffff, p & 0xffffffff, t)
records.append(record(3, 0x2000, struct.pack('<II', pid, pid) + padded(b'prog') + trailer(pid)))
for i, path in enumerate(objects):
    base, size = 0x7f0000000000 + (i << 34), os.path.getsize(path) + 0x1fff & ~0xfff
    t += 1
    records.append(record(10, 2, struct.pack('<IIQQQIIQQII', pid, pid, base, size, 0, 8, 1, i + 1, 0, 5, 2)
        + padded(os.fsencode(path)) + trailer(pid)))
    segments = list(code(path))
    for off, n in random.choices(segments, weights=[n for _, n in segments], k=1500):
        samples.append((base + off + random.randrange(n), 2))
if kernel:
    text = [int(l.split()[0], 16) for l in open('/proc/kallsyms') if re.search(r' (_text|_etext)$', l)]
    start, end = min(text), max(text)
    records.insert(0, record(1, 1, struct.pack('<IIQQQ', 0xffffffff, 0, start, end - start, start)
        + padded(b'[kernel.kallsyms]_text') + trailer(-1)))
    samples += [(random.randrange(start, end), 1) for _ in range(3000)]
for ip, mode in samples:
    t += 1
    records.append(record(9, mode, struct.pack('<QIIQ', ip, pid, pid, t)))
data = b''.join(records)
attr = struct.pack('<IIQQQQQ', 1, 128, 0, 1000, 1 | 2 | 4, 0,
    1 << 8 | 1 << 9 | 1 << 18 | 1 << 23 | 1 << 24).ljust(128, b'\0') + bytes(16)
head = b'PERFILE2' + struct.pack('<12Q', 104, 144, 104, 144, 248, len(data), 0, 0, 0, 0, 0, 0)
open(out, 'wb').write(head + attr + data)
PY

cat >p.cc <<'CC'
#include <iostream>
#include <unistd.h>
template <class T> struct Ring {
	T v[4];
	Ring()
	{
		for (auto &x : v)
			x = T();
	}
	virtual ~Ring() {}
	__attribute__((noinline)) T sum() const { return v[0] + v[3]; }
};
namespace { __attribute__((noinline)) int hidden(double d) { return (int)d * 3; } }
static int (*volatile indirect)() = getppid;
int main(int argc, char **argv)
{
	Ring<long> r;
	std::cout << r.sum() << hidden(argc) << indirect() << getppid() << std::endl;
	return [&](int n) { return n + argc; }(3);
}
CC
printf 'int work(int n) { return n * 2; }\nint main(void) { return work(1); }\n' >c.c
objects=
make_object() {
	name=$1
	shift
	if "$@" -o "$name" >/dev/null 2>&1; then
		objects="$objects $PWD/$name"
	else
		skip_part "cannot build $name here"
	fi
}
make_object pie g++ -O1 p.cc
make_object nopie g++ -O1 -no-pie p.cc
make_object stripped g++ -O1 -s p.cc
make_object now g++ -O1 -Wl,-z,now p.cc
make_object static gcc -O1 -static c.c
[ "$(uname -m)" = x86_64 ] && make_object ibt g++ -O1 -fcf-protection -Wl,-z,ibtplt p.cc
# Linked for a start address other than 0, as prelink does; and with code in two distant segments.
make_object prelinked g++ -O1 -shared -fPIC -Wl,-Ttext-segment=0x41000000 p.cc
cat >far.c <<'C'
int near_code(int n) { return n * 3; }
__attribute__((section(".text_far"))) int far_code(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) s += i * n ^ s;
	return s;
}
int main(int c, char **v) { return near_code(c) + far_code(c); }
C
make_object split gcc -O1 -no-pie -Wl,--section-start=.text_far=0x2000000 far.c
# Aliases of all kinds, symbols without type or size, an ifunc, functions that compilers split or
# copied, names of Go.
cat >odd.c <<'C'
__asm__(".text\n.p2align 4\nbare_label: .skip 16, 0x90\n.globl untyped_label\nuntyped_label: .skip 16, 0x90\n"
	".type sizeless,@function\nsizeless: .skip 16, 0x90\n"
	".type sized,@function\n.size sized,16\nsized: .skip 16, 0x90\n"
	".type shrunk.isra.0,@function\n.size shrunk.isra.0,16\nshrunk.isra.0: .skip 16, 0x90\n"
	".type _ZN3foo3barEi.part.0,@function\n.size _ZN3foo3barEi.part.0,16\n"
	"_ZN3foo3barEi.part.0: .skip 16, 0x90\n"
	".type \"main.(*Tree).Insert\",@function\n.size \"main.(*Tree).Insert\",16\n"
	"\"main.(*Tree).Insert\": .skip 16, 0x90\n"
	".type _ZN4core3fmt9Formatter3pad17h0123456789abcdefE,@function\n"
	".size _ZN4core3fmt9Formatter3pad17h0123456789abcdefE,16\n"
	"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE: .skip 16, 0x90\n");
#define WORK(n) { int s = n; for (int i = 0; i < n; i++) s += i * s ^ n; return s; }
int public_name(int n) WORK(n)
int _public_name(int) __attribute__((alias("public_name")));
int __public_name(int) __attribute__((weak, alias("public_name")));
int strong_name(int n) WORK(n + 1)
int weak_name(int) __attribute__((weak, alias("strong_name")));
static int fast_way(int n) WORK(n + 2)
static int (*choose(void))(int) { return fast_way; }
int chosen(int) __attribute__((ifunc("choose")));
int main(int c, char **v) { return public_name(c) + strong_name(c) + chosen(c); }
C
make_object odd gcc -O1 -fno-toplevel-reorder odd.c
for f in $(ldd "$PWD/pie" 2>/dev/null | grep -o '/[^ ]*') /bin/bash "$STROBE"; do
	objects="$objects $(readlink -f "$f")"
done

kernel=no
[ "$(id -u)" = 0 ] && grep -q '^0*[1-9a-f][0-9a-f]* T _etext' /proc/kallsyms && kernel=kernel
[ $kernel = kernel ] || skip_part "kernel addresses are hidden from us"
must python3 recording.py perf.data $kernel $objects

run "$STROBE" script -i perf.data -F ip,sym,symoff,dso
check "strobe prints every sample" test "$(grep -c '[0-9a-f]' out)" -gt 4000
grep -v '^$' out | sed 's/ *$//' >ours
check "most addresses have a name" test "$(grep -vc unknown ours)" -gt 2000
check "stubs have the names of the functions they call" grep -q 'getppid@plt' ours
check "code in a segment of its own has its name" grep -q "far_code+0x" ours
check "names of a prelinked library are right" grep -q "hidden(double).*/prelinked" ours
odd() { for name; do grep -qF " $name+0x" <(grep '/odd)' ours) || { echo "$name"; return 1; }; done; }
if [ -e odd ]; then
	check "labels, with and without type and size" odd bare_label untyped_label sizeless sized
	check "clones, names of Go, of Rust" \
		odd shrunk.isra.0 'foo::bar(int) [clone .part.0]' 'main.(*Tree).Insert' \
		core::fmt::Formatter::pad
	check "the public one of several names" odd public_name strong_name
	check "aliases have the public name, not the weak one" \
		sh -c '! grep -q " _*_public_name+0x.*/odd\| weak_name+0x.*/odd" ours'
	check "an ifunc and what it chose" odd fast_way chosen
fi
check "C++ names are demangled" grep -q 'hidden(double)' ours

# Code compiled by the kernel: loaded during and before the recording.
cat >bpf.py <<'PY'
import ctypes, os, platform, struct, sys, time
libc, call = ctypes.CDLL(None, use_errno=True), {'x86_64': 321, 'aarch64': 280}.get(platform.machine(), -1)
def bpf(command, attr):
    result = libc.syscall(call, command, ctypes.create_string_buffer(attr, max(len(attr), 120)), max(len(attr), 120))
    if result < 0: sys.exit('bpf: ' + os.strerror(ctypes.get_errno()))
    return result
# r0 = 0; r0 += 7 ...; exit
def insn(code, value): return struct.pack('<BBhi', code, 0, 0, value)
insns = insn(0xb7, 0) + insn(0x07, 7) * 2000 + insn(0x95, 0)
code, license = ctypes.create_string_buffer(insns), ctypes.create_string_buffer(b'GPL')
data = ctypes.create_string_buffer(64)
prog = bpf(5, struct.pack('<IIQQIIQII16s', 1, len(insns) // 8, ctypes.addressof(code),
    ctypes.addressof(license), 0, 0, 0, 0, 0, b'strobe_adds'))
open('bpf.ready', 'w').close()
end = time.time() + float(sys.argv[1])
while time.time() < end: bpf(10, struct.pack('<IIIIQQII', prog, 0, 64, 0, ctypes.addressof(data), 0, 20000, 0))
PY
in_bpf() {
	"$STROBE" report -q -i "$1" --stdio -g none --no-children -s dso,sym 2>/dev/null |
		sed 's/ *$//' |
		grep -q 'bpf_prog_[0-9a-f]*_strobe_adds .*bpf_prog_[0-9a-f]*_strobe_adds$'
}
if [ $kernel = kernel ] && [ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)" = 1 ] &&
	python3 bpf.py 0 2>bpf.err; then
	"$STROBE" record -q -N -e cpu-clock -F 2000 -o during.data python3 bpf.py 0.2 >/dev/null 2>&1
	check "a BPF program loaded while it was recorded" in_bpf during.data
	rm bpf.ready; python3 bpf.py 20 & later_kill $!
	for _ in $(seq 500); do [ -e bpf.ready ] && break; sleep 0.02; done
	"$STROBE" record -q -N -e cpu-clock -F 2000 -p $! -o before.data "$while_working" $! 0.3 >/dev/null 2>&1
	check "a BPF program that ran before has its name" in_bpf before.data
else skip_part "BPF programs: not allowed or not compiled here: $(head -1 bpf.err 2>/dev/null)"; fi

[ -n "${STROBE_PERF72:-}" ] || { skip_part "no perf 7.2 to compare with"; finish; }
# Two differences are deliberate: perf shows C functions called f as types, and names no stubs if a
# file has no other symbol.
"$STROBE_PERF72" script -i perf.data -F ip,sym,symoff,dso 2>/dev/null | grep -v '^$' | sed 's/ *$//' >theirs
paste -d '\n' ours theirs |
	awk 'NR % 2 { a = $0; next }
	a != $0 && !(a ~ /@plt/ && $0 ~ /unknown/) && !(a !~ /unknown/ && $0 ~ /offset_0x/) {
		print "ours " a; print "perf " $0 }' \
	>different
check "perf 7.2 shows the same names" test ! -s different
head -6 different
check "strobe prints as many samples as perf" test "$(wc -l <ours)" = "$(wc -l <theirs)"
finish
