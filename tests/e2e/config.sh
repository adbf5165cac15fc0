#!/bin/bash
# config: show and change settings in several files; the effect of settings on report.
. "$(dirname "$0")/lib.sh"
unset PERF_CONFIG
export XDG_CONFIG_HOME=$tmp/xdg
mkdir -p xdg/strobe
printf '[report]\n\tpercent-limit = 5 # a comment\n\tchildren\n[call-graph]\n\torder = "callee"\n' >.perfconfig
printf '[Report]\nchildren = no\n' >xdg/strobe/config

run "$STROBE" config -l
check "all settings are listed" grep -qx "report.percent-limit=5" out
check "config removes the quotes of a value" grep -qx "call-graph.order=callee" out
check "the last word is ours" grep -qx "report.children=no" out
check "each setting is listed once" sh -c 'test "$(grep -c children out)" = 1'
run "$STROBE" config --user report.children
check "only the user's file has another value" grep -qx "report.children=true" out
run "$STROBE" config report.percent-limit=7 new.thing='a #b' call-graph.order=caller
check "config writes settings" test $rc = 0
check "a message about a setting that nothing reads" grep -q "^strobe config: 'new.thing' is kept" err
run "$STROBE" config report.chidlren=no
check "one almost right gets the right one" grep -q "'report.children'" err
run "$STROBE" config report.percent-limit new.thing call-graph.order
check "config reads the written settings again" \
	sh -c 'printf "report.percent-limit=7\nnew.thing=a #b\ncall-graph.order=caller\n" | cmp - out'
check "the user's file stays as it was" grep -q "percent-limit = 5 # a comment" .perfconfig
run "$STROBE" config --user report.percent-limit=9
check "unless it is meant" grep -q "percent-limit = 9" .perfconfig
check "the rest of its contents stays" grep -q 'order = "callee"' .perfconfig
check "nothing is left over" test ! -e .perfconfig.new
# Who reads a setting refuses bad values at once; perf keeps them, and its report fails later.
cp xdg/strobe/config before
refused() {	# NAME=VALUE WORDS
	run "$STROBE" config "$1"
	check "config $1: is refused" test $rc = 255
	check "config $1: '$2'" grep -q -- "^strobe config: .*$2" err
	check "config $1: the file stays as it was" cmp before xdg/strobe/config
}
refused report.children=maybe "the setting report.children is true or false, not 'maybe'"
refused Report.Children= 'report.children is true or false'
refused report.percent-limit=x "report.percent-limit: 'x' is no percentage"
refused call-graph.threshold=-1 'call-graph.threshold is a number'
refused call-graph.order=callr 'call-graph.order'
refused ui.show-headers=2 'ui.show-headers is true or false'
refused trace.show_zeros=some 'trace.show_zeros'
refused diff.order=first 'diff.order is a number'
refused record.build-id=keep 'none of cache, no-cache, skip, mmap and no-mmap'
refused call-graph.record-mode=full call-graph.record-mode
refused stat.event-files=nowhere stat.event-files
for value in record.build-id=skip report.children=on diff.compute=ratio call-graph.record-mode=dwarf colors.top=red \
	report.percent-limit=0.5 call-graph.order=callee; do
	run "$STROBE" config "$value"
	check "config $value: is kept" sh -c "test $rc = 0 && ! test -s err"
done
run "$STROBE" config nothing
check "a name without a section is an error" test $rc = 255
run "$STROBE" config 'a b.c=1'
check "a key with a blank is refused" test $rc = 255
run "$STROBE" config --system --user -l
check "two files at a time are wrong usage" test $rc = 129
ln -s "$STROBE" perf
PERF_CONFIG=$tmp/only run ./perf config report.group=no
check "called as perf, it writes the file of PERF_CONFIG" grep -q "group = no" only
check "and no other file" sh -c '! grep -q group .perfconfig xdg/strobe/config'
printf 'no section = 1\n' >broken
PERF_CONFIG=broken run "$STROBE" config -l
check "a message about a file that makes no sense" test -s err
PERF_CONFIG=/dev/null run "$STROBE" config -l
check "a device holds no settings" sh -c "test $rc = 0 && ! test -s out"
printf '[buildid]\n\tdir = %s\n' "$tmp/named" >cached
PERF_CONFIG=cached run "$STROBE" buildid-cache -a "$STROBE"
check "commands without settings of their own use buildid.dir" test -d named/.build-id
PERF_CONFIG=cached PERF_BUILDID_DIR=$tmp/asked run "$STROBE" buildid-cache -a "$STROBE"
check "PERF_BUILDID_DIR overrides it" test -d asked/.build-id

# The effect on report.
workload layers -fno-optimize-sibling-calls
need_can sample
must "$STROBE" record -q -e cpu-clock -F 999 -g -o a.data ./layers
settings() { printf '%s\n' "$@" >settings; }
same() {
	PERF_CONFIG=$tmp/settings "$STROBE" report --stdio -i a.data $2 >one 2>err
	PERF_CONFIG=/dev/null "$STROBE" report --stdio -i a.data $3 >two
	check "$1 has the same output as its option" cmp one two
}
settings '[report]' 'children = false' 'sort_order = comm,dso' '[call-graph]' 'order = callee' 'threshold = 3'
same "settings are as good as options" "" "--no-children -s comm,dso -g graph,3,callee"
same "options overrule them" "-s sym --children" "-s sym --children -g graph,3,callee"
settings '[report]' 'percent-limit = 5' '[hist]' 'percentage = relative'
same "limits and percentages, too" "-c layers -g none" "--percent-limit 5 --percentage relative -c layers -g none"
cat >mangled.c <<'END'
volatile unsigned long n;
void spin(void) __asm__("_Z4spinv");
__attribute__((noinline)) void spin(void) { for (int i = 0; i < 60000000; i++) n++; }
int main(void) { spin(); return 0; }
END
cc -O1 -o mangled mangled.c && "$STROBE" record -q -e cpu-clock -F 999 -o mangled.data ./mangled >record.log 2>&1
settings '[annotate]' 'demangle = false'
PERF_CONFIG=$tmp/settings run "$STROBE" report --stdio -s sym -i mangled.data
check "names are as asked" grep -q _Z4spinv out
PERF_CONFIG=$tmp/settings run "$STROBE" report --stdio -s sym --demangle -i mangled.data
check "an option overrules the setting" sh -c '! grep -q _Z4spinv out'
settings '[buildid]' "dir = $tmp/ids"
PERF_CONFIG=$tmp/settings "$STROBE" record -q -e cpu-clock -o kept.data ./layers >record.log 2>&1
rm -rf layers .debug
PERF_CONFIG=$tmp/settings "$STROBE" report --stdio -s sym -i kept.data >one 2>err
check "files are looked for where they were kept" sh -c 'test -d ids/.build-id && grep -q " leaf$" one'
settings '[call-graph]' 'order = callr'
PERF_CONFIG=$tmp/settings run "$STROBE" report -i a.data
check "a setting that is almost right gets the right one" \
	sh -c "grep -q call-graph.order err && grep -q \"'caller'\" err"
settings '[report]' 'children = perhaps'
PERF_CONFIG=$tmp/settings run "$STROBE" report -i a.data
check "a bad setting is an error" test $rc = 255
check "the error names the setting" grep -q "report.children" err
finish
