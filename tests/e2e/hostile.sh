#!/bin/bash
# Names that programs choose, files that others plant: only text reaches the terminal, no line is
# forged, nothing is executed, no foreign file is trusted or written to through a link, nothing
# waits forever.
. "$(dirname "$0")/lib.sh"
need python3
workload hostile
need_can sample
must "$STROBE" record -q -e cpu-clock:u -o probe.data true

# Control bytes, escape sequences, line ends, C1 as bytes and as code points, invalid UTF-8, a
# change of text direction.
evil=$'ev\e[31mil\nFORGED 1 1.0: 1 cpu-clock:\x9b\x7f\xc2\x9b\xff\xe2\x80\xae'

# Collect all output and judge it at the end, in one go.
mkdir said
runs=0
clean() {	# WHAT COMMAND...: it ends by itself, even where the machine stalls for a minute, and prints only text
	what=$1; shift
	runs=$((runs + 1))
	rc=0
	timeout -k 10 300 "$@" >out 2>err </dev/null || rc=$?
	cp out "said/$runs.out"; cp err "said/$runs.err"; printf '%s\n' "$what" >"said/$runs"
	check "$what: ends by itself" test "$rc" -ne 124 -a "$rc" -ne 137
}
cat >judge.py <<'PY'
import os, sys
problems = 0
for name in sorted(f for f in os.listdir("said") if "." in f):
    data = open("said/" + name, "rb").read()
    bad = [hex(c) for c in data if (c < 32 and c not in (9, 10)) or c == 127]
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        text, bad = "", bad + ["invalid UTF-8: %s" % data[max(0, e.start - 60):e.end + 20]]
    bad += [hex(ord(c)) for c in text if 0x80 <= ord(c) < 0xa0 or ord(c) in (0x202e, 0x2028, 0x2029)]
    bad += [l for l in text.split("\n") if l.startswith("FORGED")]
    if bad:
        problems += 1
        print(open("said/" + name.split(".")[0]).read().strip(), name, bad[:5])
sys.exit(problems > 0)
PY
# run, and write the peak memory in KB to the file peak
cat >peak.py <<'PY'
import os, resource, subprocess, sys
rc = subprocess.run(sys.argv[1:], timeout=300).returncode
open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(rc)
PY
peak_below() { test -n "${STROBE_SANITIZED:-}" -o "$(cat peak)" -lt "$1"; }
no_symbol() { ! grep -q "$1" out; }

# --- names of the thread, the file, the symbol, the map file, the command line ---
python3 - "$evil" <<'PY'
import os, sys
data = open("hostile", "rb").read()
old = b"hostile_symbol_of_this_program"
new = b"sym\x1b[31m\nFORGED\x9b\x7f\xff\xe2\x80\xaeaaaaaaaaaaaaa"[:len(old)].ljust(len(old), b"a")
name = os.fsencode(sys.argv[1])
open(name, "wb").write(data.replace(old, new))
os.chmod(name, 0o755)
PY
"$STROBE" record -q -e cpu-clock:u -F 1000 -g -d -o names.data -- ./"$evil" $'arg\e[31m\nFORGED\x9b' >pid 2>err
pid=$(cat pid)
trap 'rm -f "/tmp/perf-$pid.map"; cleanup' EXIT
check "hostile names are recorded" test -s names.data
for c in "report --stdio" "report --stdio --header -g caller" \
	"report --stdio -s comm,dso,sym,srcline,pid,tid" "report --stdio --tasks" \
	"report --stdio --mmaps" "report -D" \
	 "report --stats" "report --header-only" "report --header-only -I" \
	 "report --stdio -s symbol_from,dso" "script" "script --header -F +srcline,+symoff,+addr" \
	 "script -D" \
	 "script --show-mmap-events --show-task-events" "script -F comm,dso,sym,ip" "script --json" \
	 "script --csv" collapse flamegraph "flamegraph --html" "evlist -v" "evlist -F" "buildid-list" \
	 "buildid-list -H"; do
	clean "$c" "$STROBE" $c -i names.data
done
run "$STROBE" report --stdio -s comm,dso,sym -i names.data
check "the names are there, escaped" \
	sh -c "grep -q 'sym.x1b' out && grep -q 'ev.x1b' out && grep -q 'x1b.31m.x0aFORGED' out"
