#!/bin/bash
# strobe probe: where names lead: symbol versions, Rust, other roots and namespaces, separate debug
# information, the cache. Parts without tracefs also run as an ordinary user.
. "$(dirname "$0")/lib.sh"
need cc
place() { sed 's/^[^ ]* [^ ]*:\(0x[0-9a-f]*\).*/\1/'; }
# Offset in a position-independent program
offset() { printf '0x%x' $((0x$(nm "$1" | awk -v n="$2" '$3 == n { print $1 }'))); }

# ---- versions
cat >versions.c <<'C'
__asm__(".symver old_way, way@V_1");
__asm__(".symver new_way, way@@V_2");
__attribute__((noinline)) int old_way(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) int new_way(int n) { __asm__ volatile(""); return n + 2; }
C
echo 'V_1 { global: way; local: *; }; V_2 { } V_1;' >versions.map
if cc -g -O1 -shared -fPIC -Wl,--version-script=versions.map -o versions.so versions.c 2>/dev/null; then
	check "a name leads to its default version" \
		test "$("$STROBE" probe -x ./versions.so -D way | place)" \
		= "$(offset versions.so new_way)"
	check "NAME@VERSION to the one named" \
		test "$("$STROBE" probe -x ./versions.so -D way@V_1 | place)" \
		= "$(offset versions.so old_way)"
	check "the default one, too" \
		test "$("$STROBE" probe -x ./versions.so -D way@V_2 | place)" \
		= "$(offset versions.so new_way)"
	run "$STROBE" probe -x ./versions.so -D way@V_9
	check "an unknown version is not found" test $rc = 254
fi

