#!/bin/bash
# report: each key of the table, as a row and as a column, compared with perf 7.2 on a recording
# that has the key's data.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_perf72.sh"
mkdir none	# a --symfs without objects
layers_stored
corpus=
if [ -n "${STROBE_CORPUS:-}" ] && [ -n "${STROBE_PERF72:-}" ]; then
	corpus=yes
	xz -dc "$STROBE_CORPUS/data/quipper-weight_struct.data.xz" >memory
	xz -dc "$STROBE_CORPUS/data/quipper-branch-4.14.data.xz" >branches
	cp "$STROBE_CORPUS/data/l72-cgroups.data" cgroups
else
	skip_part "keys of memory accesses, branches, cgroups: STROBE_CORPUS or STROBE_PERF72 is not set"
fi

# KEY FORM: the entry of docs/compat.md; FORM - means both.
cat >differ <<'END'
stack - ours
overhead_children - nobody has children there
latency_children - the same
ipc_null - no numbers, refused there
ipc_lbr - the same
callchain_branch_predicted - refused or fatal there
callchain_branch_abort - refused or fatal there
callchain_branch_cycles - refused or fatal there
type - more is known
typeoff - more is known
typecln - more is known
symbol_size - one row per size
dso_size - of the kernel
srcline - lines of places whose line is not known
srcfile - files of such places
local_p_stage_cyc -F title
mem -F another column there
snoop -F another column there
symbol_from -s places mapped twice
symbol_to -s places mapped twice
cycles - negative numbers
END
plain() { sed -e 's/^# (Tip:.*/# (Tip)/' -e 's/\[k\]/[.]/'; }
compare() {	# FILE OPTIONS...: 1 if the key does not apply to this file
	file=$1; shift
	case $file in
	memory) set -- --mem-mode --symfs none "$@" ;;
	branches) set -- --symfs none "$@" ;;
	plain) set -- $layers_where "$@" ;;
	esac
	"$STROBE" report --stdio --no-inline -i $file "$@" >ours 2>err </dev/null || return 1
	case $file in
	plain) perf72 report --stdio --no-inline -i $file "$@" ;;
	*) $STROBE_PERF72 report --stdio --no-inline -i $file "$@" 2>/dev/null </dev/null ;;
	esac | plain >perf
	check "$file $*: there is text" grep -q '^#' perf
	check "$file $*: the text is perf 7.2's" diff perf <(plain <ours)
}
"$STROBE" report --sort help | awk '{ print $1 }' | sort -u >keys
check "--sort help lists more than 60 keys" test "$(wc -l <keys)" -gt 60
while read -r key; do
	case $key in
	mem | snoop | tlb | locked | blocked | *daddr | *iaddr | dcacheline | data_page_size | *weight* | *_lat)
		file=memory
		;;
	cgroup*) file=cgroups ;;
	*) file=plain ;;
	esac
	for form in "-s $key" "-F overhead,$key"; do
		grep -qE "^$key (-|${form%% *}) " differ && continue
		# shellcheck disable=SC2086
		if [ -n "$corpus" ] || [ $file = plain ]; then compare $file $form && continue; fi
		[ -z "$corpus" ] || compare branches $form || check "$key is of some recording" false
	done
done <keys
perf72_kept
finish
