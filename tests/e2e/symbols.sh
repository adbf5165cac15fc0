#!/bin/bash
# Names for thousands of random addresses of real objects: the same that perf 7.2 prints, in script over a recording made up here.
. "$(dirname "$0")/lib.sh"
need python3 readelf gcc

# recording OBJECT... > perf.data: each mapped whole, 1500 samples at random places of its code
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
    records.append(record(10, 2, struct.pack('<IIQQQIIQQII', pid, pid, base, size, 0, 8, 1, i + 1, 0, 5, 2) + padded(os.fsencode(path)) + trailer(pid)))
    segments = list(code(path))
    for off, n in random.choices(segments, weights=[n for _, n in segments], k=1500): samples.append((base + off + random.randrange(n), 2))
if kernel:
    text = [int(l.split()[0], 16) for l in open('/proc/kallsyms') if re.search(r' (_text|_etext)$', l)]
    start, end = min(text), max(text)
    records.insert(0, record(1, 1, struct.pack('<IIQQQ', 0xffffffff, 0, start, end - start, start) + padded(b'[kernel.kallsyms]_text') + trailer(-1)))
    samples += [(random.randrange(start, end), 1) for _ in range(3000)]
for ip, mode in samples:
    t += 1
    records.append(record(9, mode, struct.pack('<QIIQ', ip, pid, pid, t)))
data = b''.join(records)
attr = struct.pack('<IIQQQQQ', 1, 128, 0, 1000, 1 | 2 | 4, 0, 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23 | 1 << 24).ljust(128, b'\0') + bytes(16)
head = b'PERFILE2' + struct.pack('<12Q', 104, 144, 104, 144, 248, len(data), 0, 0, 0, 0, 0, 0)
open(out, 'wb').write(head + attr + data)
PY

cat >p.cc <<'CC'
#include <iostream>
#include <unistd.h>
template <class T> struct Ring { T v[4]; Ring() { for (auto &x : v) x = T(); } virtual ~Ring() {} __attribute__((noinline)) T sum() const { return v[0] + v[3]; } };
namespace { __attribute__((noinline)) int hidden(double d) { return (int)d * 3; } }
static int (*volatile indirect)() = getppid;
int main(int argc, char **argv) { Ring<long> r; std::cout << r.sum() << hidden(argc) << indirect() << getppid() << std::endl; return [&](int n) { return n + argc; }(3); }
CC
printf 'int work(int n) { return n * 2; }\nint main(void) { return work(1); }\n' >c.c
objects=
make_object() { name=$1; shift; if "$@" -o "$name" >/dev/null 2>&1; then objects="$objects $PWD/$name"; else skip_part "cannot build $name here"; fi; }
make_object pie g++ -O1 p.cc
make_object nopie g++ -O1 -no-pie p.cc
make_object stripped g++ -O1 -s p.cc
make_object now g++ -O1 -Wl,-z,now p.cc
make_object static gcc -O1 -static c.c
[ "$(uname -m)" = x86_64 ] && make_object ibt g++ -O1 -fcf-protection -Wl,-z,ibtplt p.cc
# Linked for another place than 0, as prelink does it; and with code in two segments far apart.
make_object prelinked g++ -O1 -shared -fPIC -Wl,-Ttext-segment=0x41000000 p.cc
printf 'int near_code(int n) { return n * 3; }\n__attribute__((section(".text_far"))) int far_code(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n ^ s; return s; }\nint main(int c, char **v) { return near_code(c) + far_code(c); }\n' >far.c
make_object split gcc -O1 -no-pie -Wl,--section-start=.text_far=0x2000000 far.c
for f in $(ldd "$PWD/pie" 2>/dev/null | grep -o '/[^ ]*') /bin/bash "$STROBE"; do objects="$objects $(readlink -f "$f")"; done

kernel=no
[ "$(id -u)" = 0 ] && grep -q '^0*[1-9a-f][0-9a-f]* T _etext' /proc/kallsyms && kernel=kernel
[ $kernel = kernel ] || skip_part "kernel addresses are hidden from us"
python3 recording.py perf.data $kernel $objects || skip "cannot make the recording"

run "$STROBE" script -i perf.data -F ip,sym,symoff,dso
check "strobe prints every sample" test "$(grep -c '[0-9a-f]' out)" -gt 4000
grep -v '^$' out | sed 's/ *$//' >ours
check "most addresses have a name" test "$(grep -vc unknown ours)" -gt 2000
check "stubs bear the names of what they call" grep -q 'getppid@plt' ours
check "code in a segment of its own has its name" grep -q "far_code+0x" ours
check "and in a library linked elsewhere" grep -q "hidden(double).*/prelinked" ours
check "C++ names are demangled" grep -q 'hidden(double)' ours

[ -n "${STROBE_PERF72:-}" ] || { skip_part "no perf 7.2 to compare with"; finish; }
# Two things are better left: perf shows C functions called f as types, and names no stubs where a file has no other symbol.
"$STROBE_PERF72" script -i perf.data -F ip,sym,symoff,dso 2>/dev/null | grep -v '^$' | sed 's/ *$//' >theirs
paste -d '\n' ours theirs | awk 'NR % 2 { a = $0; next } a != $0 && !(a ~ /@plt/ && $0 ~ /unknown/) && !(a !~ /unknown/ && $0 ~ /offset_0x/) { print "ours " a; print "perf " $0 }' >different
check "perf 7.2 shows the same names" test ! -s different
head -6 different
check "as many samples" test "$(wc -l <ours)" = "$(wc -l <theirs)"
finish
