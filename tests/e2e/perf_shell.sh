#!/bin/bash
# The shell tests of perf 7.2, run with a `perf` that is a link to strobe. We do not store them:
# they come from the directory of STROBE_PERF72, or from STROBE_PERF_TESTS
# (.../perf-core/tests/shell). expected/perf_shell.list has the expected result of each: pass, or
# fail with the reason. A test that skips itself because of missing hardware is no failure.
. "$(dirname "$0")/lib.sh"
need python3 timeout unshare mount
need_root
[ -z "${STROBE_SANITIZED:-}" ] || skip "too long with sanitizers"
shell=${STROBE_PERF_TESTS:-}
if [ -z "$shell" ] && [ -n "${STROBE_PERF72:-}" ]; then
	shell=$(find "$(dirname "$STROBE_PERF72")" -type d -path '*/tests/shell' 2>/dev/null | head -1)
fi
[ -n "$shell" ] && [ -f "$shell/lib/attr.py" ] ||
	skip "perf's shell tests are not here: set STROBE_PERF_TESTS to their directory"
list=$STROBE_SOURCE/tests/e2e/expected/perf_shell.list

# Each test has its own /tmp, with its home and the link. It leaves nothing else behind except
# probes, and these are compared.
case $(realpath "$STROBE") in /tmp/*) skip "the tests get another /tmp, in which $STROBE would not be seen" ;; esac
unshare -m mount --bind "$tmp" /tmp 2>/dev/null || skip "no mount namespace can be made here"
probes() { cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events 2>/dev/null | sort; }
alone_with_probes
probes >before

# in_place COMMAND...: run with this /tmp; print the status, output in log. Some tests sample 100,000
# times a second: they take minutes where a timer of the kernel is slow.
in_place() {
	rm -rf place && mkdir -p place/home place/bin && ln -s "$STROBE" place/bin/perf
	unshare -m sh -c 'mount --bind "$1" /tmp && cd /tmp/home && shift && exec "$@"' sh "$tmp/place" \
		env HOME=/tmp/home PATH="/tmp/bin:$PATH" timeout -k 5 600 "$@" >log 2>&1 </dev/null
}

passes=0 skips=0 fails=0
while read -r name expected reason; do
	case $name in
	'#'*|'') continue ;;
	attr/*)	# a file of expectations for perf's attr.py
		[ -f "$shell/$name" ] || { skip_part "$name is not among these tests"; continue; }
		in_place python3 "$shell/lib/attr.py" -d "$shell/attr" -v -p /tmp/bin/perf -t "${name#attr/}"; rc=$?
		grep -q -e '^unsupp' -e '^skipped' log && rc=2 ;;
	*)
		[ -f "$shell/$name" ] || { skip_part "$name is not among these tests"; continue; }
		in_place bash "$shell/$name"; rc=$? ;;
	esac
	case $rc in
	0) got=pass passes=$((passes + 1)) ;;
	2) got=skip skips=$((skips + 1)) ;;
	*) got=fail fails=$((fails + 1)) ;;
	esac
	echo "$got $name"
	[ $got = skip ] && continue
	if [ "$expected" = pass ]; then
		check "$name passes: $(tail -3 log | tr '\n' ' ')" test $got = pass
	elif [ $got = pass ]; then
		echo "$name passes, although expected/perf_shell.list says: $reason"
	fi
done <"$list"
echo "perf's tests: $passes passed, $skips skipped, $fails failed"

probes >after
check "the tests leave no probes" diff before after
finish
