#!/bin/bash
# cmake --install and the Debian package contain what a user needs, in the usual places.
. "$(dirname "$0")/lib.sh"
need cmake

run env DESTDIR="$tmp/root" cmake --install "$STROBE_BUILD" --prefix /usr
check "cmake --install succeeds" test "$rc" = 0
check "the binary is installed and runs" root/usr/bin/strobe version
for page in "$STROBE_SOURCE"/man/*.1 "$STROBE_SOURCE"/man/*.5; do
	[ -f "$page" ] || continue
	check "$(basename "$page") is installed" test -f "root/usr/share/man/man${page##*.}/$(basename "$page")"
done
check "completion of bash is installed" \
	cmp root/usr/share/bash-completion/completions/strobe "$STROBE_SOURCE/cmd/completion/strobe.bash"
check "completion of zsh is installed" \
	cmp root/usr/share/zsh/site-functions/_strobe "$STROBE_SOURCE/cmd/completion/strobe.zsh"
check "completion of fish is installed" \
	cmp root/usr/share/fish/vendor_completions.d/strobe.fish "$STROBE_SOURCE/cmd/completion/strobe.fish"

if command -v cpack >/dev/null && command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null &&
	[ -z "${STROBE_SANITIZED:-}" ]; then
	run cpack --config "$STROBE_BUILD/CPackConfig.cmake" -B "$tmp/deb"
	check "cpack makes a package" test "$rc" = 0
	dpkg-deb -c deb/*.deb >contents 2>&1
	check "the package holds the binary" grep -q ' ./usr/bin/strobe$' contents
	dpkg-deb -f deb/*.deb Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' >depends
	for library in libc6 libdw1 libelf1 libncursesw6 libtraceevent1; do
		check "the package depends on $library, or its name with t64" grep -qE "^$library(t64)?\$" depends
	done
	dpkg-deb -f deb/*.deb Recommends | tr ',|' '\n\n' | tr -d ' ' >recommends
	for library in libcapstone libpfm4 libpython3.11 libperl5.36; do
		check "the package recommends $library, which is loaded late" grep -q "^$library" recommends
		check "the package does not depend on $library" sh -c "! grep -q '^$library' depends"
	done
else
	skip_part "no package made: needs cpack, dpkg-dev, file and a build without sanitizers"
fi

# There is no package without the tool that finds the dependencies. Use a PATH that has everything else.
if command -v cpack >/dev/null && [ -z "${STROBE_SANITIZED:-}" ]; then
	for missing in dpkg-shlibdeps file; do
		rm -rf tools && mkdir tools
		for tool in cpack cmake dpkg dpkg-shlibdeps file strip sh; do
			[ "$tool" = "$missing" ] || ln -s "$(command -v "$tool" || echo /bin/true)" "tools/$tool"
		done
		run env PATH="$tmp/tools" cpack -D CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \
			--config "$STROBE_BUILD/CPackConfig.cmake" -B "$tmp/none"
		check "cpack fails without $missing" test "$rc" != 0
		check "the error names $missing and says how to install it" \
			sh -c "tr -s ' \n' ' ' <err | grep -q \"'$missing' is missing.*scripts/deps install package\""
		check "there is no package without $missing" sh -c '! find none -name "*.deb" | grep .'
	done
fi

# The files for Fedora and Alpine require the packages that scripts/deps installs there.
deps_of() {
	sed -n "/<<'ROWS'/,/^ROWS/p" "$STROBE_SOURCE/scripts/deps" | awk -v c="$1" \
		'$1 == "build" && $c != "-" { print $c }' | sort -u; }
spec=$STROBE_SOURCE/packaging/strobe.spec apkbuild=$STROBE_SOURCE/packaging/APKBUILD
version=$("$STROBE" version | sed 's/.* //')
sed -n 's/^BuildRequires: *//p' "$spec" | sort >asked
deps_of 3 >rows
check "strobe.spec requires what scripts/deps lists" diff -u rows asked
check "strobe.spec has the version" grep -qx "Version: *$version" "$spec"
sh -c '. "$1"; printf "%s\n" $makedepends' sh "$apkbuild" | sort >asked
deps_of 5 >rows
check "APKBUILD requires what scripts/deps lists" diff -u rows asked
check "APKBUILD has the version" grep -qx "pkgver=$version" "$apkbuild"
check "APKBUILD is a shell script" sh -n "$apkbuild"
check "APKBUILD defines its functions" sh -c '. "$1"; type build check package' sh "$apkbuild"
# %files must list each installed file in /usr, except shared directories.
sed -n '/^%files/,/^%changelog/p' "$spec" |
	sed -n 's/%{_bindir}/usr\/bin/; s/%{_mandir}/usr\/share\/man/; s/%{_docdir}/usr\/share\/doc/
		s/%{_datadir}/usr\/share/; /^usr/p' \
	>patterns
find root/usr \( -type f -o -type l \) | sed 's/^root\///' >installed
while read -r file; do
	packed=
	# shellcheck disable=SC2254	# the patterns are intended
	while read -r pattern; do case $file in $pattern | ${pattern%/}/*) packed=1 ;; esac; done <patterns
	check "strobe.spec packs $file" test -n "$packed"
done <installed

if command -v shellcheck >/dev/null; then
	# abuild reads the variables, sets srcdir and pkgdir, and calls each function in a shell
	# that stops at the first failure.
	check "shellcheck finds nothing in APKBUILD" shellcheck -s sh -e SC2034,SC2154 "$apkbuild"
else
	skip_part "no shellcheck here: APKBUILD is only parsed"
fi
if command -v rpmspec >/dev/null; then
	run rpmspec -P "$spec"
	check "rpmspec parses strobe.spec" test "$rc" = 0
else
	skip_part "no rpmspec here: strobe.spec is not parsed"
fi
if command -v rpmlint >/dev/null; then
	cp "$spec" . && run rpmlint strobe.spec
	check "rpmlint finds no error in strobe.spec" grep -q ' 0 errors' out
else
	skip_part "no rpmlint here"
fi
finish
