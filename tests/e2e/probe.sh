#!/bin/bash
# strobe probe in programs: the definitions for the kernel, and the events when probes are hit.
. "$(dirname "$0")/lib.sh"
workload probed -O0 && mv probed p0
workload probed -O2 -fno-omit-frame-pointer -U_FORTIFY_SOURCE && mv probed p2
definition() { "$STROBE" probe -x "$1" -D "$2" 2>err; }
listed() { "$STROBE" probe -l 'probe_p[02]:*' 2>/dev/null; }
# Names used only by this script: groups probe_p0 and probe_p2.
forget() {
	"$STROBE" probe -q -d 'probe_p0:*' >/dev/null 2>&1
	"$STROBE" probe -q -d 'probe_p2:*' >/dev/null 2>&1
	"$STROBE" probe -q -d 'strobe_test:*' >/dev/null 2>&1
	"$STROBE" probe -q -d 'strobe_prune:*' >/dev/null 2>&1
}
trap 'forget; cleanup' EXIT

# Offset in a position-independent program
offset() { printf '0x%x' $((0x$(nm "$1" | awk -v n="$2" '$3 == n { print $1 }'))); }

# ---- definitions for the kernel
check "the beginning of a function" test "$(definition ./p2 leaf)" = "p:probe_p2/leaf $PWD/p2:$(offset p2 leaf)"
check "-D prints the probe of a function's return" \
	test "$(definition ./p2 'leaf%return $retval')" \
	= "r:probe_p2/leaf__return $PWD/p2:$(offset p2 leaf) \$retval"
check "an alias leads to the same place" \
	test "$(definition ./p2 other_name)" = "p:probe_p2/other_name $PWD/p2:$(offset p2 leaf)"
check "names can be chosen" test "$(definition ./p2 'own:name=leaf')" = "p:own/name $PWD/p2:$(offset p2 leaf)"
check "parameters live in registers" \
	sh -c "'$STROBE' probe -x ./p2 -D 'middle p->value s:string u' |
	grep -q ' value=+8(%di):s64 s_string=+0(%si):string u=%dx:x32$'"
check "an absolute path first is the program" sh -c "'$STROBE' probe $PWD/p2 -D leaf | grep -q '^p:probe_p2/leaf '"
run "$STROBE" probe -x ./p2 -D nosuch
check "an unknown function ends with perf's status" test $rc = 254
check "an unknown function: the error has perf's words" \
	sh -c "grep -qx \"Probe point 'nosuch' not found.\" err && grep -qx '  Error: Failed to add events.' err"
run "$STROBE" probe -x ./p2 -D leav
check "a near name is offered" grep -qx '  try: leaf' err
run "$STROBE" probe -x ./p2 -D 'middle p->valeu'
check "an unknown member: the error suggests the right one" grep -qx '  try: value' err
strip -o stripped p2
run "$STROBE" probe -x ./stripped -D leaf
check "a message about stripped names says how to get them" \
	sh -c "test $rc = 254 && grep -q 'why: .*stripped. was stripped of the names' err &&
	grep -q 'try: install its debug package (that brings /usr/lib/debug' err"
run "$STROBE" probe -x ./p2 -D unlike_any_name
check "the command that lists the names runs as printed" grep -q "try: 'strobe probe -x .*/p2 -F' lists" err
run "$STROBE" probe -x ./p0 -D 'middle zzz'
check "an unknown variable: the error says how to list them" \
	grep -qx "  try: 'strobe probe -x ./p0 -V middle' lists them" err
run "$STROBE" probe -x ./p0 -D 'middle nosuch'
check "an unknown variable says where to look" grep -q 'no variable of that name is in scope' err
run "$STROBE" probe -x ./p2 -D 'middle %rdi'
check "registers go by the kernel's names" grep -qx '  try: %di' err
run "$STROBE" probe -x ./p2 -D 'middle +'
check "damaged definitions are refused" test $rc != 0
run "$STROBE" probe -x ./nosuch -D leaf
check "a program that is not there is bad usage" test $rc = 129
for directory in nosuch p0; do
	run "$STROBE" probe -x ./p0 -s $directory -D middle
	check "-s $directory: a directory that is not there is an error" \
		sh -c "[ $rc = 254 ] && [ ! -s out ] && grep -q -- \"--source: .*'$directory'\" err"
