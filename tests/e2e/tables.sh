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
registered() {	# table folder/prefix [what the table calls it instead of the file's prefix]
	files=$(in_source sh -c "ls $2*.c")
	check "there are files $2*.c" test -n "$files"
	for file in $files; do
		stem=$(basename "$file" .c)
		[ -z "${3-}" ] || stem=$3${stem#"${2##*/}"}
		check "the table in $1 names $stem" in_source grep -q "\b${stem}[0-9a-z]*\b" "$1"
	done
}
registered report/rows/keys.c report/rows/keys_
registered symbols/arch/arch.c symbols/arch/arch_
registered symbols/unwind/unwinders.c symbols/unwind/unwind_ unwinder_
registered report/import/importers.c report/import/import_
registered report/monitors/monitor.h "report/monitors/[!m]"

# Each rule of the brief has a program in brief.sh that triggers it, and one that does not.
for rule in $(in_source sed -n 's/^\t{ "\([a-z-]*\)", [0-9]*, [a-z_]* },$/\1/p' report/brief/rules.c); do
	check "brief.sh triggers the rule $rule" in_source grep -qE "^\s*finds \S+ $rule( |\$)" tests/e2e/brief.sh
	check "brief.sh has a program that does not trigger $rule" \
		in_source grep -qE "^(\s*lacks \S+ $rule$|for rule in .*\b$rule\b.*lacks)" tests/e2e/brief.sh
	check "strobe-report(1) explains $rule" in_source grep -qE "^\.It Cm (.* , )?$rule" man/strobe-report.1
	rules=$((${rules:-0} + 1))
done
check "the brief has rules" test "${rules:-0}" -ge 12

# A record's row marks it as sideband; then the timeline has a case for it, and only then.
in_source awk '/\[RECORD_/ { split($0, w, /[][]/); type = w[2] } /\.sideband = true/ { print type }' format/records.c |
	sort >sideband
in_source sed -n '/^int timeline_apply/,/^}/s/.*case \(RECORD_[A-Z0-9_]*\).*/\1/p' report/session/timeline.c |
	sort >applied
check "format/records.c marks some records as sideband" test -s sideband
check "the timeline applies what format/records.c calls sideband" diff sideband applied

# A row of a table of options is there once: commands that share an option include it (cmd/shared/options.c).
option_rows() {
	in_source find cmd -name '*.c' -exec cat {} + | awk -v RS='\n\t[{] ' '
		/OPT_REFUSED|OPT_PLANNED/ { next }
		/^[^ ]+, "[a-z-]+", OPT_(BOOL|COUNT|INT|U64|DOUBLE|SIZE|STR|STR_OPT|LIST), / {
			sub(/^[^ ]+, /, "")	# the letter
			sub(/, [A-Z0-9]+(\([^)]*\))?, /, ", ")	# the member
			sub(/ },?\n.*/, "")
			gsub(/, OPT_[A-Z]+/, "")
			gsub(/[ \t\n]+/, " ")
			print }' | sort
}
option_rows >options
check "there are rows of options" test "$(wc -l <options)" -gt 300
check "no option is written twice: $(uniq -d options)" test -z "$(uniq -d options)"

# Sources of symbols are rows; what else begins with from_ is asked by another source.
in_source sh -c 'ls symbols/name/from_*.c' | sed 's,.*/\(.*\)\.c,\1,' | grep -vE '^from_(debugfile|jitdump|plt)$' |
	while read -r stem; do
		in_source grep -q ", $stem }" symbols/name/sources.c || echo "$stem"
	done >missing
check "each symbols/name/from_NAME.c is a row of sources.c" test ! -s missing
# The picture has a command of its own; the others are formats of strobe export.
for file in $(in_source sh -c 'ls report/stacks/export_*.c'); do
	stem=$(basename "$file" .c)
	case $stem in
	export_flamegraph) user=cmd/stacks/flamegraph.c ;;
	*) user=report/stacks/exports.c ;;
	esac
	check "$user mentions $stem" in_source grep -q "\b$stem\b" "$user"
