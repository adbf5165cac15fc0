#!/bin/bash
# The Debian package on a minimal system: debootstrap's smallest one of this release. It is
# downloaded once into STROBE_BARE_CACHE (default ~/.cache/strobe); apt downloads the package's
# dependencies each time.
. "$(dirname "$0")/lib.sh"
[ -z "${STROBE_SANITIZED:-}" ] || skip "no package of a build with sanitizers"
need_root
need cpack dpkg-deb dpkg-shlibdeps apt-get debootstrap zstd unshare
release=$(. /etc/os-release; echo "${VERSION_CODENAME:-}")
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
	awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }')
[ -n "$mirror" ] || skip "apt knows no archive of '$release'"
cache=${STROBE_BARE_CACHE:-${XDG_CACHE_HOME:-$OLD_HOME/.cache}/strobe}
kept=$cache/bare-$release-$(dpkg --print-architecture).tar.zst
root=$tmp/root

if [ ! -f "$kept" ]; then
	mkdir -p "$cache" || skip "cannot write to $cache"
	debootstrap --variant=minbase "$release" root "$mirror" >log 2>&1 ||
		skip "debootstrap of $release failed: $(tail -1 log)"
	tar -C root -c . | zstd -q -3 -T0 >"$kept.$$" && mv "$kept.$$" "$kept" ||
		{ rm -f "$kept.$$"; skip "cannot write $kept"; }
	rm -rf root
fi
mkdir root && zstd -dcq "$kept" | tar -C root -x || skip "cannot unpack $kept"
cp /etc/resolv.conf root/etc/
# No mount or process of the chroot outlives the command.
bare() {
	unshare --mount --pid --fork --kill-child sh -c 'root=$1; shift
		mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
			mount --rbind /dev "$root/dev" || exit 99
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm LC_ALL=C \
			HOME=/root DEBIAN_FRONTEND=noninteractive "$@"' \
		sh "$root" "$@"
}
run bare true
[ "$rc" = 0 ] || skip "no right to mount for a chroot: $(tail -1 err)"

run cpack --config "$STROBE_BUILD/CPackConfig.cmake" -B "$tmp/deb"
check "cpack makes a package" test "$rc" = 0
cp deb/*.deb root/strobe.deb
check "the bare system lacks what strobe needs" sh -c "! ls root/usr/lib/*/libncursesw.so.6 root/usr/lib/*/libdw.so.1"
bare apt-get update -q >log 2>&1 || skip "no network: $(tail -1 log)"
run bare apt-get install -s --no-install-recommends ./strobe.deb
check "apt can satisfy the package's Depends" test "$rc" = 0
run bare apt-get install -s ./strobe.deb
check "apt finds each recommended package, the libraries of Python and Perl too" \
	sh -c 'for p in libpfm4 libcapstone libpython3 libperl5; do grep -q "^Inst $p" out || exit 1; done'
bare apt-get install -qy --download-only --no-install-recommends ./strobe.deb >log 2>&1 ||
	skip "no network: $(tail -1 log)"
run bare apt-get install -qy --no-install-recommends -o Dpkg::Options::=--force-unsafe-io ./strobe.deb
check "apt installs the package" test "$rc" = 0

run bare strobe version
check "strobe version runs on a bare system" grep -q '^strobe version [0-9]' out
run bare \
	sh -c 'cd /tmp &&
	strobe record -g -e cpu-clock -F 999 -- sh -c "i=0; while [ \$i -lt 150000 ]; do i=\$((i + 1)); done"'
check "strobe record runs on a bare system" test "$rc" = 0
check "record writes samples on a bare system" grep -qE 'Captured and wrote .*\([1-9][0-9]* samples\)' err
run bare sh -c 'cd /tmp && strobe report --stdio --no-children --sort comm,dso -g none'
check "strobe report runs on a bare system" test "$rc" = 0
check "report shows the program" grep -qE '^ +[0-9.]+% +sh +' out
run bare sh -c 'cd /tmp && strobe flamegraph -o flame.svg'
check "strobe flamegraph runs on a bare system" test "$rc" = 0
check "the picture is complete" \
	sh -c "grep -q '<svg' root/tmp/flame.svg && tail -1 root/tmp/flame.svg | grep -q '</svg>'"
run bare sh -c 'cd /tmp && strobe script -F comm,ip,sym >script.txt && strobe collapse >folded.txt && wc -l <folded.txt'
check "strobe script and collapse run on a bare system" test "$rc" = 0

# The browser on a terminal of script(1): it draws a row of the profile, and q ends it.
run bare \
	sh -c 'cd /tmp &&
	{ sleep 2; printf q; sleep 1; } |
	script -qec "stty rows 24 cols 100; timeout --foreground 60 strobe report" typescript >/dev/null'
check "the browser runs on a bare system" test "$rc" = 0
check "the browser shows the profile" \
	sh -c "grep -aq 'Samples' root/tmp/typescript && grep -aqE '[0-9]+\.[0-9]+%' root/tmp/typescript"

# Without the libraries that are loaded on demand: strobe says so and names the package.
run bare sh -c 'cd /tmp && strobe record --pfm-events perf::cycles -o none.data true'
check "libpfm4 is missing and named" grep -q 'try: .*libpfm4' err
printf 'def process_event(e): pass\n' >root/tmp/none.py
run bare sh -c 'cd /tmp && strobe script -s none.py'
check "libpython is missing and named" grep -q 'try: .*libpython' err
printf 'print 1\n' >root/tmp/none.pl
run bare sh -c 'cd /tmp && strobe script -s none.pl'
check "libperl is missing and named" grep -q 'try: .*apt-get install perl' err
dpkg-deb -f root/strobe.deb Recommends | tr ',|' '\n\n' | tr -d ' ' >recommended
check "the package recommends libpfm4" grep -qx 'libpfm4' recommended
check "the package recommends capstone" grep -qx 'libcapstone[0-9]*' recommended
finish