if [ "$(uname -m)" = x86_64 ]; then
	check "names of a map file are there, escaped" grep -q 'jit.x1b.0;x.x07FORGED' out
fi
run "$STROBE" script --show-task-events --show-mmap-events -i names.data
check "records are lines of their own" sh -c "! grep -q '^FORGED' out"
# Output for other programs: they can parse it and find the names as data.
for c in "script --json" "script --csv" flamegraph "flamegraph --html" collapse; do
	"$STROBE" $c -i names.data >"export.${c##*[- ]}" 2>err
done
python3 "$STROBE_SOURCE/tests/lib/page_data.py" get export.html >page.json
cat >exports.py <<'PY'
import csv, html.parser, json, re
import xml.etree.ElementTree as tree
names = 0
for line in open("export.json", encoding="utf-8", errors="strict"):
    names += "FORGED" in json.dumps(json.loads(line)) and "<" not in line
assert names > 0, "json"
rows = list(csv.reader(open("export.csv", encoding="utf-8", errors="strict", newline=""), strict=True))
assert len(rows) > 1 and all(len(r) == len(rows[0]) for r in rows), "csv"
assert any("FORGED" in e.text for e in tree.parse("export.flamegraph").iter() if e.text), "svg"
class Page(html.parser.HTMLParser):
    tags, text, script, inside = set(), "", "", False
    def handle_starttag(self, tag, attrs): self.tags.add(tag); self.inside = tag == "script"
    def handle_endtag(self, tag): self.inside = False
    def handle_data(self, data):
        if self.inside: self.script += data
        else: self.text += data
page = Page()
page.feed(open("export.html", encoding="utf-8", errors="strict").read())
assert any("FORGED" in name for name in json.load(open("page.json"))["names"]), "data of the page"
assert "FORGED" not in page.script + page.text and "forged" not in page.tags, "html"
for line in open("export.collapse", encoding="utf-8", errors="strict"):
    assert re.fullmatch(r"[^;]+(;[^;]+)* \d+\n", line), "collapse: %r" % line
PY
check "exports with hostile names parse" python3 exports.py
if can task:task_rename sched:sched_process_exec; then
	must "$STROBE" record -q -e task:task_rename -e sched:sched_process_exec -o trace.data -- ./"$evil"
	rm -f "/tmp/perf-$(cat out).map"
	clean "strings of tracepoints in script" "$STROBE" script -i trace.data
	check "strings of tracepoints are there, escaped" grep -q 'x1b.31m.x0aFORGED' out
	clean "strings of tracepoints in -D" "$STROBE" script -D -i trace.data
	clean "strings of tracepoints in report" "$STROBE" report --stdio -i trace.data
else
	skip_part "strings of tracepoints: this machine cannot: $why_not"
fi

# --- names in messages ---
printf 'x' >"bad$evil"
for c in "report --stdio -i" "script -i" "evlist -i" "buildid-list -i" "report --header-only -i" \
	"report -i names.data --stdio -s" "report -i names.data --stdio -F" \
	"report -i names.data --stdio -g" \
	 "script -i names.data -F" "script -i names.data --time" "script -i names.data -S" \
	 "report -i names.data --stdio --symfs" "report -i names.data --kallsyms" "record -e" \
	 "record -o /no/such/dir/" \
	 "record -p" "record -C" "record -u" "record --call-graph" "record" "report --" "script --" "" \
	 "list" "help" "check feature"; do
	case $c in
	*/) clean "message of '$c'" "$STROBE" $c"$evil" true ;;
	*" --") clean "message of '$c'" "$STROBE" ${c% --} "--$evil" ;;
	"record -"*) clean "message of '$c'" "$STROBE" $c "$evil" -o /dev/null true ;;
	*" -i") clean "message of '$c'" "$STROBE" $c "bad$evil" ;;
	*) clean "message of '$c'" "$STROBE" $c "$evil" ;;
	esac
done

