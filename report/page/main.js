// Views, keys, and the state that a link to the page can hold.

const VIEWS = [
	{ id: "flame", key: "f", label: "Flame graph", shows: "graph" },
	{ id: "sandwich", key: "s", label: "Callers & callees", shows: "graph" },
	{ id: "table", key: "t", label: "Table", shows: "rows" },
	{ id: "threads", key: "l", label: "Threads", shows: "lanes" },
	{ id: "heat", key: "h", label: "Heat map", shows: "heat" },
	{ id: "code", key: "c", label: "Code", shows: "code" },
];
let view = "flame";
let found = null,
	foundBoxes = null; // by name and by box: what the search finds; null: no search
const inFound = (box) => foundBoxes[box];

// ---- drawing ----

const hottest = () =>
	sumsOfFunctions().self.reduce(
		(best, w, n, self) => (KINDS[data.kind[n]] !== "task" && n && w > self[best] ? n : best),
		0
	);

function drawAbout() {
	const shows = view === "sandwich" || view === "code",
		name = chosen.name,
		{ total, self } = sumsOfFunctions();
	at("about").classList.toggle("hidden", !shows || !name);
	if (!shows || !name) return;
	const other = view === "code" ? "sandwich" : "code",
		button = element("button", view === "code" ? "Callers & callees (s)" : "Code (c)");
	button.onclick = () => show(other);
	at("about").replaceChildren(
		element("b", names[name]),
		element("span", objectOf(name)),
		element(
			"span",
			`total ${percent(total[name], all.total[0])}, self ${percent(self[name], all.total[0])}`
		),
		button
	);
	if (view === "code" && codesOf(name).length && data.files.length) {
		const form = element("button", `Show: ${codeForm} (v)`);
		form.onclick = nextForm;
		at("about").append(form);
	}
}

function draw() {
	const shows = VIEWS.find((v) => v.id === view).shows;
	for (const id of ["graph", "rows", "lanes", "heat", "code"])
		at(id).classList.toggle("hidden", id !== shows);
	for (const { id } of VIEWS) at(id + "-view").setAttribute("aria-selected", view === id);
	drawAbout();
	drawTime();
	({ graph: drawGraph, rows: drawTable, lanes: drawLanes, heat: drawHeat, code: drawCode })[shows]();
	at("status").textContent = status();
	at("reset").classList.toggle("hidden", !chosen.range && !chosen.threads && !found && !all.root);
	remember();
}

function status() {
	const parts = [`${count(all.total[0])} ${data.unit}`];
	if (data.samples && !chosen.range && !chosen.threads)
		parts.push(`${count(data.samples)} samples in ${seconds(spanNs)}`);
	if (data.compared) parts.push(chosen.old ? "widths: the old recording" : "compared: red grew, blue shrank");
	if (chosen.range) parts.push(`${seconds(chosen.range[0])} to ${seconds(chosen.range[1])}`);
	if (chosen.threads)
		parts.push(
			[...chosen.threads]
				.slice(0, 3)
				.map((t) => threadName(data.threads[t]))
				.join(", ") +
				(chosen.threads.size > 3 ? ` and ${chosen.threads.size - 3} more threads` : "")
		);
	if (found) parts.push("matched " + percent(matched(), all.total[0]));
	if (view === "sandwich" || view === "code") parts.push("around " + names[chosen.name]);
	if (view === "threads") parts.push(`${orderTracks().length} threads`);
	if (view === "table") parts.push(`${count(table.order.length)} functions`);
	return parts.join("  \u00b7  ");
}

function matched() {
	let sum = 0;
	for (let i = 0; i < all.depth.length;)
		if (found[all.name[i]]) {
			sum += all.total[i];
			i = all.end[i];
		} else {
			i++;
		}
	return sum;
}

// The samples that count, or the function, have changed: make the trees anew.
function arrange() {
	graph.focus = -1;
	tracks.order = null;
	tracks.barsOf = "";
	if ((view === "sandwich" || view === "code") && !chosen.name) chosen.name = hottest();
	if (view === "sandwich") {
		graph.shown = chosen.name ? around(chosen.name) : [];
	} else {
		all.down = graph.flipped;
		graph.shown = [all];
	}
	draw();
}

function show(which) {
	if (graph.focus >= 0 && (which === "sandwich" || which === "code") && nameOfBox(graph.focus))
		chosen.name = nameOfBox(graph.focus);
	view = which;
	tell("");
	if (which !== "code")
		// that scrolls to what is hot
		at("main").scrollTop = 0;
	arrange();
	if (which === "flame" && !graph.flipped) at("main").scrollTop = at("main").scrollHeight;
}

function choose(name, which) {
	chosen.name = name;
	graph.focus = -1;
	show(which);
}

// ---- actions ----

function search(term) {
	let pattern = null;
	if (term) {
		try {
			pattern = new RegExp(term);
		} catch (error) {
			pattern = new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
		}
	}
	found = pattern ? names.map((n, i) => i > 0 && pattern.test(n)) : null;
	if (found) {
		foundBoxes = new Uint8Array(all.name.length);
		for (let i = 1; i < all.name.length; i++)
			foundBoxes[i] = found[all.name[i]] || foundBoxes[all.parent[i]];
	}
	tracks.order = null;
	tracks.barsOf = "";
	draw();
}

