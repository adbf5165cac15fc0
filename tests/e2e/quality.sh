#!/bin/bash
# Programs broken on purpose, one for each reason why a frame is unknown or cut: at least 99 of 100
# samples get the right reason, and none a wrong one.
. "$(dirname "$0")/lib.sh"
need gcc objcopy python3

cat >b.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/resource.h>
static volatile long sink;
static double seconds;
static double used(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return (double)r.ru_utime.tv_sec + (double)r.ru_utime.tv_usec / 1e6;
}
__attribute__((noinline)) void spin(void)
{
	while (used() < seconds)
		for (long i = 0; i < 20000000; i++) sink += i * i;
}
static long (*volatile next)(int);
__attribute__((noinline)) long deep(int n)
{
	char room[64];
	memset(room, n, sizeof(room));
	if (n) { long r = next(n - 1); return r + room[n & 63]; }
	spin();
	return room[1];
}
int main(int argc, char **argv)
{
	seconds = argc > 2 ? atof(argv[2]) : 0.25;
	next = deep;
	sink = deep(argc > 1 ? atoi(argv[1]) : 3);
	return 0;
}
C
# Generated code: a loop that counts down and returns; the argument tells how to announce it.
cat >jit.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
#if defined(__x86_64__)
	/* mov $600000000, %rcx; 1: dec %rcx; jnz 1b; ret */
	static const unsigned char code[] = { 0x48, 0xc7, 0xc1, 0x00, 0x46, 0xc3, 0x23,
					      0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
#else
	return 3;
	static const unsigned char code[1];
#endif
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	memcpy(p, code, sizeof(code));
	if (argc > 1 && !strcmp(argv[1], "dump")) {
		snprintf(name, sizeof(name), "jit-%d.dump", getpid());
		int fd = open(name, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, 4096) < 0) return 1;
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		unlink(name);
	} else if (argc > 1 && !strcmp(argv[1], "map")) {
		snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
		FILE *f = fopen(name, "w");
		fprintf(f, "1000 10 elsewhere\n");
		fclose(f);
	}
	((void (*)(void))p)();
	return 0;
}
C
build() { gcc -O1 -g "$@" || exit 1; }
record() { "$STROBE" record -q -N -e cpu-clock:u -F 4000 -o perf.data "$@" >record.log 2>&1; }
need_can sample
build -fno-omit-frame-pointer -o try b.c
must "$STROBE" record -q -N -e cpu-clock:u -F 1000 -o perf.data ./try

# judged PART CODE OBJECT [LEAST]: at least 95 % of the samples in OBJECT (a pattern) lack PART
# because of CODE (a pattern), none because of another reason
# Some samples come while the program starts or ends: more of them on a busy machine.
judged() {
	"$STROBE" report --quality -i perf.data ${options-} >quality 2>quality.err || { cat quality.err; return 1; }
	awk -v part="$1" -v code="$2" -v object="$3" -v least="${4:-95}" '
		/^# +[0-9.]+% of [0-9]+ have/ { of[$7 == "whole" ? "stack" : $6 == "names" ? "caller" : $7] = $4 }
		/^ *[0-9.]+%/ && $3 == part { name = $0;
		sub(/^[^%]*% +[0-9]+ +[^ ]+ +[^ ]+ +/, "", name);
		if (name ~ object) { if ($4 ~ "^(" code ")$") right += $2; else wrong += $2 } }
		END { print right + 0, wrong + 0, of[part] + 0;
		exit !(right >= of[part] * least / 100 && of[part] > 20 && wrong <= of[part] / 100) }' \
			quality ||
			{ cat quality; return 1; }
}

# 1 to 3: the file
build -o gone b.c && record ./gone && rm gone
check "no-file: a program that was deleted" judged symbol no-file /gone
build -o huge b.c && truncate -s 8G huge && record ./huge
if [ -n "${STROBE_SANITIZED:-}" ]; then skip_part "little address space: sanitizers need a lot"
else check "no-file: a program that does not fit the address space" \
	sh -c '(ulimit -v 4000000; "$STROBE" report --quality -i perf.data) | grep -q "^# no-file: no address"'; fi
rm huge
build -Wl,--build-id -o other b.c && record -B --buildid-mmap ./other 2>/dev/null || record ./other
build -O2 -Wl,--build-id -DOTHER -o other b.c
check "build-id-differs: a program that was rebuilt" judged symbol build-id-differs /other
build -s -o bare b.c && record ./bare
check "stripped: a program without symbols" judged symbol stripped /bare

# 4 to 6: the stack
build -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-exceptions -fno-unwind-tables -g0 -o mute b.c &&
	record --call-graph dwarf ./mute
check "no-unwind-info: a program without unwind tables" judged stack no-unwind-info /mute
build -o deep b.c && record --call-graph dwarf,2048 ./deep 300
check "window-full: a recursion deeper than the copy" judged stack window-full /deep
# a C library with frame pointers: its frames lead to the program's start, past all frames of the
# program itself
build -fomit-frame-pointer -o flat b.c && record -g ./flat
check "no-frame-pointer: a program that keeps none" judged stack "no-frame-pointer|caller-skipped|leaf-skipped" /flat
echo 'volatile long sum; void leaf(void) { for (long i = 0; i < 300000000; i++) sum += i; }' >leaf.c
echo 'void leaf(void); static volatile int n;
__attribute__((noinline)) void caller(void) { leaf(); n++; }
int main(void) { caller(); n++; return 0; }' \
	>caller.c
