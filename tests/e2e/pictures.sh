#!/bin/bash
# collapse and flamegraph: the lines equal those of a collapser for script's text; the picture is
# sound XML, its boxes add up, foreign names are harmless, and it is interactive in a browser. page.sh
# has the page.
. "$(dirname "$0")/lib.sh"
need awk
golden=$STROBE_SOURCE/tests/golden

# The well-known rules for script's text, written once more: comm without blanks; names without
# offset, parameters, ';' and quotes; objects in brackets for frames without a name; the period as
# weight; only the first event found at the end of a head line.
collapser() {
	awk '
	function keep() { if (comm != "") sum[comm stack] += weight; comm = stack = "" }
	function tidy(name, object,    out, at) {
		sub(/\+0x[0-9a-f]+$/, "", name)
		if (name ~ /^\(/) return ""
		if (name == "[unknown]") { sub(/.*\//, "", object);
		name = object == "[unknown]" ? "[unknown]" : "[" object "]" }
		gsub(/;/, ":", name)
		if (name !~ /\.\(.*\)\./) {
			out = ""
			while ((at = index(name, "("))) {
				out = out substr(name, 1, at - 1); name = substr(name, at)
				if (index(name, "(anonymous namespace)") != 1) { name = ""; break }
				out = out "(anonymous namespace)"; name = substr(name, 22)
			}
			name = out name
		}
		gsub(/["\047]/, "", name)
		return ";" name
	}
	/^#/ { next }
	/^$/ { keep(); next }
	/^[^ \t]/ {
		match($0, /[ \t]+[0-9]+(\/[0-9]+)?[ \t]+/); comm = substr($0, 1, RSTART - 1);
		gsub(/ /, "_", comm); weight = 1; stack = ""
		if ($0 !~ /: +([0-9]+ +)?[^ ]+: *$/) next
		if ($(NF - 1) ~ /^[0-9]+$/) weight = $(NF - 1)
		if (event == "") event = $NF
		if (event != $NF) comm = ""
		next
	}
	comm != "" {
		line = $0; sub(/^[ \t]*[0-9a-f]+[ \t]+/, "", line); object = line;
		sub(/.* \(/, "", object); sub(/\)[^)]*$/, "", object)
		sub(/ \([^ ]*\)$/, "", line); stack = tidy(line, object) stack
	}
	END { keep(); for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort
}

for f in fp dwarf perf-fp perf-dwarf pipe perf-z; do
	run "$STROBE" collapse -i "$golden/$f.data"
	check "$f: collapse ends well" test $rc = 0
	"$STROBE" script -i "$golden/$f.data" | collapser >want
	check "$f: the lines are those of script's text" diff want out
	check "$f: there are some" test -s out
done
# Objects with a parenthesis in their names: deleted files, memfd. They have no symbols, so each
# frame of the program is unknown.
if can sample && command -v gcc >/dev/null && command -v python3 >/dev/null &&
	echo 'int main(void) { volatile long s = 0; for (long i = 0; i < 100000000; i++) s += i; return 0; }' |
	gcc -O1 -s -static -x c -o nameless - 2>/dev/null; then
	cat >fd.py <<-'PY'
	import os, sys
	fd = os.memfd_create("nameless")
	os.write(fd, open(sys.argv[1], "rb").read())
	os.execve(sys.argv[1] if sys.argv[2] == "file" else fd, ["nameless"], {})
	PY
	for kind in file memfd; do
		must "$STROBE" record \
			-q -N -B -g -e cpu-clock:u -F 1000 -o $kind.data python3 fd.py "$PWD/nameless" $kind
		"$STROBE" script -i $kind.data 2>/dev/null | collapser | grep -E '^(memfd:)?nameless;' |
			grep -v '\[vdso\]' >want
		"$STROBE" collapse -i $kind.data 2>/dev/null | grep -E '^(memfd:)?nameless;' |
			grep -v '\[vdso\]' | sort >got
		check "$kind: there are frames" test -s want
		check "$kind: unknown frames as the script names them" diff want got
	done
	check "memfd: the name is cut at the parenthesis" grep -q ';\[unknown\] ' got
	"$STROBE" flamegraph -i memfd.data -o memfd.svg 2>/dev/null
	check "memfd: the picture shows the object" grep -qF '[memfd:nameless (deleted)]' memfd.svg
else skip_part "deleted objects: no static C library, no Python, or this machine cannot: $why_not"; fi
# The scripts themselves: the same lines from our text, from perf's text, and from collapse.
if [ -f "${FLAMEGRAPH_DIR:-}/stackcollapse-perf.pl" ] && command -v perl >/dev/null; then
	for f in fp dwarf kernel perf-fp perf-dwarf; do
		# With process ids, which the script's --pid and --tid need
		"$STROBE" script -F +pid -i "$golden/$f.data" >text 2>/dev/null
		for option in "" --kernel --jit --all --pid --tid --addrs; do
			# shellcheck disable=SC2086	# an empty option must not become a word
			perl "$FLAMEGRAPH_DIR/stackcollapse-perf.pl" $option text 2>/dev/null | LC_ALL=C sort >from-text
			# shellcheck disable=SC2086
			"$STROBE" collapse $option -i "$golden/$f.data" 2>/dev/null | LC_ALL=C sort >from-collapse
			check "$f: stackcollapse-perf.pl gives some lines with '$option'" test -s from-text
			check "$f: those of collapse with '$option'" diff from-text from-collapse
		done
		# not for kernel.data: perf names frames of another kernel with the running kernel's
		# kallsyms
		if [ $f != kernel ] && "${STROBE_PERF72:-false}" version >/dev/null 2>&1; then
			"$STROBE_PERF72" script --no-inline -i "$golden/$f.data" 2>/dev/null |
				perl "$FLAMEGRAPH_DIR/stackcollapse-perf.pl" 2>/dev/null |
				sort >from-perf
			"$STROBE" script --no-inline -i "$golden/$f.data" 2>/dev/null |
				perl "$FLAMEGRAPH_DIR/stackcollapse-perf.pl" 2>/dev/null |
				sort >from-text
			check "$f: and the same from perf's text" diff from-perf from-text
		fi
	done
else
	skip_part "FLAMEGRAPH_DIR names no directory with stackcollapse-perf.pl"
fi
run "$STROBE" collapse -i "$golden/kernel.data" --all
check "kernel frames are marked" grep -qE "_[[]k[]]( |;)" out
run "$STROBE" collapse -i "$golden/fp.data" --tid
check "threads bear their ids" grep -qE '^[^ ;]+-[0-9]+/[0-9]+;' out
run "$STROBE" collapse -i "$golden/fp.data" --samples
"$STROBE" script -i "$golden/fp.data" -F comm,period,event >heads
check "--samples counts samples" test "$(awk '{ n += $NF } END { print n }' out)" = "$(wc -l <heads)"
run "$STROBE" collapse -i "$golden/fp.data" --diff "$golden/fp.data"
check "a recording compared with itself has equal columns" \
	awk '$(NF - 1) != $NF || $NF < 1 { bad = 1 } END { exit bad || !NR }' out
run "$STROBE" collapse -i "$golden/group.data" -e no-such-event
check "an unknown event is named" grep -q "has no event 'no-such-event'" err
check "an unknown event is an error" test $rc -ne 0
run "$STROBE" collapse -i "$golden/fp.data" -o /dev/full
check "a full disk is an error" test $rc -ne 0
# A file system of 64 kB becomes full halfway: the old file stays, and no part of the new one remains.
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k small small 2>/dev/null; then
	echo old >small/graph.svg
	run "$STROBE" flamegraph --html -i "$golden/fp.data" -o small/graph.svg
	first=$rc
	dd if=/dev/zero of=small/filler bs=1k count=64 2>/dev/null
	run "$STROBE" flamegraph --html -i "$golden/fp.data" -o small/graph.svg
	check "a disk that fills up is an error" test $rc -ne 0
	check "that names the file" grep -q "small/graph.svg" err
	check "there is no part of a file" test "$(echo small/*)" = "small/filler small/graph.svg"
	[ $first = 0 ] || check "the one before is untouched" grep -qx old small/graph.svg
	umount small
else
	skip_part "no small file system to fill up"
fi
echo old >target; ln -s target link
run "$STROBE" flamegraph -i "$golden/fp.data" -o link
check "a link is replaced, not followed" sh -c 'grep -qx old target && test ! -L link'

# --- the picture
run "$STROBE" flamegraph -i "$golden/fp.data" -o flame.svg
check "flamegraph ends well and says what it wrote" grep -q "wrote 'flame.svg'" err
grep '^<g class="b"><title>' flame.svg >boxes
check "the first box is everything" grep -q '^<g class="b"><title>all (.* 100.00%)' boxes
check "boxes of one level are disjoint and within the picture" awk -F '"' '
	{ x = $4; y = $6; w = $8; if (y in end && x < end[y] - 0.02) bad = 1; end[y] = x + w;
	if (x < 9.99 || x + w > 1190.02) bad = 1 }
	END { exit bad || NR < 3 }' \
		boxes
run "$STROBE" flamegraph -i "$golden/fp.data" --icicle --reverse --title 'a<b>&"c"' --colors object
check "a title is escaped" grep -q 'a&lt;b&gt;&amp;&quot;c&quot;' out
check "an icicle graph has its mark" grep -q 'data-icicle="1"' out
run "$STROBE" flamegraph -i "$golden/fp.data" --colors hoot
check "colours near the name are offered" grep -q "did you mean 'hot'" err
check "--negate alone is wrong" sh -c '! "$STROBE" flamegraph -i "$1" --negate 2>/dev/null' sh "$golden/fp.data"
run "$STROBE" flamegraph -i "$golden/fp.data" --diff "$golden/fp.data"
check "no change is white" sh -c '! grep "^<g class=.b" out | grep -qv "fill=.rgb(255,255,255)"'

# --- hostile names: of a thread here; functions and objects take the same path
if command -v xmllint >/dev/null; then
	for f in flame.svg out; do check "$f is sound XML" xmllint --noout "$f"; done
	workload spin
	cp spin ']]><script>alert(1)'
	if can sample; then
		must "$STROBE" record -q -g -o hostile.data './]]><script>alert(1)' 0.2
		"$STROBE" flamegraph -i hostile.data -o hostile.svg 2>/dev/null
		check "hostile names leave it sound" xmllint --noout hostile.svg
		check "a hostile name makes no script in the picture" test "$(grep -c '<script' hostile.svg)" = 1
		"$STROBE" flamegraph --html -i hostile.data -o hostile.html 2>/dev/null
		check "a hostile name makes no script in the page" test "$(grep -c '<script' hostile.html)" = 2
	else
		skip_part "hostile names: this machine cannot: $why_not"
	fi
else
	skip_part "no xmllint here"
fi

# --- in a browser: a click zooms, a search counts
in_browser() {	# page: print the page after the script ran
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" \
		--virtual-time-budget=8000 --dump-dom "file://$tmp/$1" 2>browser.log
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -n "$browser" ]; then
	# The width selects the box to click: which functions have names depends on the machine's
	# copy of the recorded program.
	{ sed 's/<\/svg>$//' flame.svg; cat <<'EOF'; } >driven.svg
<script><![CDATA[
{
	const said = {};
	window.onerror = (m) => document.documentElement.setAttribute("data-fault", m);
	const boxes = Array.from(document.querySelectorAll("g.b"));
	const width = (g) => parseFloat(g.querySelector("rect").getAttribute("width"));
	const click = (e) => e.dispatchEvent(new MouseEvent("click", { bubbles: true }));
	const full = width(boxes[0]), box = boxes.find((g) => width(g) < 0.95 * full), before = width(box);
	said.fits = Math.abs(full + 20 - document.documentElement.getBoundingClientRect().width) < 1;
	window.prompt = () => box.querySelector("title").textContent.replace(/ \(.*/, "")
		.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	click(box.querySelector("rect"));
	said.grew = width(box) > before && Math.abs(width(box) - full) < 0.01;
	said.reset = document.getElementById("reset").style.visibility;
	click(document.getElementById("reset"));
	said.same = Math.abs(width(box) - before) < 0.01;
	click(document.getElementById("search"));
	said.matched = document.getElementById("matched").textContent;
	document.documentElement.setAttribute("data-result", JSON.stringify(said));
}
]]></script></svg>
EOF
	in_browser driven.svg >dom
	check "the picture is as wide as the window" grep -q 'fits&quot;:true' dom
	check "a click zooms, reset goes back" \
		grep -q 'grew&quot;:true,&quot;reset&quot;:&quot;visible&quot;,&quot;same&quot;:true' dom
	check "a search shows the share" grep -qE 'Matched: [1-9][0-9.]*%' dom
else
	skip_part "no browser here"
fi
finish
