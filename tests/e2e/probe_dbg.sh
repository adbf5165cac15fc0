#!/bin/bash
# 200 functions of a Debian kernel with debug information: definitions, variables and names equal
# those of perf 6. STROBE_DBG_FUNCTIONS: another number. STROBE_DBG_VMLINUX, or the file that
# "fetch-kernel --dbg" left: a test must not download a gigabyte.
. "$(dirname "$0")/lib.sh"
need perf
need_root
image=${STROBE_DBG_VMLINUX:-$(ls \
	"${STROBE_VM_CACHE:-${XDG_CACHE_HOME:-${OLD_HOME:-$HOME}/.cache}/strobe-vm}"/\
bookworm-x86_64-amd64/dbg/usr/lib/debug/boot/vmlinux-* \
	2>/dev/null |
	head -1)}
[ -n "$image" ] && [ -r "$image" ] ||
	skip "no kernel image with debug information here: fetch-kernel --dbg, or STROBE_DBG_VMLINUX"
perf --version | grep -q 'version 6\.' || skip "perf is not version 6"

"$STROBE" probe -k "$image" -F >all 2>err
perf probe -k "$image" -F >theirs 2>/dev/null
check "-F has every function that perf lists" test "$(comm -23 <(sort -u theirs) <(sort -u all) | wc -l)" = 0

# Stored answers of perf 6.1 and 7.2 for three kernels (STROBE_VM/facts); check those kernels that are here.
known=${STROBE_VM:-none}/facts
numbered() { sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' | tr '\n' ' ' | sed 's/ $//'; }
said() {	# SUITE VMLINUX HOW WHAT WANTED: strobe must give WANTED
	local got
	got=$("$STROBE" probe -k "$2" -s "$cache/$1-x86_64-amd64/source" "-$3" "$4" 2>&1)
	case $got in *'is in the middle of an instruction'*) return ;; esac	# perf does not check this
	got=$(printf '%s\n' "$got" | grep -v '^ *\(why\|try\): ' |
		sed "s#$cache/$1-x86_64-amd64/source#KERNELDIR/source#")
	case $6 in *.lines-only.txt) got=$(printf '%s\n' "$got" | numbered) ;; esac
	check "$1: -$3 $4 as perf ($6)" test "$got" = "$5"
	compared=$((compared + 1))
}
definitions() {	# SUITE VMLINUX FILE: its lines "[SUITE ]PERF -D WHAT => LINE|LINE|[ SECONDS]"
	local line what
	while IFS= read -r line; do
		what=${line#*-D }
		said "$1" "$2" D "${what%% => *}" \
			"$(printf '%s' "${line#* => }" | sed 's/| [0-9.]*s$//; s/|$//' | tr '|' '\n')" "$3"
	done < <(grep -- ' -D ' "$known/$3" | grep -E "^($1 )?perf")
}
facts() {
	local suite=$1 vmlinux=$2 file how what
	while read -r file how what; do
		# 7.2 counts its line 2 as we do; 6.1 does not
		[ -r "$known/probe-$suite/$file.txt" ] &&
			[ "$suite $file" != 'bookworm perf.Lsrc2.lines-only' ] || continue
		said "$suite" "$vmlinux" "$how" "$what" "$(cat "$known/probe-$suite/$file.txt")" \
			"probe-$suite/$file.txt"
	done < <(for p in perf perf72; do sed "s/^/$p/" <<-'F'
		.D D tcp_sendmsg size sk
		.Dstr D do_sys_openat2 filename:ustring dfd how
		.Dstruct D tcp_sendmsg sk->sk_family
		.F F tcp_sendm*
		.V V tcp_sendmsg
		.V2 V tcp_v4_rcv
		.Lsrc L tcp_sendmsg
		.Lsrc2.lines-only L tcp_v4_rcv
		.Lsrc3 L do_sys_openat2
		-Ftcp_sendm F tcp_sendm*
		-Vtcp_sendmsg V tcp_sendmsg
		-Vtcp_v4_rcv V tcp_v4_rcv
		-Ltcp_sendmsg L tcp_sendmsg
		-Ltcp_v4_rcv.lines-only L tcp_v4_rcv
	F
	done)
}
cache=${image%/bookworm-x86_64-amd64/*}
for suite in bookworm trixie sid; do
	vmlinux=$(ls "$cache/$suite-x86_64-amd64/vmlinux" 2>/dev/null) compared=0
	release=$(cat "$cache/$suite-x86_64-amd64/release" 2>/dev/null)
	if [ -n "$vmlinux" ] &&
		{
			grep -qs "vmlinux-$release\$" "$known/probe-$suite/perf72.nv.txt" ||
				sed 2q "$known/x86-$suite.txt" 2>/dev/null | grep -qxF "$release"
		}; then
		facts $suite "$vmlinux"
		for list in probe-D-bookworm-trixie.txt probe-D-sid.txt; do
			case $list in *$suite*) definitions $suite "$vmlinux" $list ;; esac
		done
		say "$suite: $compared of perf's answers compared"
	else
		skip_part "$suite: not the kernel that perf's words are of"
	fi
done

# Take every nth function with a plain name.
grep -E '^(tcp|udp|vfs|ext4|do|sys|kmem|inet|sched|__?[a-z]+)_[a-z_]*$' theirs |
	awk -v some="${STROBE_DBG_FUNCTIONS:-200}" \
	'{ n[NR] = $0 } END { for (i = 1; i <= some && NR; i++) print n[int((i - 1) * NR / some) + 1] }' |
	sort -u >chosen
# Copies have names of their own here. perf prints "(unknown_type)" for a type it cannot name, here void*.
while read -r f; do
	for how in D V; do
		"$STROBE" probe -k "$image" -$how "$f" 2>/dev/null | sed 's/^\(p:probe\/[^ ]*\)_[0-9]* /\1 /' >one
		perf probe -k "$image" -$how "$f" 2>/dev/null | sed 's/(unknown_type)/void*/' >other
		[ -s other ] || continue	# perf gives up when one of several copies cannot be probed
		sort one >>ours.$how
		sort other >>perf.$how
	done
done <chosen
for how in D V; do
	lines=$(wc -l <perf.$how) differ=$(diff ours.$how perf.$how | grep -c '^>')
	say "-$how: $differ of $lines lines differ"
	check "-$how: as perf's, but for 2 lines in 100" test "$((differ * 50))" -le "$lines"
done
# Lines of functions whose source is here. perf numbers lines inconsistently if their code begins
# without a row in the line table: skip those.
source=$(realpath "$(dirname "$image")/../../../../../source" 2>/dev/null)
for f in tcp_sendmsg tcp_sendmsg_locked tcp_recvmsg_locked tcp_write_xmit inet_csk_accept ip_rcv \
	vfs_read vfs_write fput path_openat do_sys_openat2 ip_forward_options tcp_data_queue; do
	perf probe -k "$image" -s "$source" -L $f >theirs 2>/dev/null
	[ -s theirs ] || continue
	check "-L $f: as perf's" diff <("$STROBE" probe -k "$image" -s "$source" -L $f) theirs
done
# Patterns: it differs which copy is called _1.
for d in 'fs/open.c;*build_open_flags*' 'do_sys_openat2;fd*' 'tcp_v4_connect;*inet*'; do
	perf probe -k "$image" -s "$source" -D "$d" 2>/dev/null | sort >theirs
	[ -s theirs ] || continue
	check "-D '$d': as perf's" \
		diff <("$STROBE" probe -k "$image" -s "$source" -D "$d" |
		sed 's/^\(p:probe\/[^ ]*\)_[0-9]* /\1 /' | sort) \
		theirs
done
finish
