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

# differing FROM TO: rows of one that the other denies, as command, option, state here, state there.
# --no-X and --X are one option.
differing() {
	awk -F '\t' '
		function negated(option) {
			return option ~ /^--no-/ ? "--" substr(option, 6) : "--no-" substr(option, 3)
		}
		NR == FNR { state[$1, $2] = $3; next }
		{ other = state[$1, ($1, $2) in state ? $2 : negated($2)] }
		other != $3 { print $1, $2, $3, other == "" ? "nothing" : other }' "$2" "$1" >differ
	cat differ
	[ -s "$1" ] && [ ! -s differ ]
}
check "the page says of each option what its table says" differing binary page
# A letter means one option of a command, in the tables and on the page.
while read -r command; do
	# shellcheck disable=SC2086
	"$STROBE" --dump-opts $command | awk -F '\t' -v c="$command" '$1 != "-" && $4 !~ /hidden/ { print c "\t-" $1 }'
done <<<"$("$STROBE" --dump-cmds)" | sort | uniq -d >twice
awk -F '\t' '$2 !~ /^--/ { print $1 "\t" $2 }' page | uniq -d >>twice
check "no letter stands for two options of a command: $(tr '\n' ';' <twice)" test ! -s twice
# A short spelling has a long one next to it, or is checked above.
awk -F '\t' '$2 ~ /^--/ && $3 != "planned"' page >long
check "the binary knows each option of the page" differing long binary

# The error of a planned option, or of its command.
says_planned() {
	local status=129

	grep -qx "$1" commands || status=1
	run "$STROBE" "$1" "$2"
	[ "$rc" = "$status" ] && grep -q 'planned' err
}
while IFS=$'\t' read -r command option status; do
	check "$command $option is planned, and its error says so" says_planned "$command" "$option"
done < <(awk -F '\t' '$2 ~ /^--/ && $3 == "planned"' page)
finish
