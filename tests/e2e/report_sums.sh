#!/bin/bash
# report: what must hold for any profile: columns add up, callers include their callees, levels of a
# hierarchy add up, accepted and rejected samples of a filter are the whole. For fresh recordings
# and, if there is a corpus, those in it.
. "$(dirname "$0")/lib.sh"
workload layers -fno-optimize-sibling-calls
need_can sample
must "$STROBE" record -q -e cpu-clock -F 999 -g -o chains.data ./layers
must "$STROBE" record -q -e cpu-clock,page-faults -F 999 -g -o several.data ./layers
cp "$STROBE_SOURCE/tests/golden/fp.data" golden.data
if [ -n "${STROBE_CORPUS:-}" ]; then
	for name in l61-gfp l72-multi l61-group; do cp "$STROBE_CORPUS/data/$name.data" .; done
	xz -dc "$STROBE_CORPUS/data/quipper-callgraph_and_branch-3.8.data.xz" >chrome.data
fi

# Rows for programs, one event after another; the first column "event" tells which.
rows() {
	"$STROBE" report --stdio -g none --no-inline -t '|' -i "$@" 2>/dev/null </dev/null |
		awk -F '|' -v OFS='|' '/^# Samples/ { n++ } !/^#/ && NF > 1 { $1 = n "|" $1; print }'
}
# The sum of a column, per event.
sums() { awk -F '|' -v c="$1" '{ s[$1] += $c } END { for (e in s) printf "%s %.0f\n", e, s[e] }' | sort; }
# Event counts from the headings.
totals() {
	"$STROBE" report --stdio -g none --no-inline -i "$@" 2>/dev/null </dev/null |
		awk '/^# Event count/ { print ++n, $NF }' | sort
}

for data in *.data; do
	for keys in comm sym cpu,comm srcline; do
		case $data:$keys in chrome*:srcline|*group*) continue ;; esac
		rows $data --no-children -F period -s $keys | sums 2 >sum
		totals $data --no-children >total
		check "$data by $keys: there is a total" test -s total
		check "$data by $keys: periods of all rows are the whole" cmp sum total
	done
	case $data in *group*) continue ;; esac
	rows $data -F overhead_children,overhead,sample,period -s sym >children
	check "$data: there are rows" test -s children
	check "$data: callers have at least their own" \
		awk -F '|' '$2 !~ "N/A" && $2 + 0.005 < $3 + 0 { exit 1 }' children
	check "$data: and at most everything" awk -F '|' '$2 + 0 > 100.005 { exit 1 }' children
	rows $data --no-children -F period -s sym | sums 2 >flat
	sums 5 <children >own
	check "$data: own parts are the same with and without callers" cmp flat own
done

# A hierarchy: on each level, the rows below a row sum up to it, in periods.
for data in chains.data golden.data; do
	"$STROBE" report --stdio -q -g none -H -s comm,dso,sym --show-total-period -i $data 2>/dev/null </dev/null >tree
	check "$data: a hierarchy adds up" awk '
		function level(line) { return index(line, "%") }
		/%/ { indent = level($0); period = $2; while (n && indents[n] >= indent) n--; n++;
		indents[n] = indent; if (n > 1) below[n - 1, at[n - 1]] += period; at[n]++;
		has[n, at[n]] = period; if (n > deepest) deepest = n }
		END { if (deepest != 3) exit 1; for (k in below) if (below[k] != has[k]) exit 1 }' tree
done

# Filters, with shares of all samples: accepted and rejected samples are the whole.
for data in chains.data golden.data; do
	whole=$(rows $data --no-children -F period -s comm | sums 2)
	names=$(rows $data --no-children -F period,comm -s comm | awk -F '|' '{ sub(/ *$/, "", $3); print $3 }')
	first=$(head -1 <<<"$names") others=$(tail -n +2 <<<"$names" | paste -sd,)
	with=$(rows $data --no-children -F period -s comm,sym -c "$first" |
		awk -F '|' '{ s += $2 } END { printf "%.0f\n", s }')
	without=0
	[ -z "$others" ] ||
		without=$(rows $data --no-children -F period -s comm,sym -c "$others" |
		awk -F '|' '{ s += $2 } END { printf "%.0f\n", s }')
	check "$data: -c $first and the rest are the whole" test "$((with + without))" = "${whole#* }"
	parts=$(for slice in 1 2 3 4; do rows $data --no-children -F sample -s comm --time 25%/$slice; done |
		awk -F '|' '{ s += $2 } END { printf "%.0f\n", s }')
	check "$data: slices of time are the whole" \
		test "$parts" \
		= "$(rows $data --no-children -F sample -s comm | awk -F '|' '{ s += $2 } END { printf "%.0f\n", s }')"
done
finish
