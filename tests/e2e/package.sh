#!/bin/bash
# cmake --install and the Debian package hold what a user needs, at the usual places.
. "$(dirname "$0")/lib.sh"
need cmake

run env DESTDIR="$tmp/root" cmake --install "$STROBE_BUILD" --prefix /usr
check "cmake --install succeeds" test "$rc" = 0
check "the binary is installed and runs" root/usr/bin/strobe version
for page in "$STROBE_SOURCE"/man/*.1 "$STROBE_SOURCE"/man/*.5; do
	[ -f "$page" ] || continue
	check "$(basename "$page") is installed" test -f "root/usr/share/man/man${page##*.}/$(basename "$page")"
done
check "completion is installed and is sound" bash -n root/usr/share/bash-completion/completions/strobe

if command -v cpack >/dev/null && command -v dpkg-deb >/dev/null && [ -z "${STROBE_SANITIZED:-}" ]; then
	run cpack --config "$STROBE_BUILD/CPackConfig.cmake" -B "$tmp/deb"
	check "cpack makes a package" test "$rc" = 0
	dpkg-deb -c deb/*.deb >contents 2>&1
	check "the package holds the binary" grep -q ' ./usr/bin/strobe$' contents
	dpkg-deb -f deb/*.deb Depends >depends
	if command -v dpkg-shlibdeps >/dev/null; then
		check "the package names the libraries it needs" grep -q libc6 depends
		check "those that it loads late, too" sh -c 'grep -q libcapstone depends && grep -q libpfm4 depends'
	fi
else
	skip_part "no package made: needs cpack, dpkg-deb and a build without sanitizers"
fi
finish
