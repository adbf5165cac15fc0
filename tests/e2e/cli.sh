#!/bin/bash
# What main does before a subcommand runs: exit statuses, near names, help, listings, completion,
# the name perf, the pager.
. "$(dirname "$0")/lib.sh"

fail()
{
	failed=$((failed + 1))
	say "FAILED: $*"
	head -20 out | sed 's/^/  stdout | /'
	head -20 err | sed 's/^/  stderr | /'
}
ok() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else fail "$2"; fi; }

# ends STATUS ARGS...: strobe with these arguments must end with STATUS; its output is in the files
# out and err.
ends()
{
	local want=$1
	shift
	last="strobe $*"
	run "$STROBE" "$@"
	[ $rc = "$want" ]; ok $? "$last: exit status $rc, not $want"
}
out_has() { grep -qE -- "$1" out; ok $? "$last: stdout lacks '$1'"; }
err_has() { grep -qE -- "$1" err; ok $? "$last: stderr lacks '$1'"; }
out_lacks() { ! grep -qE -- "$1" out; ok $? "$last: stdout has '$1'"; }
out_is() { [ "$(cat out)" = "$1" ]; ok $? "$last: stdout is not '$1'"; }
err_is() { [ "$(cat err)" = "$1" ]; ok $? "$last: stderr is not '$1'"; }
out_silent() { [ ! -s out ]; ok $? "$last: stdout is not empty"; }
err_silent() { [ ! -s err ]; ok $? "$last: stderr is not empty"; }

# --- without a command
ends 1; out_has '^ usage: strobe \[--version\]'; out_has '^   version  '; err_silent
for flag in -h --help; do
	ends 0 $flag; out_has '^ usage: strobe'; err_silent
done
for flag in -v --version version; do
	ends 0 $flag; out_has '^strobe version [0-9.]+$'; err_silent
done
ends 0 -vv; out_has '^ +dwarf: \[ on  \]  # HAVE_LIBDW_SUPPORT$'
ends 129 --nosuch; err_is "  Error: unknown option \`nosuch'
  try: 'strobe -h' shows all options"; out_silent
ends 129 --debug; err_has 'requires a value'
ends 129 --debug nosuch version; err_has "unknown debug output 'nosuch'"
ends 0 --debug verbose=2 --no-pager --buildid-dir /nowhere version
ends 0 --debug phases version; out_has '^strobe version'
err_has '^start +[0-9.]+ '; err_has '^serial: [0-9.]+ %; faster'

# --- commands
ends 1 foo; err_is "strobe: 'foo' is not a strobe-command
  try: 'strobe --help' lists the commands"; out_silent
ends 1 versoin
err_is "strobe: 'versoin' is not a strobe-command
  try: strobe version"
ends 1 iostat
err_is "strobe: 'iostat' is not a strobe-command
  why: perf has this command, strobe does not
  try: strobe stat -a -I 1000 -e 'block:*'"
# Each command of perf exists, or the message says why not and names a command of ours, which must
# accept the options in the message.
for command in archive bench c2c daemon ftrace iostat kmem kvm kwork lock mem sched test timechart top trace; do
	grep -qx "$command" <<<"$("$STROBE" --list-cmds)" && continue
	ends 1 "$command"; err_has '^  why: perf has this command, strobe does not'
	hint=$(sed -n 's/^  try: strobe //p' err)
	ends 0 help "${hint%%[ ,]*}"
	case $hint in record\ *' -- '*)
		[ -r /sys/kernel/tracing/events ] || continue
		last="strobe ${hint%% -- *}"
		eval "run \"\$STROBE\" record --dry-run $(sed 's/^record //; s/ -- .*//' <<<"$hint") -- true"
		[ $rc = 0 ]; ok $? "$last: exit status $rc" ;;
	esac
done
ends 1 $'bad\e[2Jname'; err_has 'bad\\x1b\[2Jname'

# --- options of a command
ends 129 version -h; out_has '^ Usage: strobe version \[<options>\]$'; out_has '^        --build-options   '; err_silent
ends 129 kvm stat -h; out_has '^ Usage: strobe kvm '; err_silent
ends 129 version --nosuch; err_is "  Error: unknown option \`nosuch'
  try: 'strobe version -h' shows all options"; out_silent
