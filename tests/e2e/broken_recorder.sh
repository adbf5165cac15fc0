#!/bin/bash
# Tests of the tests: a broken recorder must make them fail. Only the machine may cause a skip, and
# tests/can asks the machine.
. "$(dirname "$0")/lib.sh"
[ -z "${STROBE_SANITIZED:-}" ] || skip "too long with sanitizers, and it says nothing about strobe"
e2e=$STROBE_SOURCE/tests/e2e

# A tool that is not ours finds the same as tests/can.
if perf version >/dev/null 2>&1; then
	agrees() {	# WORD PERF WORDS...
		word=$1; shift
		# perf 6.1 aborts while someone records with --buildid-mmap, which a test next to
		# this one may do.
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			perf "$@" >/dev/null 2>&1 && status=0 || status=$?
			[ $status = 134 ] || break
			sleep 1
		done
		if [ $status = 0 ]; then perf=yes; else perf=no; fi
		if can "$word"; then ours=yes; else ours=no; fi
		[ $perf = $ours ] || { say "perf: $perf; tests/can: $ours $why_not"; return 1; }
	}
	check "can count: as perf finds" agrees count stat -e task-clock:u true
	check "can sample: as perf finds" agrees sample record -o x.data -e cpu-clock:u true
	check "can kernel: as perf finds" agrees kernel record -o x.data -e cpu-clock:k true
	check "can system: as perf finds" agrees system record -o x.data -a -e cpu-clock true
	check "can sched:sched_switch: as perf finds" \
		agrees sched:sched_switch record -o x.data -e sched:sched_switch true
	check "can nosuch:event: as perf finds" agrees nosuch:event record -o x.data -e nosuch:event true
else
	skip_part "tests/can beside perf: none is installed"
fi

# Scripts that skip when the machine cannot record: with a broken recorder they must fail.
need_can sample
mkdir broken
cat >broken/strobe <<END
#!/bin/sh
case \$1 in record | stat | script | top | trace | monitor | ftrace)
	echo "strobe \$1: broken for a test" >&2
	exit 1 ;;
esac
exec "$STROBE" "\$@"
END
chmod 755 broken/strobe
fails() {	# SCRIPT
	STROBE=$tmp/broken/strobe STROBE_FIRST_FAILURE=1 timeout 120 bash "$1" >log 2>&1
	rc=$?
	if [ $rc = 1 ] && grep -q '^FAILED' log; then return 0; fi
	if [ $rc = 77 ] && ! grep -q 'broken for a test' log; then return 0; fi	# the machine lacks something else
	say "status $rc"; tail -3 log
	return 1
}
for name in $(grep -lE '^(need_can|may_record)' "$e2e"/*.sh); do
	case ${name##*/} in broken_recorder.sh | lib*) continue ;; esac
	check "${name##*/} fails when the recorder does" fails "$name"
done
finish
