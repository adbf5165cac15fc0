#!/bin/bash
# The fully static build: one file, no interpreter; it works in an empty chroot.
. "$(dirname "$0")/lib.sh"
need cmake readelf ldd
[ -z "${STROBE_SANITIZED:-}" ] || skip "a static binary cannot carry the sanitizers"

# Compile only the files that depend on the static build; take the other objects from the build under test.
cat >compiler <<EOF
#!/bin/bash
for word; do
	[ "\$previous" = -o ] && object=\$word
	[ "\$word" = -DSTROBE_STATIC ] && knows=1
	previous=\$word
done
[ -z "\$knows" ] && cp "$STROBE_BUILD/\$object" "\$object" 2>/dev/null && exit
echo "\$object" >>$tmp/compiled
exec "\$@"
EOF
chmod +x compiler
run cmake -S "$STROBE_SOURCE" -B build -G Ninja -DSTATIC=ON -DCMAKE_C_COMPILER_LAUNCHER=$tmp/compiler
check "the static build configures" test "$rc" = 0
run nice cmake --build build --target strobe
check "the static build links" test "$rc" = 0
check "all files that know of the static build were compiled" test "$(wc -l <compiled)" -ge 3
check "the static build has no Python" sh -c 'build/strobe version --build-options | grep -q "libpython.*OFF"'
check "the static build has no Perl" sh -c 'build/strobe version --build-options | grep -q "libperl.*OFF"'
for file in x.py x.pl; do
	: >$file
	run build/strobe script -i "$STROBE_SOURCE/tests/golden/fp.data" -s $file
	check "$file: refused with the reason" grep -q "why: this is the static build, which cannot load P" err
done
readelf -lW build/strobe >headers
check "no interpreter is asked for" sh -c '! grep -q INTERP headers'
readelf -dW build/strobe >dynamic 2>&1
check "no shared library is needed" sh -c '! grep -q NEEDED dynamic'

mkdir -p root && cp build/strobe root/
in_chroot() { unshare --root=root "$@" 2>/dev/null || unshare -r --root=root "$@"; }
if unshare --root=/ true 2>err || unshare -r --root=/ true 2>err; then
	check "version in an empty chroot" \
		sh -c "$(declare -f in_chroot); in_chroot /strobe version | grep -q 'strobe version'"
else
	skip_part "no right to chroot here: $(head -1 err)"
fi
finish
