#!/bin/bash
# lock: threads that wait for one lock whose owner holds it for a known time, and the text beside perf's.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system lock:contention_begin
cat >faults.c <<'EOF2'
#include <pthread.h>
#include <sys/mman.h>
#include <stdatomic.h>
#include <stdlib.h>
/* One thread changes the map all the time, and holds the lock on it; the others wait for that lock. */
static atomic_int over;
static void change_once(void)
{
	munmap(mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), 4 << 20);
}
static void *change(void *none)
{
	while (!over)
		change_once();
	return none;
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 60;
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, change, 0);
	for (int i = 0; i < rounds; i++)
		change_once();
	over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
EOF2
cc -O1 -o faults faults.c -lpthread || exit 1
must "$STROBE" lock record -q -o l.data ./faults
lock() { "$STROBE" lock "$@" -i l.data 2>said; }

lock contention >callers
check "waits to change the map are named by who takes the lock" \
	grep -Eq 'rwsem:W   (vm_mmap_pgoff|__vm_munmap|__x64_sys_munmap|do_mmap|ksys_mmap|vm_munmap)' callers
check "no function of a lock is a caller" sh -c '! grep -E "   (_raw_spin|rwsem_|down_write|__schedule)" callers'
lock contention -t >threads
check "-t names the threads" sh -c '[ $(grep -c "   faults$" threads) -ge 2 ]'
total() { awk -F', ' '!/^#/ { n += $1; ns += $2 } END { printf "%d %.0f\n", n, ns }' "$1"; }
lock contention -x, >a; lock contention -x, -t >b; lock contention -x, -l >c
check "each view has all waits" sh -c '[ "$1" = "$2" ] && [ "$2" = "$3" ]' sh "$(total a)" "$(total b)" "$(total c)"
lock contention -Y rwsem -x, >kinds
check "-Y refuses an unknown kind" fails 129 "--type-filter does not know 'nosuch'" lock contention -i l.data -Y nosuch
head -c $(($(stat -c %s l.data) / 2)) l.data >cut.data
check "a recording without its end says so" \
	fails 255 'it is cut short, and the formats of its tracepoints were at its end' lock contention -i cut.data
check "-Y keeps the kind asked for" sh -c '! grep -q spinlock kinds && grep -q rwsem kinds'
address=$(awk -F', ' '!/^#/ { print $5; exit }' c)
lock contention -x, -l -L "$address" >one
check "-L keeps one lock" test "$(grep -vc '^#' one)" = 1
lock contention -S munmap -x, >unmaps
check "-S keeps what came through a function" at_least "$(grep -vc '^#' unmaps)" 1
lock contention -v -E 1 >stack
check "-v shows the chain" grep -q "^			0x[0-9a-f]*  " stack
"$STROBE" inject -i l.data -o - 2>/dev/null | "$STROBE" lock contention -i - >pipe 2>/dev/null
check "a pipe says the same" cmp callers pipe
lock report --output table
check "report writes to a file" grep -q '^ *Name   acquired  contended' table
lock info -t >list
check "lock info -t lists threads" grep -q ': faults$' list
{ cat list; echo; lock info -m; } >both
for options in "" "-t -m"; do
	# shellcheck disable=SC2086
	check "lock info $options: threads, then locks" cmp both <(lock info $options)
done

# perf names a lock by the nearest symbol, however far that is: names are left out.
if [ -n "${STROBE_PERF72:-}" ]; then
	for options in "-l" "-x, -l" "-l -k contended -F contended,wait_max"; do
		# shellcheck disable=SC2086
		"$STROBE_PERF72" lock contention -i l.data $options 2>&1 |
			sed 's/   [A-Za-z_][^ ]* (/    (/; /^#/! s/, [A-Za-z_]*, \([a-z]*[-:a-zA-Z]*\)$/, , \1/' |
			sort >theirs
		# shellcheck disable=SC2086
		lock contention $options | sort >ours
		check "contention $options as perf 7.2" diff -u theirs ours
	done
else
	skip_part "text beside perf 7.2: STROBE_PERF72 is not set"
fi
run "$STROBE" lock contention -b -i l.data
check "the running system or a recording: one of them" test $rc = 129
"$STROBE" lock contention -b -a -x, -Y rwsem -q -- ./faults >live 2>said
check "a command is watched without a file" \
	grep -Eq 'rwsem:W, (vm_mmap_pgoff|__vm_munmap|__x64_sys_munmap|do_mmap|ksys_mmap|vm_munmap)' live
"$STROBE" lock contention -t -q -- ./faults >live
check "without -a only the command's threads are shown" \
	sh -c 'grep -q "   faults$" live && ! grep -Ev "   faults$|^ contended|^$" live'
./faults 1000000 & faults=$!
# all of its threads are there
until_true eval '[ "$(find /proc/$faults/task -mindepth 1 -maxdepth 1 | wc -l)" = 4 ]'
"$STROBE" lock contention -p $faults -t -q -- sleep 0.2 >live 2>said
kill $faults
wait $faults 2>/dev/null
check "-p: no other process" sh -c '! grep -Ev "   faults$|^ contended|^$" live'
# Waits by cgroup: of a recording, and live. What runs here is in one of them.
"$STROBE" lock contention --lock-cgroup -q -x, -- ./faults >cgroups 2>said
path=$(awk -F', ' '!/^#/ && /\// { print $5; exit }' cgroups)
check "--lock-cgroup: a row for the cgroup that we are in ($path)" test -n "$path"
check "--lock-cgroup: no other cgroup has a row" test "$(grep -c , cgroups)" = 2
must "$STROBE" lock record -q -o groups.data --all-cgroups --synth all ./faults
"$STROBE" lock contention --lock-cgroup -q -x, -i groups.data >cgroups
check "--lock-cgroup of a recording names the cgroup" grep -qF ", $path" cgroups
"$STROBE" lock contention -q -x, -i groups.data >all
"$STROBE" lock contention -q -x, -G "none,$path" -i groups.data >some
check "-G: all waits are in this one" cmp all some
"$STROBE" lock contention -q -x, -G none -i groups.data >some
check "-G: and none in another" test "$(grep -vc '^#' some)" = 0
run "$STROBE" lock contention --lock-cgroup -i l.data
check "a recording without cgroups names the option" grep -q 'try: .*lock record --all-cgroups' err
for option in "-J 1ms@x" "-M 10"; do
	# shellcheck disable=SC2086
	run "$STROBE" lock contention $option -a
	check "$option: refused, with the reason" sh -c "[ $rc = 129 ] && grep -q BPF err"
done
run "$STROBE" lock contention -o -a
check "owners need BPF: refused" test $rc = 129
run "$STROBE" lock contention -k nosuch -i l.data
check "an unknown column: 129" test $rc = 129
run "$STROBE" record -q -N -e cpu-clock:u -o plain.data true
run "$STROBE" lock contention -i plain.data
check "a recording without locks names lock record" grep -q 'try: .*lock record' err
finish
