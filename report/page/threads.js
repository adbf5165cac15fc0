// Threads over time: a track for each. Where it is known what threads did (wall-clock time), a track
// has pieces: running, runnable, waiting; else bars of its samples. Only visible tracks are drawn.

const LANE = 18,
	LEFT = 250,
	ARROWS = 300,
	TOP = 20;
const lanes = new Map(); // thread -> { from, length, what, ran, waker }
const tracks = { order: null, place: null, weight: null, at: -1, pulled: null, bars: null, barsOf: "" };

// Lanes follow each other; `from` counts from the end of the piece before.
function readLanes() {
	let first = 0;
	for (let i = 0; data.lane_pieces && i < data.lane_pieces.length; i++) {
		const last = first + data.lane_pieces[i],
			part = (column) => column.subarray(first, last),
			from = part(data.piece_from),
			length = part(data.piece_length);
		for (let k = 0, end = 0; k < from.length; k++) {
			from[k] += end;
			end = from[k] + length[k];
		}
		if (from.length)
			lanes.set(data.lane_thread[i], {
				from,
				length,
				what: part(data.piece_what),
				ran: part(data.piece_ran),
				waker: part(data.piece_waker),
			});
		first = last;
	}
}
readLanes();

const threadName = ([name, pid, tid]) => `${name} ${pid > 0 && pid !== tid ? pid + "/" : ""}${tid}`;
const spanOfTracks = () => chosen.range || [0, spanNs];

function weighTracks() {
	const weight = new Float64Array(data.threads.length),
		[from, to] = slotsOf(chosen.range);
	for (let i = 0; i < data.slot.length; i++)
		if (data.slot[i] >= from && data.slot[i] < to) weight[data.thread[i]] += data.weight[i];
	tracks.weight = weight;
}

// Tracks from top to bottom: processes side by side, the busiest first; likewise their threads.
function orderTracks() {
	if (tracks.order) return tracks.order;
	weighTracks();
	const all = new Float64Array(data.threads.length),
		term = at("search").value.toLowerCase();
	for (let i = 0; i < data.thread.length; i++) all[data.thread[i]] += data.weight[i];
	// Of some that ended, only the thread is known.
	const processOf = (i) => (data.threads[i][1] > 0 ? data.threads[i][1] : data.threads[i][2]);
	const sums = new Map();
	data.threads.forEach((_, i) => sums.set(processOf(i), (sums.get(processOf(i)) || 0) + all[i]));
	const shown = data.threads
		.map((_, i) => i)
		.filter(
			(i) =>
				(all[i] > 0 || lanes.has(i)) &&
				(!term || threadName(data.threads[i]).toLowerCase().includes(term))
		);
	shown.sort(
		(a, b) =>
			sums.get(processOf(b)) - sums.get(processOf(a)) ||
			processOf(a) - processOf(b) ||
			all[b] - all[a] ||
			a - b
	);
	tracks.place = new Map(shown.map((t, k) => [t, k]));
	return (tracks.order = shown);
}

// The first piece that ends behind this time.
function firstPiece({ from, length }, time) {
	let a = 0,
		b = from.length;
	while (a < b) {
		const m = (a + b) >> 1;
		if (from[m] + length[m] <= time) a = m + 1;
		else b = m;
	}
	return a;
}

// Visit the visible pieces of a lane; those that share a pixel are visited once, as the longest of them.
function visitPieces(lane, span, width, meet) {
	const { from, length } = lane,
		scale = width / (span[1] - span[0]);
	let best = -1,
		pixel = -1;
	for (let i = firstPiece(lane, span[0]); i < from.length && from[i] < span[1]; i++) {
		const x = (from[i] - span[0]) * scale,
			w = length[i] * scale,
			p = Math.floor(x);
		if (w >= 1) {
			meet(i, Math.max(x, 0), Math.min(x + w, width) - Math.max(x, 0));
		} else if (p !== pixel || length[i] > length[best]) {
			meet(i, Math.max(p, 0), 1);
			best = i;
			pixel = p;
		}
	}
}

