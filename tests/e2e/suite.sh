#!/bin/bash
# scripts/test: a live test that passes only when alone is named as flaky in the last lines; a test
# that fails twice fails the run.
. "$(dirname "$0")/lib.sh"
mkdir -p tree/scripts bin
cp "$STROBE_SOURCE/scripts/test" tree/scripts/test
printf '#!/bin/sh\nexit 0\n' >bin/cmake
# The tests in the files fail.PRESET and again.PRESET fail in the first and the second run.
cat >bin/ctest <<'END'
#!/bin/sh
preset=$2
case $* in *--rerun-failed*) from=$FAIL/again.$preset ;; *) from=$FAIL/fail.$preset ;; esac
mkdir -p "build/$preset/Testing/Temporary"
[ -s "$from" ] || { echo "100% tests passed"; exit 0; }
cp "$from" "build/$preset/Testing/Temporary/LastTestsFailed.log"
exit 8
END
chmod 755 bin/*
suite() { STROBE_SANITIZE=1 FAIL=$tmp STROBE_NO_INSTALL=1 PATH=$tmp/bin:$PATH run sh tree/scripts/test; }

suite
check "all pass: no word of flaky tests" sh -c "test $rc = 0 && ! grep -q flaky out"
printf '3:e2e-record\n7:e2e-tui\n' >fail.asan
suite
check "two that pass alone: the run passes" test $rc = 0
printf 'test: flaky: %s in asan, which failed beside others and passed alone\n' e2e-record e2e-tui >want
check "the last lines name both flaky tests" sh -c 'tail -2 out | diff want -'
printf '7:e2e-tui\n' >again.asan
suite
check "one that fails twice fails the run" test $rc != 0
rm again.asan
printf '2:unit-base-err\n' >fail.dev
suite
check "a unit test gets no second go" test $rc != 0
check "flaky tests of the first suite are named all the same" sh -c 'tail -2 out | diff want -'
finish