build -fomit-frame-pointer -c leaf.c && build -fno-omit-frame-pointer -o past caller.c leaf.o && record -g ./past
case $(uname -m) in
x86_64)
	check "leaf-skipped: a function without a frame in a program with" judged stack leaf-skipped /past
	check "the offered cure is an option that gcc obeys" \
		grep -q 'try: record --call-graph live (gcc' quality
	echo 'void leaf(void); static volatile int n;
__attribute__((noinline)) void middle(void) { leaf(); n++; }' \
		>middle.c
	echo 'void middle(void); static volatile int n;
__attribute__((noinline)) void caller(void) { middle(); n++; }
int main(void) { caller(); n++; return 0; }' \
		>caller2.c
	build -O0 -c leaf.c && build -fomit-frame-pointer -c middle.c &&
		build -fno-omit-frame-pointer -o between caller2.c middle.o leaf.o &&
		record -g ./between
	check "caller-skipped: one that calls another" judged stack caller-skipped /between ;;
*) skip_part "caller-skipped: unwind tables tell it on x86 only" ;;
esac
build -O0 -c leaf.c && build -fno-omit-frame-pointer -o kept caller.c leaf.o && record -g ./kept
check "if all functions keep frame pointers, stacks are whole" \
	sh -c '"$STROBE" report --quality -i perf.data |
	grep -q "^# *\(100.00\|9[5-9][.][0-9]*\)% of [0-9]* have a whole stack"'
build -fno-omit-frame-pointer -o tall b.c && record -g ./tall 2000
check "depth-limit: a recursion deeper than the kernel keeps" judged stack depth-limit /tall
record --call-graph dwarf ./try
check "stacks of another program are whole" \
	sh -c '"$STROBE" report --quality -i perf.data |
	grep -q "^# *\(100.00\|9[5-9][.][0-9]*\)% of [0-9]* have a whole stack"'

# 7 to 9: generated code
if build -o jit jit.c && ./jit; then
	record ./jit dump
	check "no-map-file: a jitdump that was deleted" judged symbol no-map-file /tmp/perf-
	record ./jit
	check "jit-without-map: a JIT that writes no map" judged symbol jit-without-map /tmp/perf-
	record ./jit map
	check "no-symbol: a map file that does not list the code" judged symbol no-symbol /tmp/perf-
	map=$(ls /tmp/perf-*.map -t |
		while read -r f; do grep -qx '1000 10 elsewhere' "$f" 2>/dev/null && echo "$f" && break; done)
	if [ "$(id -u)" = 0 ]; then
		chown 12345 "$map"
		check "map-refused: a map file of somebody else" judged symbol map-refused /tmp/perf-
	else skip_part "map-refused: needs root"; fi
	rm -f "$map"
else skip_part "generated code: not for this machine"; fi

# 10: the kernel
if can kernel; then
	rm -f perf.data
	must "$STROBE" record -q -N -e cpu-clock:k -F 2000 -o perf.data dd if=/dev/zero of=/dev/null bs=1M count=4000
	sed 's/^[0-9a-f]*/0000000000000000/' /proc/kallsyms | head -2000 >hidden
	options="--kallsyms $tmp/hidden" check "kallsyms-hidden: addresses are zeroes" judged symbol \
		kallsyms-hidden kernel
else skip_part "kallsyms-hidden: this machine cannot: $why_not"; fi

# 11: a lost map record: a message says that some were lost.
record ./try
python3 - <<'PY'
import struct
data = bytearray(open('perf.data', 'rb').read())
at, size = struct.unpack_from('<QQ', data, 40)
end = at + size
while at + 8 <= end:
    kind, misc, length = struct.unpack_from('<IHH', data, at)
    if kind == 10 and b'/try\0' in data[at:at + length]:
        tail = bytes(data[at + length - 40:at + length])    # tid, time, id, cpu, identifier: as many as exist
        struct.pack_into('<IHHQQ', data, at, 2, 0, length, 0, 1)
    if length < 8: break
    at += length
open('perf.data', 'wb').write(data)
PY
check "lost-map: the record of the program's map is not there" judged symbol lost-map unknown

# A chroot has a copy of a program that is here, too. It has another inode; only build-ids show that
# the files are equal.
if [ "$(id -u)" = 0 ] && gcc -O1 -g -static -Wl,--build-id -o twin b.c 2>/dev/null; then
	mkdir -p "jail$tmp" && cp twin "jail$tmp/twin"
	record -B sh -c "'$tmp/twin'; exec chroot jail '$tmp/twin'"
	check "other-file: nothing says whether a chroot's copy is equal" judged symbol other-file /twin 40
	check "the table does not say that build-ids differ" sh -c '! grep -q build-id-differs quality'
	record -B --buildid-mmap sh -c "'$tmp/twin'; exec chroot jail '$tmp/twin'"
	check "with build-ids both programs have names" \
		sh -c '"$STROBE" report --quality -i perf.data |
		grep -Eq "^# *(100.00|99[.][0-9]*)% of [0-9]* have a symbol"'