ends 129 version -Z; err_has "^  Error: unknown switch .Z'$"; err_has "'strobe version -h' shows all options"
ends 129 version --bulid-options; err_has "^  try: --build-options; 'strobe version -h' shows all options$"
ends 129 report --sorrt; err_has "^  try: --sort; "
ends 129 report --graph; err_has "^  try: --call-graph, "
ends 129 list -Jsn; err_has "^  try: -j, --json: "
ends 129 list -lnog-desc; err_has "^  try: --long-desc; "
ends 129 report -Z; [ "$(wc -l <err)" = 2 ]; ok $? "$last: more than two lines"
ends 129 stat -r abc; err_has "^  try: -r, --repeat <n>: "
ends 129 record -c -5; err_has "^  try: -c, --count <n>: "
ends 129 report --input; err_has "^  try: -i, --input <file>: "
ends 129 version --build-options=x; err_has "^ Error: option .build-options' takes no value$"
ends 0 version --build; out_has '# HAVE_ZSTD_SUPPORT$'

# --- kallsyms: perf's format; addresses equal the kernel's list, and a symbol ends where the next
# one begins
grep '^[^[]*$' /proc/kallsyms >kernel-names 2>/dev/null
if grep -q '^0*[1-9a-f][0-9a-f]* T _stext$' kernel-names; then
	start=$(awk '$3 == "vfs_read" { print $1 }' kernel-names)
	next=$(awk -v s="$start" \
		'$2 ~ /[tTwWdDbB]/ && $1 "" > s && (!n || $1 "" < n) { n = $1 "" } END { print n }' \
		kernel-names)
	ends 0 kallsyms vfs_read
	out_is "vfs_read: [kernel] [kernel.kallsyms] 0x$start-0x$next (0x$start-0x$next)"
	if command -v perf >/dev/null && perf kallsyms vfs_read >by-perf 2>/dev/null; then
		cmp -s out by-perf; ok $? "$last: perf prints $(cat by-perf)"
	fi
	ends 1 kallsyms nosuchsymbol schedule; out_has '^nosuchsymbol: not found$'; out_has '^schedule: \[kernel\]'
else
	skip_part "kernel symbols are hidden here: kallsyms prints none"
	ends 255 kallsyms schedule; err_has '^  why: '
fi
ends 129 kallsyms; err_is "strobe kallsyms: no symbol is named
  try: strobe kallsyms vfs_read"

# --- help
ends 0 help; out_has '^ usage: strobe'
ends 0 help version; out_has '^ Usage: strobe version'; cp out by-help
ends 0 version --help; cmp -s out by-help; ok $? "version --help is not help version"
ends 0 help sched stats record; out_has '^ Usage: strobe sched stats record'; out_has 'strobe-sched.1.'
ends 0 help trace record; out_has '^ Usage: strobe trace '
ends 129 help record report; err_has "'report' is no word of record"; err_has '^  try: strobe help record$'
ends 1 help nosuch; err_has "'nosuch' is not a strobe-command"; err_has '^  try: '

# --- check
ends 0 check feature dwarf; out_has '^                 dwarf: \[ on  \]  # HAVE_LIBDW_SUPPORT$'
ends 0 check feature DWARF,have_zstd_support; out_has zstd
if ldd "$STROBE" >linked 2>/dev/null; then
	grep -ao 'lib\(capstone\|pfm\|unwind-x86_64\)\.so\.[0-9]*' "$STROBE" |	# loaded late
		sed 's/^/	/' >>linked
	for pair in bpf:libbpf libcapstone:libcapstone ncurses:libncursesw libpfm4:libpfm \
		libnuma:libnuma libslang:libslang libunwind:libunwind-x86_64 zstd:libzstd; do
		if grep -q "^[[:space:]]*${pair#*:}\." linked; then
			ends 0 check -q feature "${pair%:*}"
		else
			ends 1 check -q feature "${pair%:*}"
		fi
	done
fi
ends 0 check -q feature dwarf; out_silent
ends 1 check feature libLLVM; out_has 'libLLVM: \[ OFF \]'; err_silent
ends 1 check feature zlib,nosuch; out_has zlib; err_has "unknown feature 'nosuch'"
ends 1 check -q feature nosuch; out_silent; err_silent
ends 129 check; err_has '^  try: strobe check feature '
ends 129 check zlib; err_has "unknown subcommand 'zlib'"; err_has '^  try: strobe check feature zlib$'
ends 129 check feature zlib zstd; err_has '^  try: strobe check feature zlib,zstd$'
ends 129 version foo; err_has "version takes no arguments: 'foo'"; err_has '^  try: strobe version'
# Every command that is called wrongly says what to try; without advice of its own it shows how it is called.
for words in probe "probe -l -x $STROBE" buildid-cache "buildid-cache x" "inject x" completion \
	"evlist -g -v" "flamegraph --negate" "diff --stream a b c" "annotate --prefix-strip 1" \
	"report --time-quantum 0" "report --socket-filter x"; do
	# shellcheck disable=SC2086
	ends 129 $words; err_has '^  try: '
