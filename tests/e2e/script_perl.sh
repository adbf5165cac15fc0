#!/bin/bash
# script -s: Perl scripts get the same data as from perf; -g writes a script, -l and record/report
# find pairs of scripts; errors of scripts and of their output are reported, and a recording reaches
# no functions but the script's.
. "$(dirname "$0")/lib.sh"
golden=$STROBE_SOURCE/tests/golden
unset PERF_EXEC_PATH STROBE_LIBPERL PERL5LIB PERL5OPT
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0

# --- without an interpreter
echo 'print "hello\n"' >hello.pl
run env STROBE_LIBPERL=/nowhere "$STROBE" script -i "$golden/tracepoint.data" -s hello.pl
check "a library that is not there is named" grep -q "cannot load '/nowhere', which STROBE_LIBPERL names" err
check "that is an error" test $rc = 255
run "$STROBE" script -i "$golden/tracepoint.data" -s missing.pl
check "a missing script is an error" grep -q "cannot open 'missing.pl'" err
run "$STROBE" script -i "$golden/tracepoint.data" -s Ruby:x.rb
check "a language must be known" grep -q "Python:FILE, Perl:FILE" err
mkdir -p pairs/scripts/perl/bin pairs/scripts/python/bin
printf '#!/bin/bash\nperf record -e cpu-clock:u "$@"\n' >pairs/scripts/perl/bin/count-record
printf '#!/bin/bash\n#description: count samples\n# args: <word>\nperf script "$@" -F comm\n' \
	>pairs/scripts/perl/bin/count-report
printf '#!/bin/sh\n# description: of Python\nexit 7\n' >pairs/scripts/python/bin/other-report
export PERF_EXEC_PATH=$tmp/pairs
run "$STROBE" script -l
check "-l lists pairs of both languages" \
	sh -c "grep -q '^  count <word> *count samples\$' out && grep -q '^  other *of Python\$' out"
run "$STROBE" script report count -i "$golden/fp.data"
check "report runs its script" test "$(tr -d ' ' <out | sort -u)" = "hot" -a $rc = 0
run "$STROBE" script report other
check "report runs a script of another language" test $rc = 7
workload spin
if can sample; then
	must "$STROBE" script record count -q -o live.data ./spin 0.2
	check "record runs its script" sh -c '"$STROBE" script -i live.data -F comm | grep -q spin'
else
	skip_part "a script's recording: this machine cannot: $why_not"
fi
unset PERF_EXEC_PATH

# --- with an interpreter
if ! ldd "$STROBE" >/dev/null 2>&1 || ! find /usr/lib* -name 'libperl.so*' | grep -q . ||
	! perl -MConfig -e 'exit !$Config{usethreads}'; then
	skip_part "no Perl library with threads here, or a static build"
	finish
fi
run "$STROBE" script -i "$golden/fp.data" -s hello.pl
check "the script's own statements run" grep -qx hello out
cat >all.pl <<'EOS'
#!/usr/bin/perl -w
use strict;
use lib "$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core;
use Perf::Trace::Context;
use Perf::Trace::Util;
use Data::Dumper;
$Data::Dumper::Sortkeys = 1;
$Data::Dumper::Indent = 1;
print "@ARGV|", scalar(<DATA>);
sub values_of
{
	my ($name, $context, @rest) = @_;
	print Dumper($name, @rest);
	printf("%s %s %s\n", common_pc($context), trace_flag_str(common_flags($context)), common_lock_depth($context));
}
sub trace_begin { print "begin\n"; }
sub trace_end { print "end\n"; }
sub trace_unhandled { print "unhandled "; values_of(@_); }
sub sched::sched_process_exit { values_of(@_); }
sub process_event
{
	my ($event, $attr, $sample, $raw) = @_;
	print join(" ", unpack("H*", $event), unpack("H64", substr($attr, 8)), unpack("Q L L Q Q Q Q Q", $sample),
		unpack("x88 L L Q", $sample), unpack("H*", $raw)), "\n";
}
__DATA__
data
EOS
run "$STROBE" script -i "$golden/perf-tracepoint.data" -s all.pl one two
check "a script has its arguments and its data" grep -qx "one two|data" out
check "begin comes first and end comes last" sh -c 'grep -qx begin out && tail -1 out | grep -qx end'
check "trace_unhandled has the arguments of all tracepoints" \
	test "$(grep -A1 '^unhandled ' out | grep -c sys_enter_write)" -gt 2
