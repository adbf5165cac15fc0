#!/bin/bash
# collapse and flamegraph: each option in the manual has its effect, on recordings with known contents.
. "$(dirname "$0")/lib.sh"
need awk
make=$STROBE_BUILD/tests/tui-profile
[ -x "$make" ] || skip "tui-profile was not built"
"$make" stacks st.data
"$make" events ev.data
names="--kallsyms st.data.kallsyms"
collapse() { "$STROBE" collapse -i st.data $names "$@" 2>err; }
flame() { "$STROBE" flamegraph -i st.data $names "$@" 2>err; }
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
sum() { awk '{ n += $NF } END { print n + 0 }'; }
collapse >all
check "the recording has 1000 samples" is "$(sum <all)" 1000

# --- selection of samples: nine stacks of 1000, three threads, a nanosecond apart ---
"$STROBE" collapse --input st.data $names >out
check "--input names the recording" cmp all out
"$STROBE" collapse $names -i - <st.data >out
check "-i -: a pipe" cmp all out
collapse -o written.txt >out
check "-o: into the file" cmp all written.txt
check "-o leaves standard output empty" test ! -s out
collapse --output written2.txt
check "--output writes the same file" cmp all written2.txt
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 .; cp st.data foreign.data; chown 65533 foreign.data; chmod 644 foreign.data
	if ! setpriv --reuid=65534 --clear-groups sh -c '[ -x "$STROBE" ] && [ -r foreign.data ]'; then
		skip_part "-f: another user cannot come here"
	else
		run setpriv --reuid=65534 --clear-groups "$STROBE" collapse -i foreign.data
		check "a recording of another user is refused" test "$rc" != 0
		check "the message offers -f" grep -q -- -f err
		run setpriv --reuid=65534 --clear-groups "$STROBE" collapse -f $names -i foreign.data
		check "-f reads a file of another user" cmp all out
	fi
else
	skip_part "-f: needs root"
fi
events() { "$STROBE" collapse -i ev.data --kallsyms ev.data.kallsyms "$@" 2>err; }
check "only of the first event" is "$(events | sum)" 1000
check "-e selects the other event" is "$(events -e page-faults | sum)" 1000
check "--event-filter of an unknown event selects nothing" \
	sh -c '"$STROBE" collapse -i ev.data --event-filter nosuch >out 2>err; test ! -s out'
check "--time selects the first 30 %" is "$(collapse --time 0%-30% | sum)" 650
check "--time: from the end" test "$(collapse --time 90%-100% | sum)" -lt 100
check "-C 0 selects all samples" is "$(collapse -C 0 | sum)" 1000
check "--cpu 1 selects nothing" is "$(collapse --cpu 1 | sum)" 0
check "--pids selects one process" is "$(collapse --pids 11 | sum)" 650
check "--tids selects two threads" is "$(collapse --tids 12,13 | sum)" 350
for option in -C --pids --tids --comms --dsos -S; do
	run "$STROBE" collapse -i st.data $option ''
	check "$option with an empty list is refused" \
		sh -c "test $rc = 129 && ! test -s out && grep -q \"the list '' is empty\" err"
done
check "-c selects a command by name" is "$(collapse -c worker | sum)" 650
check "--comms of an unknown name selects nothing" is "$(collapse --comms nobody | sum)" 0
check "--dsos selects the kernel" is "$(collapse --dsos '[kernel.kallsyms]' | sum)" 1000
check "--dsos of an unknown object selects nothing" is "$(collapse --dsos libnone.so | sum)" 0
check "-S: in two functions" is "$(collapse -S find_word,compute | sum)" 450
check "--symbols selects a function" is "$(collapse --symbols write_out | sum)" 50

