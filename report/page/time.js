// The strip above all views: the weight of the samples over time. A drag selects a range.

const STRIP = 56,
	AXIS = 14;
let dragged = null; // where a drag began, in ns

const nsAt = (e) => {
	const r = at("time").getBoundingClientRect();
	return Math.max(0, Math.min(1, (e.clientX - r.left) / r.width)) * spanNs;
};
// Ranges begin and end with slots, because that is all that is known.
const wholeSlots = (a, b) => {
	const [from, to] = slotsOf([Math.min(a, b), Math.max(a, b)]);
	return [from * data.slot_ns, Math.min(to, data.slots) * data.slot_ns];
};

// A round distance of marks on an axis, for about so many of them.
function tickOf(span, n) {
	let tick = 10 ** Math.floor(Math.log10(span / n));
	for (const more of [2, 2.5, 2]) if (span / tick > n) tick *= more;
	return tick;
}

function drawAxis(c, span, left, width, y) {
	const tick = tickOf(span[1] - span[0], Math.max(width / 110, 2)),
		digits = Math.max(0, -Math.floor(Math.log10(tick / 1e9)));
	c.font = "10.5px system-ui, sans-serif";
	c.fillStyle = styleOf("--dim");
	for (let t = Math.ceil(span[0] / tick) * tick; t < span[1]; t += tick) {
		const x = left + ((t - span[0]) / (span[1] - span[0])) * width;
		c.fillRect(x, y - AXIS / 2, 1, 4);
		c.fillText((t / 1e9).toFixed(digits) + " s", x + 3, y);
	}
}

// Sums of the slices per pixel; of one thread if it is given.
function barsOf(width, span) {
	const bars = new Float64Array(Math.max(1, Math.floor(width))),
		scale = bars.length / (span[1] - span[0]);
	for (let i = 0; i < data.slot.length; i++)
		if (!chosen.threads || chosen.threads.has(data.thread[i])) {
			const x = Math.floor((data.slot[i] * data.slot_ns - span[0]) * scale);
			if (x >= 0 && x < bars.length) bars[x] += data.weight[i];
		}
	return bars;
}

function drawTime() {
	const width = at("strip").clientWidth,
		c = prepare(at("time"), width, STRIP),
		high = STRIP - AXIS - 4;
	const pixels = Math.min(width, data.slots),
		wide = width / pixels,
		bars = barsOf(pixels, [0, spanNs]);
	const most = bars.reduce((a, b) => Math.max(a, b), 0),
		range = chosen.range;
	c.fillStyle = styleOf("--accent");
	for (let b = 0; b < bars.length; b++) {
		const ns = ((b + 0.5) / bars.length) * spanNs,
			h = most ? (high * bars[b]) / most : 0;
		c.globalAlpha = !range || (ns >= range[0] && ns < range[1]) ? 0.85 : 0.25;
		c.fillRect(b * wide, STRIP - AXIS - h, Math.max(wide - (wide > 3 ? 0.5 : 0), 0.5), h);
	}
	c.globalAlpha = 1;
	if (range) {
		const x = (range[0] / spanNs) * width,
			w = ((range[1] - range[0]) / spanNs) * width;
		c.strokeStyle = styleOf("--accent");
		c.strokeRect(x + 0.5, 0.5, Math.max(w - 1, 1), STRIP - AXIS - 1);
	}
	drawAxis(c, [0, spanNs], 0, width, STRIP - AXIS / 2);
}

function setRange(range) {
	chosen.range = range && (range[0] > 0 || range[1] < spanNs) ? range : null;
	weigh();
	arrange();
}

// Move the range by half of itself.
function moveRange(sign) {
	const { range } = chosen;
	if (!range) return;
	const length = range[1] - range[0],
		step = Math.max(data.slot_ns, Math.round(length / 2 / data.slot_ns) * data.slot_ns);
	const from = Math.max(0, Math.min(spanNs - length, range[0] + sign * step));
	setRange([from, from + length]);
}

at("time").addEventListener("mousedown", (e) => {
	dragged = nsAt(e);
});
at("time").addEventListener("mousemove", (e) => tell(seconds(nsAt(e))));
window.addEventListener("mousemove", (e) => {
	if (dragged === null) return;
	chosen.range = wholeSlots(dragged, nsAt(e));
	drawTime();
});
window.addEventListener("mouseup", (e) => {
	if (dragged === null) return;
	const from = dragged,
		to = nsAt(e),
		moved = (Math.abs(from - to) / spanNs) * at("time").clientWidth > 2;
	dragged = null;
	setRange(moved ? wholeSlots(from, to) : null);
});