done
check "-F lists functions and leaves out what begins with _" \
	sh -c "'$STROBE' probe -x ./p2 -F | grep -qx middle && ! '$STROBE' probe -x ./p2 -F | grep -q ^_"
run "$STROBE" probe -x ./p2 -F 'none_like_this*'
check "-F says when no function is left" sh -c '[ '$rc' = 0 ] && [ ! -s out ] && grep -q none_like_this err'
gcc -c -x c /dev/null -o none.o && run "$STROBE" probe -x ./none.o -F
check "-F: a message about an object without functions" \
	sh -c '[ '$rc' = 255 ] && [ ! -s out ] && grep -q "Failed to load symbols in .*none.o" err'
# ---- -F: names of C++ as in the source, and versions of names
cat >shapes.cc <<'CC'
namespace ns {
__attribute__((noinline)) int add(int a, int b) { return a + b; }
__attribute__((noinline)) double add(double a, double b) { return a + b; }
}
int main(int argc, char **argv) { return ns::add(argc, 1) + (int)ns::add((double)argc, 2.0); }
CC
if c++ -O1 -fno-inline -o shapes shapes.cc 2>/dev/null; then
	check "-F: C++ as in the source" \
		test "$("$STROBE" probe -x ./shapes -F '*add*')" \
		= "$(printf 'ns::add(double, double)\nns::add(int, int)')"
	check "-F: the filter sees these names" test "$("$STROBE" probe -x ./shapes -F 'ns::*' | wc -l)" = 2
	check "-F --no-demangle: as in the table" \
		test "$("$STROBE" probe -x ./shapes --no-demangle -F '*add*')" \
		= "$(printf '_ZN2ns3addEdd\n_ZN2ns3addEii')"
	check "-F: a name can be probed as it is listed" \
		sh -c "'$STROBE' probe -x ./shapes -D 'ns::add(int, int)' | grep -c '^p:' | grep -qx 1"
else
	skip_part "no C++ compiler"
fi
cat >versions.c <<'C'
__asm__(".symver old, give@V1\n.symver new, give@@V2");
int old(void) { return 1; }
int new(void) { return 2; }
int gone(void) { return 3; }
__asm__(".symver gone, lost@V1");
int only(void) { return 4; }
C
printf 'V1 { global: only; give; lost; local: *; }; V2 { global: give; } V1;\n' >versions.map
if cc -shared -fPIC -Wl,--version-script=versions.map -o libversions.so versions.c 2>/dev/null; then
	names_of() { "$STROBE" probe -x ./libversions.so -F "$@" | grep -E '^(give|lost|only|@)' | tr '\n' ' '; }
	check "-F: each version is a name" test "$(names_of)" = "give@@V2 give@V1 lost@V1 only "
	check "-F: a filter without @ finds all versions" test "$(names_of give)" = "give@@V2 give@V1 "
	check "-F: one with it finds one" test "$(names_of 'give@V1')" = "give@V1 "
	strip libversions.so
	check "-F: stripped, a default version is the name" test "$(names_of)" = "give give@V1 lost@V1 only "
	check "-F: a listed version can be probed" \
		sh -c "'$STROBE' probe -x ./libversions.so -D lost@V1 | grep -q '^p:probe_libversions/lost '"
else
	skip_part "no versions of symbols"
fi
# The names that perf lists for the C library.
libc=$(ldd "$STROBE" 2>/dev/null | awk '/libc\.so/ { print $3 }')
if [ -n "${STROBE_PERF72:-}" ] && [ -n "$libc" ]; then
	$STROBE_PERF72 probe -x "$libc" -F 2>/dev/null </dev/null | sort -u >theirs
	"$STROBE" probe -x "$libc" -F 2>/dev/null | sort -u >ours
	check "-F of the C library: perf has names" test -s theirs
	check "-F of the C library: every name that perf 7.2 lists" test -z "$(comm -23 theirs ours)"
fi
check "-F takes a filter" test "$("$STROBE" probe -x ./p2 -F 'm* & !main' | tr '\n' ' ')" = "many middle "
check "-L numbers the lines of code" \
	sh -c "'$STROBE' probe -x ./p0 -L leaf | grep -q '^      2  	int r = n \* 3;'"