# --- names and weights ---
check "--pid puts process ids into names" grep -q '^worker-11;entry_point' <(collapse --pid)
check "--tid puts thread ids into names" grep -q '^worker-11/11;entry_point' <(collapse --tid)
"$STROBE" collapse -i st.data --kallsyms /dev/null --addrs >out 2>err
check "--addrs: frames without names" grep -q 'ffffffff81000010' out
check "--addrs: each its own" \
	is "$(grep -o '<[0-9a-f]*>' out | sort -u | wc -l)" \
	"$("$STROBE" script -i st.data --kallsyms /dev/null -F ip | awk 'NF { print $1 }' | sort -u | wc -l)"
check "--samples counts samples in place of periods" is "$(collapse --samples | sum)" 9
check "--max-stack 1 keeps the innermost frame" is "$(collapse --max-stack 1 | awk -F';' '{ print NF }' | sort -u)" 2
check "--max-stack keeps the sum of weights" is "$(collapse --max-stack 2 | sum)" 1000
check "--kernel marks kernel frames" grep -q ';entry_point_\[k\];' <(collapse --kernel)
check "--all marks kernel frames" grep -q ';entry_point_\[k\];' <(collapse --all)
if command -v cc >/dev/null; then
	{
		printf '.text\n.globl _text\n_text: .skip 0x1000, 0x90\n'
		for f in first second third; do
			printf '.globl %s\n.type %s, @function\n%s: .skip 0x1000, 0x90\n.size %s, 0x1000\n' $f $f $f $f
		done
	} >image.s
	cc -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-Ttext=0xffffffff80fff000 -Wl,-e,first \
		-o vmlinux image.s 2>cc.log &&
		check "-k: the image's names" \
		grep -q ';first;second;third' <("$STROBE" collapse -k ./vmlinux -i st.data 2>err)
	[ -s vmlinux ] &&
		check "--vmlinux gives names of kernel functions" \
		grep -q ';first;second;third' <("$STROBE" collapse --vmlinux ./vmlinux -i st.data 2>err)
fi
collapse --diff st.data >out
check "--diff prints both weights" is "$(awk '{ a += $(NF - 1); b += $NF } END { print a, b }' out)" "1000 1000"

# A program with an inlined call, a template and a source line, read through --symfs.
cat >prog.cc <<'C'
volatile int sink;
namespace space {
template <class T> __attribute__((noinline)) void churn(T n) { for (volatile T i = 0; i < n; i = i + 1) { } } }
static inline __attribute__((always_inline)) void folded(int n) { space::churn<int>(n); sink = sink + n; }
__attribute__((noinline)) void outer(int n) { folded(n); __asm__ volatile(""); }
int main() { for (int i = 0; i < 100; i++) outer(1000000); }
C
if can sample && c++ -g -O1 -fno-omit-frame-pointer -o prog prog.cc 2>cc.log; then
	must "$STROBE" record -q -N -F 500 -g -e task-clock:u -o prog.data ./prog
	prog() { "$STROBE" collapse -i prog.data "$@" 2>err; }
	check "inlined calls are frames" grep -q ';outer(*[^;]*;folded[^;]*;[^;]*churn' <(prog)
	check "--inline: reported as well" grep -q ';folded' <(prog --inline)
	check "--no-inline: they are not" \
		sh -c '! "$STROBE" collapse --no-inline -i prog.data 2>/dev/null | grep -q folded'
	check "names are those of the source" grep -q 'space::churn' <(prog --demangle)
	check "--no-demangle: those of the linker" grep -q '_ZN5space5churnIiEEvT_' <(prog --no-demangle)
	check "--context: with file and line" grep -Eq ';outer[^;]*:[^;]*prog\.cc:[0-9]+' <(prog --context)
	prog >seen
	mkdir -p "elsewhere$tmp"; mv prog "elsewhere$tmp/"
	check "without the program there are no names" \
		sh -c '! "$STROBE" collapse -i prog.data 2>/dev/null | grep -q churn'
	prog --symfs elsewhere >out
	check "--symfs: names from below it" sh -c 'grep -q "outer.*churn" out'
	"$STROBE" flamegraph --symfs elsewhere --inline -i prog.data >p.svg 2>err
	check "flamegraph --inline and --symfs" grep -q folded p.svg
	"$STROBE" flamegraph --symfs elsewhere --no-inline --no-demangle -i prog.data >p.svg 2>err
	check "flamegraph --no-inline --no-demangle shows plain symbols" \
		sh -c 'grep -q _ZN5space5churn p.svg && ! grep -q folded p.svg'
