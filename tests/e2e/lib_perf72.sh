# shellcheck shell=bash
# lib_perf72.sh: stored recordings and the output of perf 7.2 for them, so that comparisons do not
# depend on the machine or on chance. Source it after lib.sh.
#
#   layers_stored        unpacks tests/golden/layers.tar.xz here: recordings, the programs below
#                        root/, kernel functions in the file functions
#   perf72 WORDS...      the text (stdout) of perf 7.2 for these words, from expected/SCRIPT.perf72.xz
#   need_machines        ends the script where "on" cannot work;  on COMMAND...: run it with the PMUs of ./sys
#   perf72_kept          before finish: all that is kept was asked for
# STROBE_ACCEPT=1 runs STROBE_PERF72 and rewrites the file: for new options or recordings.
# Recordings must leave perf no choice: run it twice. STROBE_LIVE=1 makes new recordings in
# layers_stored and runs STROBE_PERF72 next to strobe. This finds what stored recordings cannot
# show; rarely perf orders two rows with equal sums by its memory layout.
need xz tar
perf72_file=$STROBE_SOURCE/tests/e2e/expected/$script.perf72.xz
declare -A perf72_number
live() { [ "${STROBE_LIVE:-0}" = 1 ]; }
if live || [ "${STROBE_ACCEPT:-0}" = 1 ]; then
	: "${STROBE_PERF72:?perf 7.2, which prints what is expected}"
else
	mkdir "$tmp/perf72"
	xz -dc "$perf72_file" |
		awk -v dir="$tmp/perf72" \
		'/^==== / { close(dir "/" n); n++; print substr($0, 6) >(dir "/heads"); printf "" >(dir "/" n); next }
		{ print >(dir "/" n) }' ||
		exit 1
	n=0
	while IFS= read -r head; do
		n=$((n + 1))
		perf72_number[$head]=$n
	done <"$tmp/perf72/heads"
fi
: >"$tmp/perf72.asked"

# layers_where: options that tell both tools where programs and kernel functions are.
layers_stored() {
	if live; then
		layers_where=
		need_can sample switches
		must "$STROBE_SOURCE/tests/golden/make_layers" "$STROBE"
	else
		layers_where="--symfs root --kallsyms functions"
		tar -xJf "$STROBE_SOURCE/tests/golden/layers.tar.xz"
	fi
}

perf72() {
	if live; then $STROBE_PERF72 "$@" 2>/dev/null </dev/null; return; fi
	local head="$*"
	if [ "${STROBE_ACCEPT:-0}" = 1 ]; then
		$STROBE_PERF72 "$@" 2>/dev/null </dev/null | sed -e 's/^# (Tip:.*/# (Tip)/' -e '$a\' >perf72.text
		{ echo "==== $head"; cat perf72.text; } >>"$tmp/perf72.asked"
		cat perf72.text
	elif [ -n "${perf72_number[$head]:-}" ]; then
		echo "$head" >>"$tmp/perf72.asked"
		cat "$tmp/perf72/${perf72_number[$head]}"
	else
		echo "not kept: $head (STROBE_ACCEPT=1 asks perf for it)"
	fi
}

perf72_kept() {
	live && return
	if [ "${STROBE_ACCEPT:-0}" = 1 ]; then xz -9e <"$tmp/perf72.asked" >"$perf72_file"; return; fi
	check "all that is kept of perf was asked for" diff <(sort "$tmp/perf72/heads") <(sort -u "$tmp/perf72.asked")
}

need_machines() {
	local devices=/sys/bus/event_source/devices
	[ -d $devices ] && [ "$(id -u)" = 0 ] && unshare -m mount --bind "$tmp" $devices 2>/dev/null && return
	skip_part "events of other machines: no mount namespaces here"
	perf72_kept
	finish
}
on() { unshare -m sh -c 'mount --bind sys /sys/bus/event_source/devices && exec "$@"' sh "$@"; }