# ---- Rust
if command -v rustc >/dev/null && cat >shape.rs <<'RS'
mod area { #[inline(never)] pub fn square(n: u64) -> u64 { std::hint::black_box(n * n) } }
fn main() { std::process::exit((area::square(std::env::args().count() as u64) & 1) as i32) }
RS
	HOME=$OLD_HOME rustc -g -O shape.rs >/dev/null 2>&1; then
	check "Rust: by name with its path" \
		sh -c "'$STROBE' probe -x ./shape -D shape::area::square | grep -q '^p:probe_shape/[a-z_]*square '"
	check "Rust: with an argument" \
		sh -c "'$STROBE' probe -x ./shape -D 'shape::area::square n' |
		grep -q ' n=%di:[ux]64$' || [ \"\$(uname -m)\" != x86_64 ]"
	check "Rust: --demangle lists it" \
		sh -c "'$STROBE' probe -x ./shape --demangle -F '*area::square*' | grep -q 'area::square'"
else
	skip_part "no rustc that works here"
fi

# ---- roots and name spaces
cat >p.c <<'C'
struct item { int a; long b; };
__attribute__((noipa)) long take(struct item *p, int n) { __asm__ volatile(""); return p->b + n; }
int main(int argc, char **argv) { struct item i = { 1, 2 }; return (int)take(&i, argc); }
C
mkdir -p root/bin && cc -g -O2 -o root/bin/p p.c
check "--symfs: finds the program there, and the kernel gets its real path" \
	test "$("$STROBE" probe --symfs "$PWD/root" -x /bin/p -D 'take p->b' | sed 's/:0x.*//')" \
	= "p:probe_p/take /bin/p"
sleep 60 & later_kill $!
check "--target-ns: through the process's root" \
	sh -c "'$STROBE' probe --target-ns $! -x $PWD/root/bin/p -D take |
	grep -q '^p:probe_p/take /proc/$!/root$PWD/root/bin/p:0x'"
run "$STROBE" probe --target-ns 999999999 -x /bin/p -D take
check "--target-ns: a message about a process that has ended" test $rc != 0 -a -s err

# ---- separate debug information
here() { "$STROBE" probe -x "$1" -D 'take p->b n' 2>err | sed 's/.*:0x[0-9a-f]* //'; }
want=$(here root/bin/p)
check "a member and a parameter" test "$(uname -m):$want" = "x86_64:b=+8(%di):s64 n=%si:s32" -o "$(uname -m)" != x86_64
for how in '-gsplit-dwarf' '-gdwarf-4 -gsplit-dwarf' '-flto' '-gz' '-fdebug-types-section'; do
	# shellcheck disable=SC2086
	cc -g -O2 $how -o apart p.c 2>/dev/null || continue
	check "cc $how: the same" test "$(here ./apart)" = "$want"
	check "cc $how: a line" sh -c "'$STROBE' probe -x ./apart -D p.c:2 >/dev/null"
	rm -f ./*.dwo
done

# ---- the cache
export PERF_BUILDID_DIR="$PWD/cache"
run "$STROBE" probe --cache -m nothing -a take
check "--cache keeps probes of programs and the kernel only" grep -q 'without -m' err
run "$STROBE" probe --cache -l
check "an empty cache has nothing" test $rc = 0 -a ! -s out
# The cache may contain foreign things: no regular file, no definition, another file's definition,
# control characters.
mkdir -p "cache$PWD" && cp root/bin/p strange && "$STROBE" buildid-cache -a strange
kept=cache$PWD/strange/$(readelf -n strange | sed -n 's/.*Build ID: //p')/probes
mkfifo "$kept"
check "a pipe in its place has nothing" \
	sh -c "kept=\$(timeout 60 '$STROBE' probe --cache -l); test \$? != 124 -a -z \"\$kept\""
rm "$kept"
printf '#nonsense\nno probe\n#other\np:probe_strange/other /etc/passwd:0x10\n%%sdt_\033:x=x\np:sdt_e/x %s:0x10\n' \
	"$PWD/strange" >"$kept"
run "$STROBE" probe --cache -n -x ./strange -a nonsense
check "a text that is no definition is refused" sh -c "test $rc != 0 && grep -q \"no probe definition: 'no probe'\" err"
run "$STROBE" probe --cache -n -x ./strange -a other
check "a cached probe of another file is refused" \
	sh -c "test $rc = 254 && grep -q \"keeps a probe of '/etc/passwd'\" err"
check "control characters are shown as such" sh -c "'$STROBE' list sdt | grep -qF 'sdt_\x1b:x'"
"$STROBE" buildid-cache -r strange
run "$STROBE" probe --prune -n
check "--prune -n changes nothing, and says when it may not look" test $rc = 0 -o -s err
if [ "$(id -u)" != 0 ] || [ ! -w /sys/kernel/tracing/uprobe_events ]; then
	skip_part "adding probes: needs root and a tracefs with uprobe_events"
	finish
fi
alone_with_probes
forget() { "$STROBE" probe -q -d 'strobe_places:*' >/dev/null 2>&1; }
trap 'forget; cleanup' EXIT
cp root/bin/p kept
run "$STROBE" probe --cache -x ./kept -a 'strobe_places:one=take p->b n'
check "--cache: a probe is added as ever" grep -q 'Added new event' err
id=$(readelf -n kept | sed -n 's/.*Build ID: //p')
check "the cache has perf's place and form" \
	test "$(head -1 "cache$PWD/kept/$id/probes")" = '#strobe_places:one=take p->b n'
check "the cache has the text for the kernel" \
	grep -q "^p:strobe_places/one $PWD/kept:$(offset kept take) b=" "cache$PWD/kept/$id/probes"
check "--cache -l lists it" \
	sh -c "'$STROBE' probe --cache -l | tr '\n' '|' | grep -qF '$PWD/kept ($id):|strobe_places:one=take p->b n|'"
if command -v perf >/dev/null && perf --version | grep -q 'version 6'; then
	check "perf lists it, too" \
		sh -c "HOME=$PWD perf --buildid-dir $PWD/cache probe --cache --list 2>&1 | grep -q 'take p->b n'"
fi
forget
strip -g kept	# the build-id stays
run "$STROBE" probe -x ./kept -a 'strobe_places:one=take p->b n'
check "without debug information the member cannot be probed" test $rc != 0
run "$STROBE" probe --cache -x ./kept -a 'strobe_places:one=take p->b n'
check "--cache adds the probe without debug information" \
	sh -c "test $rc = 0 && '$STROBE' probe -l 'strobe_places:*' | grep -q 'with b n'"
run "$STROBE" probe --cache -d 'strobe_places:on*'
check "--cache -d forgets it" \
	sh -c "grep -qx 'Removed cached event: strobe_places:one=take p->b n' err &&
	test -z \"\$('$STROBE' probe --cache -l)\""
check "removing from the cache keeps the kernel's probe" sh -c "'$STROBE' probe -l 'strobe_places:*' | grep -q one"
run "$STROBE" probe --cache -d 'strobe_places:on*'
check "a file that is not cached cannot be removed" test $rc = 254
forget
check "no probe is left at the end" test -z "$("$STROBE" probe -l 'strobe_places:*' 2>/dev/null)"
finish
