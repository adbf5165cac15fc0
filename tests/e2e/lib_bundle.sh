# shellcheck shell=dash
# lib_bundle.sh: compare what readers print of a recording at two places. Guests of virtual machines source it, too,
# with the shell they have.

# views PREFIX FILE FUNCTION STROBE...: what each reader prints, into PREFIX.*; STROBE... runs strobe
views() {
	local prefix=$1 file=$2 function=$3
	shift 3
	"$@" report -i "$file" --stdio >"$prefix.report" 2>"$prefix.err"
	"$@" report -i "$file" --stdio --no-children -g caller -s dso,sym,srcline >"$prefix.lines" 2>>"$prefix.err"
	"$@" report -i "$file" --quality >"$prefix.quality" 2>>"$prefix.err"
	"$@" script -i "$file" -F +srcline >"$prefix.script" 2>>"$prefix.err"
	"$@" script -i "$file" -F ip,sym,symoff --no-demangle >"$prefix.linkage" 2>>"$prefix.err"
	"$@" flamegraph -i "$file" -o - >"$prefix.svg" 2>>"$prefix.err"
	[ -z "$function" ] || "$@" annotate -i "$file" --stdio -s "$function" >"$prefix.code" 2>>"$prefix.err"
}

# same_views PREFIX PREFIX FUNCTION: fails where they differ, or where one is empty
same_views() {
	for view in report lines quality script linkage svg ${3:+code}; do
		[ -s "$1.$view" ] || { echo "nothing in $1.$view"; return 1; }
		cmp "$1.$view" "$2.$view" || { diff "$1.$view" "$2.$view" | head -5; return 1; }
	done
}