done
ends 129 evlist -g -v; err_has '^ Usage: strobe evlist'
ends 129 probe; err_has '^  try: strobe probe FUNCTION adds a probe'
ends 1 list --unit nosuch; err_has "the PMU 'nosuch' has no events"; err_has '^  try: '
ends 129 check other zlib; err_has "unknown subcommand 'other'"

# --- bad usage: the error says what to try, and the status is not 0
ends 234 record -F 0 true; err_has '^  try: -F 99'
ends 129 stat -I 0 true; err_has 'no interval of 0 ms'; err_has '^  try: '
for command in report annotate; do
	ends 129 "$command" --percent-limit 500; err_has "'500' is no percentage"; err_has '^  try: '
done
ends 1 list nosuchevent; err_has "no event of this machine matches 'nosuchevent'"; err_has '^  try: '
ends 1 list nosuchevent; err_has "^  try: a shorter part of the name; "
ends 1 list 'nosuch*'; err_has "^  try: a part of the name without \\* "
ends 129 kmem nosuch; err_has "'nosuch' is no word of kmem"; err_has '^  try: record, stat$'
ends 129 sched; err_has '^  try: record, latency, map, '
ends 129 kvm stat nosuch; err_has "'nosuch' is no word of kvm stat"; err_has '^  try: record, report, live$'
ends 129 push otlp://host:99999 -i garbage; err_has 'bad port in the URL'; err_has '^  try: a number from 1 to 65535'
ends 129 push parca://host --init -i garbage; err_has 'parca needs no --init'
ends 129 record --stack-rate 5 true; err_has '^  try: --waits or --wall'
ends 1 list cpu-clok; err_has "^  try: 'cpu-clock'"
ends 0 list --raw-dump nosuchevent; err_silent
ends 255 buildid-cache -a /no/such; err_has "^Couldn't add /no/such: No such file"; err_has '^  try: check the name'
echo 'no recording' >garbage
while read -r line; do
	# shellcheck disable=SC2086
	run "$STROBE" $line
	last="strobe $line"
	[ $rc -gt 0 ] && [ $rc -lt 256 ]; ok $? "$last: exit status $rc"
	err_has '^  try: '
done <<'END'
report -i garbage
diff garbage garbage
record -p 99999999
record -t x true
record -u nosuchuser true
record -C 9999 true
record -C abc true
record --filter x true
record --exclude-perf true
record -D x true
record -k nosuch true
record --call-graph x true
record -z99 true
stat -p 99999999
stat --log-fd 77 true
stat -M nosuch true
stat --timeout 1 true
stat -r -1 true
stat --table true
stat -x, -j true
stat -B -x, true
stat --cputype x true
report --kallsyms /no/such -i garbage
report --gtk
evlist garbage
buildid-list garbage
config foo
probe -x /no/such main
probe -x . main
END
for command in report script annotate evlist buildid-list inject diff data collapse flamegraph; do
	case $command in
	data) set -- data convert --to-json=o.json ;;
	diff) set -- diff "$tmp/nosuch" ;;
	*) set -- "$command" ;;
	esac
	[ "$command" = diff ] && ends 255 "$@" || ends 255 "$@" -i "$tmp/nosuch"
	err_has 'No such file or directory'; err_has '^  try: '
	mkdir -p dir
	[ "$command" = diff ] && ends 255 diff dir || ends 255 "$@" -i dir
	err_has 'try: '
done
if [ "$(id -u)" = 0 ] && command -v runuser >/dev/null && runuser -u nobody -- test -x "$STROBE"; then
	echo x >secret; chmod 600 secret; chmod 755 .
	last="report of a file of others"; run runuser -u nobody -- "$STROBE" report -i "$tmp/secret"
	[ $rc = 255 ]; ok $? "$last: exit status $rc"
	err_has 'Permission denied'; err_has '^  try: as the owner'
else
	skip_part "not root, or nobody cannot run this binary: files of others"
fi