else skip_part "other-file: a chroot needs root and a static C library"; fi

# A C library with exported names only: the code that starts threads and programs has no name, but
# chains that end elsewhere in the library still count as cut.
cat >sorts.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static int values[2000];
static volatile long sink;
__attribute__((noinline)) static int order(const void *a, const void *b)
{
	for (int i = 0; i < 30; i++) sink += i;
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) static void spin(double seconds)
{
	for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end;)
		for (long i = 0; i < 100000; i++) sink += i * i;
}
static void *work(void *arg) { spin(0.3); sink++; return arg; }
int main(int argc, char **argv)
{
	pthread_t t;
	for (int n = 0; argc > 1 && n < 300; n++) {
		for (int i = 0; i < 2000; i++) values[i] = rand();
		qsort(values, 2000, sizeof(int), order);
	}
	if (argc > 1) return 0;
	if (pthread_create(&t, NULL, work, NULL)) return 1;
	spin(0.3);
	return pthread_join(t, NULL);
}
C
build -fno-omit-frame-pointer -pthread -o sorts sorts.c
mkdir -p exported
loader=$(ldd sorts | sed -n 's/^[[:space:]]*\(\/[^ ]*ld[^ ]*\) .*/\1/p')
libc=$(ldd sorts | sed -n 's/.*libc[.]so[^ ]* => \([^ ]*\).*/\1/p')
if [ "$(uname -m)" = x86_64 ] && [ -n "$loader" ] && [ -n "$libc" ] &&
	objcopy --strip-all -R .note.gnu.build-id -R .gnu_debuglink "$libc" "exported/${libc##*/}" 2>/dev/null &&
	objcopy --strip-all -R .note.gnu.build-id -R .gnu_debuglink "$loader" "exported/${loader##*/}" 2>/dev/null &&
	build -fno-omit-frame-pointer -pthread -Wl,--dynamic-linker="$PWD/exported/${loader##*/}" \
	-Wl,-rpath,"$PWD/exported" -o sorts sorts.c &&
	./sorts x; then
	# whole PATTERN: the percentage of whole stacks matches this
	whole() {
		"$STROBE" report --quality -i perf.data >quality 2>&1
		grep -Eq "^# +($1)% of [0-9]+ have a whole stack" quality || { cat quality; return 1; }
	}
	record -g -B ./sorts
	check "stripped C library: threads and main begin in it" whole '100.00|9[0-9][.][0-9]+'
	check "callers without a name are counted" judged caller stripped exported/libc
	run "$STROBE" report -i perf.data --stdio
	check "the warning says which package to install" \
		grep -q 'stripped (libc.so.6\( \.\.\.\)*); try: install libc6-dbg$' err
	record -g -B ./sorts x
	check "stripped C library: a chain that ends in qsort is cut" whole '[0-9][.][0-9]+'
	run "$STROBE" report -i perf.data --stdio
	check "each reason is printed once" \
		awk '{ sub(/.*missing:/, ""); n = split($0, words, /[ ,;]+/);
		for (i = 1; i <= n; i++) if (words[i] ~ /^[a-z]+-[a-z-]+$|^stripped$/ &&
			words[i] !~ /^--/ && seen[words[i]]++) bad = 1 }
		END { exit bad }' \
		err
else skip_part "a stripped C library: needs x86-64, a glibc that objcopy can copy"; fi

# 12: a file that only its process can see
build -o brief b.c
( exec ./brief 3 20 ) &
brief=$!; later_kill $brief
for _ in $(seq 500); do grep -q brief /proc/$brief/maps && break; sleep 0.01; done; rm brief
"$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -o perf.data -p $brief "$while_working" $brief 0.2 >record.log 2>&1
kill $brief; wait $brief 2>/dev/null
check "process-gone: a program deleted while it ran" judged symbol process-gone "brief [(]deleted"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	build -o hidden_program b.c && mkdir private
	record --namespaces unshare \
		-m sh -c "mount -t tmpfs none '$tmp/private' && cp hidden_program private &&
		exec '$tmp/private/hidden_program'"
	options="-c hidden_program" check "process-gone: a program in a mount namespace of its own" \
		judged symbol process-gone /hidden_program
else skip_part "process-gone in a mount namespace: needs root"; fi

# The first line of a report: a comment on stderr; not with -q; stdout does not depend on it.
run "$STROBE" report -i perf.data --stdio
check "the line is there" grep -q '^# Quality: .*have a symbol.*missing: .*try: ' err
check "the warning is one line of at most 120 columns" \
	awk 'length($0) > 120 { bad = 1 } END { exit bad || NR != 1 }' err
check "the table has no line about quality" sh -c '! grep -q Quality out'
run "$STROBE" report -q -i perf.data --stdio
check "-q leaves it out" sh -c '! grep -q Quality err'
finish