cp out all.out
perf=$(command -v perf) || perf=
if [ -n "$perf" ] && "$perf" version --build-options 2>/dev/null | grep -q "libperl.*on"; then
	"$perf" script -i "$golden/perf-tracepoint.data" -s all.pl one two >want 2>/dev/null
	check "tracepoints are what perf gives" diff want all.out
	for file in perf-fp perf-dwarf perf-group; do
		"$perf" script -i "$golden/$file.data" -s all.pl >want 2>/dev/null
		run "$STROBE" script -i "$golden/$file.data" -s all.pl
		check "$file: so are other events" diff want out
	done
else
	skip_part "no perf with Perl here"
fi
run "$STROBE" script -i "$golden/fp.data" --time 0%-50% -s all.pl
check "samples are filtered as for text" \
	test "$(grep -c '^09000000' out)" \
	= "$("$STROBE" script -i "$golden/fp.data" --time 0%-50% -F comm,pid -G | wc -l)"
printf 'use strict; use POSIX qw(floor); use List::Util qw(sum);\nprint floor(2.5) + sum(1, 2), "\\n"' >modules.pl
run "$STROBE" script -i "$golden/fp.data" -s modules.pl
check "modules written in C load" grep -qx 5 out

cat >chains.pl <<'EOS'
sub sched::sched_process_exit {
	my $chain = $_[7];
	print join(" ",
		map { sprintf("%x:%s:%s", $_->{ip}, $_->{sym} ? $_->{sym}{name} : "", $_->{dso} || "") } @$chain), "\n";
}
sub process_event { }
EOS
if can sched:sched_process_exit; then
	must "$STROBE" record -q -g -e sched:sched_process_exit -o exit.data ./spin 0.01
	run "$STROBE" script -i exit.data -s chains.pl
	"$STROBE" script -i exit.data -F ip,sym,dso | sed -n 's/^[ \t]*\([0-9a-f]*\) \(.*\) (\(.*\))$/\1:\2:\3/p' |
		sed 's/\[unknown\]//g' | tr '\n' ' ' | sed 's/ $//' >want
	echo >>want
	check "chains are those of the text" diff want out
	check "samples have frames" test "$(wc -w <out)" -gt 2
else
	skip_part "chains of tracepoints: this machine cannot: $why_not"
fi

run "$STROBE" script -i "$golden/tracepoint.data" -g perl
check "-g says what it wrote" grep -qx "generated Perl script: perf-script.pl" err
run "$STROBE" script -i "$golden/tracepoint.data" -s perf-script.pl
check "the generated script runs without a warning" test $rc = 0 -a ! -s err
check "the generated script prints the samples" \
	test "$(grep -c '^syscalls::sys_enter_write' out)" \
	= "$("$STROBE" script -i "$golden/tracepoint.data" | grep -c sys_enter_write)"
run "$STROBE" script -i "$golden/tracepoint.data" -g named.pl
check "-g FILE.pl writes that file" cmp perf-script.pl named.pl

cat >names.pl <<'EOS'
use Perf::Trace::Core;
use Perf::Trace::Util;
sub text { defined $_[0] ? $_[0] : "undef" }
sub trace_begin {
	define_flag_field("e", "f", "|");
	define_flag_value("e", "f", $_->[0], $_->[1]) for [1, "one"], [6, "six"], [0, "zero"];
	define_symbolic_field("e", "s");
	define_symbolic_value("e", "s", 3, "three");
	print join(", ", map { text(flag_str("e", "f", $_)) } 0, 1, 7, 8), "\n";
	print join(", ", map { text(symbol_str("e", "s", $_)) } 3, 4), "\n";
	print join(", ", map { text(trace_flag_str($_)) } 0, 5, 31, 32), "\n";
	my $ns = 3000000005;
	print join(" ", avg(7, 2), nsecs(3, 5), nsecs_secs($ns), nsecs_nsecs($ns), nsecs_str($ns)), "\n";
	dump_flag_fields();
	dump_symbolic_fields();
}
EOS
cat >want <<'EOS'
zero, one, one | six, undef
three, undef
NONE, IRQS_OFF | NEED_RESCHED, IRQS_OFF | IRQS_NOSUPPORT | NEED_RESCHED | HARDIRQ | SOFTIRQ, undef
3.5 3000000005 3.000000005 5     3.000000005
event e:
    field: f:
        delim: |
        value 0: zero
        value 1: one
        value 6: six
event e:
    field: s:
        value 3: three
EOS
run env PERF_EXEC_PATH=/nowhere "$STROBE" script -i "$golden/fp.data" -s names.pl
check "the modules are built in" diff want out

