// The page of a profile: flame graph, sandwich view, table and time line, all from one tree of
// stacks. The data are flat arrays; callers come before callees. Each box has a depth and a name.
// Each slice (box, time bin, weight) tells when the box itself was sampled.
"use strict";
(function () {
	const data = JSON.parse(document.getElementById("data").textContent);
	const at = (id) => document.getElementById(id);
	const names = data.names, kinds = data.kinds, objects = data.objects;
	const ROW = 17, MIN = 0.5, CHAR = 6.7;

	// ---- trees ----
	// { depth, name, parent, end, self, total } have one entry per box; root is the box that fills
	// the width.

	function tie(tree) {
		const { depth } = tree, n = depth.length, open = [];
		tree.end = new Uint32Array(n);
		tree.parent = new Uint32Array(n);
		for (let i = 0; i < n; i++) {
			while (open.length > depth[i])
				tree.end[open.pop()] = i;
			tree.parent[i] = open.length ? open[open.length - 1] : 0;
			open.push(i);
		}
		while (open.length)
			tree.end[open.pop()] = n;
		return tree;
	}

	function sumUp(tree) {
		tree.total = Float64Array.from(tree.self);
		for (let i = tree.total.length - 1; i > 0; i--)	// callees come later: add them to their caller
			tree.total[tree.parent[i]] += tree.total[i];
	}

	const all = tie({ depth: Uint16Array.from(data.depth), name: Uint32Array.from(data.name), root: 0 });

	let range = null;		// time bins [from, to) that count; null: all
	let sums = null;		// of `all`, per function; null: not counted yet
	function weigh() {
		all.self = new Float64Array(all.depth.length);
		for (let i = 0; i < data.box.length; i++)
			if (!range || (data.bin[i] >= range[0] && data.bin[i] < range[1]))
				all.self[data.box[i]] += data.weight[i];
		sumUp(all);
		sums = null;
	}

	// ---- callers and callees of a function: trees that grow only where they are visible ----

	// Find the boxes of the function in `all`. Of nested calls the outermost counts.
	function placesOf(wanted) {
		const places = [];
		for (let i = 0; i < all.name.length; ) {
			const is = all.name[i] === wanted && all.total[i] > 0;
			if (is)
				places.push(i);
			i = is ? all.end[i] : i + 1;
		}
		return places;
	}

	let ranks = null;		// rank of each name by its text
	function rankOf(name) {
		if (!ranks) {
			const order = names.map((_, i) => i).sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b));
			ranks = new Uint32Array(names.length);
			order.forEach((n, rank) => { ranks[n] = rank; });
		}
		return ranks[name];
	}

	// Places are boxes of `all`, side by side. Each has its weight and the box of the growing
	// tree that it belongs to.
	const gathering = () => ({ n: 0, place: new Uint32Array(all.name.length), weight: new Float64Array(all.name.length), box: new Uint32Array(all.name.length) });
	let gathered = null;		// two lists, one for this level and one for the next

	// Grow one level of a tree: follow the places of `from` (sorted by box) one step, and
	// gather them by name into new boxes.
	function nextLevel(grown, from, to, callers) {
		const { parent, name, self, total, slot } = grown;
		let under = -1, firstKid = 0;
		const meet = (i, w) => {
			const n = all.name[i];
			let b = slot[n];
			if (b < firstKid) {
				b = slot[n] = name.length;
				parent.push(under), name.push(n), self.push(0), total.push(0);
			}
			total[b] += w;
			self[b] += !callers ? all.self[i] : all.parent[i] ? 0 : w;
			to.place[to.n] = i, to.weight[to.n] = w, to.box[to.n++] = b;
		};
		to.n = 0;
		for (let k = 0; k < from.n; k++) {
			const i = from.place[k];
			if (from.box[k] !== under)
				under = from.box[k], firstKid = name.length;
			if (callers) {
				if (all.parent[i])
					meet(all.parent[i], from.weight[k]);
			} else {
				for (let c = i + 1; c < all.end[i]; c = all.end[c])
					if (all.total[c] > 0)
						meet(c, all.total[c]);
			}
		}
	}

	// Keep the places whose boxes are open, sorted by box.
	function sortOpen(from, to, firstBox, open) {
		const next = new Uint32Array(open.length + 1);
		for (let k = 0; k < from.n; k++)
			if (open[from.box[k] - firstBox])
				next[from.box[k] - firstBox + 1]++;
		for (let b = 1; b < next.length; b++)
			next[b] += next[b - 1];
		to.n = next[open.length];
		for (let k = 0; k < from.n; k++) {
			const b = from.box[k] - firstBox;
			if (open[b]) {
				const at = next[b]++;
				to.place[at] = from.place[k], to.weight[at] = from.weight[k], to.box[at] = from.box[k];
			}
		}
	}

	// Order the boxes as trees need it: callers first, siblings by name.
	function inOrder(grown, tree) {
		const { parent, name, self, total } = grown, n = name.length, kids = new Uint32Array(n + 1), depth = new Uint16Array(n), order = [], open = [0];
		for (let b = 1; b < n; b++) {	// boxes with the same parent are adjacent
			kids[parent[b]] = kids[parent[b]] || b;
			depth[b] = depth[parent[b]] + 1;
		}
		while (open.length) {
			const b = open.pop(), first = kids[b];
			order.push(b);
			let last = first;
			while (first && last < n && parent[last] === b)
				last++;
			const keys = new Float64Array(last - first).map((_, k) => rankOf(name[first + k]) * (last - first) + k).sort();
			for (let k = keys.length - 1; k >= 0; k--)
				open.push(first + keys[k] % keys.length);
		}
		tree.depth = Uint16Array.from(order, (b) => depth[b]);
		tree.name = Uint32Array.from(order, (b) => name[b]);
		tree.self = Float64Array.from(order, (b) => self[b]);
		tree.total = Float64Array.from(order, (b) => total[b]);
		tie(tree);
	}

	// Grow the visible part of a tree around a function for this many pixels: the siblings of
	// tree.way, and all boxes below its last name that are wide enough. tree.way has the names
	// from the root to the box that fills the width.
	function grow(tree, width) {
		const { wanted, places, callers, way } = tree;
		const grown = { parent: [0, 0], name: [0, wanted], self: [0, 0], total: [0, 0], slot: new Uint32Array(names.length) };
		let [now, next] = gathered || (gathered = [gathering(), gathering()]), scale = 0;
		next.n = 0;
		for (const i of places) {
			const w = all.total[i];
			grown.total[0] = grown.total[1] += w;
			grown.self[1] += !callers ? all.self[i] : all.parent[i] ? 0 : w;
			next.place[next.n] = i, next.weight[next.n] = w, next.box[next.n++] = 1;
		}
		if (way.length === 1)
			scale = width / grown.total[0];
		for (let level = 1, first = 1; next.n; level++) {
			const open = new Uint8Array(grown.name.length - first);
			for (let b = first; b < grown.name.length; b++) {
				open[b - first] = level < way.length ? grown.name[b] === way[level] : grown.total[b] * scale >= MIN;
				if (level === way.length - 1 && open[b - first])
					scale = width / grown.total[b];
			}
			sortOpen(next, now, first, open);
			first = grown.name.length;
			nextLevel(grown, now, next, callers);
		}
		inOrder(grown, tree);
		tree.width = width;
		tree.root = 0;
		for (const name of way.slice(1))	// only the boxes on the way have places
			for (tree.root++; tree.name[tree.root] !== name; )
				tree.root = tree.end[tree.root];
	}

	function around(wanted) {
		const places = placesOf(wanted);
		return [true, false].map((callers) => ({ wanted, places, callers, down: !callers, way: [0], width: 0 }));
	}

	// ---- colours ----

	const hues = { task: 52, user: 4, kernel: 28, inlined: 178, jit: 120, unknown: 230 };
	function hash(text) {
		let h = 2166136261;
		for (let i = 0; i < text.length; i++)
			h = Math.imul(h ^ text.charCodeAt(i), 16777619);
		return (h >>> 0) / 4294967296;
	}
	const isDark = () => document.documentElement.classList.contains("dark") ||
		(!document.documentElement.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
	const fills = [[], []];
	const waitNames = new Map((data.waits || []).map((w, i) => [w.label, i]));
	const waitOf = (name) => (names[name][0] === "[" && waitNames.get(names[name])) || 0;
	// A box all of whose stacks wait for the same kind of thing has the colour of this kind.
	const fillBox = (tree, i) => (tree === all && data.wait && data.wait[i] > 1 ? data.waits[data.wait[i]].color : fill(tree.name[i]));
	function fill(name) {
		const dark = isDark() ? 1 : 0;
		if (data.waits && waitOf(name) > 1)
			return data.waits[waitOf(name)].color;
		return fills[dark][name] || (fills[dark][name] = name === 0 ? (dark ? "#3a3c44" : "#dcdcd4") :
			`hsl(${hues[kinds[name]]} ${dark ? 45 : 75}% ${(dark ? 30 : 62) + 12 * hash(names[name])}%)`);
	}

	// ---- drawing ----

	let view = "flame", flipped = false, found = null, chosen = 0, focus = -1, sort = ["total", true];
	let shown = [];			// trees on the canvas; `down`: callers are above
	let boxes = [];			// drawn boxes: { tree, i, x, y, w }
	const percent = (w, total) => (total ? (100 * w / total).toFixed(2) : "0.00") + "%";
	const count = (n) => Math.round(n).toLocaleString("en-US");
	const describe = (tree, i) => `${names[tree.name[i]]}  ${objects[tree.name[i]] ? "(" + objects[tree.name[i]] + ")  " : ""}${count(tree.total[i])} ${data.unit}, ` +
		`${percent(tree.total[i], all.total[0])}; itself ${percent(tree.self[i], all.total[0])}`;

	// Visit the boxes that are wide enough to see, from left to right. Skip all above a box
	// that is too narrow. `meet` gets box, offset and width.
	function visit(tree, root, width, meet) {
		const scale = tree.total[root] ? width / tree.total[root] : 0, x = [];
		x[tree.depth[root]] = 0;
		for (let i = root; i < tree.end[root]; ) {
			const d = tree.depth[i], w = tree.total[i] * scale;
			if (w >= MIN)
				meet(i, x[d], w);
			x[d + 1] = x[d];
			x[d] += w;
			i = w < MIN ? tree.end[i] : i + 1;
		}
	}

	function deepest(tree, root, width) {
		let d = tree.depth[root];
		visit(tree, root, width, (i) => { d = Math.max(d, tree.depth[i]); });
		return d;
	}

	function layout(width) {
		let top = 0;
		boxes = [];
		for (const tree of shown) {
			if (tree.width < width)
				grow(tree, width);
			const { root } = tree, height = (deepest(tree, root, width) + 1) * ROW + 4;
			const yOf = (d) => top + (tree.down ? d * ROW : height - 4 - (d + 1) * ROW);
			for (let up = root; up; ) {	// the boxes from the root to this one fill the whole width
				up = tree.parent[up];
				boxes.push({ tree, i: up, x: 0, y: yOf(tree.depth[up]), w: width, faded: true });
			}
			visit(tree, root, width, (i, x, w) => boxes.push({ tree, i, x, y: yOf(tree.depth[i]), w }));
			top += height + 6;
		}
		return top;
	}

	function prepare(canvas, width, height) {
		const ratio = window.devicePixelRatio || 1;
		canvas.width = Math.max(1, Math.round(width * ratio));
		canvas.height = Math.max(1, Math.round(height * ratio));
		canvas.style.height = height + "px";
		const c = canvas.getContext("2d");
		c.scale(ratio, ratio);
		return c;
	}

	function drawGraph() {
		const main = at("main"), width = main.clientWidth, height = layout(width);
		const c = prepare(at("graph"), width, Math.max(height, 1));
		const mark = getComputedStyle(document.documentElement).getPropertyValue("--mark"), ink = isDark() ? "#f2f2ee" : "#161616";
		c.font = "11.5px ui-monospace, monospace";
		c.textBaseline = "middle";
		for (let k = 0; k < boxes.length; k++) {
			const b = boxes[k], name = b.tree.name[b.i];
			c.globalAlpha = b.faded ? 0.5 : 1;
			c.fillStyle = found && found[name] ? mark : fillBox(b.tree, b.i);
			c.fillRect(b.x, b.y, Math.max(b.w - 0.6, 0.4), ROW - 1);
			if (k === focus) {
				c.strokeStyle = ink;
				c.strokeRect(b.x + 0.5, b.y + 0.5, b.w - 1, ROW - 2);
			}
			const fits = Math.floor((b.w - 6) / CHAR), text = names[name];
			if (fits >= 3) {
				c.fillStyle = ink;
				c.fillText(text.length <= fits ? text : text.slice(0, fits - 2) + "..", b.x + 3, b.y + ROW / 2);
			}
		}
		c.globalAlpha = 1;
	}

	// Totals per function. Nested calls count once.
	function functions() {
		if (sums)
			return sums;
		const self = new Float64Array(names.length), total = new Float64Array(names.length), open = new Uint32Array(names.length);
		for (let i = 0; i < all.depth.length; i++) {
			const n = all.name[i];
			self[n] += all.self[i];
			if (i >= open[n]) {
				total[n] += all.total[i];
				open[n] = all.end[i];
			}
		}
		return sums = { self, total };
	}

	// ---- the table: only visible rows exist; two spacers take the room of the others ----

	// Pixels per row, as in the style sheet; extra rows above and below the visible part.
	const LINE = 20, BESIDE = 10;
	// { order: functions from top to bottom; above, below: spacers; made: existing rows by
	// position }.
	let table = null;

	function tableRow(n, place) {
		const { self, total } = functions(), row = document.createElement("tr");
		for (const text of [percent(total[n], all.total[0]), percent(self[n], all.total[0]), names[n] + (objects[n] ? "  (" + objects[n] + ")" : "")])
			row.insertCell().textContent = text;
		row.tabIndex = 0;
		row.setAttribute("aria-rowindex", place + 2);
		row.onclick = () => { chosen = n; show("sandwich"); };
		row.onkeydown = (e) => { if (e.key === "Enter") row.onclick(); };
		return row;
	}

	// Keep rows that stay visible: one of them may have the focus.
	function showRows() {
		const { order, above, below, made } = table, height = at("main").clientHeight;
		const first = Math.floor(Math.min(at("main").scrollTop, order.length * LINE - height) / LINE);
		const from = Math.max(first - BESIDE, 0), to = Math.min(from + Math.ceil(height / LINE) + 2 * BESIDE, order.length);
		for (const [place, row] of made)
			if (place < from || place >= to) {
				row.remove();
				made.delete(place);
			}
		for (let place = from, last = above; place < to; place++) {
			if (!made.has(place))
				made.set(place, tableRow(order[place], place));
			if (last.nextSibling !== made.get(place))
				last.after(made.get(place));
			last = made.get(place);
		}
		above.style.height = from * LINE + "px";
		below.style.height = (order.length - to) * LINE + "px";
	}

	function drawTable() {
		const { total } = functions(), [by, down] = sort, order = [], sign = down ? 1 : -1;
		for (let n = 1; n < names.length; n++)
			if (total[n] > 0 && (!found || found[n]))
				order.push(n);
		if (by === "name")
			order.sort((a, b) => sign * (rankOf(a) - rankOf(b)));
		else
			order.sort((a, b) => sign * (sums[by][b] - sums[by][a]) || rankOf(a) - rankOf(b));
		const whole = document.createElement("table"), head = whole.createTHead().insertRow(), body = whole.createTBody();
		for (const [key, label] of [["total", "Total"], ["self", "Self"], ["name", "Function"]]) {
			const th = document.createElement("th");
			th.textContent = label + (by === key ? (down ? " v" : " ^") : "");
			th.onclick = () => { sort = [key, by === key ? !down : true]; draw(); };
			head.append(th);
		}
		whole.setAttribute("aria-rowcount", order.length + 1);
		table = { order, above: body.insertRow(), below: body.insertRow(), made: new Map() };
		at("rows").replaceChildren(whole);
		showRows();
	}

	function drawTime() {
		const canvas = at("time"), width = canvas.clientWidth, height = 46, c = prepare(canvas, width, height);
		const bars = new Float64Array(data.bins);
		let most = 0;
		for (let i = 0; i < data.bin.length; i++)
			most = Math.max(most, bars[data.bin[i]] += data.weight[i]);
		for (let b = 0; b < data.bins; b++) {
			const h = most ? (height - 4) * bars[b] / most : 0, on = !range || (b >= range[0] && b < range[1]);
			c.fillStyle = on ? fill(names.length > 1 ? 1 : 0) : isDark() ? "#3a3c44" : "#dcdcd4";
			c.fillRect(b * width / data.bins, height - h, Math.max(width / data.bins - 0.5, 0.5), h);
		}
	}

	// ---- threads over time: only visible lines are drawn ----

	const LANE = 16, LEFT = 190, ARROWS = 300;
	const lanes = data.threads ? data.threads.lanes : [];
	const allTime = data.threads ? [0, data.threads.ns] : [0, 0];
	let span = allTime, lane = -1, pulled = null;	// what is visible; which one the pointer is on
	const PIECE = 5, FROM = 0, LENGTH = 1, WHAT = 2, RAN = 3, WAKER = 4;	// of a piece, in lane.pieces
	const laneName = (l) => `${l.name} ${l.pid > 0 && l.pid !== l.tid ? l.pid + "/" : ""}${l.tid}`;
	let order = null;		// lanes from top to bottom, and the place of each
	function laneOrder() {
		if (order)
			return order;
		const term = at("search").value.toLowerCase();
		const list = lanes.map((_, i) => i).filter((i) => !term || laneName(lanes[i]).toLowerCase().includes(term));
		const process = (l) => (l.pid > 0 ? l.pid : l.tid);	// of some that ended only this one is known
		list.sort((a, b) => process(lanes[a]) - process(lanes[b]) || lanes[a].tid - lanes[b].tid);
		return order = { list, place: new Map(list.map((l, k) => [l, k])) };
	}

	// The first piece that ends behind this time.
	function firstPiece(pieces, time) {
		let a = 0, b = pieces.length / PIECE;
		while (a < b) {
			const m = (a + b) >> 1;
			if (pieces[m * PIECE] + pieces[m * PIECE + LENGTH] <= time)
				a = m + 1;
			else
				b = m;
		}
		return a * PIECE;
	}

	// Visit the visible pieces of a lane; those that share a pixel are visited once, as the longest of them.
	function visitPieces(l, width, meet) {
		const { pieces } = l, scale = width / (span[1] - span[0]);
		let best = -1, pixel = -1;
		for (let i = firstPiece(pieces, span[0]); i < pieces.length && pieces[i] < span[1]; i += PIECE) {
			const x = (pieces[i] - span[0]) * scale, w = pieces[i + LENGTH] * scale, p = Math.floor(x);
			if (w >= 1) {
				meet(i, Math.max(x, 0), Math.min(x + w, width) - Math.max(x, 0));
			} else if (p !== pixel || pieces[i + LENGTH] > pieces[best + LENGTH]) {
				meet(i, Math.max(p, 0), 1);
				best = i;
				pixel = p;
			}
		}
	}

	function drawArrows(c, first, last, width) {
		const { list, place } = laneOrder(), scale = width / (span[1] - span[0]), top = at("main").scrollTop;
		const arrows = [];
		for (let k = first; k < last; k++) {
			const { pieces } = lanes[list[k]];
			for (let i = firstPiece(pieces, span[0]); i < pieces.length && pieces[i] < span[1]; i += PIECE) {
				const end = pieces[i] + pieces[i + LENGTH], from = pieces[i + WAKER] - 1;
				if (pieces[i + WAKER] && end < span[1] && place.has(from) && (lane < 0 || lane === from || lane === list[k]))
					arrows.push([LEFT + (end - span[0]) * scale, place.get(from) * LANE - top + LANE / 2, k * LANE - top + LANE / 2]);
				if (arrows.length > ARROWS)
					return lane < 0 ? 0 : drawn(c, arrows);	// too many say nothing, except of one thread
			}
		}
		return drawn(c, arrows);
	}

	function drawn(c, arrows) {
		c.strokeStyle = c.fillStyle = isDark() ? "#f2f2ee" : "#161616";
		c.lineWidth = 0.7;
		for (const [x, from, to] of arrows) {
			const down = to > from ? 1 : -1;
			c.beginPath();
			c.moveTo(x, from);
			c.lineTo(x, to - 3 * down);
			c.stroke();
			c.beginPath();
			c.moveTo(x, to - 2 * down);
			c.lineTo(x - 2.5, to - 6 * down);
			c.lineTo(x + 2.5, to - 6 * down);
			c.fill();
		}
		return arrows.length;
	}

	function drawLanes() {
		const main = at("main"), { list } = laneOrder(), height = main.clientHeight;
		at("lanes").style.height = Math.max(list.length * LANE, height) + "px";
		const width = main.clientWidth, c = prepare(at("lines"), width, height), top = main.scrollTop;
		const first = Math.floor(top / LANE), last = Math.min(list.length, Math.ceil((top + height) / LANE));
		const ink = isDark() ? "#f2f2ee" : "#161616";
		c.font = "11px ui-monospace, monospace";
		c.textBaseline = "middle";
		for (let k = first; k < last; k++) {
			const l = lanes[list[k]], y = k * LANE - top;
			c.fillStyle = ink;
			c.globalAlpha = lane < 0 || lane === list[k] ? 1 : 0.6;
			c.fillText(laneName(l).slice(0, 27), 4, y + LANE / 2);
			visitPieces(l, width - LEFT, (i, x, w) => {
				const what = l.pieces[i + WHAT], ran = l.pieces[i + RAN] / 100;
				c.fillStyle = data.waits[what].color;
				c.fillRect(LEFT + x, y + (what === 1 ? 1 : what === 2 ? 4 : 6), Math.max(w, 0.7), what === 1 ? LANE - 2 : what === 2 ? LANE - 8 : LANE - 12);
				if (what === 0 && ran > 0) {	// several: green as much as it ran
					c.fillStyle = data.waits[1].color;
					c.fillRect(LEFT + x, y + 1 + (LANE - 2) * (1 - ran), Math.max(w, 0.7), (LANE - 2) * ran);
				}
			});
		}
		c.globalAlpha = 1;
		const arrows = drawArrows(c, first, last, width - LEFT);
		at("lines").dataset.lanes = last - first;	// for who looks from outside
		at("lines").dataset.arrows = arrows;
	}

	const seconds = (ns) => (ns / 1e9).toFixed(6) + " s";
	const timeAt = (e) => span[0] + Math.min(1, Math.max(0, (e.clientX - at("lines").getBoundingClientRect().left - LEFT) / (at("lines").clientWidth - LEFT))) * (span[1] - span[0]);
	function describePiece(e) {
		const { list } = laneOrder(), k = Math.floor((e.clientY - at("lines").getBoundingClientRect().top + at("main").scrollTop) / LANE);
		lane = k >= 0 && k < list.length ? list[k] : -1;
		const l = lanes[lane], time = timeAt(e), i = l ? firstPiece(l.pieces, time) : 0;
		if (!l || i >= l.pieces.length || l.pieces[i] > time)
			return l ? laneName(l) : "";
		const what = l.pieces[i + WHAT], waker = l.pieces[i + WAKER];
		return `${laneName(l)}  ${what ? data.waits[what].label : "several, ran " + l.pieces[i + RAN] + "%"} ${(l.pieces[i + LENGTH] / 1e6).toFixed(3)} ms ` +
			`from ${seconds(l.pieces[i])}${waker ? ", woken by " + laneName(lanes[waker - 1]) : ""}`;
	}
	at("lines").addEventListener("mousemove", (e) => {
		at("details").textContent = describePiece(e);
		drawLanes();
	});
	at("lines").addEventListener("mouseleave", () => { lane = -1; drawLanes(); });
	at("lines").addEventListener("mousedown", (e) => { pulled = timeAt(e); });
	at("lines").addEventListener("dblclick", () => { span = allTime; draw(); });
	window.addEventListener("mouseup", (e) => {
		if (pulled === null)
			return;
		const to = timeAt(e), wide = Math.abs(to - pulled);
		if (wide > (span[1] - span[0]) / 200 && wide > 1000)
			span = [Math.min(pulled, to), Math.max(pulled, to)];
		pulled = null;
		draw();
	});

	function draw() {
		const rows = view === "table";
		at("graph").classList.toggle("hidden", rows || view === "threads");
		at("rows").classList.toggle("hidden", !rows);
		at("lanes").classList.toggle("hidden", view !== "threads");
		for (const id of ["flame", "sandwich", "table", "threads"])
			at(id).setAttribute("aria-pressed", view === id);
		at("status").textContent = status();
		drawTime();
		if (rows)
			drawTable();
		else if (view === "threads")
			drawLanes();
		else
			drawGraph();
	}

	function status() {
		if (view === "threads")
			return `${laneOrder().list.length} threads | ${seconds(span[0])} to ${seconds(span[1])} | drag to zoom, double click: all`;
		const parts = [count(all.total[0]) + " " + data.unit];
		if (range)
			parts.push(`${(range[0] * data.seconds / data.bins).toFixed(3)} s to ${(range[1] * data.seconds / data.bins).toFixed(3)} s`);
		if (found)
			parts.push("matched " + percent(matched(), all.total[0]));
		if (view === "sandwich")
			parts.push(chosen ? "around " + names[chosen] : "choose a function in the table or the graph");
		return parts.join(" | ");
	}

	function matched() {
		let sum = 0;
		for (let i = 0; i < all.depth.length; )
			if (found[all.name[i]]) {
				sum += all.total[i];
				i = all.end[i];
			} else {
				i++;
			}
		return sum;
	}

	function arrange() {
		focus = -1;
		if (view === "sandwich" && chosen) {
			shown = around(chosen);
		} else {
			all.down = flipped;
			shown = view === "sandwich" ? [] : [all];
		}
		draw();
	}

	function show(which) {
		view = which;
		if (which === "sandwich" && !chosen && focus >= 0)
			chosen = boxes[focus].tree.name[boxes[focus].i];
		arrange();
		at("main").scrollTop = which === "flame" && !flipped ? at("main").scrollHeight : 0;
	}

	// ---- user actions ----

	const hitBox = (e) => {
		const r = at("graph").getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
		return boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + ROW);
	};
	function zoom(k) {
		if (k < 0)
			return;
		const { tree, i } = boxes[k];
		tree.root = i;
		if (tree.places) {	// more of it may be visible now
			tree.way = [];
			for (let up = i; up; up = tree.parent[up])
				tree.way.unshift(tree.name[up]);
			tree.way.unshift(0);
			tree.width = 0;
		}
		focus = -1;
		draw();
	}
	function search(term) {
		let pattern = null;
		if (term) {
			try {
				pattern = new RegExp(term);
			} catch (error) {
				pattern = new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
			}
		}
		order = null;
		found = pattern ? names.map((n, i) => i > 0 && pattern.test(n)) : null;
		draw();
	}
	function reset() {
		all.root = 0;
		range = null;
		span = allTime;
		at("search").value = "";
		found = order = null;
		weigh();
		arrange();
	}
	function moveFocus(key) {
		const b = boxes[Math.max(focus, 0)];
		const wanted = { ArrowUp: -1, ArrowDown: 1 }[key], beside = { ArrowLeft: -1, ArrowRight: 1 }[key];
		let best = -1;
		boxes.forEach((o, k) => {
			if (o.tree !== b.tree)
				return;
			const hit = wanted ? o.y === b.y + wanted * ROW && o.x < b.x + b.w - 0.01 && o.x + o.w > b.x + 0.01 : o.y === b.y && (o.x - b.x) * beside > 0;
			const nearer = best < 0 || (wanted ? o.w > boxes[best].w : Math.abs(o.x - b.x) < Math.abs(boxes[best].x - b.x));
			if (hit && nearer)
				best = k;
		});
		focus = focus < 0 ? 0 : best < 0 ? focus : best;
		at("details").textContent = describe(boxes[focus].tree, boxes[focus].i);
		drawGraph();
	}

	at("graph").addEventListener("click", (e) => zoom(hitBox(e)));
	at("graph").addEventListener("dblclick", (e) => {
		const k = hitBox(e);
		if (k >= 0 && boxes[k].tree.name[boxes[k].i]) {
			chosen = boxes[k].tree.name[boxes[k].i];
			show("sandwich");
		}
	});
	at("graph").addEventListener("mousemove", (e) => {
		const k = hitBox(e);
		at("graph").style.cursor = k < 0 ? "" : "pointer";
		at("details").textContent = k < 0 ? "" : describe(boxes[k].tree, boxes[k].i);
	});
	at("main").addEventListener("scroll", () => {
		if (view === "table")
			showRows();
		else if (view === "threads")
			drawLanes();
	});
	let drag = null;
	const binAt = (e) => Math.max(0, Math.min(data.bins, (e.clientX - at("time").getBoundingClientRect().left) / at("time").clientWidth * data.bins));
	at("time").addEventListener("mousedown", (e) => { drag = binAt(e); });
	window.addEventListener("mouseup", (e) => {
		if (drag === null)
			return;
		const to = binAt(e), from = Math.min(drag, to);
		range = Math.abs(drag - to) < 0.5 ? null : [Math.floor(from), Math.max(Math.ceil(Math.max(drag, to)), Math.floor(from) + 1)];
		drag = null;
		span = range ? range.map((b) => b / data.bins * allTime[1]) : allTime;
		weigh();
		arrange();
	});
	for (const id of ["flame", "sandwich", "table", "threads"])
		at(id).addEventListener("click", () => show(id));
	at("flip").addEventListener("click", () => { flipped = !flipped; arrange(); });
	at("theme").addEventListener("click", () => {
		const dark = isDark();
		document.documentElement.classList.toggle("dark", !dark);
		document.documentElement.classList.toggle("light", dark);
		draw();
	});
	at("search").addEventListener("input", (e) => search(e.target.value));
	at("reset").addEventListener("click", reset);
	window.addEventListener("resize", draw);
	window.addEventListener("keydown", (e) => {
		if (e.target === at("search")) {
			if (e.key === "Escape")
				at("main").focus();
			return;
		}
		const views = { f: "flame", s: "sandwich", t: "table", ...(data.threads && { l: "threads" }) };
		if (e.ctrlKey || e.altKey || e.metaKey)
			return;
		if (e.key === "/")
			at("search").focus();
		else if (e.key === "Escape")
			reset();
		else if (views[e.key])
			show(views[e.key]);
		else if (e.key === "i")
			at("flip").click();
		else if (e.key === "d")
			at("theme").click();
		else if (e.key.startsWith("Arrow") && (view === "flame" || view === "sandwich") && boxes.length)
			moveFocus(e.key);
		else if (e.key === "Enter" && (view === "flame" || view === "sandwich") && focus >= 0)
			zoom(focus);
		else
			return;
		e.preventDefault();
	});

	document.title = data.title;
	at("title").textContent = data.title;
	at("time").classList.toggle("hidden", data.bins < 2);
	at("threads").classList.toggle("hidden", !data.threads);
	weigh();
	show("flame");
})();
