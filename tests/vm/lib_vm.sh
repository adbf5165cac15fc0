# lib_vm.sh: what the scripts on virtual machines source in place of tests/e2e/lib.sh, which it brings along. See README.md.
#
#   vm ARCH SUITE [PACKAGES]   kernel=FOLDER of that kernel; skips the script where it cannot be had or run
#   static_strobe ARCH         puts a static binary for it into ./share/strobe
#   guest [OPTION...]          boots the kernel and runs share/guest.sh in /mnt; rc, and share/out and share/err hold what it gave
: "${STROBE_VM_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/strobe-vm}"
export STROBE_VM_CACHE
. "$(dirname "$0")/../e2e/lib.sh"
mkdir share
libraries="libelf-dev libdw-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libtraceevent-dev libiberty-dev libpfm4-dev libcapstone-dev libbpf-dev libncurses-dev libc6-dev linux-libc-dev"

vm() {
	[ -n "${STROBE_VM:-}" ] || skip "STROBE_VM names no folder with fetch-kernel and run-in-vm"
	need "qemu-system-$1" cpio
	kernel=$("$STROBE_VM/fetch-kernel" --arch "$1" --suite "$2" ${3:+--extra "$3"} 2>fetch.log) || skip "no kernel of $2 for $1: $(tail -1 fetch.log)"
}

static_strobe() {
	build=$STROBE_BUILD/vm/$1
	set -- "$1" -S "$STROBE_SOURCE" -B "$build" -G Ninja -DSTATIC=ON -DCMAKE_BUILD_TYPE=Release
	if [ "$1" != "$(uname -m)" ]; then
		need "$1-linux-gnu-gcc"
		export PKG_CONFIG_SYSROOT_DIR=$kernel/root PKG_CONFIG_LIBDIR=$kernel/root/usr/lib/$1-linux-gnu/pkgconfig:$kernel/root/usr/share/pkgconfig
		set -- "$@" -DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$1" "-DCMAKE_C_COMPILER=$1-linux-gnu-gcc" "-DCMAKE_SYSROOT=$kernel/root" \
			"-DCMAKE_LIBRARY_ARCHITECTURE=$1-linux-gnu" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
			-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
	fi
	arch=$1; shift
	{ nice cmake "$@" && nice cmake --build "$build" --target strobe; } >build.log 2>&1 || { tail -20 build.log; say "FAILED: the static build for $arch"; exit 1; }
	unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
	cp "$build/strobe" share/strobe
	compiler=cc
	[ "$arch" = "$(uname -m)" ] || compiler="$arch-linux-gnu-gcc --sysroot=$kernel/root"
	$compiler -g -O1 -fno-omit-frame-pointer -static -o share/spin "$STROBE_SOURCE/tests/e2e/workloads/spin.c" || exit 1
}

guest() {
	rc=0
	"$STROBE_VM/run-in-vm" --kernel "$kernel" --share "$tmp/share" --timeout 900 "$@" -- sh ./guest.sh >share/out 2>share/err || rc=$?
	[ -z "${STROBE_VM_KEEP:-}" ] || cp -r share "$STROBE_VM_KEEP/$script"	# to look at what went wrong
	case $rc in 124|125|126) say "FAILED: the guest did not come to its end (status $rc)"; tail -5 share/err; exit 1 ;; esac
}
