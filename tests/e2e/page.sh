#!/bin/bash
# flamegraph --html: the data are sound, foreign names are harmless, the page asks for nothing, stays small, and every
# view and key does what the manual says, in a browser.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_page.sh"
need python3
golden=$STROBE_SOURCE/tests/golden

# --- the data
run "$STROBE" flamegraph --html -i "$golden/fp.data" -o page.html
check "flamegraph --html succeeds" test $rc = 0
cat >sound.py <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
boxes, names = len(d["depth"]), len(d["names"])
assert boxes == len(d["name"]) and len(d["kind"]) == len(d["object"]) == names
assert d["depth"][0] == 0 and all(0 < b <= a + 1 for a, b in zip(d["depth"], d["depth"][1:]))
assert all(n < names for n in d["name"]) and all(b < boxes for b in d["box"])
assert all(s < d["slots"] for s in d["slot"]) and all(0 < t < len(d["threads"]) for t in d["thread"])
assert sum(d["weight"]) == int(sys.argv[2]) and d["slot_ns"] > 0
EOF
page_get page.html >data.json
check "the page's data are valid and complete" python3 sound.py data.json \
	"$("$STROBE" collapse -i "$golden/fp.data" | awk '{ n += $NF } END { printf "%.0f", n }')"
"$STROBE" flamegraph --html --samples -i "$golden/fp.data" -o samples.html 2>/dev/null
"$STROBE" script -i "$golden/fp.data" -F tid,comm >heads 2>/dev/null
page_get samples.html >samples.json
check "threads have their samples" python3 - <<'EOF'
import collections, json
d, want, got = json.load(open("samples.json")), collections.Counter(), collections.Counter()
for line in open("heads"):
    if line.strip():
        want[int(line.split()[-1].split("/")[-1])] += 1
for t, w in zip(d["thread"], d["weight"]):
    got[d["threads"][t][2]] += w
assert want == got and want, (want, got)
EOF
check "the page loads no other file" sh -c '! grep -qE "(src|href)=|@import|url\(|fetch\(|XMLHttp|import\(" page.html'
tr -s '\n\t ' ' ' <page.html >one-line.html
check "the page's policy forbids loading" grep -q "Content-Security-Policy\" content=\"default-src 'none'" one-line.html
run "$STROBE" flamegraph --html --reverse -i "$golden/fp.data"
check "--html refuses what it cannot show" grep -q "does not go with" err
run "$STROBE" flamegraph --with-code -i "$golden/fp.data"
check "code is for pages only" sh -c "test $rc = 129 && grep -q 'with --html only' err"

# --- a million samples of 15,000 stacks over five minutes, in eight threads
cat >million.py <<'EOF'
import array, os, random, struct, sys
SAMPLES, STACKS, SECONDS, FUNCTIONS, PID = 1000000, 15000, 300, 3000, 1999999
random.seed(1)
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, 1 | 2 | 4 | 1 << 5 | 1 << 8, 0, 1 << 8 | 1 << 9 | 1 << 18)
attr = attr.ljust(128, b"\0")
record = lambda kind, misc, body: struct.pack("<IHH", kind, misc, 8 + len(body)) + body
sid = struct.pack("<IIQ", PID, PID, 1)
chains = [[0]]
while len(chains) < STACKS:
    base = random.choice(chains[-4000:])
    keep = base[:random.randrange(max(1, len(base) - 6), len(base) + 1)] if len(base) < 28 else base[:12]
    chains.append(keep + [random.randrange(FUNCTIONS) for _ in range(random.randrange(1, 6))])
heads, tails = [], []
for chain in chains:
    ips = [0x1000000 + f * 256 + 16 for f in reversed(chain)]
    words = struct.pack("<%dQ" % (len(ips) + 2), len(ips) + 1, 2**64 - 512, *ips)
    heads.append(struct.pack("<IHHQ", 9, 2, 40 + len(words), ips[0]))
    tails.append(words)