done
# A name is one thing: of two functions of one name, the linker takes the first that it finds, and says nothing.
if command -v nm >/dev/null && ls "$STROBE_BUILD"/*.a >/dev/null 2>&1; then
	for archive in "$STROBE_BUILD"/*.a; do
		nm -g --defined-only "$archive" | awk 'NF == 3 && $2 ~ /[TDBR]/ { print $3 }'
	done | sort >names
	check "the folders have functions" test "$(wc -l <names)" -gt 1000
	check "no two folders have one of the same name: $(uniq -d names | tr '\n' ' ')" test -z "$(uniq -d names)"
else
	skip_part "names of functions: no nm, or no archives of a build here"
fi
# A command: its struct, its declaration, its row. man.sh and compat.sh walk the rows.
in_source grep -rhoE '^const struct command cmd_[a-z0-9_]+' cmd | sed 's/.* //' | sort >defined
in_source sed -n 's/^extern const struct command \(cmd_[a-z0-9_]*\);/\1/p' cmd/commands.h | sort >declared
in_source sed -n '/commands\[\] = {/,/};/p' cmd/main.c | grep -o 'cmd_[a-z0-9_]*' | sort >rows
check "cmd/main.c has commands" test -s rows
check "cmd/main.c has a row for each command" diff defined rows
check "cmd/commands.h declares each command" diff defined declared

# A language of scripts is its struct, and a row.
in_source sh -c 'cat report/script/*.c' | sed -n 's/^const struct script_language \([a-z_]*\) = {$/\1/p' | sort >defined
in_source sed -n '/ languages\[\] = {/s/.*{\(.*\)}.*/\1/p' report/script/language.c | tr -d '& ' | tr , '\n' |
	sort >rows
check "report/script/language.c has rows" test -s rows
check "report/script/language.c has a row for each language" diff defined rows

# ---- each row is documented ----

rows() { in_source sed -n "s/^\t\[$1_[A-Z0-9_]*\] = { \"\([^\"]\{1,\}\)\".*/\1/p" "$2" | sort -u; }
# Rows come on standard input, not through a pipe: a check in a pipe cannot count its failure.
documented() {	# what page pattern, in which NAME stands for the row's name
	cat >names
	check "there are rows of $1" test -s names
	while read -r name; do
		in_source grep -qE "${3//NAME/$name}" "$2" || echo "$name"
	done <names >missing
	check "$2 has each $1 ($(tr '\n' ' ' <missing))" test ! -s missing
}
documented "record type" man/strobe.data.5 '^\.It .*[0-9] NAME( |$)' < <(rows RECORD format/records.c)
documented "feature" man/strobe.data.5 '^\.It .*[0-9] NAME( |$)' < <(rows FEATURE format/features.c)
documented "field of script" man/strobe-script.1 '(^|[ ,])NAME( |,|$)' < <(rows FIELD report/script/print.c)
documented "reason" man/strobe-report.1 '^\.It (.* )?NAME( |$)' < <(rows REASON symbols/name/reasons.c)
"$STROBE" report --sort help | cut -d ' ' -f 1 | sort >listed
in_source sh -c 'cat report/rows/keys_*.c' | grep -oE '\.name = "[a-z0-9_]+"' | cut -d '"' -f 2 | sort >keys
check "the tables of keys have names" test -s keys
check "report --sort help lists each key" diff keys listed
documented "sort key" man/strobe-report.1 '^\.It Cm (.* , )?NAME( ,|$)' <keys
entries() { in_source sed -n "/$1\[\] = {/,/};/s/^\t{ \"\([a-z0-9]*\)\".*/\1/p" "$2"; }
documented "export format" man/strobe-export.1 '^\.It Cm NAME$' < <(entries exporters report/stacks/exports.c)
documented "engine" man/strobe-push.1 '^\.It Cm NAME$' < <(entries push_engines report/push/engines.c)
in_source grep -oE '\bM\([a-z_]+, "[a-z-]+"' report/monitors/monitor.h | cut -d '"' -f 2 >monitors
documented "monitor" man/strobe-monitor.1 '^\.It Cm NAME$' <monitors
documented "importer" man/strobe-import.1 '^\.It Cm NAME$' < <(entries importers report/import/importers.c)
in_source sh -c 'cat report/script/*.c' | sed -n '/^const struct script_language/,/^}/s/^\t\.name = "\(.*\)",$/\1/p' |
	tr '[:lower:]' '[:upper:]' >languages