run "$STROBE" probe -x ./p0 -L nosuch
check "-L of a function that is not there: what to try" sh -c "[ $rc = 254 ] && grep -q '^  try: a function' err"
check "-V prints types of variables" \
	sh -c "'$STROBE' probe -x ./p0 -V middle | grep -qx '		struct node\\*	p'"
check "-V knows the copies" test "$("$STROBE" probe -x ./p2 -V twice | grep -c @)" -ge 2

cat >consts.c <<'C'
struct item { int a; long b; };
__attribute__((noinline)) long use(long n) { __asm__ volatile("" : "+r"(n)); return n; }
static inline __attribute__((always_inline)) long part(struct item *p, long n)
{
	struct item local = { 3, n };
	long kept = p->b;

	__asm__ volatile("" : : "r"(&local) : "memory");
	return use(kept) + local.b;
}
__attribute__((noinline)) long take(struct item *p, int n)
{
	unsigned size = sizeof(*p);
	long far = n * 1000L + 7;

	return use(p->b) + n;
}
__attribute__((noinline)) long whole(struct item *p, long n, long m)
{
	long before = m * 5 + n;

	return part(p, n) + before;
}
int main(int argc, char **argv) { struct item i = { 1, argc }; return (int)(take(&i, argc) + whole(&i, argc, 3)); }
C
if [ "$(uname -m)" = x86_64 ] && cc -fcf-protection=none -g -O2 -o consts consts.c 2>/dev/null; then
	run "$STROBE" probe -x ./consts -V take
	check "-V lists what has a place, constants as well, as perf" \
		test "$(tr -d '\t' <out | tail -n +3 | sort | tr '\n' ' ')" \
		= "intn long intfar struct item*p unsigned intsize "
	run "$STROBE" probe -x ./consts -V take --range
	check "--range prints where a variable has its place" \
		sh -c "grep -q '\[VAL\]	long int	far	@<take+\[0-' out &&
		grep -q '\[VAL\]	unsigned int	size	@<take+\[0-[1-9]' out"
	run "$STROBE" probe -x ./consts -V part --range
	check "--range: of a copy, whose code lies in pieces" sh -c "[ \$(grep -c '+\[' out) -ge 3 ]"
	check "no range ends before it begins" \
		sh -c "grep -o '[0-9]*-[0-9]*' out | awk -F- '\$2 <= \$1 { bad = 1 } END { exit bad }'"
	run "$STROBE" probe -x ./consts -D 'take size'
	check "a constant is fetched as such" grep -q ' size=.16:x32$' out
	run "$STROBE" probe -x ./consts -D 'take far'
	check "computed values are shown, without a place where they are the same" \
		sh -c "grep -q \"'far': its value has to be computed\" err && ! grep -q 'where it has one' err"
fi
check "offsets are held against the instructions" \
	sh -c "! '$STROBE' probe -x ./p2 -D leaf+1 2>err &&
	grep -q 'in the middle of an instruction' err && grep -q 'try: leaf+0 or leaf+[0-9]' err"
check "stubs of the linkage table have names" \
	sh -c "'$STROBE' probe -x ./p2 -D snprintf@plt | grep -q '^p:probe_p2/snprintf '"
run "$STROBE" probe -x ./p2 -D snprintf
check "the error offers the calls from this file" grep -q 'try: snprintf@plt for the calls from this file' err
check "a pattern finds its lines" test "$("$STROBE" probe -x ./p0 -D 'middle;local+=*' | wc -l)" -ge 2
run "$STROBE" probe -x ./p0 -D 'middle;nosuch*'
check "a pattern without a hit: where was looked" \
	grep -q "  why: none of the lines with code between [0-9]* and [0-9]* of .*/probed.c matches \
'nosuch[*]' as a whole" err
check "the error says how to list the lines" \
	grep -q "  try: '.* probe -x ./p0 -L probed.c:[0-9]*-[0-9]*' shows them" err
run "$STROBE" probe -x ./p0 -D 'middle;local+='
check "one that is a part of a line: the pattern for that" \
	grep -qx "  try: 'middle;[*]local+=[*]', which matches a part of a line" err
run "$STROBE" probe -x ./p0 -D 'probed.c;*local+='
check "the error suggests a pattern that matches a part" \
	grep -qx "  try: 'probed.c;[*]local+=[*]', which matches a part of a line" err
