#!/bin/bash
# buildid-cache: what it adds, lists and removes, in perf's layout. It does not follow links out of
# the cache.
. "$(dirname "$0")/lib.sh"
need gcc readelf
printf 'int main(void) { return %s; }\n' 1 >p.c
gcc -Wl,--build-id -o p p.c && gcc -Wl,--build-id -O2 -g -o q p.c || skip "cannot build here"
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
id=$(id_of p); other=$(id_of q); real=$(realpath p); path=${real#/}
[ -n "$id" ] || skip "no build-ids here"
cache=$HOME/.debug link=.debug/.build-id/${id:0:2}/${id:2}

expect none "$STROBE" buildid-cache -l
# The markers of added files are kept, listed, and found without the file's name.
if [ "$(uname -m)" = x86_64 ] && workload marked; then
	mark=p:sdt_strobe/mark\ $(realpath marked):0x
	run "$STROBE" list sdt
	check "no markers are known" sh -c '[ ! -s out ] && grep -q "buildid-cache --add" err'
	run "$STROBE" probe -D %mark
	check "probe finds no marker before its file is in the cache" \
		sh -c "test $rc = 254 && grep -q 'no object of the build-id cache has this one' err"
	"$STROBE" buildid-cache -a marked
	kept=$cache/$(realpath marked)/$(id_of marked)/probes
	check "markers are kept as perf keeps them" \
		sh -c "head -1 '$kept' | grep -qx '%sdt_strobe:mark=mark' && sed 1d '$kept' |
		grep -q '^${mark}[0-9a-f]* arg1='"
	source=$STROBE_SOURCE/tests/e2e/workloads/marked.c
	must cc -O1 -Dmain=other -c -o other.o "$source"
	must cc -O1 -o twice "$source" other.o
	"$STROBE" buildid-cache -a twice
	both=$cache/$(realpath twice)/$(id_of twice)/probes
	check "a marker at two places is one entry with two lines" \
		sh -c "[ \$(grep -c ^% '$both') = 1 ] && [ \$(grep -c ^p: '$both') = 2 ]"
	"$STROBE" buildid-cache -r twice
	run "$STROBE" list sdt
	check "list sdt shows the marker" grep -Eqx '  sdt_strobe:mark  *\[SDT event\]' out
	if echo 'int main(void) { return 0; }' >bare.c
if gcc -Wl,--build-id=none -o bare bare.c 2>/dev/null; then
	run "$STROBE" buildid-list -i bare
	check "buildid-list: a program without a build-id is named so" \
		sh -c 'test "$0" = 255 && grep -q "has no build-id" err && grep -q "try: .*--build-id" err' "$rc"
fi

perf version >/dev/null 2>&1; then
		check "perf lists the marker too" \
			sh -c "perf --buildid-dir '$cache' list sdt 2>/dev/null | grep -q sdt_strobe:mark"
	fi
	for word in %mark %sdt_strobe:mark sdt_strobe:mark '%s*:ma?k'; do
		run "$STROBE" probe -D "$word"
		check "$word is found in the cache" grep -q "^$mark" out
	done
	cp p marked
	run "$STROBE" probe -D %mark
	check "a message about a file that was replaced" \
		sh -c "test $rc = 254 && grep -q 'is another file than the one' err"
	"$STROBE" buildid-cache -P
	run "$STROBE" list sdt
	check "purged files are forgotten" test ! -s out
fi
run "$STROBE" buildid-cache -a p,q
check "adding files prints nothing" sh -c '[ ! -s out ] && [ ! -s err ]'
check "the copy is the file" cmp p "$cache/$path/$id/elf"
check "the link is perf's" test "$(readlink "$HOME/$link")" = "../../$path/$id"
run "$STROBE" buildid-cache -l
check "-l lists both files" test "$(sort out)" = "$(printf '%s %s\n' "$id" "$real" "$other" "$(realpath q)" | sort)"
run "$STROBE" buildid-cache -v -a ./p
check "-v says that the file is already in the cache" grep -q 'already in the cache' err

# A recording finds its program in the cache after the file is gone.
"$STROBE" record -q -N -e cpu-clock:u -F 20000 -o perf.data \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ./p; done; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' \
	>/dev/null 2>&1
run "$STROBE" buildid-cache -M perf.data
check "missing files are listed in the order of names" sh -c 'cut -d" " -f2- out | sort -c'
check "the shell is not in the cache, this program is" sh -c 'grep -q "^[0-9a-f]* /" out && ! grep -q "/p$" out'

run "$STROBE" buildid-cache -r p
check "-r removes the file and its link" sh -c '[ ! -e "$1" ] && [ ! -L "$2" ]' - "$cache/$path" "$HOME/$link"
run "$STROBE" buildid-cache -v -r p
check "-r of a file that is not in the cache says so" sh -c '[ '$rc' = 0 ] && grep -q "p wasn.t in the cache" err'
run "$STROBE" buildid-cache -a nosuch -a /etc/passwd
check "a message about a file that cannot be added" \
	sh -c 'grep -q "^Couldn.t add nosuch: No such file or directory" err &&
	grep -q "^Couldn.t add /etc/passwd: " err'

# All versions of a path.
"$STROBE" buildid-cache -a p && cp q p && "$STROBE" buildid-cache -a p,q
run "$STROBE" buildid-cache -p p
run "$STROBE" buildid-cache -l
check "purging a path leaves no version of it" sh -c '! grep -q "/p$" out'
"$STROBE" buildid-cache -a '[vdso]'
run "$STROBE" buildid-cache -l
check "-l lists the vdso" grep -q ' \[vdso\]$' out
gcc -Wl,--build-id -o p p.c; "$STROBE" buildid-cache -u p
check "-u adds the new version of a file" cmp p "$cache/$path/$id/elf"
"$STROBE" buildid-cache -P
check "-P removes all files and links" test -z "$(find "$cache" \( -type f -o -type l \))"

# Links made by someone else.
mkdir -p victim "$cache/.build-id/ab" && echo precious >victim/elf
ln -s ../../../victim "$cache/.build-id/ab/$(printf 'cd%.0s' {1..19})"
ln -s "$PWD/victim" "$cache/.build-id/ab/$(printf 'ce%.0s' {1..19})"
run "$STROBE" buildid-cache -P; "$STROBE" buildid-cache -l >out
check "links out of the cache are not listed" test ! -s out
check "-P does not follow links out of the cache" grep -q precious victim/elf
rm -rf "$cache"
run "$STROBE" buildid-cache
check "nothing to do is an error" test "$rc" = 129
for option in --add --remove --purge --update; do
	run "$STROBE" buildid-cache $option ,
	check "$option without a file is an error" \
		sh -c "test $rc = 129 && grep -q -- \"$option: ',' names no file\" err"
done
run "$STROBE" buildid-cache -l -a "$real"
check "-l does nothing else" sh -c 'test "$0" = 129 && grep -q "[-]l is exclusive" err && [ ! -e "$1" ]' "$rc" "$cache"
run "$STROBE" buildid-cache --target-ns 2147483647 -a "$real"
check "--target-ns: a process that does not exist is named" \
	sh -c 'test "$0" = 255 && grep -q "no process has the id" err' "$rc"
"$STROBE" buildid-cache --target-ns $$ -a "$real"
check "a file as another process sees it" cmp p "$cache/$path/$id/elf"
rm -rf "$cache"

perf version >/dev/null 2>&1 || { skip_part "no perf to compare with, or none that runs"; finish; }
layout() { (cd "$1/.debug" && find . \( -type f -o -type l \) ! -name probes -printf '%p %l\n' | sort); }
mkdir ours theirs
for home in ours theirs; do
	[ $home = ours ] && tool=$STROBE || tool=perf
	HOME=$PWD/$home "$tool" buildid-cache -a p,q >$home.text 2>&1
	HOME=$PWD/$home "$tool" buildid-cache -l >>$home.text 2>&1
	layout $home >$home.layout
	HOME=$PWD/$home "$tool" buildid-cache -r q >>$home.text 2>&1
	HOME=$PWD/$home "$tool" buildid-cache -l >>$home.text 2>&1
done
check "perf says the same" diff theirs.text ours.text
check "perf lays the cache out the same" diff theirs.layout ours.layout
HOME=$PWD/theirs run "$STROBE" buildid-cache -l
cp out a; HOME=$PWD/ours run perf buildid-cache -l
check "each lists the other's" cmp a out
finish
