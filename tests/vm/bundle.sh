#!/bin/bash
# A bundle travels to another architecture: what each reader prints here, of the recording and its files, it prints
# there of the bundle alone.
. "$(dirname "$0")/lib_vm.sh"
. "$STROBE_SOURCE/tests/e2e/lib_bundle.sh"
need_can sample
arch=aarch64
[ "$(uname -m)" != aarch64 ] || arch=x86_64
vm $arch bookworm "$libraries"
static_strobe $arch
workload jitter
workload spin

# made NAME FUNCTION COMMAND...: record it, bundle it, and print it here
made() {
	local name=$1 function=$2; shift 2
	must taskset -c 0 "$STROBE" record -q -N -B -F 1000 -o "$name.data" "$@"
	must "$STROBE" bundle -q -i "$name.data" -o "share/$name.data" --with-code --with-source
	views "$name" "$name.data" "$function" "$STROBE"
	echo "views $name $name.data '$function' ./strobe" >>share/guest.sh
}
cp "$STROBE_SOURCE/tests/e2e/lib_bundle.sh" share/
echo '. ./lib_bundle.sh' >share/guest.sh
made fp leaf -e cpu-clock:u -g ./spin 0.5
made stacks leaf -e cpu-clock:u --call-graph dwarf,4096 ./spin 0.5
made jit "" -e cpu-clock:u -k mono -g ./jitter . 1
! can kernel || made kernel "" -e cpu-clock -g dd if=/dev/zero of=/dev/null bs=64k count=20000

rm -f share/spin
guest
for name in fp stacks jit kernel; do
	[ -e "share/$name.data" ] || continue
	function=leaf
	[ -e "$name.code" ] || function=
	check "$name prints the same there" same_views "$name" "share/$name" "$function"
done
finish