run "$STROBE" probe -x ./p0 -D 'midle;local+=*'
check "a pattern in a function that is none: its nearest name" grep -qx '  try: middle' err
check "a line of a file" \
	sh -c "'$STROBE' probe -x ./p0 -D 'probed.c:$(grep -n 'counter += r' \
	"$STROBE_SOURCE/tests/e2e/workloads/probed.c" |
	cut -d: -f1) r n' |
	grep -q '^p:probe_p0/leaf .* r=-[0-9]*(%bp):s32 n=-[0-9]*(%bp):s32'"
check "casts name a struct" sh -c "'$STROBE' probe -x ./p2 -D 'middle (struct inner*)s->a' | grep -q ' a=+0(%si):s32$'"
run "$STROBE" probe -x ./p2 -D 'twice%return'
check "copies do not return" grep -q 'all its calls were inlined' err
run "$STROBE" probe -x ./p0 -D '*'
check "-D with a glob stands for all functions" test "$(wc -l <out)" -ge 5
run "$STROBE" probe -x ./p0 --max-probes=2 -D '*'
check "--max-probes limits the number of probes" sh -c "test $rc = 249 && grep -q 'try: --max-probes=' err"
if command -v c++ >/dev/null; then
	workload scoped
	at() { "$STROBE" probe -x ./scoped -D "$1" 2>/dev/null | sed 's/ .*scoped:/ /'; }
	check "C++: by name with its scope, all overloads" test "$(at ns::Shape::area | wc -l)" = 2
	check "C++: one of them by its parameters" test "$(at 'ns::Shape::area(double) const' | wc -l)" = 1
	check "C++: a pattern finds both functions" test "$(at 'ns::twice*' | wc -l)" = 2
	check "C++: names of events are plain" \
		sh -c "'$STROBE' probe -x ./scoped -D 'ns::Shape::area this->id' |
		grep -q '^p:probe_scoped/ns_Shape_area .* id=+0(%di):s32'"
fi
libc=$(ldd ./p2 | awk '/libc\.so/ { print $3 }')
if [ -n "$libc" ]; then
	check "malloc of libc, under any of its names" \
		test "$(definition "$libc" malloc | sed 's/.* //')" \
		= "$(definition "$libc" __libc_malloc | sed 's/.* //')"
	named=	# a symbol that has its name only in libc's own symbol table
	"$STROBE" probe -x "$libc" -F 2>/dev/null | grep -q '^__memcpy_' && named=__mem
	check "an indirect function leads to what is chosen here" \
		sh -c "'$STROBE' probe -x $libc -D memcpy 2>&1 | grep -q 'on this machine it is $named'"
fi
# perf asks tracefs for its types; without an answer it uses older ones.
if [ -r /sys/kernel/tracing/README ] && command -v perf >/dev/null && perf --version | grep -q 'version 6'; then
	for b in p0 p2; do
		for d in leaf 'leaf n' 'leaf%return $retval' 'middle $params' \
			'middle p->value p->in.a p->numbers[2] p->text:string s:string p->small p->shorter p->color' \
			'middle p->shorter p->color p->u' \
			'middle:8' 'twice x' 'many a g h' main 'l*' 'leaf %di $stack2 $comm' \
			'own:name=middle@probed.c u'; do
			"$STROBE" probe -x ./$b -D "$d" 2>/dev/null | sed 's/^\(p:[^ ]*\)_[0-9] /\1 /' >ours
			perf probe -x ./$b -D "$d" 2>/dev/null >theirs
			check "$b: '$d' as perf says it" diff ours theirs
		done
		# The order of the copies differs
		for d in 'middle;local*' 'middle;*twice*' 'many;*' 'probed.c;*counter*' 'probed.c;*twice*'; do
			check "$b: '$d' as perf says it" \
				diff <("$STROBE" probe -x ./$b -D "$d" 2>/dev/null | sed 's/.*://' | sort) \
				<(perf probe -x ./$b -D "$d" 2>/dev/null | sed 's/.*://' | sort)
		done
		# Lines hidden by others; where only some places of a line are hidden, perf gives up
		for d in middle:1 probed.c:50 $([ $b = p0 ] || echo probed.c:48); do
			check "$b: '$d' as perf says it" \
				diff <("$STROBE" probe -x ./$b -D "$d" 2>&1 | grep -v '^  [wt][hr]y:') \
				<(perf probe -x ./$b -D "$d" 2>&1)
		done
		for l in middle leaf:0-2 many probed.c:20-50; do
			check "$b: -L $l as perf shows it" \
				diff <("$STROBE" probe -x ./$b -L "$l" 2>&1) \
				<(perf probe -x ./$b -L "$l" 2>&1)
		done
		for v in middle leaf twice 'middle --externs' 'leaf --range'; do
			# shellcheck disable=SC2086
			check "$b: -V $v as perf shows it" \
				diff <("$STROBE" probe -x ./$b -V $v 2>&1) \
				<(perf probe -x ./$b -V $v 2>&1)
		done
	done
