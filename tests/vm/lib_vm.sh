# shellcheck shell=bash
# lib_vm.sh: scripts for virtual machines source it instead of tests/e2e/lib.sh, which it includes.
# See README.md.
#
#   vm ARCH SUITE [PACKAGES]   kernel=FOLDER of that kernel; skips the script where it cannot be had or run
#   static_strobe ARCH         puts a static binary for it into ./share/strobe
#   guest [OPTION...]          boots the kernel and runs share/guest.sh in /mnt; rc, and share/out
#                              and share/err hold what it gave
: "${STROBE_VM_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/strobe-vm}"
export STROBE_VM_CACHE
. "$(dirname "$0")/../e2e/lib.sh"
mkdir share
libraries="libelf-dev libdw-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libtraceevent-dev libiberty-dev"
libraries="$libraries libpfm4-dev libcapstone-dev libbpf-dev libncurses-dev libc6-dev linux-libc-dev"

vm() {
	[ -n "${STROBE_VM:-}" ] || skip "STROBE_VM names no folder with fetch-kernel and run-in-vm"
	need "qemu-system-$1" cpio
	# On a busy machine its pipelines may end by SIGPIPE; the next call finds what is there.
	for _ in 1 2 3 4; do
		kernel=$("$STROBE_VM/fetch-kernel" --arch "$1" --suite "$2" ${3:+--extra "$3"} 2>fetch.log) && return
		[ $? = 141 ] || break
	done
	skip "no kernel of $2 for $1: $(tail -1 fetch.log)"
}

static_strobe() {
	build=$STROBE_BUILD/vm/$1
	set -- "$1" -S "$STROBE_SOURCE" -B "$build" -G Ninja -DSTATIC=ON -DCMAKE_BUILD_TYPE=Release
	if [ "$1" != "$(uname -m)" ]; then
		need "$1-linux-gnu-gcc"
		export PKG_CONFIG_SYSROOT_DIR=$kernel/root \
			PKG_CONFIG_LIBDIR=$kernel/root/usr/lib/$1-linux-gnu/pkgconfig:$kernel/root/usr/share/pkgconfig
		set -- "$@" -DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$1" \
			"-DCMAKE_C_COMPILER=$1-linux-gnu-gcc" "-DCMAKE_SYSROOT=$kernel/root" \
			"-DCMAKE_LIBRARY_ARCHITECTURE=$1-linux-gnu" \
			-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
			-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
			-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
	fi
	arch=$1; shift
	{ nice cmake "$@" && nice cmake --build "$build" --target strobe; } >build.log 2>&1 ||
		{ tail -20 build.log; say "FAILED: the static build for $arch"; exit 1; }
	unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
	cp "$build/strobe" share/strobe
	compiler=cc
	[ "$arch" = "$(uname -m)" ] || compiler="$arch-linux-gnu-gcc --sysroot=$kernel/root"
	$compiler -g -O1 -fno-omit-frame-pointer -static -o share/spin "$STROBE_SOURCE/tests/e2e/workloads/spin.c" ||
		exit 1
}

guest() {
	rc=0
	"$STROBE_VM/run-in-vm" --kernel "$kernel" --share "$tmp/share" --timeout 900 "$@" \
		-- sh ./guest.sh >share/out 2>share/err ||
		rc=$?
	[ -z "${STROBE_VM_KEEP:-}" ] || cp -r share "$STROBE_VM_KEEP/$script"	# to see what went wrong
	case $rc in
	124 | 125 | 126)
		say "FAILED: the guest did not come to its end (status $rc)"
		tail -5 share/err
		exit 1
		;;
	esac
}

# kernel_module FOLDER     builds the module of that folder of the source for the kernel, into
# ./share; skips the script where its headers cannot be had
kernel_module() {
	need make dpkg-deb apt-get apt-cache
	release=$(cat "$kernel/release")
	headers=$STROBE_VM_CACHE/headers/$release
	if [ ! -e "$headers/complete" ]; then
		fetch_headers >headers.log 2>&1 || skip "no headers of kernel $release: $(tail -1 headers.log)"
	fi
	cp -r "$STROBE_SOURCE/$1" module
	version=$(sed -n 's/^CONFIG_GCC_VERSION=//p' "$headers/config")
	compiler=gcc-$((version / 10000))
	command -v "$compiler" >/dev/null || compiler=cc
	make -C "$headers/usr/src/linux-headers-$release" M="$PWD/module" CC="$compiler" modules >module.log 2>&1 ||
		{ tail -20 module.log; say "FAILED: the module of $1"; exit 1; }
	cp module/*.ko share/
}

# Use the state that fetch-kernel keeps for apt. The headers of one flavour depend on the common
# headers and on the build tools.
fetch_headers() (
	folder=$(basename "$kernel") suite=${folder%%-*} deb=${folder##*-}
	export APT_CONFIG=$STROBE_VM_CACHE/apt/$suite-$deb/apt.conf
	[ -e "$APT_CONFIG" ] || { echo "fetch-kernel left no state for apt"; exit 1; }
	mkdir -p "$STROBE_VM_CACHE/headers"
	exec 7>"$STROBE_VM_CACHE/headers/.lock" && flock 7
	[ ! -e "$headers/complete" ] || exit 0
	rm -rf "$headers" && mkdir -p "$headers/dl" && cd "$headers/dl" || exit 1
	apt-cache show "linux-headers-$release" >show || exit 1
	# shellcheck disable=SC2046	# names of packages
	apt-get -q download "linux-headers-$release" \
		$(sed -n '/^Depends:/{s/^Depends: //;s/([^)]*)//g;s/,/ /g;p;q}' show | tr -s ' ' '\n' |
		grep -E '^linux-(headers|kbuild)-') ||
		exit 1
	for package in *.deb; do dpkg-deb -x "$package" "$headers" || exit 1; done
	sed -i "s|/usr/src/|$headers/usr/src/|" "$headers/usr/src/linux-headers-$release/Makefile"
	cp "$headers/usr/src/linux-headers-$release/.config" "$headers/config"
	cd "$headers" && rm -rf dl && touch complete
)
