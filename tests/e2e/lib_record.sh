# shellcheck shell=bash
# lib_record.sh: what the scripts about recording share. Source it after lib.sh.
#
#   may_record          skips the script where this user may not open events at all
#   used PID MS         waits until the process has used that much CPU time
#   no_build_ids FILE   it has no list of build-ids. Map records are not checked: when
#                       another session asks for build-ids, some kernels put them into the records of all sessions
#   samples FILE        number of samples by our own reader
#   whole FILE WORDS...  records with these words into the file, on a busy machine again until nothing is lost
#   reads_cleanly FILE WHAT [COMMANDS...]  every other reader at hand (an installed perf,
#                                          STROBE_PERF72) reads the file without messages on
#                                          stderr, with these commands (default: all that read)
may_record() {
	need_can sample
	must "$STROBE" record -q -N -e cpu-clock:u -o try.data true
	rm -f try.data
	workload spin
	readers=
	if command -v perf >/dev/null && perf version >/dev/null 2>&1; then
		readers=perf
	else
		skip_part "reading by perf: none is installed"
	fi
	if [ -n "${STROBE_PERF72:-}" ]; then
		readers="$readers $STROBE_PERF72"
	else
		skip_part "reading by perf 7.2: STROBE_PERF72 is not set"
	fi
}

used() {
	for _ in $(seq 1000); do
		[ "$(awk '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / hz }' hz="$(getconf CLK_TCK)" \
			"/proc/$1/stat" 2>/dev/null)" \
			-ge "$2" ] 2>/dev/null &&
			return
		sleep 0.02
	done
}

no_build_ids() { "$STROBE" report --header-only -i "$1" | grep '^# missing features:.* BUILD_ID '; }

samples() {
	"$STROBE" report --stats -i "$1" 2>/dev/null |
		awk '/SAMPLE events:/ && !/LOST/ { print $3 + 0; seen = 1; exit } END { if (!seen) print 0 }'
}

whole() {
	local file=$1
	shift
	for _ in 1 2 3 4 5; do
		must "$STROBE" record -o "$file" "$@"
		"$STROBE" report --stats -i "$file" 2>/dev/null | grep -q ' LOST.* events:' || return 0
	done
	say "five recordings lost records: $file"
}

at_least() { [ "${1:-0}" -ge "$2" ] || { echo "$1 is less than $2"; return 1; }; }

# Allowed messages: that there are no samples, if this is true; and that of 7.2 about a file whose
# recorder had no time to write features.
quietly() {
	"$@" >reader.out 2>reader.err </dev/null || { cat reader.err; return 1; }
	! grep -v -e '^Error:$' -e 'data has no samples!$' -e '^WARNING: perf.data is missing HEADER_NRCPUS' reader.err
}

reads_cleanly() {
	file=$1 what_file=$2
	shift 2
	[ $# -gt 0 ] || set -- "script" "report --stdio" "report --header-only" "evlist -v" "inject -b -o injected.data"
	for reader in $readers; do
		for words in "$@"; do
			check "$what_file: ${reader##*/} $words reads it" quietly $reader $words -i "$file"
		done
	done
}
