// The data of the page, as report/page/columns_priv.h describes them: { names, kind, depth, box ... }.
// Columns become typed arrays. Boxes are a tree in the order of a walk: callers before callees, each
// with a depth and a name. A slice (box, slot of time, thread, weight) is a part of the samples.

const at = (id) => document.getElementById(id);

// Columns of differences to the number before, and those of signed numbers that stay differences.
const RUNNING = new Set(["box", "slot", "thread", "weight"]),
	SIGNED = new Set(["piece_from"]);
const LARGE = new Set(["weight", "old", "piece_from", "piece_length"]);

function decodeColumn(bytes, from, name, n) {
	const numbers = new (LARGE.has(name) ? Float64Array : Uint32Array)(n);
	const running = RUNNING.has(name),
		signed = running || SIGNED.has(name);
	let p = from,
		last = 0;
	for (let i = 0; i < n; i++) {
		let byte = bytes[p++],
			v = byte & 127;
		for (let scale = 128; byte & 128; scale *= 128) {
			byte = bytes[p++];
			v += (byte & 127) * scale;
		}
		if (signed) v = v % 2 ? -(v + 1) / 2 : v / 2;
		if (running) v = last += v;
		numbers[i] = v;
	}
	return [numbers, p];
}

function decode(bytes) {
	const end = bytes.indexOf(0),
		data = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
	let p = end + 1;
	for (const [name, n] of data.columns) [data[name], p] = decodeColumn(bytes, p, name, n);
	return data;
}

async function load() {
	const text = atob(at("data").textContent),
		packed = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
	at("data").remove();
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return decode(new Uint8Array(await new Response(stream).arrayBuffer()));
}

const data = await load();
const names = data.names,
	objectOf = (name) => data.objects[data.object[name]];
const KINDS = ["user", "kernel", "jit", "inlined", "task", "unknown"]; // enum stack_kind
const spanNs = data.slots * data.slot_ns;