else
	skip_part "no perf 6 to compare with, or not root"
fi

if [ "$(uname -m)" = x86_64 ]; then
	workload marked
	check "markers are found by name" \
		sh -c "'$STROBE' probe -x ./marked -D '%strobe:mark' |
		grep -q '^p:sdt_strobe/mark $PWD/marked:0x[0-9a-f]* arg1=%[a-z0-9]*:s32 arg2=.7:u32'"
	run "$STROBE" probe -x ./marked -D '%markk'
	check "a near marker is offered" grep -qx '  try: %mark' err
fi
cat >mod.c <<'C'
struct item { int a; long b; };
__attribute__((noinline)) int first(struct item *p, int n) { return p->a + n; }
__attribute__((noinline, section(".init.text"))) long second(struct item *p, long m) { return p->b * m; }
int both(struct item *p, int n) { return first(p, n) + (int)second(p, n); }
C
if [ "$(uname -m)" = x86_64 ] && cc -g -O2 -c -o my-mod.ko mod.c; then
	check "a module's sections do not run together" \
		test "$("$STROBE" probe -m ./my-mod.ko -D 'first p->b n' -D 'second p->b m')" = \
		"$(printf 'p:probe/%s\n' \
			'first my_mod:first+0 b=+8(%di):s64 n=%si:s32' \
			'second my_mod:second+0 b=+8(%di):s64 m=%si:s64')"
	# As distributions ship them: compressed debug information, and a compressed file.
	for how in '' '-gdwarf-4' '-gz=zlib' '-gdwarf-4 -gz=zlib' '-gz=zstd'; do
		# shellcheck disable=SC2086
		cc -fcf-protection=none -g $how -O2 -c -o packed-mod.ko mod.c 2>/dev/null || continue
		for pack in '' 'xz -k' 'zstd -qk' 'gzip -k'; do
			rm -f packed-mod.ko.*
			# shellcheck disable=SC2086
			[ -z "$pack" ] || { command -v ${pack%% *} >/dev/null && $pack packed-mod.ko; } || continue
			ko=$(ls packed-mod.ko.* 2>/dev/null || echo packed-mod.ko)
			check "cc $how, $ko: members, sections and lines" \
				test "$("$STROBE" probe -m ./$ko -D 'first p->b n' -D 'second p->b m' \
				-D mod.c:4 2>&1)" \
				= "$(printf 'p:probe/%s\n' 'first packed_mod:first+0 b=+8(%di):s64 n=%si:s32' \
					'second packed_mod:second+0 b=+8(%di):s64 m=%si:s64' 'both packed_mod:both+0')"
		done
	done
	# Or in a file of its own, as in debug packages: next to the module with its name, or found
	# by its build-id.
	if cc -fcf-protection=none -g -O2 -c -o sep.o mod.c && ld -r --build-id -o sep-mod.ko sep.o &&
		objcopy --only-keep-debug sep-mod.ko sep-mod.ko.debug &&
		objcopy --strip-debug sep-mod.ko && objcopy --add-gnu-debuglink=sep-mod.ko.debug sep-mod.ko; then
		apart="$(printf 'p:probe/%s\n' 'first sep_mod:first+0 b=+8(%di):s64 n=%si:s32' \
			'second sep_mod:second+0 b=+8(%di):s64 m=%si:s64' 'both sep_mod:both+0')"
		ask="'$STROBE' probe -m ./sep-mod.ko -D 'first p->b n' -D 'second p->b m' -D mod.c:4"
		check "debug information in a file of its own: members, sections and lines" \
			test "$(sh -c "$ask" 2>&1)" = "$apart"
		id=$(readelf -n sep-mod.ko | awk '/Build ID/ { print $3 }')
		mkdir -p debug/.build-id/"${id:0:2}"; mv sep-mod.ko.debug debug/.build-id/"${id:0:2}/${id:2}.debug"
		check "without debug information members are unknown" sh -c "! $ask"
		if [ -d /usr/lib/debug ] && unshare -m mount --bind debug /usr/lib/debug 2>/dev/null; then
			check "the same, found by the build-id" \
				test "$(unshare -m sh -c "mount --bind debug /usr/lib/debug && $ask" 2>&1)" = "$apart"
		else
			skip_part "a module's debug information by its build-id: no mounts here, or no /usr/lib/debug"
		fi
	fi
	check "the boot-time form of a kernel probe" \
		test "$("$STROBE" probe -m ./my-mod.ko --bootconfig -D 'both%return')" \
		= "ftrace.event.kprobes.both__return.probes = 'my_mod:both+0%return'"
