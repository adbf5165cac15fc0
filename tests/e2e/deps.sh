#!/bin/bash
# scripts/deps on an imaginary system: apt's commands are replaced by fakes that keep their packages
# in files.
. "$(dirname "$0")/lib.sh"
mkdir bin
ln -s "$(command -v sh)" bin/sh
for tool in awk sed tr grep cat env; do ln -s "$(command -v "$tool")" "bin/$tool"; done
# fake NAME: install our own command from standard input. Remove a link first: writing to it would
# change the system's file.
fake() {
	[ ! -e "bin/$1" ] && [ ! -L "bin/$1" ] || { say "bin/$1 is there already"; exit 1; }
	{ echo '#!/bin/sh'; cat; } >"bin/$1"
	chmod +x "bin/$1"
}
fake id <<'EOF.'
echo 0
EOF.
fake dpkg-query <<'EOF.'
for last; do :; done
grep -qx "$last" "$STATE/installed" && echo 'install ok installed'
EOF.
fake apt-cache <<'EOF.'
grep -qx "$2" "$STATE/offered" && printf '%s:\n  Candidate: 1\n' "$2"
exit 0
EOF.
fake apt-get <<'EOF.'
echo "apt-get $*" >>"$STATE/calls"
[ "$1" = install ] || exit 0
shift
for p; do
	case $p in -* | *=*) continue ;; esac
	grep -qx "$p" "$STATE/offered" || { echo "E: Unable to locate package $p"; exit 100; }
	! grep -qx "$p" "$STATE/broken" || { echo "E: $p breaks"; exit 100; }
done
for p; do case $p in -* | *=*) ;; *) echo "Unpacking $p"; echo "$p" >>"$STATE/installed" ;; esac; done
EOF.
export STATE=$tmp
deps() { PATH=$tmp/bin run sh "$STROBE_SOURCE/scripts/deps" "$@"; }
forget() { : >installed; : >broken; : >calls; }

forget
deps list test
cp out offered; echo linux-perf >>offered
deps install test
check "all that a system has is installed" test "$rc" = 0
check "the package manager's progress is shown" grep -qx 'Unpacking tmux' out
check "a message announces the installed packages" grep -q '^deps: installing [0-9]* packages: ' err
check "no package is missed" sh -c '! grep -q "no package" err'
check "Debian's perf is taken, and not asked for Ubuntu's" \
	sh -c 'grep -qx linux-perf installed && ! grep -q linux-tools calls'
: >calls
deps install test
check "a second time nothing is installed" test ! -s calls

forget
deps list test
grep -v '^fish$' out >offered; echo linux-tools-generic >>offered
deps install test
check "a package that is not there is named, and no other" \
	sh -c '[ "$(grep -c "has no package" err)" = 1 ] && grep -q "no package fish: tests that want it will skip" err'
check "the others are installed in one go" \
	sh -c '[ "$(grep -c "^apt-get install" calls)" = 2 ] && grep -qx zsh installed'
check "Ubuntu's perf is taken" grep -qx linux-tools-generic installed

forget
echo zsh >broken
deps install test
check "a package that breaks keeps no other away" grep -qx tmux installed
check "the message names the package that cannot be installed" grep -q 'cannot install zsh' err

forget
deps install package
check "packaging needs dpkg-dev and file" \
	sh -c 'grep -qx dpkg-dev installed && grep -qx file installed && grep -qx gcc installed'
check "no packages of the tests are installed" sh -c '! grep -qx tmux installed'
forget
deps install build
check "building needs no packaging" sh -c '! grep -qx dpkg-dev installed'
deps install nothing
check "an unknown purpose is an error" test "$rc" = 2
finish