function arrowsOf(first, last, width) {
	const order = orderTracks(),
		span = spanOfTracks(),
		top = at("main").scrollTop,
		arrows = [];
	const yOf = (place) => TOP + place * LANE - top + LANE / 2;
	for (let k = first; k < last; k++) {
		const lane = lanes.get(order[k]);
		if (!lane) continue;
		for (let i = firstPiece(lane, span[0]); i < lane.from.length && lane.from[i] < span[1]; i++) {
			const end = lane.from[i] + lane.length[i],
				waker = lane.waker[i];
			if (
				waker &&
				end < span[1] &&
				tracks.place.has(waker) &&
				(tracks.at < 0 || tracks.at === waker || tracks.at === order[k])
			)
				arrows.push([
					LEFT + ((end - span[0]) / (span[1] - span[0])) * width,
					yOf(tracks.place.get(waker)),
					yOf(k),
				]);
			// Too many say nothing, except of one thread.
			if (arrows.length > ARROWS) return tracks.at < 0 ? [] : arrows;
		}
	}
	return arrows;
}

function drawArrows(c, arrows) {
	c.strokeStyle = c.fillStyle = ink();
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
}

function drawPieces(c, lane, y, width) {
	visitPieces(lane, spanOfTracks(), width, (i, x, w) => {
		const what = lane.what[i],
			ran = lane.ran[i] / 100,
			high = what === 1 ? LANE - 4 : what === 2 ? LANE - 9 : LANE - 13;
		c.fillStyle = data.waits[what].color;
		c.fillRect(LEFT + x, y + LANE - 2 - high, Math.max(w, 0.7), high);
		if (what === 0 && ran > 0) {
			// several: green as much as it ran
			c.fillStyle = data.waits[1].color;
			c.fillRect(LEFT + x, y + 2 + (LANE - 4) * (1 - ran), Math.max(w, 0.7), (LANE - 4) * ran);
		}
	});
}

// The weights of the visible tracks by pixel, kept until something else is visible.
function barsOfTracks(first, last, width) {
	const span = spanOfTracks(),
		order = orderTracks(),
		key = [first, last, width, span, order.length].join();
	if (tracks.barsOf === key) return tracks.bars;
	const bars = { width: Math.min(width, Math.ceil((span[1] - span[0]) / data.slot_ns)), most: 0 },
		row = new Int32Array(data.threads.length).fill(-1);
	for (let k = first; k < last; k++) row[order[k]] = k - first;
	bars.weight = new Float64Array((last - first) * bars.width);
	for (let i = 0; i < data.slot.length; i++) {
		const r = row[data.thread[i]],
			x = Math.floor(
				((data.slot[i] * data.slot_ns - span[0]) / (span[1] - span[0])) * bars.width
			);
		if (r >= 0 && x >= 0 && x < bars.width) bars.weight[r * bars.width + x] += data.weight[i];
	}
	for (const w of bars.weight) bars.most = Math.max(bars.most, w);
	tracks.barsOf = key;
	return (tracks.bars = bars);
}

function drawBars(c, bars, r, y, width) {
	const wide = width / bars.width;
	c.fillStyle = styleOf("--accent");
	for (let x = 0; x < bars.width; x++) {
		const h = bars.most ? ((LANE - 3) * bars.weight[r * bars.width + x]) / bars.most : 0;
		if (h > 0)
			c.fillRect(
				LEFT + x * wide,
				y + LANE - 2 - Math.max(h, 1),
				Math.max(wide, 0.7),
				Math.max(h, 1)
			);
	}
}

function drawLabel(c, thread, y) {
	const picked = chosen.threads && chosen.threads.has(thread),
		whole = tracks.weight.reduce((a, b) => a + b, 0);
	if (picked) {
		c.fillStyle = styleOf("--bar");
		c.fillRect(0, y, LEFT - 6, LANE - 1);
	}
	c.fillStyle = ink();
	c.fillText(threadName(data.threads[thread]).slice(0, 28), 8, y + LANE / 2);
	c.textAlign = "right";
	c.fillStyle = styleOf("--dim");
	c.fillText(percent(tracks.weight[thread], whole), LEFT - 10, y + LANE / 2);
	c.textAlign = "left";
}

