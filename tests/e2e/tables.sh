#!/bin/bash
# "One row per addition": each file of a kind has its row in the table of CONTRIBUTING.md, and each
# fact has one home.
. "$(dirname "$0")/lib.sh"
in_source() { (cd "$STROBE_SOURCE" && "$@"); }	# this script writes nothing into the source tree
folders="base events format symbols record report stat probe cmd"

# Exit statuses have names, only in base/err.h. A computed status (that of another program) is no literal.
literal_statuses() {
	# shellcheck disable=SC2086	# a list of folders
	in_source grep -rn --include='*.[ch]' -E -e 'err_exit\([^,;]*, *[0-9]+( \+ [A-Z]+)?\)' \
		-e 'exit_code *[!=]?= *[1-9]' -e '\b(BAD_USAGE|BAD_VALUES?) *=? *[0-9]' $folders
}
check "exit statuses are named, not numbers (base/err.h, enum exit_status)" test -z "$(literal_statuses)"
literal_statuses >&2

# The table of a kind lists each file of this kind.
registered() {	# table folder/prefix
	files=$(in_source sh -c "ls $2*.c")
	check "there are files $2*.c" test -n "$files"
	for file in $files; do
		stem=$(basename "$file" .c)
		check "$1 names $stem" in_source grep -q "\b${stem}[0-9a-z]*\b" "$1"
	done
}
registered report/rows/keys.c report/rows/keys_
registered symbols/arch/arch.c symbols/arch/arch_

# A record's row marks it as sideband; then the timeline has a case for it, and only then.
in_source awk '/\[RECORD_/ { split($0, w, /[][]/); type = w[2] } /\.sideband = true/ { print type }' format/records.c |
	sort >sideband
in_source sed -n '/^int timeline_apply/,/^}/s/.*case \(RECORD_[A-Z0-9_]*\).*/\1/p' report/session/timeline.c |
	sort >applied
check "there is sideband" test -s sideband
check "the timeline applies what format/records.c calls sideband" diff sideband applied

finish
