#!/bin/bash
# Code of a JIT with a jitdump: each sample in it has the name of the code that was at its address
# at its time. inject makes ELF files of it.
. "$(dirname "$0")/lib.sh"
workload jitter
mkdir dump
need_can sample
must "$STROBE" record -q -N -k mono -e cpu-clock:u -F 2000 -g -o perf.data ./jitter "$PWD/dump" 0.3
mv out truth

# judge < "TIME IP NAME" lines: each name appears only in its time span. A sample may be up to 20 us
# late; at each of the two changes one may be later, if the kernel preempted the process between
# address and time.
cat >judge.awk <<'A'
FNR == NR { name[FNR] = $1 ($4 == "" ? "" : " " $2 " " $3 " " $4); from[FNR] = $(NF - 1); to[FNR] = $NF; n = FNR; next }
{
	t = $1; sub(/:$/, "", t); sub(/\./, "", t); t += 0; split($0, p, "\t"); text = p[2]; total++
	for (i = 1; i <= n; i++) if (text == name[i]) {
		seen[i]++; if (t < from[i] - 2000000 || t > to[i] + 20000) wrong++ }
	if (text ~ /unknown/) unknown++
}
END { print total, wrong + 0, unknown + 0, seen[1] + 0, seen[2] + 0, seen[3] + 0
	exit !(seen[1] > 20 && seen[2] > 20 && seen[3] > 20 && wrong <= 2 && unknown < total / 20) }
A
# The innermost frame of each sample: "TIME	NAME".
frames() {
	awk '/^ *[0-9]+[.][0-9]+: *$/ { t = $1; want = 1; next }
		want && /^[ \t]/ { l = $0; sub(/^[ \t]+[0-9a-f]+ /, "", l); sub(/ +$/, "", l);
		print t "\t" l; want = 0 }'
}
judged() { "$1" script -i "$2" --ns -F time,ip,sym 2>/dev/null | frames >got; awk -f judge.awk truth got; }
check "every sample has the name of its time" judged "$STROBE" perf.data
run "$STROBE" script -i perf.data -F ip,sym,srcline
check "the jitdump gives lines of functions" grep -q 'source.jit:40' out
run "$STROBE" report -i perf.data --stdio -g none --sort sym
check "a report knows the names" grep -q 'gamma jit with blanks' out

# Without the jitdump's clock nothing tells when code was there: do not use names that shared an
# address, but use the others.
"$STROBE" record -q -N -e cpu-clock:u -F 2000 -g -o other.data ./jitter "$PWD/dump" 0.15 >/dev/null
run "$STROBE" script -i other.data -F ip,sym
check "another clock: what was alone at its place is named" grep -q 'gamma jit with blanks' out
check "names that shared an address are not guessed" sh -c '! grep -q "alpha_jit\|beta_jit" out'
run "$STROBE" inject -j -i other.data -o never.data
check "inject refuses another clock and says what to do" sh -c '[ '$rc' = 255 ] && grep -q "record with -k mono" err'

run "$STROBE" inject -j -i perf.data -o injected.data
check "inject -j is silent" sh -c '[ '$rc' = 0 ] && [ ! -s err ]'
rm -f dump/*.dump.kept; for f in dump/jit-*.dump; do mv "$f" "$f.kept"; done
check "files of the code" test "$(find dump -name 'jitted-*.so' | wc -l)" = 3
check "the names are in the new recording" judged "$STROBE" injected.data
lines() {
	"$1" script -i injected.data -F ip,sym,srcline 2>/dev/null |
		awk '/^ *[0-9a-f]+ alpha_jit|^[ \t]+[0-9a-f]+ alpha_jit/ { want = 1; next }
		want { n++; good += /source[.]jit:40/; want = 0 }
		END { print good + 0, "of", n + 0; exit !(n > 20 && good == n) }'
}
check "the injected recording has the lines" lines "$STROBE"
if perf version >/dev/null 2>&1; then
	check "perf reads the names of the injected recording" judged perf injected.data
	check "perf reads the lines of the injected recording" lines perf
fi
for f in dump/*.kept; do mv "$f" "${f%.kept}"; done

# Files that someone else put in the way.
rm -f dump/jitted-* && echo precious >victim && pid=$(ls dump/jit-*.dump | sed 's/.*jit-//; s/.dump//')
for p in $pid; do ln -s "$PWD/victim" "dump/jitted-$p-0.so"; done
run "$STROBE" inject -j -i perf.data -o planted.data
check "a planted link is not written through" grep -q precious victim
unnamed() { ! "$STROBE" script -i perf.data -F ip,sym "$@" | grep -q alpha_jit; }
if [ "$(id -u)" = 0 ]; then
	chown 12345 dump/jit-*.dump
	check "a jitdump of somebody else is not believed" unnamed
	"$STROBE" script -f -i perf.data -F ip,sym >out
	check "-f uses the jitdump of another user" grep -q alpha_jit out
	chown 0 dump/jit-*.dump
else skip_part "a jitdump of somebody else: needs root"; fi
for f in dump/jit-*.dump; do mv "$f" kept; mkfifo "$f"; done
check "a FIFO in place of a jitdump" timeout 60 "$STROBE" script -i perf.data -F ip,sym
for f in dump/jit-*.dump; do rm "$f"; ln -s "$PWD/kept" "$f"; done
check "a link is not followed" unnamed
for f in dump/jit-*.dump; do rm "$f"; cp kept "$f"; done
check "a copy in place of the jitdump is not used" unnamed
finish