fi
run "$STROBE" probe -m no_such_module first
check "a message about a missing module" \
	sh -c "test $rc = 254 && grep -qx 'Failed to find module .no_such_module.' err &&
	grep -q 'try: -m with the path' err"
run "$STROBE" probe -nv -x ./p2 'middle p->value'
check "-v says what is looked up, found and written" \
	sh -c "grep -qx 'Open Debuginfo file: $PWD/p2' err &&
	grep -q '^Probe point found: $PWD/p2:0x' err &&
	grep -q '^Converting variable value into trace event: ' err &&
	grep -qx 'Found 1 probe_trace_events.' err && grep -q '^Writing event: p:probe_p2/middle ' err"
run "$STROBE" probe -x ./p2 -D own=
check "a name without a place is refused" grep -q 'nothing stands behind the name' err
check "--bootconfig prints the boot-time form" \
	test "$("$STROBE" probe -x ./p2 --bootconfig -D leaf 2>&1 | grep -c 'try: a probe of the kernel')" = 1

# ---- in the running system
if [ "$(id -u)" != 0 ] || [ ! -w /sys/kernel/tracing/uprobe_events ]; then
	skip_part "uprobes: needs root and a tracefs with uprobe_events"
	finish
fi
alone_with_probes
members='p->value p->text:string s:string p->in.bits p->in.big p->in.name:string p->numbers p->small'
members="$members p->shorter p->color p->u counter offset_by"
run "$STROBE" probe -x ./p0 "middle $members"
check "a probe is added" grep -qx 'Added new event:' err
check "probe prints how to use the new event" grep -q 'record -e probe_p0:middle -aR sleep 1' err
run "$STROBE" probe -x ./p0 'leaf%return got=$retval:s32'
check "probe adds an event for a function's return" test $rc = 0
run "$STROBE" probe -x ./p2 'twice x y'
check "copies have names of their own" \
	sh -c 'grep -q "probe_p2:twice  *(on twice" err && grep -q "probe_p2:twice_1" err'
listed >list
if unshare -m mount -o remount,ro,bind "$(findmnt -nt tracefs -o TARGET | head -1)" 2>/dev/null; then
	unshare \
		-m sh -c "for t in \$(findmnt -nrt tracefs -o TARGET); do mount -o remount,ro,bind \$t; done
		'$STROBE' probe -x ./p0 many" \
		2>read_only
	check "a message about a read-only tracefs" \
		sh -c "grep -q 'why: tracefs is mounted read-only here' read_only &&
		grep -q 'try: .*remount,rw' read_only"
fi
check "-l lists the event with its place" \
	sh -c "grep -q '^  probe_p0:leaf__return (on leaf%return@.*probed.c in $PWD/p0 with got)' list"
check "-l shows entries before returns, by name" \
	test "$(sed -n 's/^  probe_p0:\([^ ]*\) .*/\1/p' list | tr '\n' ' ')" = "middle leaf__return "
run "$STROBE" probe -x ./p0 middle
check "a second of the same name is refused as perf does" test $rc = 239
run "$STROBE" probe -f -x ./p0 middle
check "-f adds a second event with another name" grep -q probe_p0:middle_1 err
before=$(listed | wc -l)
run "$STROBE" probe -x ./p0 -a 'many a' -a 'leaf $nosuch'
check "refusals of the kernel come with the reason" grep -q 'why: ' err
check "if one event fails, those of the same command are removed" test "$(listed | wc -l)" = "$before"

