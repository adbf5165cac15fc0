#!/bin/bash
# A recording with a bundle gives the same answers where nothing else is: in an empty root directory.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_bundle.sh"
need gcc ldd python3
need_can sample
workload jitter

cat >loop.c <<'C'
static inline __attribute__((always_inline)) long twice(long x)
{
	return x * 2 + (x >> 3);
}
__attribute__((noinline)) long spin(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		s += twice(s ^ i);
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}
int main(void)
{
	volatile long t = 0;
	for (int i = 0; i < 1500; i++)
		t += spin(100000);
	return 0;
}
C
gcc -g -O1 -fno-omit-frame-pointer -Wl,--build-id loop.c -o loop
gcc -g -O1 -fno-omit-frame-pointer -Wl,--build-id=none loop.c -o bare

# empty_root: strobe alone, with the libraries that it is linked with
empty_root() {
	mkdir -p root/tmp
	cp "$STROBE" root/strobe
	for f in $(ldd "$STROBE" | grep -o '/[^ ]*') $(ls /usr/lib/*/libcapstone.so.[0-9] 2>/dev/null); do
		mkdir -p "root$(dirname "$f")"; cp -L "$f" "root$f"
	done
}
in_root() { unshare --root=root "$@" 2>/dev/null || unshare -r --root=root "$@"; }

# travels NAME FUNCTION: bundle NAME.data; all views of it are those of the recording
travels() {
	must "$STROBE" bundle -q -i "$1.data" -o "$1.b.data" --with-code --with-source
	run "$STROBE" bundle -i "$1.b.data" --verify
	check "$1: the bundle has the answers of the files" test "$rc" = 0
	must "$STROBE" bundle -i "$1.b.data" -o "$1.s.data" --strip
	check "$1: without the bundle it is the old file" cmp "$1.data" "$1.s.data"
	views "$1.old" "$1.data" "$2" "$STROBE"
	views "$1.here" "$1.b.data" "$2" "$STROBE" && cp "$1.b.data" root/
	check "$1: the same here" same_views "$1.old" "$1.here" "$2"
	[ -n "$rooted" ] || return
	views "$1.there" "$1.b.data" "$2" in_root /strobe
	check "$1: the same in an empty root" same_views "$1.old" "$1.there" "$2"
}

empty_root
rooted=1 there=there
if ldd "$STROBE" | grep -q libasan; then # ASan reads its options from /proc, which the root lacks
	rooted='' there=here
	skip_part "an empty root: ASan needs /proc"
elif unshare --root=/ true 2>/dev/null || unshare -r --root=/ true 2>err; then
	must in_root /strobe version
else
	rooted='' there=here
	skip_part "no right to chroot here: $(head -1 err)"
fi

must taskset -c $one_cpu "$STROBE" record -q -N -e cpu-clock:u -F 1000 -g -o fp.data ./loop
travels fp spin
must taskset -c $one_cpu "$STROBE" record -q -N -B -e cpu-clock:u -F 1000 --call-graph dwarf,4096 -o stacks.data ./loop
travels stacks spin
must taskset -c $one_cpu "$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -g -o bare.data ./bare
travels bare spin
must taskset -c $one_cpu "$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -k mono -g -o jit.data ./jitter . 1
travels jit ""

# generated code that /tmp/perf-PID.map names, and the time of day, whose code is in the vdso
cat >mapped.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static __attribute__((noinline, aligned(64))) long model(long n)
{
	for (long i = 0; i < 100000; i++)
		n = n * 31 + (n >> 5) + i;
	return n;
}
int main(void)
{
	int all = PROT_READ | PROT_WRITE | PROT_EXEC;
	void *code = mmap(NULL, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec t;
	char path[64];
	FILE *f;

	memcpy(code, (void *)model, 256);
	__builtin___clear_cache(code, (char *)code + 256);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx 100 made_by_hand\n", (unsigned long)code);
	fclose(f);
	puts(path);
	for (int i = 0; i < 2000; i++)
		((long (*)(long))code)(i);
	for (int i = 0; i < 10000000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return 0;
}
C
gcc -g -O1 -fno-omit-frame-pointer mapped.c -o mapped
must taskset -c $one_cpu "$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -g -o mapped.data ./mapped
map=$(grep '^/tmp/perf-[0-9]*.map$' out)
travels mapped ""
rm -f "$map"
check "mapped: a function of perf-PID.map" grep -q made_by_hand "mapped.$there.report"
check "names of the vdso come from the bundle" grep -qE '\[vdso\] .*clock_gettime' "mapped.$there.report"

# A BPF program: its name is in the recording itself, as this kernel's functions are not.
python3 - <<'EOF'
import struct
record = lambda kind, misc, body: struct.pack("<IHH", kind, misc, 8 + len(body)) + body
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 4 | 1 << 5, 0, 1 << 8 | 1 << 18).ljust(128, b"\0")
sid = struct.pack("<IIQ", 7, 7, 1)
at = 0xffffffffc0201000
data = record(17, 0, struct.pack("<QIHH24s", at, 256, 1, 0, b"bpf_prog_1234_count") + sid)
data += record(3, 0x2000, struct.pack("<II8s", 7, 7, b"prog") + sid)
for i in range(100):
    data += record(9, 1, struct.pack("<QIIQQQQ", at + 16 + i % 4, 7, 7, 1000000 * (i + 1), 2, 2**64 - 128, at + 16))
head = b"PERFILE2" + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 1 << 3, 0, 0, 0)
tail = struct.pack("<QQ", 248 + len(data) + 16, 68) + struct.pack("<I64s", 64, b"host")
open("bpf.data", "wb").write(head + attr + bytes(16) + data + tail)
EOF
travels bpf ""
check "the name of a BPF program comes from the bundle" grep -q bpf_prog_1234_count "bpf.$there.report"

if can kernel; then
	must taskset -c $one_cpu "$STROBE" record -q -N -B -e cpu-clock -F 2000 -g -o kernel.data \
		dd if=/dev/zero of=/dev/null bs=64k count=20000
	travels kernel ""
else
	skip_part "no kernel samples: $why_not"
fi

# Its size: 100,000 samples with 12 callers each, at 100,000 places of strobe itself.
if command -v readelf >/dev/null 2>&1; then
	readelf -SW "$STROBE" | sed -n 's/^ *\[ *[0-9]*\] .text  *PROGBITS  *//p' >text
	python3 - "$STROBE" <<'EOF'
import struct, sys
address, offset, size = (int(word, 16) for word in open("text").read().split()[:3])
record = lambda kind, misc, body: struct.pack("<IHH", kind, misc, 8 + len(body)) + body
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 4 | 1 << 5, 0, 1 << 8 | 1 << 18).ljust(128, b"\0")
sid, base, places = struct.pack("<IIQ", 7, 7, 1), 0x400000, 100000
name = sys.argv[1].encode() + b"\0"
name += bytes(-len(name) % 8)
parts = [record(3, 0x2000, struct.pack("<II8s", 7, 7, b"prog") + sid),
         record(1, 2, struct.pack("<IIQQQ", 7, 7, base, offset + size + 4096, 0) + name + sid)]
for i in range(places):
    ips = [base + offset + (i + k * 997) % places * size // places for k in range(13)]
    parts.append(record(9, 2, struct.pack("<QIIQ15Q", ips[0], 7, 7, 1000 * (i + 1), 14, 2**64 - 512, *ips)))
data = b"".join(parts)
head = b"PERFILE2" + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 1 << 3, 0, 0, 0)
tail = struct.pack("<QQ", 248 + len(data) + 16, 68) + struct.pack("<I64s", 64, b"host")
open("large.data", "wb").write(head + attr + bytes(16) + data + tail)
EOF
	must "$STROBE" bundle -i large.data -o large.b.data
	more=$(($(stat -c %s large.b.data) * 1000 / $(stat -c %s large.data) - 1000))
	say "a bundle of $(sed -n 's/.* \([0-9]* places\) .*/\1/p' err) adds $more per mille to 100,000 samples"
	check "a bundle adds at most 15 % to the recording" test "$more" -le 150
	rm large.data large.b.data
else
	skip_part "no readelf"
fi

# Precedence: an object with the recorded build-id here, else the bundle; a file without one proves nothing.
run "$STROBE" report -i fp.b.data --stdio
check "the object here wins" sh -c '! grep -q "come from the recording.s bundle" err'
run "$STROBE" report -i fp.b.data --stdio --bundle-first
check "unless the bundle goes first" grep -q "come from the recording's bundle" err
printf 'int main(void) { return 0; }\nvoid spun(void) { }\n' >other.c && gcc -O0 -Wl,--build-id=none other.c -o bare
run "$STROBE" script -i bare.b.data -F ip,sym
check "a replaced file names nothing" sh -c 'grep -q spin out && ! grep -q spun out'

# Lines of source come from where the names come from: a bundle does not choose which file here is shown.
must "$STROBE" bundle -q -i fp.data -o bare.b.data --with-code
cp loop.c kept.c
"$STROBE" annotate -i bare.b.data --stdio -s spin >a 2>/dev/null
"$STROBE" annotate -i bare.b.data --bundle-first --stdio -s spin >b 2>/dev/null
check "source of an object here" grep -q 's += twice(s ^ i)' a
check "annotate shows no source of a file that is only in the bundle" \
	sh -c '[ -s b ] && ! grep -q "s += twice(s ^ i)" b'
sed 's/s += twice/s -= twice/' kept.c >loop.c
"$STROBE" annotate -i fp.b.data --bundle-first --stdio -s spin >c 2>/dev/null
mv kept.c loop.c
check "annotate shows the file's own source" grep -q 's += twice(s ^ i)' c

# record --bundle, and what cannot have one
run taskset -c $one_cpu "$STROBE" record -N -B -e cpu-clock:u -F 500 -g --bundle -o rb.data ./loop
check "record --bundle adds a bundle" grep -q "bundle of .* places in" err
run "$STROBE" bundle -i rb.data --verify
check "the bundle that record adds passes --verify" test "$rc" = 0
run "$STROBE" record --bundle -o - true
check "not into a pipe" test "$rc" = 129
run "$STROBE" bundle -i fp.data --verify
check "--verify of a recording without a bundle fails" sh -c "test $rc = 255 && grep -q 'has no bundle' err"
"$STROBE" record -q -N -B -e cpu-clock:u -o - ./loop >pipe.data 2>/dev/null
run "$STROBE" bundle -i pipe.data -o x.data
check "a stream is refused" sh -c "test $rc = 255 && grep -q 'strobe inject' err && ! test -e x.data"

# For sharing: no directory, command line or host stays.
must "$STROBE" bundle -q -i fp.data -o shared.data --with-code --no-paths
check "--no-paths: no directory of the program" sh -c "! grep -aq '$PWD' shared.data"
"$STROBE" report -i shared.data --header-only >header
check "--no-paths: no command line, no host" sh -c '! grep -qE "cmdline|hostname" header'
"$STROBE" script -i fp.data -F ip,sym >a 2>/dev/null
mv loop elsewhere; "$STROBE" script -i shared.data -F ip,sym >b 2>/dev/null; mv elsewhere loop
check "--no-paths: the same names" sh -c '[ -s a ] && cmp a b'
run "$STROBE" bundle -i shared.data --verify
check "--no-paths: --verify says why it cannot compare" \
	sh -c "test $rc = 255 && grep -q 'why: the recording has no paths for' err && ! grep -q differently err"
must "$STROBE" record -q -N -z -e cpu-clock:u -o z.data true
run "$STROBE" bundle -i z.data --strip
check "the advice keeps --strip" sh -c "test $rc = 129 && grep -q 'try: strobe bundle --strip -i z.data -o FILE' err"
run "$STROBE" bundle -i z.data -o x.data --no-paths
check "--no-paths: not of a compressed one" sh -c "test $rc = 255 && grep -q 'are compressed' err && ! test -e x.data"

# Damage: the bundle's section is at the end of the file.
python3 - <<'PY'
data = bytearray(open('fp.b.data', 'rb').read())
for name, at in (('d1', len(data) - 40), ('d2', len(data) - 400)):
    damaged = bytearray(data)
    for i in range(8):
        damaged[at + i] ^= 0x55
    open(name + '.data', 'wb').write(damaged)
PY
for f in d1 d2; do
	run "$STROBE" report -i $f.data --stdio
	check "$f: a damaged bundle is reported" grep -q "bundle is damaged" err
	check "$f: the report is still there" grep -q spin out
done

# other readers
for reader in perf "${STROBE_PERF72:-}"; do
	command -v "${reader:-none}" >/dev/null 2>&1 || { skip_part "no perf to read it"; continue; }
	"$reader" script -i fp.data >perf.old 2>/dev/null </dev/null
	"$reader" script -i fp.b.data >perf.new 2>perf.err </dev/null
	check "$reader reads it as before" cmp perf.old perf.new
	check "$reader reads samples of a recording with a bundle" test -s perf.new
done
finish
