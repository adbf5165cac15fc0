#!/bin/bash
# 200 functions of a Debian kernel with debug information: definitions, variables and names as perf 6 gives them.
# STROBE_DBG_VMLINUX, or what "fetch-kernel --dbg" left: downloading a gigabyte is no business of a test.
. "$(dirname "$0")/lib.sh"
need perf
need_root
image=${STROBE_DBG_VMLINUX:-$(ls "${STROBE_VM_CACHE:-${XDG_CACHE_HOME:-${OLD_HOME:-$HOME}/.cache}/strobe-vm}"/bookworm-x86_64-amd64/dbg/usr/lib/debug/boot/vmlinux-* 2>/dev/null | head -1)}
[ -n "$image" ] && [ -r "$image" ] || skip "no kernel image with debug information here: fetch-kernel --dbg, or STROBE_DBG_VMLINUX"
perf --version | grep -q 'version 6\.' || skip "perf is not version 6"

"$STROBE" probe -k "$image" -F >all 2>err
perf probe -k "$image" -F >theirs 2>/dev/null
check "-F has every function that perf lists" test "$(comm -23 <(sort -u theirs) <(sort -u all) | wc -l)" = 0

# Every so many of the functions with a plain name.
grep -E '^(tcp|udp|vfs|ext4|do|sys|kmem|inet|sched|__?[a-z]+)_[a-z_]*$' theirs | awk '{ n[NR] = $0 } END { for (i = 1; i <= 200 && NR; i++) print n[int((i - 1) * NR / 200) + 1] }' | sort -u >chosen
# Copies have names of their own here; what perf cannot name is "(unknown_type)" there, void* here.
while read -r f; do
	for how in D V; do
		"$STROBE" probe -k "$image" -$how "$f" 2>/dev/null | sed 's/^\(p:probe\/[^ ]*\)_[0-9]* /\1 /' >one
		perf probe -k "$image" -$how "$f" 2>/dev/null | sed 's/(unknown_type)/void*/' >other
		[ -s other ] || continue	# perf gives up where one copy of several cannot be had
		sort one >>ours.$how
		sort other >>perf.$how
	done
done <chosen
# The rest of -V: where another copy begins at the entry of a copy perf shows that one's variables (hlist_head *h of inet_bind_bucket_destroy).
for how in D V; do
	lines=$(wc -l <perf.$how) differ=$(diff ours.$how perf.$how | grep -c '^>')
	say "-$how: $differ of $lines lines differ"
	check "-$how: as perf's, but for 2 lines in 100" test "$((differ * 50))" -le "$lines"
done
finish