function reset() {
	all.root = 0;
	chosen.range = chosen.threads = null;
	at("search").value = "";
	found = null;
	weigh();
	arrange();
}

function flip() {
	graph.flipped = !graph.flipped;
	show("flame");
}

function changeTheme() {
	const dark = isDark();
	root.classList.toggle("dark", !dark);
	root.classList.toggle("light", dark);
	draw();
}

function nextForm() {
	codeForm = FORMS[(FORMS.indexOf(codeForm) + 1) % FORMS.length];
	arrange();
}

function changeWidths() {
	chosen.old = !chosen.old;
	all.root = 0;
	weigh();
	arrange();
}

// Up to the caller of the box that fills the width.
function zoomOut() {
	for (const tree of graph.shown)
		if (tree.places && tree.way.length > 1) (tree.way.pop(), (tree.width = 0));
		else if (!tree.places) tree.root = tree.parent[tree.root];
	draw();
}

const onGraph = () => (view === "flame" || view === "sandwich") && graph.boxes.length;
const KEYS = [
	...VIEWS.map(({ id, key, label }) => ({ keys: [key], text: label.toLowerCase(), act: () => show(id) })),
	{ keys: ["/"], text: "search; Escape leaves the field", act: () => at("search").focus() },
	{
		keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
		text: "move over the boxes",
		when: onGraph,
		act: moveFocus,
	},
	{
		keys: ["Enter"],
		text: "let the box fill the width",
		when: () => onGraph() && graph.focus >= 0,
		act: () => zoom(graph.focus),
	},
	{ keys: ["Backspace"], text: "back to its caller", when: onGraph, act: zoomOut },
	{
		keys: [",", "."],
		text: "move the chosen time to earlier, to later",
		act: (key) => moveRange(key === "," ? -1 : 1),
	},
	{ keys: ["i"], text: "turn the flame graph over", act: flip },
	{
		keys: ["v"],
		text: "code: source and assembly, assembly, source",
		when: () => view === "code",
		act: nextForm,
	},
	{
		keys: ["o"],
		text: "of two recordings, draw the widths of the other one",
		when: () => data.compared,
		act: changeWidths,
	},
	{ keys: ["d"], text: "light or dark", act: changeTheme },
	{ keys: ["?"], text: "this page", act: showHelp },
	{ keys: ["Escape"], text: "show everything again", act: reset },
];

window.addEventListener("keydown", (e) => {
	if (e.target === at("search")) {
		if (e.key === "Escape" || e.key === "Enter") at("main").focus();
		return;
	}
	if (e.ctrlKey || e.altKey || e.metaKey || at("help").open) return;
	const key = KEYS.find((k) => k.keys.includes(e.key) && (!k.when || k.when()));
	if (!key) return;
	key.act(e.key);
	e.preventDefault();
});

// ---- the link: #view=table&search=main&function=x&time=1.5-2&theme=dark ----

function remember() {
	const link = new URLSearchParams();
	link.set("view", view);
	if ((view === "sandwich" || view === "code") && chosen.name) link.set("function", names[chosen.name]);
	if (at("search").value) link.set("search", at("search").value);
	if (chosen.range) link.set("time", chosen.range.map((ns) => (ns / 1e9).toFixed(6)).join("-"));
	try {
		history.replaceState(null, "", "#" + link);
	} catch (error) {
		// not everywhere; it is a comfort only
	}
}

function recall() {
	const link = new URLSearchParams(location.hash.slice(1)),
		time = (link.get("time") || "").split("-").map((s) => parseFloat(s) * 1e9);
	const theme = link.get("theme"),
		name = names.indexOf(link.get("function"), 1);
	if (theme === "dark" || theme === "light") root.classList.add(theme);
	if (time.length === 2 && time[0] >= 0 && time[1] > time[0])
		chosen.range = [time[0], Math.min(time[1], spanNs)];
	chosen.name = Math.max(name, 0);
	at("search").value = link.get("search") || "";
	weigh();
	if (at("search").value) search(at("search").value);
	show(VIEWS.some((v) => v.id === link.get("view")) ? link.get("view") : "flame");
}

function start() {
	document.title = at("title").textContent = data.title;
	for (const { id, key, label } of VIEWS) {
		const button = element("button", label);
		button.id = id + "-view";
		button.title = `(${key})`;
		button.setAttribute("role", "tab");
		button.onclick = () => show(id);
		at("views").append(button);
	}
	at("strip").classList.toggle("hidden", data.slots < 2);
	at("keys").onclick = showHelp;
	at("flip").onclick = flip;
	at("theme").onclick = changeTheme;
	at("reset").onclick = reset;
	at("search").addEventListener("input", (e) => search(e.target.value));
	at("main").addEventListener("scroll", () => {
		if (view === "table") showRows();
		else if (view === "threads") drawLanes();
	});
	window.addEventListener("resize", draw);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
	recall();
	root.dataset.ready = Math.round(performance.now()); // for who looks from outside
}
start();