tids = [struct.pack("<II", PID, PID + i) for i in range(8)]
times = array.array("Q", (1000 + SECONDS * 10**9 // SAMPLES * i for i in range(SAMPLES))).tobytes()
periods = array.array("Q", (900000 + random.getrandbits(17) for i in range(SAMPLES))).tobytes()
picks = random.choices(range(STACKS), [1 / (i + 3) for i in range(STACKS)], k=SAMPLES)
parts = [record(3, 0x2000, struct.pack("<II8s", PID, PID, b"prog") + sid),
         record(1, 2, struct.pack("<IIQQQ", PID, PID, 0x1000000, FUNCTIONS * 256, 0) + b"/prog\0\0\0" + sid)]
for i, pick in enumerate(picks):
    at = 8 * i
    parts += (heads[pick], tids[i & 7], times[at:at + 8], periods[at:at + 8], tails[pick])
data = b"".join(parts)
out = sys.stdout.buffer
out.write(b"PERFILE2" + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 1 << 3, 0, 0, 0))
out.write(attr + bytes(16))
out.write(data)
out.write(struct.pack("<QQ", 248 + len(data) + 16, 68) + struct.pack("<I64s", 64, b"host"))
EOF
python3 million.py >million.data
must "$STROBE" flamegraph --html --addrs -i million.data -o million.html
rm million.data
size=$(stat -c %s million.html)
say "a million samples: $size bytes"
check "a million samples are less than 20 MB" test "$size" -lt 20000000

[ -n "$browser" ] || { skip_part "no browser here"; finish; }
drive million.html <<'EOF' >said
	said.ready = Number(document.documentElement.dataset.ready);
	said.status = status();
	for (const k of ["s", "t", "l", "h", "c", "f"])
		key(k);
	said.boxes = Number(at("graph").dataset.boxes);
EOF
say "the browser was ready after $(python3 -c 'import json; print(json.load(open("said"))["ready"])') ms"
said "the browser shows them all" '"1,000,000 samples in 300.0" in d["status"] and d["boxes"] > 100'
rm million.html

# --- hostile names
drive 'page.html#view=table&search=</script><script>alert(1)</script>' <<'EOF' >said
	said.search = at("search").value;
EOF
said "a hostile link is text" '"alert" in d["search"]'
python3 - <<'EOF'
import json
d = json.load(open("data.json"))
evil = '</script><script>window.evil = 1</script><img src=x onerror="window.evil = 1">'
d["names"] = [evil + str(i) for i in range(len(d["names"]))]
d["objects"] = [evil for _ in d["objects"]]
d["threads"] = [[evil, t[1], t[2]] for t in d["threads"]]
d["title"] = d["unit"] = evil
d["code"] = [{"name": i, "object": evil, "weight": 5, "insns": [[0, 5, evil, -1, 0, 1]]}
             for i in range(len(d["names"])) for _ in range(2)]
d["files"] = [{"name": evil, "lines": {"1": evil}}]
json.dump(d, open("evil.json", "w"))
EOF
page_put page.html evil.json >evil.html
drive evil.html <<'EOF' >said
	for (const k of ["s", "c", "v", "v", "t", "l", "h", "?"])
		key(k);
	at("help").close();
	key("f");
	find(at("graph"), 0, 1000, 0, box(at("graph")).height, 9, (text) => text);
	said.evil = [window.evil === undefined, document.images.length, document.scripts.length];
EOF
said "hostile names stay text in all views" 'd["evil"] == [True, 0, 3]'

# --- every view and key, of a program with threads, its code and its source
need gcc
need_can sample
cat >work.c <<'C'
#include <pthread.h>
#include <time.h>
__attribute__((noinline)) long leaf(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		s += i * 3;
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}
__attribute__((noinline)) long middle(long n) { return leaf(n) + 1; }
__attribute__((noinline)) long other(long n)
{
	long s = 1;
	for (long i = 0; i < n; i++) {
		s ^= i * 7;
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}
static void *first(void *none)
{
	for (int i = 0; i < 150; i++)
		middle(1000000);
	return none;
}
static void *second(void *none)
{
	nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
	for (int i = 0; i < 150; i++)
		other(1000000);
	return none;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
C
gcc -g -O1 -fno-omit-frame-pointer work.c -o work -lpthread
must taskset -c $one_cpu "$STROBE" record -q -N -e cpu-clock:u -F 2000 -g -o work.data ./work
must "$STROBE" flamegraph --html -i work.data -o bare.html
page_get bare.html >bare.json
check "code is in no page that did not ask for it" sh -c '! grep -q "\"code\"" bare.json'
must "$STROBE" flamegraph --html --with-source -i work.data -o asked.html
must "$STROBE" bundle -q -i work.data -o bundled.data --with-code --with-source
mv work elsewhere; mv work.c elsewhere.c
must "$STROBE" flamegraph --html -i bundled.data -o work.html
mv elsewhere work; mv elsewhere.c work.c
for page in asked work; do
	page_get $page.html >$page.json
	check "$page: the page has code and source of hot functions" python3 - $page.json <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
leaf = [c for c in d["code"] if d["names"][c["name"]] == "leaf"][0]
assert leaf["weight"] == sum(i[1] for i in leaf["insns"]) > 0 and len(leaf["insns"]) > 3
hot = max(leaf["insns"], key=lambda i: i[1])
assert any("s += i * 3" in t or "asm" in t or "for (long" in t for t in d["files"][hot[4]]["lines"].values())
EOF
done
drive work.html <<'EOF' >said
	const graph = at("graph"), width = () => Number(tip().match(/, ([0-9.]+)%; itself/)[1]);
	const on = (name) => find(graph, 2, box(graph).width, 0, box(graph).height, 9, (t) => t.startsWith(name));
	const hash = () => decodeURIComponent(location.hash);
	const functions = () => rows().map((row) => row.cells[2].firstChild.textContent);
	said.whole = status();
	said.title = document.title;
	// the flame graph
	const leaf = on("leaf");
	said.leaf = width();
	mouse(graph, "click", ...leaf);
	said.zoomed = [on("other"), hash()];
	key("Backspace"); key("Backspace"); key("Backspace"); key("Backspace"); key("Backspace"); key("Backspace");
	said.out = on("other") !== null;
	const low = box(graph).height;
	key("i");
	said.flipped = on("all")[1] < box(graph).top + 20;
	key("i");
	key("ArrowUp"); key("ArrowUp"); said.up = tip();
	key("ArrowDown"); said.down = tip();
	key("ArrowUp"); key("ArrowUp"); key("ArrowRight"); key("ArrowLeft");
	key("Enter");
	said.entered = at("reset").classList.contains("hidden");
	key("Escape");
	said.left = at("reset").classList.contains("hidden");
	// callers and callees
	mouse(graph, "dblclick", ...on("leaf"));
	said.sandwich = [status(), at("about").textContent, on("first") !== null, on("other"), hash()];
	// the table
	key("t");
	said.table = rows().slice(0, 3).map((row) => row.textContent);
	document.querySelector("th[data-column=name]").click();
	said.byName = functions();
	document.querySelector("th[data-column=total]").click();
	said.byTotal = rows().map((row) => parseFloat(row.cells[0].textContent));
	document.querySelector("th[data-column=total]").click();
	said.reversed = rows().map((row) => parseFloat(row.cells[0].textContent));
	key("/");
	said.inSearch = document.activeElement === at("search");
	type("^(leaf|other)$");
	said.found = [rows().length, status()];
	key("Escape");
	said.still = [document.activeElement === at("main"), at("search").value];
	rows()[0].focus();
	key("c");
	said.codeOfRow = at("about").textContent;
	key("Escape");
	said.none = at("search").value;
	// threads
	key("l");
	const lines = at("lines"), left = Number(lines.dataset.left), main = box(at("main"));
	said.threads = Number(lines.dataset.lanes);
	const busy = find(lines, 20, 30, 20, 120, 5, (t) => t.startsWith("work"));
	mouse(lines, "mousedown", ...busy); mouse(window, "mouseup", ...busy);
	said.one = status();
	key("t");
	said.inOne = functions().filter((n) => n === "leaf" || n === "other");
	key("l");
	mouse(lines, "mousedown", busy[0], busy[1] + 18, { ctrlKey: true });
	said.two = status();
	mouse(lines, "mousedown", busy[0], busy[1], { ctrlKey: true });
	said.another = status();
	key("Escape"); key("l");
	mouse(lines, "mousedown", left + 100, main.top + 40); mouse(window, "mouseup", left + 300, main.top + 40);
	said.dragged = [status(), hash()];
	mouse(lines, "dblclick", left + 300, main.top + 40);
	said.all = status();
	// the strip
	mouse(at("time"), "mousedown", 0, 60);
	mouse(window, "mousemove", 200, 60);
	mouse(window, "mouseup", 250, 60);
	said.range = status();
	key("."); said.later = status();
	key(","); said.earlier = status();
	key("t");
	said.early = functions().filter((n) => n === "leaf" || n === "other");
	key("Escape");
	// the heat map
	key("h");
	const cells = at("cells"), h = cells.dataset, r = box(cells);
	const cell = (col, row) => [r.left + Number(h.left) + (col + 0.5) * h.wide,
		r.top + Number(h.top) + (h.rows - 1 - row + 0.5) * h.high];
	said.heat = [Number(h.columns), Number(h.rows)];
	mouse(cells, "mousemove", ...cell(0, 2)); said.cell = tip();
	mouse(cells, "mousedown", ...cell(0, 0));
	mouse(cells, "mousemove", ...cell(0, 3)); mouse(window, "mouseup", ...cell(0, 3));
	said.cells = status();
	key("Escape");
	// code
	key("s"); type(""); key("f");
	mouse(graph, "dblclick", ...on("leaf"));
	key("c");
	const cells_like = (pattern) => texts("#code td").filter((t) => pattern.test(t)).length;
	const code = () => [at("about").textContent, cells_like(/s \+= i|asm/),
		cells_like(/^(add|lea|cmp|j|b|sub)/)];
	said.both = code();
	key("v"); said.assembly = code();
	key("v"); said.source = code();
	key("v"); said.again = code();
	document.querySelector("#code a").click();
	said.aim = document.querySelectorAll("#code tr.aim").length;
	// light and dark
	const back = () => getComputedStyle(document.body).backgroundColor, light = back();
	key("d"); said.dark = back() !== light;
	at("theme").click(); said.light = back() === light;
	// help
	key("?");
	said.help = [at("help").open, texts("#help kbd")];
	at("help").close();
	key("f"); key("Escape");
	said.back = status() === said.whole;
EOF
said "the flame graph tells shares" '30 < d["leaf"] < 70 and "samples in" in d["whole"] and d["title"] == "Profile"'
said "a click zooms, Backspace goes back" 'd["zoomed"][0] is None and d["out"]'
said "i turns it over" 'd["flipped"]'
said "arrows move, Enter zooms, Escape shows everything" 'd["up"] != d["down"] and not d["entered"] and d["left"]'
said "a double click leads to callers and callees" \
	'"around leaf" in d["sandwich"][0] and "self" in d["sandwich"][1] \
	and d["sandwich"][2] and d["sandwich"][3] is None'
said "the link holds view and function" '"view=sandwich&function=leaf" in d["sandwich"][4]'
said "the table begins with the largest own share" 'any("leaf" in r for r in d["table"][:2])'
said "it sorts by its heads" 'd["byName"] == sorted(d["byName"]) and len(d["byName"]) > 3 \
	and d["byTotal"] == sorted(d["byTotal"], reverse=True) and d["reversed"] == sorted(d["reversed"])'
said "/ goes to the search, which filters the table and tells the share" \
	'd["inSearch"] and d["found"][0] == 2 and "matched " in d["found"][1] \
	and d["still"] == [True, "^(leaf|other)$"]'
said "c on a row shows its code; Escape clears the search" 'd["codeOfRow"][:4] in ("leaf", "othe") and d["none"] == ""'
said "each thread has a track" 'd["threads"] in (2, 3)'
said "a click on a name chooses a thread" '"work" in d["one"] and len(d["inOne"]) == 1'
said "with Ctrl one more, and one less" 'd["two"].count("work ") == 2 and d["another"].count("work ") == 1'
said "a drag over the tracks chooses the time, a double click all" \
	'" s to " in d["dragged"][0] and "time=" in d["dragged"][1] and " s to " not in d["all"]'
said "a drag over the strip chooses the time; only its samples count" \
	're.search(r" 0\.0+ s to ", d["range"]) and d["early"] == ["leaf"]'
said ". and , move it" 'd["later"] != d["range"] and d["earlier"] == d["range"]'
said "the heat map has a column per turn and tells each cell" \
	'd["heat"][0] >= 1 and d["heat"][1] >= 10 and " s to " in d["cell"]'
said "its cells choose the time" 're.search(r" 0\.0+ s to ", d["cells"])'
said "the code of a function: source and assembly" '"leaf" in d["both"][0] and d["both"][1] > 0 and d["both"][2] > 0'
said "v: assembly alone, source alone" 'd["assembly"][1] == 0 and d["assembly"][2] == d["both"][2] \
	and d["source"][1] > 0 and d["source"][2] == 0 and d["again"] == d["both"]'
said "a jump leads to its target" 'd["aim"] == 1'
said "d and the button change between light and dark" 'd["dark"] and d["light"]'
said "? lists every key" 'd["help"][0] and set("fstlhc/i,.vd?") <= set(d["help"][1]) | set("o") \
	and {"Enter", "Escape", "Backspace", "ArrowUp"} <= set(d["help"][1])'
said "in the end everything is shown again" 'd["back"]'
for k in f s t l h c i d v o / ',' . Backspace Enter Escape; do
	check "the manual has the key $k" sh -c 'tr -d "\\\\&" <"$1" | grep -qE -- "^.It (.*, )?Ic $2( |$)"' sh \
		"$STROBE_SOURCE/man/strobe-flamegraph.1" "$k"
done
for scheme in 0:dark 1:light; do
	drive work.html --blink-settings=preferredColorScheme=${scheme%:*} <<'EOF' >said
	said.sum = getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).reduce((a, b) => a + Number(b), 0);
EOF
	said "by default as the desktop: ${scheme#*:}" "(d['sum'] < 200) == (${scheme%:*} == 0)"
done
drive 'work.html#view=code&function=other&theme=dark' <<'EOF' >said
	said.about = at("about").textContent;
EOF
said "a link leads to a view" 'd["about"].startswith("other")'
drive 'bare.html#view=code&function=leaf' <<'EOF' >said
	said.text = at("code").textContent;
EOF
said "without code the page says what to do" '"--with-code" in d["text"]'

# --- two recordings
sed 's/middle(1000000)/middle(2500000)/' work.c >slower.c
mkdir later && gcc -g -O1 -fno-omit-frame-pointer slower.c -o later/work -lpthread || exit 1
must taskset -c $one_cpu "$STROBE" record -q -N -e cpu-clock:u -F 2000 -g -o slower.data later/work
must "$STROBE" flamegraph --html -i slower.data --diff work.data -o diff.html
drive diff.html <<'EOF' >said
	const graph = at("graph");
	const share = (name) => {
		const r = box(graph), place = find(graph, 2, r.width, 0, r.height, 9, (t) => t.startsWith(name));
		const pixel = (x, y) => Array.from(graph.getContext("2d").getImageData(x, y, 1, 1).data);
		const ratio = devicePixelRatio;
		return place && [tip(), pixel((place[0] - r.left + 1) * ratio, (place[1] - r.top) * ratio)];
	};
	said.leaf = share("leaf");
	said.other = share("other");
	const width = (name) => Number(share(name)[0].match(/, ([0-9.]+)%; itself/)[1]);
	said.now = width("leaf");
	key("o");
	said.old = width("leaf");
	said.status = status();
	key("o"); key("t");
	said.heads = texts("#rows th");
	document.querySelector("th[data-column=change]").click();
	said.rows = rows().slice(0, 6).map((row) => row.textContent);
	key("s");
	said.sandwich = status();
EOF
said "what grew is red, what shrank is blue" 'd["leaf"][1][0] > d["leaf"][1][2] and d["other"][1][2] > d["other"][1][0]'
said "boxes tell both shares" '" is " in d["leaf"][0] and "+" in d["leaf"][0].split(": ")[-1] \
	and "-" in d["other"][0].split(": ")[-1]'
said "o draws the old widths" 'd["old"] < d["now"] - 5 and "old recording" in d["status"]'
said "the table has the change, the largest first" 'len(d["heads"]) == 5 \
	and any("leaf" in r and "+" in r for r in d["rows"]) and any("other" in r and "-" in r for r in d["rows"])'

# --- callers and callees of a function that calls itself: boxes too narrow for the window appear when
# their caller fills the width
cat >nested.json <<'EOF'
{"version":1,"slots":1,"slot_ns":1000000,"samples":0,"compared":false,"title":"t","unit":"u",
"threads":[["o",0,0],["t",1,1]],"objects":[""],
"names":["all","task","again","middle","rare","deep","leaf","other"],"kind":[4,4,0,0,0,0,0,0],
"object":[0,0,0,0,0,0,0,0],"depth":[0,1,2,3,4,5,3,4,2,3],"name":[0,1,2,3,4,5,2,6,7,2],
"box":[3,5,7,9],"slot":[0,0,0,0],"thread":[1,1,1,1],"weight":[19,1,5000,4980]}
EOF
page_put page.html nested.json >nested.html
drive 'nested.html#view=sandwich&function=again' <<'EOF' >said
	const graph = at("graph");
	let last;
	const all = (name) => {	// the texts of boxes of this name, from the top
		const r = box(graph), found = [];
		for (let y = r.top + 8; y < r.bottom; y += 8)
			for (let x = r.left; x < r.right; x++) {
				mouse(graph, "mousemove", x, y);
				if (tip().startsWith(name + "\n") && !found.includes(tip()))
					found.push(tip()), last = [x, y];
			}
		return found.map((t) => t.replace(/ u, .*itself/, "").replace(/\s+/g, " "));
	};
	for (const name of ["other", "task", "leaf", "deep", "middle"])
		said[name] = all(name);
	mouse(graph, "click", ...last);
	said.zoomed = all("deep");
EOF
said "callers and callees add up, the outermost of nested calls counts" \
	'd["other"] == ["other 4,980 0.00%"] and d["task"] == ["task 4,980 49.80%", "task 5,020 50.20%"] \
	and d["leaf"] == ["leaf 5,000 50.00%"]'
said "boxes too narrow for the window are not drawn, until what it is in fills the width" \
	'd["deep"] == [] and d["zoomed"] == ["deep 1 0.01%"]'

# --- a table of 30,000 functions: only visible rows exist
python3 - <<'EOF'
import json
n = 30000
json.dump({"version": 1, "slots": 1, "slot_ns": 1000000, "samples": 0, "compared": False, "title": "t", "unit": "u",
    "threads": [["o", 0, 0], ["t", 1, 1]], "objects": [""], "names": ["all"] + ["f%05d" % i for i in range(1, n + 1)],
    "kind": [4] + [0] * n, "object": [0] * (n + 1), "depth": [0] + [1] * n, "name": list(range(n + 1)),
    "box": list(range(1, n + 1)), "slot": [0] * n, "thread": [1] * n, "weight": list(range(1, n + 1))},
    open("long.json", "w"))
EOF
page_put page.html long.json >long.html
drive 'long.html#view=table' <<'EOF' >said
	const main = at("main"), name = (row) => row.cells[2].firstChild.textContent;
	const isSeen = (r, m) => r.bottom > m.top + 30 && r.top < m.bottom - 1;
	const seen = () => rows().filter((row) => isSeen(box(row), box(main))).map(name);
	const scroll = (to) => { main.scrollTop = to; main.dispatchEvent(new Event("scroll")); };
	said.few = rows().length > 5 && rows().length < 300;
	said.first = name(rows()[0]);
	scroll(15000 * 20);
	rows()[12].focus();
	const middle = seen(), focus = document.activeElement;
	said.middle = middle.includes("f15000") &&
		middle.every((name, i) => !i || Number(name.slice(1)) === Number(middle[i - 1].slice(1)) - 1);
	scroll(15001 * 20);
	said.kept = document.activeElement === focus && focus.tagName === "TR";
	key("ArrowDown");
	said.next = name(document.activeElement) === "f" + String(Number(name(focus).slice(1)) - 1);
	scroll(1e9);
	said.last = seen().pop();
	type("f0012[34]$");
	said.found = rows().map(name).join();
EOF
said "a long table has rows where it is seen, in their order, and the focus stays" \
	'd["few"] and d["first"] == "f30000" and d["middle"] and d["kept"] and d["next"] and d["last"] == "f00001" \
	and d["found"] == "f00124,f00123"'
finish
