#!/bin/bash
# Headers cite strobe.data(5) as their source: the page must have each part that is cited by name, a
# paragraph for each record type and feature, and be well-formed.
. "$(dirname "$0")/lib.sh"
page=$STROBE_SOURCE/man/strobe.data.5

# strobe.data(5), "Name": a comment may break it over lines.
cited()
{
	find "$STROBE_SOURCE" -name build -prune -o -name '*.[ch]' -print0 | xargs -0 cat | tr '\n' ' ' |
		sed 's/[[:space:]]\{1,\}\*\{0,1\}[[:space:]]*/ /g' |
		grep -o 'strobe\.data(5), "[^"]*"' | sed 's/.*"\(.*\)"/\1/' | sort -u
}
# The names in an enum of a header, without their prefix.
names_of() {
	sed -n "/^enum $2 {/,/^};/p" "$STROBE_SOURCE/format/$1" | grep -o "$3[A-Z0-9_]*" |
		sed "s/^$3\(HEADER_\)\{0,1\}//"
}
heading() { grep -qE "^\.S[hs] \"?$1\"?\$" "$page" || paragraph "$1"; }
paragraph() { grep -qE "^\.It .*[0-9] $1( ,|\$)" "$page"; }

cited >names
check "headers cite the page" test -s names
while read -r name; do
	check "the page has '$name', which is cited" heading "$name"
done <names
{ names_of record.h record_type RECORD_ | grep -v '^TYPES$'; names_of features.h feature FEATURE_; } >names
check "the enums are found" test "$(wc -l <names)" -gt 70
while read -r name; do
	check "the page has a paragraph on $name" paragraph "$name"
done <names
if command -v mandoc >/dev/null; then
	# In our pages the examples come first.
	mandoc -Tlint -W warning "$page" | grep -v 'sections out of conventional order' >complaints
	check "mandoc finds nothing wrong in the page" test ! -s complaints
else
	skip_part "mandoc is not installed: the page's form is not checked"
fi
finish
