// Colours, numbers as text, and canvases.

const root = document.documentElement;
const isDark = () =>
	root.classList.contains("dark") ||
	(!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
const styleOf = (variable) => getComputedStyle(root).getPropertyValue(variable).trim();
const ink = () => (isDark() ? "#f0f1f3" : "#1a1c20");
const blank = () => (isDark() ? "#343a45" : "#d9dde3");

const HUES = { task: 48, user: 12, kernel: 32, inlined: 176, jit: 128, unknown: 218 };
function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h >>> 0) / 4294967296;
}

const waitNames = new Map((data.waits || []).map((w, i) => [w.label, i]));
const waitOf = (name) => (names[name][0] === "[" && waitNames.get(names[name])) || 0;

const fills = [[], []]; // of names, in the light and in the dark
function fillName(name) {
	const dark = isDark() ? 1 : 0;
	if (data.waits && waitOf(name) > 1) return data.waits[waitOf(name)].color;
	return (
		fills[dark][name] ||
		(fills[dark][name] = name === 0 ? blank() : fillKind(KINDS[data.kind[name]], hash(names[name])))
	);
}
const fillKind = (kind, shade) =>
	isDark()
		? `hsl(${HUES[kind] - 6 + 12 * shade} 42% ${29 + 11 * shade}%)`
		: `hsl(${HUES[kind] - 6 + 12 * shade} ${76 - 10 * shade}% ${66 + 12 * shade}%)`;

// Of two recordings: red for what has a larger share now, blue for a smaller one.
function fillChange(total, other) {
	const { now, old } = shares(total, other),
		most = Math.max(now, old),
		change = most ? (now - old) / most : 0;
	const strength = Math.min(1, Math.abs(change)) ** 0.7,
		hue = change > 0 ? 6 : 214;
	return isDark()
		? `hsl(${hue} ${Math.round(64 * strength)}% ${Math.round(26 + 16 * strength)}%)`
		: `hsl(${hue} ${Math.round(82 * strength)}% ${Math.round(93 - 28 * strength)}%)`;
}

// A box all of whose stacks wait for the same kind of thing has the colour of this kind.
const fillBox = (tree, i) =>
	data.compared
		? i
			? fillChange(tree.total[i], tree.other[i])
			: blank()
		: tree === all && data.wait && data.wait[i] > 1
			? data.waits[data.wait[i]].color
			: fillName(tree.name[i]);

// From little to much, as a colour of the heat map.
function heatColor(share) {
	if (!share) return isDark() ? "#1b1e24" : "#f5f6f8";
	const s = share ** 0.6;
	return isDark()
		? `hsl(${42 - 38 * s} ${55 + 35 * s}% ${14 + 44 * s}%)`
		: `hsl(${46 - 44 * s} ${85 + 5 * s}% ${93 - 50 * s}%)`;
}

const percent = (w, total) => (total ? ((100 * w) / total).toFixed(2) : "0.00") + "%";
const points = (p) => (p >= 0 ? "+" : "") + (100 * p).toFixed(2);
const count = (n) => Math.round(n).toLocaleString("en-US");
const seconds = (ns) => {
	const digits = spanNs < 1e9 ? 6 : 3;
	return (ns / 1e9).toFixed(digits) + " s";
};
const element = (tag, text, className) => {
	const e = document.createElement(tag);
	if (text !== undefined) e.textContent = text;
	if (className) e.className = className;
	return e;
};

function prepare(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.height = height + "px";
	const c = canvas.getContext("2d");
	c.scale(ratio, ratio);
	c.textBaseline = "middle";
	return c;
}

// The line below, and a box near the pointer.
function tell(text, e) {
	at("details").textContent = text;
	const tip = at("tip"),
		[first, ...rest] = text.split("\n");
	tip.classList.toggle("hidden", !text || !e);
	if (!text || !e) return;
	tip.replaceChildren(element("b", first), element("div", rest.join("\n")));
	const { width, height } = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - width - 8)) + "px";
	tip.style.top =
		(e.clientY + 20 + height > innerHeight ? Math.max(4, e.clientY - height - 12) : e.clientY + 18) +
		"px";
}
