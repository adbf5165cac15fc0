#!/bin/bash
# export parquet: four files of which each recording has its own names; the same recording gives the same bytes, and a
# second time replaces them. What engines read from them is looked at in parquet_readers.sh.
. "$(dirname "$0")/lib.sh"
golden=$STROBE_SOURCE/tests/golden

for f in fp dwarf group kernel pipe perf-z; do
	for n in 1 8; do STROBE_THREADS=$n "$STROBE" export parquet -i "$golden/$f.data" -o "$f.$n" 2>/dev/null; done
	check "$f: export writes four files" \
		test "$(ls "$f.1" | sed 's/-.*//' | tr '\n' ' ')" = "frames runs samples stacks "
	check "$f: they do not depend on the number of workers" diff -r "$f.1" "$f.8"
	for file in "$f.1"/*; do
		check "$file: it is Parquet" test "$(head -c4 "$file")$(tail -c4 "$file")" = PAR1PAR1
	done
done

run "$STROBE" export parquet -i "$golden/fp.data" -o both
run "$STROBE" export parquet -i "$golden/fp.data" -o both
check "a second export of a recording replaces its files" test "$rc.$(ls both | wc -l)" = 0.4
check "export says where the files are" grep -q "wrote 'both'" err
run "$STROBE" export parquet -i "$golden/group.data" -o both
check "another stands beside it" test "$(ls both | wc -l)" = 8
run "$STROBE" export parquet --service 'web "1"' -i "$golden/fp.data" -o both
check "an export for another service adds files" test "$(ls both | wc -l)" = 12
check "which the file has" grep -qa 'web "1"' both/runs-*

# Bad usage, and places that cannot be written.
run "$STROBE" export pprof --service web -i "$golden/fp.data" -o x
check "a service is for parquet only" test "$rc" = 129
check "the error is one line" test "$(grep -c 'strobe export:' err)" = 1
touch file
for to in file /proc/nothing; do
	run "$STROBE" export parquet -i "$golden/fp.data" -o "$to"
	check "$to is no directory, and the error says so" test "$rc.$(grep -c 'strobe export:' err)" = 255.1
done
run "$STROBE" export parquet -i no.data -o none
check "a missing input is reported, and nothing is made" test "$rc.$(ls none 2>/dev/null | wc -l)" = 255.0
finish
