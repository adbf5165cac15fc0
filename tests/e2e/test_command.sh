#!/bin/bash
# scripts/test: its plan, its parts and its times, with fake cmake and ctest that note their arguments.
. "$(dirname "$0")/lib.sh"
unset STROBE_NO_INSTALL STROBE_SANITIZE	# options of the run that contains this test
mkdir -p tree/scripts bin
cp "$STROBE_SOURCE/scripts/test" tree/scripts/
printf '#!/bin/sh\necho "deps $*" >>%s/calls\n' "$tmp" >tree/scripts/deps
for tool in cmake ctest; do
	printf '#!/bin/sh\necho "%s $*" >>%s/calls\n[ ! -f %s/%s.fails ]\n' "$tool" "$tmp" "$tmp" "$tool" >"bin/$tool"
done
chmod +x tree/scripts/deps bin/*
PATH=$tmp/bin:$PATH
tests() { : >calls; run tree/scripts/test "$@"; }

tests
check "the whole suite passes" test "$rc" = 0
check "scripts/test begins with a plan: parts and times" \
	sh -c '[ "$(head -6 out | grep -cE "^test: +[0-9]+:[0-9][0-9]  ")" = 6 ]'
check "the parts are announced" sh -c '[ "$(grep -c "^test: == " out)" = 5 ]'
check "scripts/test installs packages first" sh -c '[ "$(head -1 calls)" = "deps install test" ]'
check "ASan, then the plain build" sh -c 'grep "^ctest" calls | cut -d" " -f3 | paste -sd, | grep -qx asan,dev'
check "scripts/test keeps the time of each part" \
	sh -c '[ "$(cut -d" " -f1 tree/build/times | sort | paste -sd,)" \
	= build-asan,build-dev,packages,test-asan,test-dev ]'
printf 'test-dev 83\n' >tree/build/times
STROBE_NO_INSTALL=1 STROBE_SANITIZE=0 tests
check "the plan says what was measured" grep -qE '^test: +1:23  test-dev +all tests on it$' out
check "a part that was never measured is a guess" grep -qE 'build-dev .*guess' out
check "with STROBE_NO_INSTALL nothing is installed" sh -c '! grep -q deps calls'
tests --quick
check "--quick leaves the slow tests out" \
	sh -c '[ "$(grep -c "^ctest" calls)" = 1 ] && grep "^ctest --preset dev" calls | grep -q -- "-LE slow"'
check "--quick has no ASan" sh -c '! grep -q asan calls'
tests --vm
check "--vm runs the tests of kernels" grep -q -- '^ctest .*-L vm' calls
touch ctest.fails
tests --quick
check "a failure is a failure" test "$rc" != 0
rm ctest.fails
printf '#!/bin/sh\necho check >>%s/calls\n' "$tmp" >tree/scripts/check && chmod +x tree/scripts/check
tests
check "scripts/check is run where it is" grep -qx check calls
tests --nosuch
check "a mistyped option ends with the usage" sh -c "[ $rc = 2 ] && grep -q -- --quick err && ! test -s calls"
finish
