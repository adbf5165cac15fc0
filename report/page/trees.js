// Trees of boxes, and the sums of the chosen samples. A tree has one entry per box in each of
// depth, name, parent, end (of the boxes above it), self, total, and other: the total in the other
// recording. tree.root is the box that fills the width.

function tie(tree) {
	const { depth } = tree,
		n = depth.length,
		open = [];
	tree.end = new Uint32Array(n);
	tree.parent = new Uint32Array(n);
	for (let i = 0; i < n; i++) {
		while (open.length > depth[i]) tree.end[open.pop()] = i;
		tree.parent[i] = open.length ? open[open.length - 1] : 0;
		open.push(i);
	}
	while (open.length) tree.end[open.pop()] = n;
	return tree;
}

function sumUp(parent, self) {
	const total = Float64Array.from(self);
	for (let i = total.length - 1; i > 0; i--)
		// callees come later: add them to their caller
		total[parent[i]] += total[i];
	return total;
}

const all = tie({ depth: data.depth, name: data.name, root: 0 });
const oldTotal = data.compared ? sumUp(all.parent, data.old) : null;

// ---- which samples count ----

const chosen = {
	range: null, // [from, to) in ns; null: all the time
	threads: null, // a Set; null: all threads
	old: false, // of two recordings, draw the widths of the old one
	name: 0, // the function of the views that show one
};
let functionSums = null; // of `all`; null: not counted yet

const slotsOf = (range) =>
	range
		? [
				Math.floor(range[0] / data.slot_ns),
				Math.max(
					Math.ceil(range[1] / data.slot_ns),
					Math.floor(range[0] / data.slot_ns) + 1
				),
			]
		: [0, data.slots];

function selfOfChosen() {
	const self = new Float64Array(all.depth.length),
		[from, to] = slotsOf(chosen.range),
		{ box, slot, thread, weight } = data;
	for (let i = 0; i < box.length; i++)
		if (slot[i] >= from && slot[i] < to && (!chosen.threads || chosen.threads.has(thread[i])))
			self[box[i]] += weight[i];
	return self;
}

function weigh() {
	all.self = selfOfChosen();
	all.total = sumUp(all.parent, all.self);
	all.other = oldTotal;
	if (chosen.old && oldTotal) {
		all.other = all.total;
		all.self = data.old;
		all.total = oldTotal;
	}
	functionSums = null;
}

// Totals per function. Nested calls count once.
function sumsOfFunctions() {
	if (functionSums) return functionSums;
	const column = () => new Float64Array(names.length),
		total = column(),
		self = column(),
		other = column();
	const open = new Uint32Array(names.length); // where the outermost box of each function ends
	for (let i = 0; i < all.name.length; i++) {
		const n = all.name[i];
		self[n] += all.self[i];
		if (i >= open[n]) {
			total[n] += all.total[i];
			other[n] += all.other ? all.other[i] : 0;
			open[n] = all.end[i];
		}
	}
	return (functionSums = { total, self, other });
}

// The share of a function or box in the new recording and in the old one.
const shares = (total, other) => {
	const drawn = all.total[0] ? total / all.total[0] : 0,
		beside = all.other && all.other[0] ? other / all.other[0] : 0;
	return chosen.old ? { now: beside, old: drawn } : { now: drawn, old: beside };
};

// ---- callers and callees of a function: trees that grow only where they are visible ----

// Find the boxes of the function in `all`. Of nested calls the outermost counts.
function placesOf(wanted) {
	const places = [];
	for (let i = 0; i < all.name.length;) {
		const is = all.name[i] === wanted && (all.total[i] > 0 || (all.other && all.other[i] > 0));
		if (is) places.push(i);
		i = is ? all.end[i] : i + 1;
	}
	return places;
}

let ranks = null; // rank of each name by its text
function rankOf(name) {
	if (!ranks) {
		const order = names
			.map((_, i) => i)
			.sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b));
		ranks = new Uint32Array(names.length);
		order.forEach((n, rank) => {
			ranks[n] = rank;
		});
	}
	return ranks[name];
}

// Places are boxes of `all`, side by side. Each has its weight, that in the other recording, and the
// box of the growing tree that it belongs to.
const gathering = () => {
	const n = all.name.length;
	return {
		n: 0,
		place: new Uint32Array(n),
		weight: new Float64Array(n),
		other: new Float64Array(n),
		box: new Uint32Array(n),
	};
};
let gathered = null; // two lists, one for this level and one for the next

