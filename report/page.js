// The page of a profile: flame graph, sandwich, table and time line over one tree of stacks. The data are flat arrays in the order of a walk that meets
// callers first: depth and name of each box, and slices (box, bin of time, weight) of what was sampled in the box itself.
"use strict";
(function () {
	const data = JSON.parse(document.getElementById("data").textContent);
	const at = (id) => document.getElementById(id);
	const names = data.names, kinds = data.kinds, objects = data.objects;
	const ROW = 17, MIN = 0.5, CHAR = 6.7;

	// ---- trees: { depth, name, end, self, total }, one entry per box ----

	function ends(depth) {
		const n = depth.length, end = new Uint32Array(n), open = [];
		for (let i = 0; i < n; i++) {
			while (open.length > depth[i])
				end[open.pop()] = i;
			open.push(i);
		}
		while (open.length)
			end[open.pop()] = n;
		return end;
	}

	function sumUp(tree) {
		const n = tree.depth.length, last = [];
		tree.total = Float64Array.from(tree.self);
		for (let i = n - 1; i > 0; i--) {	// callees come later: hand up what they have
			const d = tree.depth[i];
			tree.total[i] += last[d + 1] || 0;
			last[d + 1] = 0;
			last[d] = (last[d] || 0) + tree.total[i];
		}
		if (n)
			tree.total[0] += last[1] || 0;
		return tree;
	}

	const all = { depth: Uint16Array.from(data.depth), name: Uint32Array.from(data.name) };
	all.end = ends(all.depth);

	let range = null;		// bins [from, to) that count; null: all
	function weigh() {
		all.self = new Float64Array(all.depth.length);
		for (let i = 0; i < data.box.length; i++)
			if (!range || (data.bin[i] >= range[0] && data.bin[i] < range[1]))
				all.self[data.box[i]] += data.weight[i];
		sumUp(all);
	}

	// A tree from lists of names with weights; equal beginnings are shared.
	function grow(stacks) {
		const root = { name: 0, self: 0, kids: new Map() };
		for (const [list, weight] of stacks) {
			let here = root;
			for (const name of list) {
				let kid = here.kids.get(name);
				if (!kid)
					here.kids.set(name, kid = { name, self: 0, kids: new Map() });
				here = kid;
			}
			here.self += weight;
		}
		const depth = [], name = [], self = [], walk = [[root, 0]];
		while (walk.length) {
			const [node, d] = walk.pop();
			depth.push(d), name.push(node.name), self.push(node.self);
			const kids = Array.from(node.kids.values()).sort((a, b) => (names[a.name] < names[b.name] ? 1 : -1));
			for (const kid of kids)
				walk.push([kid, d + 1]);
		}
		const tree = { depth: Uint16Array.from(depth), name: Uint32Array.from(name), self: Float64Array.from(self) };
		tree.end = ends(tree.depth);
		return sumUp(tree);
	}

	// What calls a function, and what it calls. Of nested calls of itself the outermost counts.
	function around(wanted) {
		const callers = [], callees = [], path = [];
		let inside = 0;
		for (let i = 0; i < all.depth.length; i++) {
			const d = all.depth[i];
			path.length = d;
			path.push(all.name[i]);
			if (i >= inside && all.name[i] === wanted && all.total[i] > 0) {
				inside = all.end[i];
				callers.push([path.slice(1).reverse(), all.total[i]]);
			}
			if (i < inside && all.self[i] > 0)
				callees.push([path.slice(path.indexOf(wanted, 1)), all.self[i]]);
		}
		return { callers: grow(callers), callees: grow(callees) };
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
	function fill(name) {
		const dark = isDark() ? 1 : 0;
		return fills[dark][name] || (fills[dark][name] = name === 0 ? (dark ? "#3a3c44" : "#dcdcd4") :
			`hsl(${hues[kinds[name]]} ${dark ? 45 : 75}% ${(dark ? 30 : 62) + 12 * hash(names[name])}%)`);
	}

	// ---- what is shown ----

	let view = "flame", flipped = false, found = null, chosen = 0, focus = -1, sort = ["total", true];
	let shown = [];			// { tree, from, top, height, down }: trees on the canvas
	let boxes = [];			// drawn: { tree, i, x, y, w }
	const zoomed = new Map();	// tree -> box that fills the width
	const percent = (w, total) => (total ? (100 * w / total).toFixed(2) : "0.00") + "%";
	const count = (n) => Math.round(n).toLocaleString("en-US");
	const describe = (tree, i) => `${names[tree.name[i]]}  ${objects[tree.name[i]] ? "(" + objects[tree.name[i]] + ")  " : ""}${count(tree.total[i])} ${data.unit}, ` +
		`${percent(tree.total[i], all.total[0])}; itself ${percent(tree.self[i], all.total[0])}`;

	function parentOf(tree, i) {
		for (let k = i - 1; k >= 0; k--)
			if (tree.depth[k] < tree.depth[i])
				return k;
		return 0;
	}

	// Boxes wide enough to be seen, from left to right; what is above a box that is not is not, either. `meet` gets box, offset and width.
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
			const root = zoomed.get(tree) || 0, height = (deepest(tree, root, width) + 1) * ROW + 4;
			const yOf = (d) => top + (tree.down ? d * ROW : height - 4 - (d + 1) * ROW);
			for (let up = root; up; ) {	// the way to it, over the whole width
				up = parentOf(tree, up);
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
			c.fillStyle = found && found[name] ? mark : fill(name);
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

	// Totals per function: nested calls of one count once.
	function functions() {
		const self = new Float64Array(names.length), total = new Float64Array(names.length), open = new Uint32Array(names.length);
		for (let i = 0; i < all.depth.length; i++) {
			const n = all.name[i];
			self[n] += all.self[i];
			if (i >= open[n]) {
				total[n] += all.total[i];
				open[n] = all.end[i];
			}
		}
		return { self, total };
	}

	function drawTable() {
		const { self, total } = functions(), rows = [], [by, down] = sort;
		for (let n = 1; n < names.length; n++)
			if (total[n] > 0 && (!found || found[n]))
				rows.push(n);
		const order = { self: (a, b) => self[a] - self[b], total: (a, b) => total[a] - total[b], name: (a, b) => (names[b] < names[a] ? -1 : 1) }[by];
		rows.sort((a, b) => (down ? order(b, a) : order(a, b)) || (names[a] < names[b] ? -1 : 1));
		const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
		for (const [key, label] of [["total", "Total"], ["self", "Self"], ["name", "Function"]]) {
			const th = document.createElement("th");
			th.textContent = label + (by === key ? (down ? " v" : " ^") : "");
			th.onclick = () => { sort = [key, by === key ? !down : true]; draw(); };
			head.append(th);
		}
		for (const n of rows.slice(0, 2000)) {
			const row = body.insertRow();
			row.insertCell().textContent = percent(total[n], all.total[0]);
			row.insertCell().textContent = percent(self[n], all.total[0]);
			row.insertCell().textContent = names[n] + (objects[n] ? "  (" + objects[n] + ")" : "");
			row.tabIndex = 0;
			row.onclick = () => { chosen = n; show("sandwich"); };
			row.onkeydown = (e) => { if (e.key === "Enter") row.onclick(); };
		}
		at("rows").replaceChildren(table);
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

	function draw() {
		const table = view === "table";
		at("graph").classList.toggle("hidden", table);
		at("rows").classList.toggle("hidden", !table);
		for (const id of ["flame", "sandwich", "table"])
			at(id).setAttribute("aria-pressed", view === id);
		at("status").textContent = status();
		drawTime();
		if (table)
			drawTable();
		else
			drawGraph();
	}

	function status() {
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
			const { callers, callees } = around(chosen);
			callers.down = false;
			callees.down = true;
			shown = [callers, callees];
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

	// ---- what the user does ----

	const hitBox = (e) => {
		const r = at("graph").getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
		return boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + ROW);
	};
	function zoom(k) {
		if (k < 0)
			return;
		zoomed.set(boxes[k].tree, boxes[k].i);
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
		found = pattern ? names.map((n, i) => i > 0 && pattern.test(n)) : null;
		draw();
	}
	function reset() {
		zoomed.clear();
		range = null;
		at("search").value = "";
		found = null;
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
	let drag = null;
	const binAt = (e) => Math.max(0, Math.min(data.bins, (e.clientX - at("time").getBoundingClientRect().left) / at("time").clientWidth * data.bins));
	at("time").addEventListener("mousedown", (e) => { drag = binAt(e); });
	window.addEventListener("mouseup", (e) => {
		if (drag === null)
			return;
		const to = binAt(e), from = Math.min(drag, to);
		range = Math.abs(drag - to) < 0.5 ? null : [Math.floor(from), Math.max(Math.ceil(Math.max(drag, to)), Math.floor(from) + 1)];
		drag = null;
		weigh();
		arrange();
	});
	for (const id of ["flame", "sandwich", "table"])
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
		const views = { f: "flame", s: "sandwich", t: "table" };
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
		else if (e.key.startsWith("Arrow") && view !== "table" && boxes.length)
			moveFocus(e.key);
		else if (e.key === "Enter" && view !== "table" && focus >= 0)
			zoom(focus);
		else
			return;
		e.preventDefault();
	});

	document.title = data.title;
	at("title").textContent = data.title;
	at("time").classList.toggle("hidden", data.bins < 2);
	weigh();
	show("flame");
})();