else
	skip_part "inlined calls, templates, --symfs: no compiler, or this machine cannot: $why_not"
fi

# --- the picture: the same samples, with other looks ---
boxes() { grep -c '<rect' "$1"; }
flame >all.svg
check "flamegraph -o writes what standard output gets" \
	sh -c '"$STROBE" flamegraph -i st.data --kallsyms st.data.kallsyms -o o.svg 2>/dev/null && cmp o.svg all.svg'
"$STROBE" flamegraph --input st.data $names --output o2.svg 2>err
check "flamegraph --input --output work like -i -o" cmp o2.svg all.svg
for filter in "--pids 11" "--tids 11" "-c worker" "--comms worker" "--time 0%-30%"; do
	flame $filter >f.svg
	check "flamegraph $filter: that thread alone" sh -c 'grep -q find_word f.svg && ! grep -q write_out f.svg'
done
flame -S write_out >f.svg
check "flamegraph -S selects a function" sh -c 'grep -q write_out f.svg && ! grep -q find_word f.svg'
for filter in "--cpu 1" "--dsos libnone.so" "--symbols none"; do
	flame $filter >f.svg
	check "flamegraph $filter: nothing is drawn" sh -c '! grep -q entry_point f.svg'
done
"$STROBE" flamegraph -e page-faults -i ev.data --kallsyms ev.data.kallsyms >f.svg 2>err
check "flamegraph -e: of that event" grep -q page-faults f.svg
flame --max-stack 1 >f.svg
check "flamegraph --max-stack cuts stacks" \
	sh -c '! grep -q entry_point.*find_word f.svg &&
	test "$(grep -c "<rect" f.svg)" -lt "$(grep -c "<rect" all.svg)"'
flame --samples >f.svg
check "flamegraph --samples changes the widths" sh -c '! cmp -s f.svg all.svg'
for option in --pid --tid; do flame $option >f.svg; check "flamegraph $option puts ids into names" \
	grep -q 'worker-11' f.svg; done
"$STROBE" flamegraph --addrs --kallsyms /dev/null -i st.data >f.svg 2>err
check "flamegraph --addrs shows addresses" grep -q 'ffffffff8100' f.svg
[ -s vmlinux ] && "$STROBE" flamegraph -k ./vmlinux -i st.data >f.svg 2>err &&
	check "flamegraph -k gives names of kernel functions" grep -q second f.svg
flame --width 640 >f.svg
check "--width sets the width" grep -q 'width="640"' f.svg
flame --minwidth 200 >f.svg
check "--minwidth: narrow boxes are left out" test "$(boxes f.svg)" -lt "$(boxes all.svg)"
flame --title 'A <title>' --subtitle 'below & it' --countname 'bags' >f.svg
check "--title is escaped and shown" grep -q 'A &lt;title&gt;' f.svg
check "--subtitle is escaped and shown" grep -q 'below &amp; it' f.svg
check "--countname is shown" grep -q bags f.svg
for colour in kind object hot mem io blue; do
	flame --colors $colour >$colour.svg; check "--colors $colour draws a picture" test -s $colour.svg
done
check "--colors: each scheme draws another picture" \
	is \
	"$(cksum kind.svg object.svg hot.svg mem.svg io.svg blue.svg | cut -d' ' -f1 | sort -u | wc -l)" 6
run "$STROBE" flamegraph --colors plaid -i st.data
check "--colors: no such one" test $rc = 129
finish
