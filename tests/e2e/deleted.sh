#!/bin/bash
# Files that are deleted or replaced while their process lives: names come from the mapped version.
# Files changed since the recording: names come with a warning.
. "$(dirname "$0")/lib.sh"
need gcc
cat >p.c <<'C'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
void library_work(double seconds);
static volatile long sink;
__attribute__((noinline)) void program_work(double seconds)
{
	for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end;)
		for (long i = 0; i < 100000; i++) sink += i * i;
}
int main(int argc, char **argv)	/* with an argument: for 0.2 s of CPU time */
{
	puts("here");
	fflush(stdout);
	do { program_work(0.02); library_work(0.02); } while (argc < 2 || clock() < 0.2 * CLOCKS_PER_SEC);
	return 0;
}
C
sed 's/program_work/library_work/; /^int main/,$d; /^void library/d' p.c >l.c
other() { sed "s/${1}_work/wrong_${1}/; s/library_work(0.02);//" "$2" | gcc -g -O1 -w "${@:3}" -x c -; }
build() { gcc -g -O1 -fno-omit-frame-pointer "$@" || exit 1; }
# start FLAGS...: run the program and library with these flags, then replace their files by others
start() {
	build -shared -fPIC "$@" -o libwork.so l.c && build "$@" -o work p.c ./libwork.so
	./work >ready & pid=$!; later_kill $pid
	until_true test -s ready
	rm work libwork.so ready
	other program p.c "$@" -o work && other library l.c -shared -fPIC "$@" -o libwork.so
}
names() { "$STROBE" script -i perf.data -F ip,sym 2>/dev/null; }
need_can sample
for flags in -Wl,--build-id -Wl,--build-id=none; do
	start $flags
	must "$STROBE" record -q -N -B -e cpu-clock:u -F 2000 -o perf.data -p "$pid" "$while_working" "$pid" 0.2
	names >out
	check "$flags: the program that runs, not the one of its path" grep -q program_work out
	if [ "$(id -u)" = 0 ]; then check "$flags: and the library" grep -q library_work out
	else skip_part "libraries: only root may open what is mapped"; fi
	check "$flags: never the others" sh -c '! grep -q wrong out'
	kill -9 "$pid"; wait "$pid" 2>/dev/null
	names >out
	check "$flags: when it is gone" sh -c '! grep -q "program_work\|library_work" out'
done

# Rewritten in place after the recording: the same inode, no build-id. Names may be wrong, so there
# is a warning.
build -Wl,--build-id=none -shared -fPIC -o libwork.so l.c && build -Wl,--build-id=none -o work p.c ./libwork.so
must "$STROBE" record -q -N -B -e cpu-clock:u -F 2000 -o perf.data ./work once
run "$STROBE" report --quality -i perf.data
check "the file is as recorded: no warning" sh -c 'grep -q "have a symbol" out && ! grep -q "other-file" out'
sleep 0.01; other program p.c -Wl,--build-id=none -o new && cat new >work
run "$STROBE" report --quality -i perf.data
check "--quality reports a file that changed since" grep -q 'other-file.*/work' out
strip new && cat new >work
run "$STROBE" report --quality -i perf.data
check "changed and stripped: reported as well" grep -q 'other-file.*/work' out

# Replaced while recording by another file that gets its inode number. Neither file has a build-id.
build -Wl,--build-id=none -shared -fPIC -o libwork.so l.c && build -Wl,--build-id=none -o work p.c ./libwork.so
other program p.c -Wl,--build-id=none -o new
./work >/dev/null & pid=$!; later_kill $pid
until_true grep -q '/work$' /proc/$pid/maps
mapped=$(awk '/\/work$/ { print $5; exit }' /proc/$pid/maps) inode=$(stat -c %i work)
kill -9 $pid; wait $pid 2>/dev/null
cat >replace.sh <<'SH'
./work once
before=$(stat -c %i work)
rm work
for n in $(seq 50); do # files of this directory take the free numbers in turn
	cp new same.$n
	[ "$(stat -c %i same.$n)" = "$before" ] && mv same.$n work && exit
done
exit 0
SH
must "$STROBE" record -q -N -e cpu-clock:u -F 2000 -o perf.data sh replace.sh
must "$STROBE" script -i perf.data -D
recorded=$(sed -n 's|.* \([0-9]*\) \([0-9]*\)\]: r-xp .*/work$|\1 \2|p' out | head -1)
check "replaced: the recorded map has the number of the inode" test "${recorded% *}" = "$mapped"
if [ ! -e work ] || [ "$mapped" != "$inode" ]; then # some file systems map other numbers than stat shows
	skip_part "replaced: no new file got the number of the deleted inode"
elif [ "$(lsattr -v work 2>/dev/null | awk '{ print $1 }')" = "" ]; then
	skip_part "replaced: the file system does not tell generations of inodes"
else
	run "$STROBE" report --quality -i perf.data
	check "replaced by a file of the same inode number: reported" grep -q 'other-file.*/work' out
fi
finish