"$STROBE" record -q -o data -e 'probe_p0:*' -e 'probe_p2:*' -- sh -c './p0 4; ./p2 4' >/dev/null 2>record.err
"$STROBE" script -i data >script 2>script.err
check "each call is one event" test "$(grep -c 'probe_p0:middle:' script)" = 4
check "the event of the return has 12 samples" test "$(grep -c 'probe_p0:leaf__return:' script)" = 12
check "members, text, bitfields, arrays and globals have their values" \
	grep -q 'value=102 text="hello" s_string="world" bits=5 big=12345 name="inner" numbers={1,2,3,4} '\
'small=0xc8 shorter=-2 color=0x1 u=77 counter=' script
check "samples have the returned values" grep -q 'got=22$' script
check "all copies are hit" test "$(grep -c 'probe_p2:twice' script)" = 5
check "samples of the inlined function have their arguments" grep -q 'x=7 y=8' script
check "counter is followed through the run" \
	sh -c 'grep -q "counter=5 offset_by=7" script && grep -q "counter=14 " script'

"$STROBE" record -q -o own.data --probe './p0 many a h' -- ./p0 1 >/dev/null 2>&1
"$STROBE" script -i own.data >own.script 2>/dev/null
check "a recording brings its probe along" grep -q 'probe_p0:many: ([0-9a-f]*) a=1 h=8' own.script
check "record removes its own probe at the end" sh -c "! '$STROBE' probe -l | grep -q probe_p0:many"
"$STROBE" record -q -o own.data --probe './p0 many' -- sleep 300 >/dev/null 2>&1 &
p=$!
until_true eval 'listed | grep -q probe_p0:many'
check "the probe exists while record runs" sh -c "'$STROBE' probe -l 2>/dev/null | grep -q probe_p0:many"
sleeper=$(pgrep -P $p -x sleep)	# the recorded command
kill -9 $p ${sleeper:+$sleeper}
wait $p 2>/dev/null
until_true eval '! listed | grep -q probe_p0:many'
check "the probe is removed after record was killed" sh -c "! '$STROBE' probe -l 2>/dev/null | grep -q probe_p0:many"

# ---- leftovers: kill the recorder and the process that watches it
there() { "$STROBE" probe -l 'strobe_prune:*' 2>/dev/null | grep -q "strobe_prune:$1 "; }
start_recording() {
	"$STROBE" record -q -o own.data --probe './p0 strobe_prune:left=many a' -- sleep 300 >/dev/null 2>&1 &
	recorder=$!
	until_true eval 'there left && sleeper=$(pgrep -P $recorder -x sleep)'
	watchers=$(pgrep -P $recorder | grep -vx "$sleeper")
}
kill_all() {
	# shellcheck disable=SC2086
	kill -9 $watchers $recorder $sleeper
	wait $recorder 2>/dev/null
}
start_recording
run "$STROBE" probe --prune
check "--prune: what is recorded is no leftover" sh -c "[ $rc = 0 ] && ! grep -q strobe_prune err" &&
	check "--prune does not remove a probe that is recorded" there left
kill_all
"$STROBE" probe -q -x ./p0 strobe_prune:others=many
check "--prune: it stays when its watcher is killed, too" there left
run "$STROBE" probe --prune -n
check "--prune -n lists the leftover probe" grep -qx 'Leftover event: strobe_prune:left' err
check "--prune -n does not remove the probe" there left
"$STROBE" record -q -o busy.data -e strobe_prune:left -- sleep 300 >/dev/null 2>&1 &
recorder=$! busy=
until_true eval 'busy=$(pgrep -P $recorder -x sleep)'
run "$STROBE" probe --prune
check "a message says what is recorded" \
	sh -c "[ $rc != 0 ] && grep -q \"Failed to delete event 'strobe_prune:left': \" err &&
	grep -q 'why: something still records it' err && grep -q 'try: end the recording' err"
kill -9 $busy && wait $recorder
run "$STROBE" probe --prune
check "--prune removes the leftover probe" sh -c "[ $rc = 0 ] && grep -qx 'Removed event: strobe_prune:left' err" &&
	check "the pruned probe is not listed any more" \
		sh -c "! '$STROBE' probe -l 2>/dev/null | grep -q strobe_prune:left"
