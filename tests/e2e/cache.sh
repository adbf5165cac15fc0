#!/bin/bash
# record copies objects with samples into the build-id cache: ~/.debug, PERF_BUILDID_DIR or none. It
# writes to no other place.
. "$(dirname "$0")/lib.sh"
workload spin
need_can sample
must "$STROBE" record -q -e cpu-clock:u -o first.data ./spin 0.1
check "objects are kept below the home directory" test -n "$(ls "$HOME/.debug/.build-id" 2>/dev/null)"
check "the program among them, by its build-id" \
	sh -c 'find -L "$HOME/.debug/.build-id" -name elf | while read -r f; do cmp -s "$f" spin && exit 1; done
	[ $? = 1 ]'
rm -rf "$HOME/.debug"
check "record -N keeps nothing in the cache" \
	sh -c '"$STROBE" record -q -N -e cpu-clock:u -o n.data ./spin 0.1 && [ ! -e "$HOME/.debug" ]'
check "a directory of one's own" \
	sh -c 'PERF_BUILDID_DIR=$PWD/ids "$STROBE" record -q -e cpu-clock:u -o own.data ./spin 0.1 &&
	[ -d ids/.build-id ] && [ ! -e "$HOME/.debug" ]'
check "no file without a home directory" \
	sh -c 'mkdir none && cd none && env -u HOME "$STROBE" record -q -e cpu-clock:u ../spin 0.1 &&
	[ "$(ls)" = perf.data ]'
finish
