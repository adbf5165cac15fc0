#!/bin/bash
# report: every key of its table, as a row and as a column, beside perf 7.2, on a recording that has what the key is about.
. "$(dirname "$0")/lib.sh"
[ -n "${STROBE_PERF72:-}" ] || skip "STROBE_PERF72 is not set: there is nothing to compare with"
[ -n "${STROBE_CORPUS:-}" ] || skip "STROBE_CORPUS is not set: memory accesses and branches are recorded on few machines"
workload layers -fno-optimize-sibling-calls
"$STROBE" record -q -N -e cpu-clock -F 499 --sample-cpu --latency -o plain ./layers >record.log 2>&1 || skip "cannot record here: $(head -1 record.log)"
xz -dc "$STROBE_CORPUS/data/quipper-weight_struct.data.xz" >memory
xz -dc "$STROBE_CORPUS/data/quipper-branch-4.14.data.xz" >branches
cp "$STROBE_CORPUS/data/l72-cgroups.data" cgroups
awk '$2 ~ /[tT]/ && (NR % 40 == 1 || $3 ~ /^_(text|stext|etext)$/)' /proc/kallsyms >functions

# KEY FORM: what docs/compat.md says of it; FORM - is both.
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
compare() {	# FILE OPTIONS...: 1 if the key is not for this file
	file=$1; shift
	case $file in memory) set -- --mem-mode --symfs none "$@" ;; branches) set -- --symfs none "$@" ;; plain) set -- --kallsyms functions "$@" ;; esac
	"$STROBE" report --stdio --no-inline -i $file "$@" >ours 2>err </dev/null || return 1
	$STROBE_PERF72 report --stdio --no-inline -i $file "$@" 2>/dev/null </dev/null | plain >perf
	check "$file $*: there is text" grep -q '^#' perf
	check "$file $*: the text is perf 7.2's" diff perf <(plain <ours)
}
"$STROBE" report --sort help | awk '{ print $1 }' | sort -u >keys
check "there are keys" test "$(wc -l <keys)" -gt 60
while read -r key; do
	case $key in mem|snoop|tlb|locked|blocked|*daddr|*iaddr|dcacheline|data_page_size|*weight*|*_lat) file=memory ;; cgroup*) file=cgroups ;; *) file=plain ;; esac
	for form in "-s $key" "-F overhead,$key"; do
		grep -qE "^$key (-|${form%% *}) " differ && continue
		# shellcheck disable=SC2086
		compare $file $form || compare branches $form || check "$key is of some recording" false
	done
done <keys
finish