// Grow one level of a tree: follow the places of `from` (sorted by box) one step, and gather them by
// name into new boxes.
function nextLevel(grown, from, to, callers) {
	const { parent, name, self, total, other, slot } = grown;
	let under = -1,
		firstKid = 0;
	const meet = (i, w, o) => {
		const n = all.name[i];
		let b = slot[n];
		if (b < firstKid) {
			b = slot[n] = name.length;
			(parent.push(under), name.push(n), self.push(0), total.push(0), other.push(0));
		}
		total[b] += w;
		other[b] += o;
		self[b] += !callers ? all.self[i] : all.parent[i] ? 0 : w;
		((to.place[to.n] = i), (to.weight[to.n] = w), (to.other[to.n] = o), (to.box[to.n++] = b));
	};
	to.n = 0;
	for (let k = 0; k < from.n; k++) {
		const i = from.place[k];
		if (from.box[k] !== under) ((under = from.box[k]), (firstKid = name.length));
		if (callers) {
			if (all.parent[i]) meet(all.parent[i], from.weight[k], from.other[k]);
		} else {
			for (let c = i + 1; c < all.end[i]; c = all.end[c])
				if (all.total[c] > 0) meet(c, all.total[c], all.other ? all.other[c] : 0);
		}
	}
}

// Keep the places whose boxes are open, sorted by box.
function sortOpen(from, to, firstBox, open) {
	const next = new Uint32Array(open.length + 1);
	for (let k = 0; k < from.n; k++) if (open[from.box[k] - firstBox]) next[from.box[k] - firstBox + 1]++;
	for (let b = 1; b < next.length; b++) next[b] += next[b - 1];
	to.n = next[open.length];
	for (let k = 0; k < from.n; k++) {
		const b = from.box[k] - firstBox;
		if (open[b]) {
			const i = next[b]++;
			((to.place[i] = from.place[k]),
				(to.weight[i] = from.weight[k]),
				(to.other[i] = from.other[k]),
				(to.box[i] = from.box[k]));
		}
	}
}

// Order the boxes as trees need it: callers first, siblings by name.
function inOrder(grown, tree) {
	const { parent, name, self, total, other } = grown,
		n = name.length;
	const kids = new Uint32Array(n + 1),
		depth = new Uint16Array(n),
		order = [],
		open = [0];
	for (let b = 1; b < n; b++) {
		// boxes with the same parent are adjacent
		kids[parent[b]] = kids[parent[b]] || b;
		depth[b] = depth[parent[b]] + 1;
	}
	while (open.length) {
		const b = open.pop(),
			first = kids[b];
		order.push(b);
		let last = first;
		while (first && last < n && parent[last] === b) last++;
		const keys = new Float64Array(last - first)
			.map((_, k) => rankOf(name[first + k]) * (last - first) + k)
			.sort();
		for (let k = keys.length - 1; k >= 0; k--) open.push(first + (keys[k] % keys.length));
	}
	tree.depth = Uint16Array.from(order, (b) => depth[b]);
	tree.name = Uint32Array.from(order, (b) => name[b]);
	tree.self = Float64Array.from(order, (b) => self[b]);
	tree.total = Float64Array.from(order, (b) => total[b]);
	tree.other = Float64Array.from(order, (b) => other[b]);
	tie(tree);
}

// The first two boxes of a tree around a function, and the places of the second one into `to`.
function rootOf({ wanted, places, callers }, to) {
	const grown = {
		parent: [0, 0],
		name: [0, wanted],
		self: [0, 0],
		total: [0, 0],
		other: [0, 0],
		slot: new Uint32Array(names.length),
	};
	to.n = 0;
	for (const i of places) {
		const w = all.total[i],
			o = all.other ? all.other[i] : 0;
		grown.total[0] = grown.total[1] += w;
		grown.other[0] = grown.other[1] += o;
		grown.self[1] += !callers ? all.self[i] : all.parent[i] ? 0 : w;
		((to.place[to.n] = i), (to.weight[to.n] = w), (to.other[to.n] = o), (to.box[to.n++] = 1));
	}
	return grown;
}

// Grow the visible part of a tree around a function for this many pixels: the siblings of tree.way,
// and all boxes below its last name that are wide enough. tree.way has the names from the root to
// the box that fills the width.
function grow(tree, width) {
	const { callers, way } = tree;
	let [now, next] = gathered || (gathered = [gathering(), gathering()]);
	const grown = rootOf(tree, next);
	let scale = way.length === 1 ? width / grown.total[0] : 0;
	for (let level = 1, first = 1; next.n; level++) {
		const open = new Uint8Array(grown.name.length - first);
		for (let b = first; b < grown.name.length; b++) {
			open[b - first] =
				level < way.length ? grown.name[b] === way[level] : grown.total[b] * scale >= MIN;
			if (level === way.length - 1 && open[b - first]) scale = width / grown.total[b];
		}
		sortOpen(next, now, first, open);
		first = grown.name.length;
		nextLevel(grown, now, next, callers);
	}
	inOrder(grown, tree);
	tree.width = width;
	tree.root = 0;
	for (const name of way.slice(1))
		// only the boxes on the way have places
		for (tree.root++; tree.name[tree.root] !== name;) tree.root = tree.end[tree.root];
}

function around(wanted) {
	const places = placesOf(wanted);
	return [true, false].map((callers) => ({ wanted, places, callers, down: !callers, way: [0], width: 0 }));
}
