#!/bin/bash
# Each command has a man page with exactly the options of its table, and all pages are sound mdoc.
. "$(dirname "$0")/lib.sh"
man=$STROBE_SOURCE/man
flags() { tr ' ' '\n' | grep -v '^$' | sort -u; }

for command in $("$STROBE" --list-cmds); do
	page=$man/strobe-$command.1
	check "$command has a man page" test -f "$page"
	[ -f "$page" ] || continue
	# A page also documents the subcommands of its command.
	"$STROBE" --dump-cmds | grep -E "^$command( |\$)" | while read -r words; do
		# shellcheck disable=SC2086
		"$STROBE" --dump-opts $words
	done |
		awk -F '\t' '$4 !~ /hidden/ { if ($1 != "-") print "-" $1; if ($2 != "-") print "--" $2 }' |
		flags >table
	# Items of the option list: ".It Fl e , Fl -event Ns = Ns Ar event"
	awk '/^\.Sh / { on = /OPTIONS|DESCRIPTION/ }
		on && /^\.It / { for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1) }' \
		"$page" |
		flags >paged
	check "$command: the page has exactly the options of the table" diff -u table paged
	check "$command is named in strobe(1)" grep -q "Xr strobe-$command 1" "$man/strobe.1"
done
if command -v mandoc >/dev/null; then
	for page in "$man"/*; do check "$(basename "$page") is sound mdoc" mandoc -T lint -W error "$page"; done
else
	skip_part "no mandoc here: the pages' markup is not checked"
fi
finish