documented "language of scripts" man/strobe-script.1 '^\.Sh NAME SCRIPTS$' <languages
in_source sed -n 's/^#define SAMPLE_\([A-Z_]*\) *(1ull << \([0-9]*\))$/\2 +\1/p' format/sample.h >sample_fields
documented "field of samples" man/strobe.data.5 '^bit +NAME( |$)' <sample_fields
in_source sh -c 'cat symbols/unwind/unwind_*.c' |
	sed -n 's/^const struct unwinder unwinder_[a-z0-9]* = { "\([a-z0-9]*\)".*/\1/p' >unwinders
documented "unwinder" man/strobe-report.1 '^\.Cm NAME$' <unwinders
documented "unwinder" cmd/shared/options.c '\.values = ",(.* )?NAME[ "]' <unwinders
documented "unwinder" symbols/unwind/unwinders.c 'err_try.*\bNAME\b' <unwinders

# `strobe config` and completion know each setting that a command reads, and the page of differences names it.
in_source sed -n '/^const char .*setting_names/,/NULL/p' cmd/config.c | grep -oE '[a-z-]+\.[a-z_-]+' | sort -u >settings
check "cmd/config.c has settings" test "$(wc -l <settings)" -gt 50
sections=$(cut -d . -f 1 settings | sort -u | paste -sd '|')
in_source sh -c 'find cmd -name "*.c" ! -path cmd/config.c -exec cat {} +' |
	grep -oE "\"(ftrace|stat|$sections)\.[a-z_-]+\"" | tr -d '"' | grep -vx 'trace\.dat' | sort -u >used
comm -13 settings used >unlisted
check "cmd/config.c lists each setting that a command reads ($(tr '\n' ' ' <unlisted))" test ! -s unlisted
in_source sed -n '/^## config/,/^## test/p' docs/compat.md | grep -oE '`[a-z-]+\.[a-z_,{}-]+`' | tr -d '`' |
	while read -r names; do eval "printf '%s\n' $names"; done | sort -u >described
comm -23 settings described >undescribed
check "docs/compat.md names each setting ($(tr '\n' ' ' <undescribed))" test ! -s undescribed
while IFS=. read -r _ key; do
	in_source sh -c "cat man/*.1" | grep -qE "(^|[ ._])$key( |$)" || echo "$key"
done <settings >undescribed
check "a man page names each setting ($(tr '\n' ' ' <undescribed))" test ! -s undescribed

# docs/perf-tests.md tells why a test of perf does not pass, and names no test that passes.
in_source awk '$2 == "fail" { print $1 }' tests/e2e/expected/perf_shell.list | sort >failing
in_source awk -F '|' '/^[|] `/ { print $2 }' docs/perf-tests.md | grep -oE '`[^`]+`' | tr -d '`' | sort >explained
check "some of perf's tests fail" test -s failing
check "docs/perf-tests.md explains each failing test, and no other" diff failing explained

# ---- CONTRIBUTING tells where the tables are ----

# Each file it names exists; NAME, KIND, FOLDER and FILE stand for any.
in_source sed -n '/^## Adding things/,/^## Tests/p' CONTRIBUTING.md |
	grep -oE '`[a-z]+/[A-Za-z0-9_./*-]+`' | tr -d '`' |
	sort -u >named
check "CONTRIBUTING.md names more than 20 files" test "$(wc -l <named)" -gt 20
while read -r path; do
	any=$(echo "$path" | sed -E 's/NAME|KIND|FOLDER|FILE/*/g')
	in_source sh -c "ls -d $any" >/dev/null 2>&1 || echo "$path"
done <named >gone
check "what CONTRIBUTING.md names exists ($(tr '\n' ' ' <gone))" test ! -s gone

finish
