#!/bin/bash
# The forms of a recording: file and pipe, both byte orders, compressed, cut, or not a recording at
# all. The seeds in tests/fuzz/corpus/fuzz_reader have the same events and records in each form.
. "$(dirname "$0")/lib.sh"
seeds=$STROBE_SOURCE/tests/fuzz/corpus/fuzz_reader
golden=$STROBE_SOURCE/tests/golden
cp "$seeds"/* .

# --- all forms give the same answer
for form in file-swapped file-zstd pipe pipe-swapped-zstd; do
	"$STROBE" evlist -v -i file >want
	run "$STROBE" evlist -v -i $form
	check "evlist of $form equals that of the plain file" cmp out want
done
# Codecs of features swap the sections of a stream, unlike those of records.
plain_dump() {
	"$STROBE" script -D -i "$1" 2>/dev/null | sed 's/@[^ ]*//' | case $1 in pipe*) grep -v '^\.  ' ;; *) cat ;; esac
}
for pair in file:file-swapped file-zstd:file-swapped-zstd pipe:pipe-swapped; do
	plain_dump "${pair%:*}" >want
	plain_dump "${pair#*:}" >got
	check "the dump of ${pair#*:} equals that of ${pair%:*}" cmp got want
done
expect evlist "$STROBE" evlist -i file
expect freq "$STROBE" evlist -F -i pipe
expect dump "$STROBE" report -D -i file-zstd
expect stats "$STROBE" report --stats -i pipe-zstd

# --- sources of input
run bash -c "cat pipe | '$STROBE' evlist -i -"
check "a stream on standard input" grep -qx cpu-clock out
run bash -c "cat file | '$STROBE' evlist -i -"
check "a file through a pipe" grep -qx cpu-clock out
run bash -c "'$STROBE' evlist -i - <file"
check "a file as standard input" grep -qx cpu-clock out
run bash -c "'$STROBE' evlist -i <(cat pipe)"
check "evlist reads a named pipe" grep -qx cpu-clock out
mkdir dir; cp file dir/data
run "$STROBE" evlist -i dir
check "evlist reads a directory" grep -qx cpu-clock out

# --- files that are no recording: one message that names the file, a status other than 0, nothing on stdout
refused() {
	what=$1 text=$2; shift 2
	run "$@"
	check "$what: the exit status is 255" test "$rc" = 255
	check "$what: the error says '$text'" grep -q -- "$text" err
	check "$what: nothing goes to standard output" test ! -s out
}
: >empty; printf 'not a recording at all' >text; mkdir emptydir
for command in evlist buildid-list script report; do
	refused "$command of an empty file" "'empty' is empty" "$STROBE" $command -i empty
	refused "$command of a text" "PERFILE2" "$STROBE" $command -i text
	refused "$command of a directory" "without a file named data" "$STROBE" $command -i emptydir
	refused "$command of nothing" "failed to open nothing: No such file or directory" "$STROBE" $command -i nothing
	refused "$command of a device" "a device" "$STROBE" $command -i /dev/zero
	refused "$command without a file" "'strobe record' first" "$STROBE" $command
done
if [ "$(id -u)" != 0 ]; then
	cp file secret; chmod 000 secret
	refused "an unreadable file" "Permission denied" "$STROBE" evlist -i secret
else
	skip_part "unreadable files: root reads everything"
	cp file foreign; chown 12345 foreign
	refused "a file of another user" "not owned by current user or root" "$STROBE" evlist -i foreign
	run "$STROBE" evlist -f -i foreign
	check "-f reads a file of another user" grep -qx cpu-clock out
fi

# --- cut files: all whole records are read, the message names the cut, the status tells
size=$(stat -c %s file)
head -c $((size - 700)) file >'cut'
run "$STROBE" script -D -i cut
check "a cut file: status 1" test $rc = 1
check "a cut file: samples before the cut" grep -q 'PERF_RECORD_SAMPLE' out
check "a cut file: where" grep -qE "cut short: .*offset 0x[0-9a-f]+" err
head -c 1500 pipe >'cut'
run "$STROBE" script -D -i cut
check "a cut stream: status 0" test $rc = 0
check "a cut stream: where" grep -qE "record at offset 0x[0-9a-f]+ is not whole" err

# --- output that fails: a message and an error status on a full disk; a silent end by SIGPIPE when
# the reader is gone
for command in "report --stdio" "report -D" "report --stats" "report --header-only" "report --tasks" \
	script "script -D" "script --json" "script --csv" "evlist -v" buildid-list \
	       collapse flamegraph "inject -o -"; do
	if [ -w /dev/full ]; then
		rc=0; "$STROBE" $command -i "$golden/fp.data" >/dev/full 2>err || rc=$?
		check "$command, full disk: fails and says so" \
			sh -c "test $rc = 255 && grep -q 'cannot write' err && grep -q 'No space left' err"
	fi
	( trap '' PIPE; sleep 0.1; "$STROBE" $command -i "$golden/fp.data" 2>err; echo $? >rc ) | true
	check "$command, closed pipe: ends as by SIGPIPE" sh -c "test $(cat rc) = 141 && ! grep -v '^# Quality: ' err"
done

# --- compared with perf 7.2 if a corpus of recordings is available
text_of_records() {
	sed '/^ \.\.\. thread:/,/^$/d; /^$/d; s/@[^ ]*//' | grep -aE '^(\.|0x|-?[0-9]+ |: | \.)' | grep -av '^ \.\.\.* '
}
if [ -n "${STROBE_CORPUS:-}" ] && [ -n "${STROBE_PERF72:-}" ]; then
	for name in l61-addr l61-callgraph l61-multi l61-mem l61-namespaces l72-cgroups l72-ctxsw \
		l72-tiny l72-uregs quipper-forkexit-3.8; do
		f=$STROBE_CORPUS/data/$name.data
		[ -e "$f.xz" ] && xz -dc "$f.xz" >input || cp "$f" input 2>/dev/null || continue
		"$STROBE_PERF72" script -D -i input 2>/dev/null | text_of_records >want
		"$STROBE" script -D -i input 2>/dev/null | text_of_records >got
		check "records of $name as perf 7.2 shows them" cmp got want
	done
else
	skip_part "dumps against perf 7.2: STROBE_CORPUS or STROBE_PERF72 is not set"
fi
finish
