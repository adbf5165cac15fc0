#!/bin/bash
# Processes that see other files, in a mount and pid namespace of their own, while they live:
# programs, libraries, map files, jitdumps.
. "$(dirname "$0")/lib.sh"
need_root
need unshare mount
workload jitter
workload spin
unshare -m -p -f true 2>/dev/null || skip "name spaces of one's own are not allowed here"

# inside COMMAND...: print the process id, as seen here, of a program that runs below a private mount
mkdir private
inside() {
	unshare \
		-m -p -f sh -c 'mount -t tmpfs none "$0" && cp jitter spin "$0" && cd "$0" && : >ready && exec "$@"' \
		"$PWD/private" "$@" >/dev/null 2>&1 &
	parent=$!; later_kill $parent
	for _ in $(seq 600); do
		child=$(pgrep -P $parent)
		[ -n "$child" ] &&
			case $(cat "/proc/$child/cmdline" 2>/dev/null | tr '\0' ' ') in
			./*) later_kill "$child"; return 0 ;;
			esac
		sleep 0.05
	done
	return 1
}
need_can sample
must inside ./spin 60
must "$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -g -p "$child" -o spin.data "$while_working" "$child" 0.2
run "$STROBE" script -i spin.data -F ip,sym
check "a program that is only there: its functions" \
	test "$(grep -c '\[unknown\]' out)" -lt "$(($(grep -c '[0-9a-f]' out) / 5))"
kill -9 "$child"; wait "$parent" 2>/dev/null
run "$STROBE" script -i spin.data -F ip,sym
check "when it is gone: no names from anywhere else" sh -c '! grep -q " main\\| spin" out'

must inside ./jitter . 60
must "$STROBE" record -q -N -B -k mono -e cpu-clock:u -F 1000 -g -p "$child" -o jit.data "$while_working" "$child" 0.2
run "$STROBE" script -i jit.data -F ip,sym
check "code of a JIT that is only there" grep -q alpha_jit out
kill -9 "$child"; wait "$parent" 2>/dev/null

# Only a debug file has the names, and only the container has that file.
objcopy --only-keep-debug spin spin.debug && strip -s spin && objcopy --add-gnu-debuglink=spin.debug spin || exit 1
mv spin.debug there.debug
must inside sh -c 'mkdir .debug && cp ../there.debug .debug/spin.debug && exec ./spin 60'
must "$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -g -p "$child" -o bare.data "$while_working" "$child" 0.2
run "$STROBE" script -i bare.data -F ip,sym
check "names of a debug file that is only there" grep -q ' main' out
kill -9 "$child"; wait "$parent" 2>/dev/null
run "$STROBE" script -i bare.data -F ip,sym
check "without the container's files there are no names" sh -c '! grep -q " main" out'

# A different file with the same path here.
printf 'int main(void) { for (;;) ; }\nvoid wrong(void) { }\n' >w.c && gcc -Wl,--build-id=none -o private/loop w.c
printf 'static void right(void) { for (;;) __asm__ volatile(""); }\nint main(void) { right(); return 0; }\n' >r.c &&
	gcc -O0 -Wl,--build-id=none -o loop r.c
unshare \
	-m -p -f sh -c 'cp loop keep && mount -t tmpfs none private && cp keep private/loop &&
	cd private && exec ./loop' \
	>/dev/null 2>&1 &
parent=$!; later_kill $parent
until_true eval 'child=$(pgrep -P $parent -x loop)'
later_kill "$child"
"$STROBE" record -q -N -B -e cpu-clock:u -F 1000 -g -p "$child" -o loop.data "$while_working" "$child" \
	0.2 >/dev/null 2>&1
run "$STROBE" script -i loop.data -F ip,sym
check "of two files with one path, names come from the one that ran" grep -q right out
kill -9 "$child"; wait "$parent" 2>/dev/null
finish