check "probes of others stay" there others
run "$STROBE" probe --prune
check "a second --prune finds nothing of it" sh -c "[ $rc = 0 ] && grep -q . err && ! grep -q strobe_prune err"
start_recording
kill_all
"$STROBE" probe -q -d strobe_prune:left && "$STROBE" probe -q -x ./p0 strobe_prune:left=leaf
run "$STROBE" probe --prune
check "--prune: a later probe of the name at another place is another's" there left
if command -v setpriv >/dev/null; then
	chmod o+rx . 2>/dev/null
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$STROBE" probe --prune
	check "--prune: a user without the right to look gets a message" \
		sh -c "[ $rc != 0 ] && grep -q \"cannot look for leftovers in '/run/strobe'\" err &&
		grep -q 'try: as root' err"
fi
"$STROBE" probe -q -d 'strobe_prune:*'

if [ -x ./marked ]; then
	"$STROBE" record -q -o s.data --probe './marked %strobe:mark' -- ./marked >/dev/null 2>&1
	check "a marker is hit with its arguments" \
		test "$("$STROBE" script -i s.data 2>/dev/null | grep -c 'sdt_strobe:mark: .* arg1=4[012] arg2=7$')" = 3
fi

# Calls of malloc: the same number as a preloaded library counts.
cat >count.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned long n;
static void *(*real)(size_t);
__attribute__((destructor)) static void tell(void)
{
	char b[32];
	if (write(9, b, (size_t)snprintf(b, sizeof(b), "%lu\n", n)) < 0)
		_exit(1);
}
#ifdef STATIC	/* ld --wrap=malloc: all calls of the program, the library's included */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size) { n++; return __real_malloc(size); }
#else
void *malloc(size_t size) { if (!real) real = dlsym(RTLD_NEXT, "malloc"); n++; return real(size); }
#endif
C
cat >calls.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	void *volatile p;
	for (int i = 0; i < 777; i++) {
		p = malloc((size_t)i + 1);
		free(p);
	}
	FILE *f = fopen("/dev/null", "w");
	fprintf(f, "calls of the library's own\n");
	return fclose(f);
}
C
if [ -n "$libc" ] && cc -shared -fPIC -o count.so count.c -ldl &&
	cc -O0 -fno-builtin -o calls calls.c &&
	cc -O0 -fno-builtin -DSTATIC -static -Wl,--wrap=malloc -o calls_static calls.c count.c 2>/dev/null; then
	"$STROBE" record -q -o m.data --probe "$libc strobe_test:m=malloc bytes=%di" \
		-- sh -c 'LD_PRELOAD=./count.so ./calls' >/dev/null 2>&1 9>counted
	check "malloc: as many as an interposer counts" \
		test "$(cat counted)" \
		-gt 777 -a "$("$STROBE" script -i m.data 2>/dev/null | grep -c 'calls .*strobe_test:m')" \
		= "$(cat counted)"
	"$STROBE" record -q -o m.data --probe './calls_static strobe_test:s=malloc bytes=%di' \
		-- ./calls_static >/dev/null 2>&1 9>counted
	check "malloc: as many as a wrapper in a static program" \
		test "$(cat counted)" \
		-gt 777 -a "$("$STROBE" script -i m.data 2>/dev/null | grep -c 'calls_static .*strobe_test:s')" \
		= "$(cat counted)"
	"$STROBE" script -i m.data 2>/dev/null | sed -n 's/.*bytes=0x//p' |
		awk '{ n[$1]++ } END { for (i = 1; i <= 777; i++) if (!n[sprintf("%x", i)]) exit 1 }'
	check "malloc: each of them in a static program" test $? = 0
fi

must "$STROBE" probe -q -x ./p0 -a 'probe_p0:one=main' -a 'probe_p0:two=main'
run "$STROBE" probe -d probe_p0:one probe_p0:two
check "-d takes several names" sh -c "test $rc = 0 && ! '$STROBE' probe -l | grep -Eq 'probe_p0:(one|two) '"
check "--target-ns refuses a process that does not exist" \
	fails 129 'no process has the id 99999999' probe --target-ns 99999999 -x ./p0 -n main
run "$STROBE" probe -d 'probe_p0:*'
check "-d prints the name of the removed event" grep -qx 'Removed event: probe_p0:middle' err
run "$STROBE" probe -d 'probe_p2:*'
check "no event is left after -d" test -z "$(listed)"
run "$STROBE" probe -d probe_p0:middle
check "a missing probe cannot be deleted" test $rc = 254
finish