function drawLanes() {
	const main = at("main"),
		order = orderTracks(),
		height = main.clientHeight,
		width = main.clientWidth - LEFT - 8,
		top = main.scrollTop;
	at("lanes").style.height = Math.max(order.length * LANE + TOP, height) + "px";
	const c = prepare(at("lines"), main.clientWidth, height),
		first = Math.floor(top / LANE);
	const last = Math.min(order.length, Math.ceil((top + height - TOP) / LANE)),
		bars = barsOfTracks(first, last, Math.floor(width));
	c.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
	for (let k = first; k < last; k++) {
		const thread = order[k],
			y = TOP + k * LANE - top;
		c.globalAlpha = tracks.at < 0 || tracks.at === thread ? 1 : 0.65;
		drawLabel(c, thread, y);
		if (lanes.has(thread)) drawPieces(c, lanes.get(thread), y, width);
		else drawBars(c, bars, k - first, y, width);
		c.fillStyle = styleOf("--line");
		c.fillRect(0, y + LANE - 1, main.clientWidth, 0.5);
	}
	c.globalAlpha = 1;
	c.fillStyle = styleOf("--panel");
	c.fillRect(0, 0, main.clientWidth, TOP);
	drawAxis(c, spanOfTracks(), LEFT, width, TOP / 2 + 1);
	const arrows = arrowsOf(first, last, width);
	drawArrows(c, arrows);
	// For who looks from outside.
	Object.assign(at("lines").dataset, { lanes: last - first, arrows: arrows.length, left: LEFT });
}

const trackAt = (e) => {
	const k = Math.floor(
			(e.clientY - at("lines").getBoundingClientRect().top - TOP + at("main").scrollTop) / LANE
		),
		order = orderTracks();
	return k >= 0 && k < order.length ? order[k] : -1;
};
const trackTime = (e) => {
	const span = spanOfTracks(),
		r = at("lines").getBoundingClientRect();
	return (
		span[0] +
		Math.min(1, Math.max(0, (e.clientX - r.left - LEFT) / (r.width - LEFT - 8))) * (span[1] - span[0])
	);
};
const isLabel = (e) => e.clientX - at("lines").getBoundingClientRect().left < LEFT;

function describeTrack(e) {
	const thread = trackAt(e),
		lane = lanes.get(thread),
		time = trackTime(e);
	if (thread < 0) return "";
	const name = threadName(data.threads[thread]),
		sum = `${count(tracks.weight[thread])} ${data.unit}`;
	const i = lane ? firstPiece(lane, time) : 0;
	if (isLabel(e) || !lane || i >= lane.from.length || lane.from[i] > time) return `${name}\n${sum}`;
	const what = lane.what[i] ? data.waits[lane.what[i]].label : `several, ran ${lane.ran[i]}%`,
		waker = lane.waker[i] ? `, woken by ${threadName(data.threads[lane.waker[i]])}` : "";
	return `${name}\n${what} ${(lane.length[i] / 1e6).toFixed(3)} ms from ${seconds(lane.from[i])}${waker}`;
}

function pickThread(thread, more) {
	const picked = new Set(more ? chosen.threads : []);
	if (chosen.threads && chosen.threads.has(thread)) picked.delete(thread);
	else picked.add(thread);
	chosen.threads = picked.size ? picked : null;
	weigh();
	arrange();
}

at("lines").addEventListener("mousemove", (e) => {
	at("lines").style.cursor = isLabel(e) ? "pointer" : "col-resize";
	tell(describeTrack(e), tracks.pulled === null ? e : undefined);
	tracks.at = trackAt(e);
	drawLanes();
});
at("lines").addEventListener("mouseleave", () => {
	tell("");
	tracks.at = -1;
	drawLanes();
});
at("lines").addEventListener("mousedown", (e) => {
	if (!isLabel(e)) tracks.pulled = trackTime(e);
	else if (trackAt(e) >= 0) pickThread(trackAt(e), e.ctrlKey || e.shiftKey || e.metaKey);
});
at("lines").addEventListener("dblclick", (e) => {
	if (!isLabel(e)) setRange(null);
});
window.addEventListener("mouseup", (e) => {
	if (tracks.pulled === null) return;
	const from = tracks.pulled,
		to = trackTime(e),
		wide = Math.abs(to - from),
		span = spanOfTracks();
	tracks.pulled = null;
	if (wide > (span[1] - span[0]) / 200 && wide > 1000) setRange([Math.min(from, to), Math.max(from, to)]);
});
