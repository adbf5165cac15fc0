#!/bin/bash
# archive: the objects of a recording travel in a tar of the build-id cache, for strobe and perf.
. "$(dirname "$0")/lib.sh"
need gcc tar bzip2
need_can sample
workload spin
head -c 2000000 /dev/urandom >>spin # bzip2 needs a while for it
export PERF_BUILDID_DIR=$PWD/cache

must taskset -c $one_cpu "$STROBE" record -q -e cpu-clock:u -F 500 -o perf.data ./spin 0.2
run "$STROBE" archive
check "archive succeeds" test "$rc" = 0
check "archive prints the name of the file" grep -q 'perf.data.tar.bz2: [1-9]' err
rm perf.data.tar.bz2
object=$(find cache -path '*/spin/*/elf')
(while [ ! -e enough ]; do ln -f "$object" one_more; done) & later_kill $!
run "$STROBE" archive
: >enough
check "objects may get further names while tar reads them" test "$rc $(wc -l <err)" = "0 1"
check "the archive has the program" sh -c 'tar -tjf perf.data.tar.bz2 | grep -q "spin/.*/elf"'
check "the archive contains the links by build-id" sh -c 'tar -tjf perf.data.tar.bz2 | grep -q "^.build-id/../"'
"$STROBE" script -i perf.data -F ip,sym >here
rm -rf spin cache
PERF_BUILDID_DIR=$PWD/other run "$STROBE" archive --unpack
check "archive --unpack succeeds" test "$rc" = 0
PERF_BUILDID_DIR=$PWD/other "$STROBE" script -i perf.data -F ip,sym >there
check "the names are the same" cmp here there
check "report finds names in the unpacked archive" grep -q leaf there
if command -v perf >/dev/null 2>&1; then
	check "perf finds them, too" sh -c \
		'perf --buildid-dir other script -i perf.data -F ip,sym 2>/dev/null </dev/null | grep -q leaf'
fi
PERF_BUILDID_DIR=$PWD/none run "$STROBE" archive perf.data
check "nothing in the cache" sh -c "test $rc = 255 && grep -q 'has none of the objects' err"
for words in - "-i -"; do
	# shellcheck disable=SC2086
	"$STROBE" archive $words <perf.data >out 2>err; rc=$?
	check "archive $words: standard input has no name for the archive" \
		sh -c "test $rc = 129 && ! test -e -.tar.bz2 && grep -q 'standard input' err"
done
run "$STROBE" archive --unpack none.tar.bz2
check "--unpack of a missing archive fails" sh -c "test $rc = 255 && grep -q 'cannot read' err"
printf garbage >bad.tar.bz2
run "$STROBE" archive --unpack bad.tar.bz2
check "--unpack of a damaged archive fails" test "$rc" = 255
check "--unpack says how to check the archive" grep -q "try: check the archive: tar -tf 'bad.tar.bz2'" err
must "$STROBE" record -q -e cpu-clock:u -F 500 -o no_ids.data -B sh -c :
run "$STROBE" archive no_ids.data
check "a recording without build-ids is named as the reason" \
	sh -c "test $rc = 255 && grep -q 'lists no build-ids' err && grep -q 'try: .*inject -b' err"
finish
