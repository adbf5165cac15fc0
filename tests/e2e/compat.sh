#!/bin/bash
# docs/compat.md tells what the binary does with each option. Options marked done and ours are in
# its tables, refused ones are refused, planned ones give the error that the page promises.
. "$(dirname "$0")/lib.sh"
need awk

"$STROBE" --list-cmds >commands
while read -r command; do
	# shellcheck disable=SC2086
	"$STROBE" --dump-opts $command |
		awk -F '\t' -v c="$command" \
		'$4 !~ /hidden/ {
		name = $2 == "-" ? "-" $1 : "--" $2
		state = $4 ~ /refused/ ? "refused" : $4 ~ /planned/ ? "planned" : $4 ~ /ours/ ? "ours" : "done"
		print c "\t" name "\t" state }'
done <<<"$("$STROBE" --dump-cmds)" | sort >binary

# Rows of the page as "command option status", one line per spelling; --a=X counts as --a.
awk '/^## / { c = substr($0, 4); sub(/ [(].*/, "", c) }
	/^\| `/ {
		n = split($0, cell, /[^\\]\|/); status = cell[2]; gsub(/ /, "", status)
		names = cell[1];
		while (match(names, /`[^`]*`/)) { o = substr(names, RSTART + 1, RLENGTH - 2);
		sub(/[=[].*/, "", o); print c "\t" o "\t" status;
		names = substr(names, RSTART + RLENGTH) }
	}' "$STROBE_SOURCE/docs/compat.md" | sort >page
check "the page has rows" test -s page

negated() { case $1 in --no-*) echo "--${1#--no-}" ;; *) echo "--no-${1#--}" ;; esac; }
status_in() { awk -F '\t' -v c="$2" -v o="$3" '$1 == c && $2 == o { print $3; exit }' "$1"; }

while IFS=$'\t' read -r command option status; do
	on_page=$(status_in page "$command" "$option")
	[ -n "$on_page" ] || on_page=$(status_in page "$command" "$(negated "$option")")
	check "$command $option: the page says '${on_page:-nothing}', the table '$status'" test "$on_page" = "$status"
done <binary

# The error of a planned option, or of its command.
says_planned() {
	local status=129

	grep -qx "$1" commands || status=1
	run "$STROBE" "$1" "$2"
	[ "$rc" = "$status" ] && grep -q 'planned' err
}

while IFS=$'\t' read -r command option status; do
	# A short spelling has a long one next to it, or is checked above.
	case $option in --*) ;; *) continue ;; esac
	if [ "$status" = planned ]; then
		check "$command $option is planned, and its error says so" says_planned "$command" "$option"
	else
		there=$(status_in binary "$command" "$option")$(status_in binary "$command" "$(negated "$option")")
		check "$command $option is $status, so the binary knows it" test -n "$there"
	fi
done <page
finish
