# shellcheck shell=bash
# lib_page.sh: drive the page of flamegraph --html in headless Chromium.
#
#   browser                             its command; empty: there is none here
#   page_get PAGE                       print the page's data as JSON
#   page_put PAGE JSON >NEW             the page with other data
#   drive PAGE[#LINK] [OPTION...] <SCRIPT >said
#                                       open the page, run SCRIPT in it when it has loaded, and print what it
#                                       put into `said`, as JSON. Faults of the page's own scripts are in said.faults.
# SCRIPT has: at(id), key(k), mouse(element, type, x, y), type(text), rows() of the table, texts(selector),
# status(), tip(): what is told, find(element, x0, x1, y0, y1, step, test): the first point that tells so.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
page_get() { python3 "$STROBE_SOURCE/tests/lib/page_data.py" get "$1"; }
page_put() { python3 "$STROBE_SOURCE/tests/lib/page_data.py" put "$1" "$2"; }
drive() {
	local page=${1%%"#"*} link=
	[ "$page" = "$1" ] || link="#${1#*"#"}"
	shift
	{
		printf '<script>window.faults = []; window.onerror = (m) => { faults.push(m); };'
		printf 'window.onunhandledrejection = (e) => { faults.push(String(e.reason)); };</script>\n'
		cat "$page"
		cat <<'EOF'
<script>
{
	const at = (id) => document.getElementById(id), said = {};
	const key = (k, more) => (document.activeElement && document.activeElement !== document.body ?
		document.activeElement : window).dispatchEvent(new KeyboardEvent("keydown",
		{ key: k, bubbles: true, cancelable: true, ...more }));
	const mouse = (e, type, x, y, more) =>
		e.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX: x, clientY: y, ...more }));
	const type = (text) => { at("search").value = text; at("search").dispatchEvent(new Event("input")); };
	const texts = (selector) => Array.from(document.querySelectorAll(selector)).map((e) => e.textContent);
	const rows = () => Array.from(document.querySelectorAll("#rows tbody tr")).filter((row) => row.cells.length);
	const status = () => at("status").textContent, tip = () => at("details").textContent;
	const box = (e) => e.getBoundingClientRect();
	const find = (e, x0, x1, y0, y1, step, test) => {
		const r = box(e);
		for (let y = r.top + y0; y < r.top + y1; y += step)
			for (let x = r.left + x0; x < r.left + x1; x += step) {
				mouse(e, "mousemove", x, y);
				if (test(tip()))
					return [x, y];
			}
		return null;
	};
	const start = () => {
		if (!document.documentElement.dataset.ready && !faults.length)
			return setTimeout(start, 10);
		try {
			run();
		} catch (error) {
			faults.push(String(error) + error.stack);
		}
		said.faults = faults;
		document.documentElement.setAttribute("data-said", JSON.stringify(said));
	};
	const run = () => {
EOF
		cat
		printf '\n\t};\n\tsetTimeout(start, 0);\n}\n</script>\n'
	} >driven.html
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" \
		--window-size=1200,800 --virtual-time-budget=20000 --dump-dom "$@" "file://$tmp/driven.html$link" \
		2>browser.log | python3 -c '
import html, re, sys
m = re.search("data-said=\"([^\"]*)\"", sys.stdin.read())
print(html.unescape(m.group(1)) if m else "nothing was said")'
}
# said NAME PYTHON: the expression, in which d is what was said, is true; `no faults` is checked with it
said() {
	check "$1: $(cut -c 1-1500 said)" python3 -c '
import json, re, sys
d = json.load(open("said"))
assert not d["faults"], d["faults"]
assert eval(sys.argv[1])' "$2"
}
