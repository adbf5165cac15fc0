// The flame graph, and the callers and callees of a function: boxes on a canvas.

const ROW = 18,
	MIN = 0.5,
	CHAR = 6.75;
const graph = {
	flipped: false,
	shown: [], // trees on the canvas; `down`: callers are above
	boxes: [], // drawn boxes: { tree, i, x, y, w, faded }
	focus: -1, // of boxes
};

function describe(tree, i) {
	const name = tree.name[i],
		lines = [names[name]];
	const share = (w) => percent(w, all.total[0]);
	const what = `${count(tree.total[i])} ${data.unit}, ${share(tree.total[i])}; itself ${share(tree.self[i])}`;
	lines.push((objectOf(name) ? objectOf(name) + "  " : "") + what);
	if (data.compared) {
		const { now, old } = shares(tree.total[i], tree.other[i]);
		lines.push(
			`was ${(100 * old).toFixed(2)}%, is ${(100 * now).toFixed(2)}%: ${points(now - old)} points`
		);
	}
	return lines.join("\n");
}

// Visit the boxes that are wide enough to see, from left to right. Skip all above a box that is too
// narrow. `meet` gets box, offset and width.
function visit(tree, from, width, meet) {
	const scale = tree.total[from] ? width / tree.total[from] : 0,
		x = [];
	x[tree.depth[from]] = 0;
	for (let i = from; i < tree.end[from];) {
		const d = tree.depth[i],
			w = tree.total[i] * scale;
		if (w >= MIN) meet(i, x[d], w);
		x[d + 1] = x[d];
		x[d] += w;
		i = w < MIN ? tree.end[i] : i + 1;
	}
}

function deepest(tree, from, width) {
	let d = tree.depth[from];
	visit(tree, from, width, (i) => {
		d = Math.max(d, tree.depth[i]);
	});
	return d;
}

// Place the boxes of a tree below `top`. A tree around a function begins with the function, not with its root.
function layOutTree(tree, top, width) {
	const hidden = tree.places ? 1 : 0,
		from = tree.root,
		height = (deepest(tree, from, width) + 1 - hidden) * ROW;
	const yOf = (d) => top + (tree.down ? (d - hidden) * ROW : height - (d + 1 - hidden) * ROW);
	const put = (i, x, w, faded) => {
		if (tree.depth[i] >= hidden) graph.boxes.push({ tree, i, x, y: yOf(tree.depth[i]), w, faded });
	};
	for (let up = from; up;) {
		// the boxes from the root to this one fill the whole width
		up = tree.parent[up];
		put(up, 0, width, true);
	}
	visit(tree, from, width, (i, x, w) => put(i, x, w, false));
	return height;
}

function layOut(width) {
	let top = 0;
	graph.boxes = [];
	for (const tree of graph.shown) {
		if (tree.width < width) grow(tree, width);
		top += layOutTree(tree, top, width) + 5;
	}
	return top;
}

function drawBox(c, b, focused) {
	const name = b.tree.name[b.i],
		fits = Math.floor((b.w - 6) / CHAR),
		text = names[name];
	c.globalAlpha = b.faded ? 0.55 : 1;
	c.fillStyle = found && found[name] ? styleOf("--mark") : fillBox(b.tree, b.i);
	c.fillRect(b.x, b.y, Math.max(b.w - 0.7, 0.4), ROW - 1);
	if (focused) {
		c.strokeStyle = ink();
		c.lineWidth = 1.5;
		c.strokeRect(b.x + 0.75, b.y + 0.75, b.w - 1.5, ROW - 2.5);
	}
	if (fits >= 3) {
		c.fillStyle = ink();
		c.fillText(text.length <= fits ? text : text.slice(0, fits - 1) + "\u2026", b.x + 3, b.y + ROW / 2);
	}
}

function drawGraph() {
	const main = at("main"),
		width = main.clientWidth,
		about = at("about").offsetHeight;
	const height = Math.max(layOut(width), 1),
		room = main.clientHeight - about - 2;
	const stands = graph.shown.length === 1 && !graph.shown[0].down; // on the ground
	const below = stands && height < room ? room - height : 0;
	for (const b of graph.boxes) b.y += below;
	const c = prepare(at("graph"), width, height + below);
	c.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
	graph.boxes.forEach((b, k) => drawBox(c, b, k === graph.focus));
	at("graph").dataset.boxes = graph.boxes.length; // for who looks from outside
}

const hitBox = (e) => {
	const r = at("graph").getBoundingClientRect(),
		x = e.clientX - r.left,
		y = e.clientY - r.top;
	return graph.boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + ROW);
};
const nameOfBox = (k) => (k >= 0 ? graph.boxes[k].tree.name[graph.boxes[k].i] : 0);

function zoom(k) {
	if (k < 0) return;
	const { tree, i } = graph.boxes[k];
	tree.root = i;
	if (tree.places) {
		// more of it may be visible now
		tree.way = [];
		for (let up = i; up; up = tree.parent[up]) tree.way.unshift(tree.name[up]);
		tree.way.unshift(0);
		tree.width = 0;
	}
	graph.focus = -1;
	draw();
}

function moveFocus(key) {
	const { boxes } = graph,
		b = boxes[Math.max(graph.focus, 0)];
	const wanted = { ArrowUp: -1, ArrowDown: 1 }[key],
		beside = { ArrowLeft: -1, ArrowRight: 1 }[key];
	let best = -1;
	boxes.forEach((o, k) => {
		if (o.tree !== b.tree) return;
		const hit = wanted
			? Math.abs(o.y - b.y - wanted * ROW) < 1 && o.x < b.x + b.w - 0.01 && o.x + o.w > b.x + 0.01
			: o.y === b.y && (o.x - b.x) * beside > 0;
		const nearer =
			best < 0 ||
			(wanted ? o.w > boxes[best].w : Math.abs(o.x - b.x) < Math.abs(boxes[best].x - b.x));
		if (hit && nearer) best = k;
	});
	graph.focus = graph.focus < 0 ? 0 : best < 0 ? graph.focus : best;
	drawGraph();
	const f = boxes[graph.focus],
		main = at("main"),
		y = f.y + at("about").offsetHeight;
	if (y < main.scrollTop || y + ROW > main.scrollTop + main.clientHeight)
		main.scrollTop = y - main.clientHeight / 2;
	tell(describe(f.tree, f.i));
}

at("graph").addEventListener("click", (e) => zoom(hitBox(e)));
at("graph").addEventListener("dblclick", (e) => {
	const name = nameOfBox(hitBox(e));
	if (name) choose(name, "sandwich");
});
at("graph").addEventListener("mousemove", (e) => {
	const k = hitBox(e);
	at("graph").style.cursor = k < 0 ? "" : "pointer";
	tell(k < 0 ? "" : describe(graph.boxes[k].tree, graph.boxes[k].i), e);
});
at("graph").addEventListener("mouseleave", () => tell(""));