# --- map files planted by others ---
map=/tmp/perf-$pid.map
if [ "$(uname -m)" = x86_64 ] && [ -f "$map" ]; then
	cp "$map" map.good
	run "$STROBE" report --stdio -i names.data
	check "a map file of our own is used" grep -q 'jit.x1b' out
	rm -f "$map"; ln -s "$tmp/map.good" "$map"
	clean "a map file that is a link" "$STROBE" report --stdio -i names.data
	check "a link is not followed" no_symbol 'jit.x1b'
	rm -f "$map"; mkfifo "$map"
	clean "a map file that is a FIFO" "$STROBE" report --stdio -i names.data
	clean "a map file that is a FIFO, script" "$STROBE" script -i names.data
	rm -f "$map"; mkdir "$map"
	clean "a map file that is a directory" "$STROBE" report --stdio -i names.data
	rmdir "$map"; truncate -s 1T "$map" 2>/dev/null || truncate -s 300G "$map"
	clean "a map file of 1 TB" python3 peak.py "$STROBE" report --stdio -i names.data
	check "a map file of 1 TB costs nothing" peak_below 65536
	rm -f "$map"
	if [ "$(id -u)" = 0 ]; then
		cp map.good "$map"; chown 65534 "$map"
		clean "a map file of another user" "$STROBE" report --stdio -i names.data
		check "the map file of another user is not used" no_symbol 'jit.x1b'
		rm -f "$map"
	else
		skip_part "a map file of another user: needs root"
	fi
fi

# --- objects that were replaced by something else ---
cp hostile object
"$STROBE" record -q -e cpu-clock:u -F 2000 -g -o object.data ./object >pid3 2>err
rm -f "/tmp/perf-$(cat pid3).map"
object() {	# WHAT: replace ./object with this
	for c in "report --stdio" "script -F +srcline" buildid-list; do
		clean "the object is $1, $c" python3 peak.py "$STROBE" $c -i object.data
		check "the object is $1, $c: answers" test "$rc" = 0
		check "the object is $1, $c: memory" peak_below 100000
	done
	rm -rf object
}
rm object; mkfifo object; object "a FIFO"
ln -s /dev/zero object; object "a device"
mkdir object; object "a directory"
ln -s object object; object "a link to itself"
truncate -s 1T object 2>/dev/null || truncate -s 300G object; object "1 TB of nothing"
{ head -c 4096 hostile; } >object; truncate -s 1T object 2>/dev/null; object "1 TB behind an ELF header"
head -c 5000 hostile >object; object "cut short"
: >object; object "empty"

# --- links out of --symfs, and foreign things in place of the build-id cache ---
rm -rf "$HOME/.debug"	# it has an object with the same build-id and the hostile names
cp hostile object
mkdir -p "root/$tmp"; ln -s "$tmp/object" "root/$tmp/object"
clean "a link out of --symfs" "$STROBE" report --stdio --symfs root -i object.data
check "a link out of --symfs is not followed" no_symbol hostile_symbol
rm "root/$tmp/object"; cp object "root/$tmp/object"
clean "an object below --symfs" "$STROBE" report --stdio --symfs root -i object.data
check "an object below --symfs is used" grep -q hostile_symbol out
"$STROBE" record -q -e cpu-clock:u -F 2000 -g -o object.data ./object >pid3 2>err; rm -f "/tmp/perf-$(cat pid3).map"
rm object
clean "an object in the cache" "$STROBE" report --stdio -i object.data
check "an object in the cache is used" grep -q hostile_symbol out
id=$("$STROBE" buildid-list -i object.data | sed -n 's# .*/object$##p')
cached=$HOME/.debug/.build-id/${id:0:2}/${id:2}/elf
check "the object is in the cache" test -n "$id" -a -f "$cached"
for kind in FIFO device "link to itself"; do
	rm -f "$cached"
	case $kind in FIFO) mkfifo "$cached" ;; device) ln -s /dev/zero "$cached" ;; *) ln -s elf "$cached" ;; esac
	clean "the cached object is a $kind" "$STROBE" report --stdio -i object.data
	check "the cached object is a $kind: answers" test "$rc" = 0
	check "the cached object is a $kind: no symbols" no_symbol hostile_symbol
done
rm -rf "$HOME/.debug"; cp hostile object

