// The heat map: each column is a second (or another turn of time), each cell a part of it. A drag
// from cell to cell selects the time from the first to the last.

const heat = { turn: 0, cell: 0, columns: 0, rows: 0, weights: null, most: 0, from: -1, to: -1 };
const HEAT_LEFT = 56,
	HEAT_TOP = 8,
	HEAT_FOOT = 22;

// Long recordings have slots too long for parts of a second, short ones too few seconds.
function layOutHeat() {
	const turns = [1e7, 1e8, 1e9, 6e10, 3.6e12];
	let turn = turns.find((t) => t / data.slot_ns >= 10 && spanNs / t <= 3000) || turns[turns.length - 1];
	if (spanNs >= 3e9 && turn < 1e9 && 1e9 / data.slot_ns >= 10) turn = 1e9;
	heat.turn = turn;
	heat.cell = Math.max(data.slot_ns, turn / 50);
	heat.rows = Math.round(turn / heat.cell);
	heat.columns = Math.ceil(spanNs / turn);
}

function sumHeat() {
	heat.weights = new Float64Array(heat.columns * heat.rows);
	heat.most = 0;
	for (let i = 0; i < data.slot.length; i++) {
		if (chosen.threads && !chosen.threads.has(data.thread[i])) continue;
		if (found && !inFound(data.box[i])) continue;
		const cell = Math.floor((data.slot[i] * data.slot_ns) / heat.cell);
		heat.weights[cell] += data.weight[i];
	}
	for (const w of heat.weights) heat.most = Math.max(heat.most, w);
}

const heatRange = () => {
	const a = Math.min(heat.from, heat.to),
		b = Math.max(heat.from, heat.to);
	return a < 0 ? null : wholeSlots(a * heat.cell, Math.min((b + 1) * heat.cell, spanNs));
};

function heatSize() {
	const width = at("main").clientWidth,
		height = at("main").clientHeight;
	const wide = Math.max(1, Math.min(60, (width - HEAT_LEFT - 10) / heat.columns)),
		high = (height - HEAT_TOP - HEAT_FOOT) / heat.rows;
	return { width: Math.max(width, HEAT_LEFT + wide * heat.columns), height, wide, high };
}

function drawHeatLabels(c, { wide, high, height }) {
	c.font = "10.5px system-ui, sans-serif";
	c.fillStyle = styleOf("--dim");
	c.textAlign = "right";
	const parts = 5,
		unit = heat.turn <= 1e9 ? [1e6, " ms"] : [1e9, " s"];
	for (let k = 0; k <= parts; k++)
		// time goes upwards
		c.fillText(
			Math.round((heat.turn * k) / parts / unit[0]) + unit[1],
			HEAT_LEFT - 6,
			HEAT_TOP + heat.rows * high * (1 - k / parts)
		);
	c.textAlign = "left";
	const tick = Math.max(1, Math.ceil(70 / wide)),
		digits = heat.turn < 1e9 ? 2 : 0;
	for (let col = 0; col < heat.columns; col += tick)
		c.fillText(
			((col * heat.turn) / 1e9).toFixed(digits) + " s",
			HEAT_LEFT + col * wide,
			height - HEAT_FOOT / 2 + 2
		);
}

function drawHeat() {
	if (!heat.turn) layOutHeat();
	sumHeat();
	const size = heatSize(),
		{ width, height, wide, high } = size,
		c = prepare(at("cells"), width, height);
	at("cells").style.width = width + "px";
	const range = heat.from >= 0 ? heatRange() : chosen.range,
		gap = wide > 4 ? 1 : 0;
	for (let i = 0; i < heat.weights.length && i * heat.cell < spanNs; i++) {
		const col = Math.floor(i / heat.rows),
			row = i % heat.rows,
			ns = (i + 0.5) * heat.cell;
		c.globalAlpha = !range || (ns >= range[0] && ns < range[1]) ? 1 : 0.35;
		c.fillStyle = heatColor(heat.most ? heat.weights[i] / heat.most : 0);
		c.fillRect(
			HEAT_LEFT + col * wide,
			HEAT_TOP + (heat.rows - 1 - row) * high,
			wide - gap,
			Math.max(high - (high > 4 ? 1 : 0), 0.5)
		);
	}
	c.globalAlpha = 1;
	drawHeatLabels(c, size);
	Object.assign(at("cells").dataset, {
		columns: heat.columns,
		rows: heat.rows,
		left: HEAT_LEFT,
		top: HEAT_TOP,
		wide,
		high,
	});
}

// The cell under the pointer, -1 for none.
function hitCell(e) {
	const r = at("cells").getBoundingClientRect(),
		{ wide, high } = heatSize();
	const col = Math.floor((e.clientX - r.left - HEAT_LEFT) / wide),
		up = heat.rows - 1 - Math.floor((e.clientY - r.top - HEAT_TOP) / high);
	const i = col * heat.rows + up;
	return col < 0 || col >= heat.columns || up < 0 || up >= heat.rows || i * heat.cell >= spanNs ? -1 : i;
}

at("cells").addEventListener("mousedown", (e) => {
	heat.from = heat.to = hitCell(e);
});
at("cells").addEventListener("mousemove", (e) => {
	const i = hitCell(e);
	if (heat.from >= 0 && i >= 0) {
		heat.to = i;
		drawHeat();
	}
	const from = i * heat.cell,
		to = Math.min(from + heat.cell, spanNs);
	tell(i < 0 ? "" : `${seconds(from)} to ${seconds(to)}\n${count(heat.weights[i])} ${data.unit}`, e);
});
at("cells").addEventListener("mouseleave", () => tell(""));
window.addEventListener("mouseup", () => {
	if (heat.from < 0) return;
	const range = heatRange();
	heat.from = heat.to = -1;
	setRange(range);
});