# --- listings from the option tables
ends 0 --list-cmds; out_has '^check$'; out_has '^version$'; cp out commands
ends 0 --list-opts version; out_is --build-options
ends 0 version --list-opts; out_is --build-options
ends 0 --list-opts; out_has '^--no-pager$'; out_lacks dump-opts
ends 1 --list-opts nosuch
while read -r command; do
	ends 0 help "$command"; out_has "^ Usage: strobe $command"
	ends 129 "$command" -h; out_has "^ Usage: strobe $command"
	ends 0 --dump-opts "$command"
	[ "$(awk -F'\t' 'NF != 6' out)" = "" ]; ok $? "$last: a row has not 6 fields"
done <commands

# --- output that cannot be written
if [ -w /dev/full ]; then
	last="strobe help >/dev/full"; : >out
	"$STROBE" help >/dev/full 2>err; rc=$?
	[ $rc = 255 ]; ok $? "$last: exit status $rc"
	err_has 'cannot write the output'; err_has 'No space left'
fi
last="strobe help | :"; : >out
{ sleep 0.3; "$STROBE" help 2>err; echo $? >status; } | :
[ "$(cat status)" = 141 ]; ok $? "$last: exit status $(cat status)"
err_silent

# --- called as perf
ln -s "$STROBE" perf
# Scripts read the version number: "perf version (\d+)\.(\d+)\.". It is that of the perf whose
# options we have.
for flag in version --version -v; do
	last="perf $flag"; run ./perf $flag; out_has '^perf version [7-9]\.[0-9]+\.[0-9]+ \(strobe [0-9.]+\)$'
done
last="perf foo"; run ./perf foo; err_is "perf: 'foo' is not a perf-command. See 'perf --help'."
last="perf version -h"; run ./perf version -h; out_has '^ Usage: perf version'
last="perf"; run ./perf; out_has '^ usage: perf '; out_lacks strobe

# --- completion: tests/e2e/completion.sh
for shell in bash zsh fish; do ends 0 completion $shell; done
ends 129 completion; ends 129 completion nosuch

# --- libraries that are loaded late: features that do not need them still work, the others say what
# is missing
mkdir broken && for n in 3 4 5 6; do echo none | tee broken/libcapstone.so.$n >broken/libpfm.so.$n; done
without() { LD_LIBRARY_PATH=$PWD/broken run "$STROBE" "$@"; }
if [ "$(LD_LIBRARY_PATH=$PWD/broken "$STROBE" version)" = "$("$STROBE" version)" ]; then
	last="record --pfm-events without libpfm"; without record -o none.data --pfm-events perf::cycles true
	check "$last fails" test "$rc" = 255
	err_has "^strobe record: cannot load the library libpfm.so.[0-9]"
	err_has "^  why: .*broken/libpfm"
	err_has "^  try: install the package that has it"
	last="probe without capstone"; without probe -x "$STROBE" -D main+1
	err_has "Warning: cannot load the library libcapstone.so.[0-9]"
else
	check "the program starts without them" false
fi

# --- the pager
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	on_terminal() { script -qec "$1" /dev/null </dev/null 2>&1 | tr -d '\r'; }
	on_terminal 'PERF_PAGER="sed s/^/paged:/" PAGER=false "$STROBE" help version' >out
	last="help on a terminal"; : >err
	out_has '^paged: Usage: strobe version'
	on_terminal 'PAGER="sed s/^/paged:/" "$STROBE" --no-pager help version' >out
	out_has '^ Usage: strobe version'
	on_terminal 'PERF_PAGER=cat PAGER="sed s/^/paged:/" "$STROBE" help version' >out
	out_has '^ Usage: strobe version'
	on_terminal 'PAGER="sed s/^/paged:/" "$STROBE" version' >out
	out_has '^strobe version'
	on_terminal 'PAGER=true "$STROBE" help; echo "status $?"' >out
	out_has '^status (0|141)$'
	PAGER="sed s/^/paged:/" ends 0 help version; out_lacks paged
else
	skip_part "no script(1) that opens a terminal, for the pager"
fi

run "$STROBE" doctor -- record --nosuch
check "doctor names the help of the command that it tests" \
	sh -c "test $rc = 129 && grep -q \"try: 'strobe record -h'\" err"
run "$STROBE" flamegraph --from pg://db/x -o x.svg
check "flamegraph --from advises only a URL that it can read" \
	sh -c "test $rc = 129 && grep -q 'try: --from clickhouse://HOST' err && ! grep -q pyroscope err"

finish