cat >made.py <<'EOS'
import sys
sys.path.insert(0, sys.argv[1])
import make_trace
t = make_trace.Trace()
soft = t.event("irq", "softirq", [("vec", "i"), ("what", "16s"), ("left", "q")],
    '"%s %s", __print_symbolic(REC->vec, { 3, "RX" }), __print_flags(REC->left, "|", { 1, "A" }, { 2, "B" })')
t.sample(soft, time=1000, cpu=1, pid=7, tid=8, comm=b"a\x1b[2J", vec=3, what=b"x\xff\x01y", left=3)
t.sample(soft, time=2000, cpu=1, pid=7, tid=8, comm=b"b", vec=-1, what=b"", left=-2**63)
for group, name in (("File::Path", "rmtree"), ("main", "rmtree"), ("POSIX", "_exit"), ("CORE::GLOBAL", "exit"),
    ("Strobe", "finish"), ("main", "BEGIN"), ("a b", "c"), ("main", "imported")):
    e = t.event(group, name, [("path", "16s")])
    t.sample(e, time=3000, cpu=0, pid=7, tid=8, comm=b"b", path=b"victim")
t.write("made.data")
EOS
must python3 made.py "$STROBE_SOURCE/tests/lib"
cat >made.pl <<'EOS'
use Perf::Trace::Core;
use File::Path qw(rmtree);
use POSIX qw(_exit);
sub irq::softirq {
	my ($name, $context, $cpu, $s, $ns, $pid, $comm, $chain, $vec, $what, $left) = @_;
	print join(" ", $cpu, $s, $ns, $pid, $vec, length $what, $left, symbol_str($name, "vec", $vec) || "",
		flag_str($name, "left", $left) || ""), "\n";
}
sub trace_unhandled { print "unhandled $_[0]\n"; }
EOS
mkdir -p victim b
run "$STROBE" script -i made.data -s made.pl
cat >want <<'EOS'
1 0 1000 8 3 4 3 RX A | B
1 0 2000 8 -1 0 -9223372036854775808  
unhandled File::Path::rmtree
unhandled main::rmtree
unhandled POSIX::_exit
unhandled CORE::GLOBAL::exit
unhandled Strobe::finish
unhandled main::BEGIN
unhandled a b::c
unhandled main::imported
EOS
check "values keep their signs and bytes; a recording calls no function of modules" diff want out
check "the scripts succeed" test $rc = 0 -a ! -s err
check "no other file was removed" test -d victim -a -d b

# --- errors: one line of Perl's, one of ours
ends() {
	local what=$1 status=$2 text=$3
	run "$STROBE" script -i "$golden/fp.data" -s bad.pl
	check "$what: the status is $status" test $rc = "$status"
	[ -z "$text" ] || check "$what: the error has the message" grep -q "$text" err
}
echo 'sub process_event { die "gone" }' >bad.pl
ends "die in a handler" 255 "^gone at bad.pl line 1.$"
check "the message of die comes once" test "$(grep -c . err)" = 2
check "after it strobe says that the script failed" grep -q "script: the script failed" err
echo 'die "top"' >bad.pl
ends "die" 255 "^top at bad.pl line 1.$"
echo 'print "x" 1;' >bad.pl
ends "a syntax error" 255 "^Execution of bad.pl aborted"
echo 'use No::Such::Module;' >bad.pl
ends "a module that is not there" 255 "^Can't locate No/Such/Module.pm"
echo 'print "kept"; sub process_event { exit 3 } sub trace_end { print "end" }' >bad.pl
ends "exit in a handler" 3 ''
check "what it printed before stays" grep -qx kept out
echo 'print "kept"; exit 0; sub trace_end { print "end" }' >bad.pl
ends "exit at the top" 0 ''
check "the script does not go on" grep -qx kept out
echo 'sub process_event { print "x" x 1000, "\n" }' >bad.pl
"$STROBE" script -i "$golden/fp.data" -s bad.pl >/dev/full 2>err
check "a full disk is an error" test $? = 255
"$STROBE" script -i "$golden/fp.data" -s bad.pl 2>err | head -1 >/dev/null
check "a reader that went away is not worth a word" test ! -s err
echo 'print "$_\n" while 1' >bad.pl
timeout 30 "$STROBE" script -i "$golden/fp.data" -s bad.pl 2>err | head -1 >/dev/null
check "a closed pipe ends a script that prints at its top" test "${PIPESTATUS[0]}" = 141 -a ! -s err
cp hello.pl -- '-e.pl'
run "$STROBE" script -i "$golden/fp.data" -s '-e.pl'
check "a script's name is no option" grep -qx hello out
finish