# --- names that a shell would execute ---
n=0
for name in '$(touch pwned)' '`touch pwned`' 'x;touch pwned;' '|touch pwned' 'x&touch pwned' '--help' \
	$'x\ntouch pwned\n' "x' ; touch pwned ; '" '" ; touch pwned ; "'; do
	n=$((n + 1))
	cp hostile "./$name"
	"$STROBE" record -q -e cpu-clock:u -F 500 -g -o "data$name" -- "./$name" >pid4 2>err
	rm -f "/tmp/perf-$(cat pid4).map"
	for c in "report --stdio -s sym,srcline" "script -F +srcline"; do
		clean "name $n, $c" "$STROBE" $c -i "data$name"
	done
	clean "name $n as --symfs" "$STROBE" report --stdio --symfs "$name" -i "data$name"
done
check "no command ran a hostile name" test ! -e pwned
check "no shell is asked for" \
	sh -c "! grep -rnE '\\b(system|popen)[(]' --include=*.c \\
		'$STROBE_SOURCE'/base '$STROBE_SOURCE'/format '$STROBE_SOURCE'/events '$STROBE_SOURCE'/symbols \\
		'$STROBE_SOURCE'/record '$STROBE_SOURCE'/report"

# --- recordings of others, and whose files we write ---
if [ "$(id -u)" = 0 ]; then
	cp probe.data others.data; chown 65534 others.data
	for c in report script evlist buildid-list; do
		run "$STROBE" $c -i others.data
		check "$c: a recording of another user is refused" test "$rc" != 0 -a -s err
		run "$STROBE" $c -f -i others.data
		check "$c: -f reads it" test "$rc" = 0
	done
else
	skip_part "recordings of another user: needs root"
fi
mode() { stat -c %a "$1"; }
umask 0
"$STROBE" record -q -e cpu-clock:u -o mode.data true; "$STROBE" record -q -e cpu-clock:u -o mode.data true
check "a recording is its owner's alone" test "$(mode mode.data)" = 600
check "the older recording is its owner's alone, too" test "$(mode mode.data.old)" = 600
umask 022
echo precious >precious
ln -s precious link.data
run "$STROBE" record -q -e cpu-clock:u -o link.data true
check "no recording is written through a link" test "$(cat precious)" = precious
rm -f link.data link.data.old; ln -s missing link.data
run "$STROBE" record -q -e cpu-clock:u -o link.data true
check "record does not write through a dangling link" test ! -e missing
cp probe.data kept.data; ln -s precious kept.data.old
run "$STROBE" record -q -e cpu-clock:u -o kept.data true
check "record does not write through a link named .old" test "$(cat precious)" = precious
mkdir directory.data
run "$STROBE" record -q -e cpu-clock:u -o directory.data true
check "a directory that is no recording is left alone" \
	test "$rc" != 0 -a -d directory.data -a ! -e directory.data.old -a -s err
run "$STROBE" record -q -e cpu-clock:u -o fds.data -- sh -c 'ls /proc/self/fd | wc -l >fds'
sh -c 'ls /proc/self/fd | wc -l >fds.bare'
check "the target inherits no descriptor" cmp fds fds.bare

# --- temporary files ---
mkdir spool
run env TMPDIR="$tmp/spool" sh -c "'$STROBE' record -q -e cpu-clock:u -o - true | '$STROBE' report --stdio"
check "the spool file is gone" test -z "$(ls spool)"
check "nothing but text is printed" python3 judge.py
check "names of temporary files cannot be guessed" \
	sh -c "! grep -rnE '\\b(mktemp|tmpnam|tempnam|tmpfile)[(]' --include=*.c \\
		'$STROBE_SOURCE'/base '$STROBE_SOURCE'/format '$STROBE_SOURCE'/events '$STROBE_SOURCE'/symbols \\
		'$STROBE_SOURCE'/record '$STROBE_SOURCE'/report '$STROBE_SOURCE'/cmd"
# Report the position of a bad record as perf does.
run "$STROBE" record -q -N -e cpu-clock -o size.data true
at=$("$STROBE" report -D -i size.data 2>/dev/null | awk '/PERF_RECORD_MMAP2/ { print $2; exit }')
printf '\020\000' | dd of=size.data bs=1 seek=$((at + 6)) conv=notrunc 2>/dev/null
run "$STROBE" report -i size.data --stdio
check "a record that is too short is named with its place" grep -q "at offset $at: MMAP2 (10)" err
finish
