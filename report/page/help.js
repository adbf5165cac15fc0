// What can be done here: the keys, from the table that also acts on them, and what colours mean.

function legend() {
	const box = element("p");
	if (data.compared) {
		box.append(
			swatch("hsl(6 80% 62%)"),
			"a larger share than in the old recording",
			swatch("hsl(214 80% 62%)"),
			"a smaller one"
		);
		return box;
	}
	const texts = {
		task: "thread",
		user: "program and libraries",
		inlined: "inlined call",
		kernel: "kernel",
		jit: "generated code",
		unknown: "no symbol",
	};
	for (const [kind, text] of Object.entries(texts)) box.append(swatch(fillKind(kind, 0.5)), text);
	for (const wait of (data.waits || []).slice(1)) box.append(swatch(wait.color), wait.label);
	return box;
}

function swatch(color) {
	const s = element("span", undefined, "swatch");
	s.style.background = color;
	return s;
}

const MOUSE = [
	["click on a box", "let it fill the width"],
	["double click on a box", "callers and callees of its function"],
	["drag over the strip, the threads or the heat map", "only samples of that time"],
	["click on a thread's name", "only samples of that thread; with Ctrl one more"],
	["click on the head of a column", "sort by it; again: the other way around"],
];

function showHelp() {
	const list = element("dl"),
		mouse = element("dl");
	for (const { keys, text } of KEYS) {
		const dt = element("dt");
		keys.forEach((k) => dt.append(element("kbd", k), " "));
		list.append(dt, element("dd", text));
	}
	for (const [what, text] of MOUSE) mouse.append(element("dt", what), element("dd", text));
	at("help").replaceChildren(
		element("h2", "Keys"),
		list,
		element("h2", "Mouse"),
		mouse,
		element("h2", "Colours"),
		legend()
	);
	at("help").showModal();
}
at("help").addEventListener("click", () => at("help").close());
