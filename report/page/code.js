// The code of a function: instructions with the share of its samples that fell there, and the source
// lines they are from. data.code: { name, object, weight, insns: [offset, weight, text, target,
// file, line] }; data.files: { name, lines: { number: text } }. It is that of the whole recording.

let codeForm = "both"; // both, assembly, source
const codesOf = (name) => (data.code || []).filter((c) => c.name === name);
const FORMS = ["both", "assembly", "source"];

function shareCell(weight, whole) {
	const share = whole ? weight / whole : 0,
		cell = element("td", share >= 0.00005 ? (100 * share).toFixed(2) : "", share ? "n h" : "n");
	cell.style.setProperty("--heat", Math.min(0.75, share * 2.5).toFixed(3));
	return cell;
}

function sourceRow(file, line, weight, whole) {
	const f = data.files[file],
		row = element("tr", undefined, "source"),
		text = f.lines[line];
	const where = element("td", `${f.name.replace(/.*\//, "")}:${line}`, "at");
	where.title = f.name;
	row.append(
		weight === null ? element("td", "", "n") : shareCell(weight, whole),
		where,
		element("td", text === undefined ? "" : text)
	);
	return row;
}

function insnRow(code, i, rows) {
	const [offset, weight, text, target] = code.insns[i],
		row = document.createElement("tr"),
		cell = element("td");
	row.append(shareCell(weight, code.weight), element("td", offset.toString(16), "at"), cell);
	if (target < 0) {
		cell.textContent = text;
		return row;
	}
	const link = element("a", text);
	link.title = "go there";
	link.onclick = () => {
		rows.forEach((r) => r.classList.remove("aim"));
		rows[target].classList.add("aim");
		rows[target].scrollIntoView({ block: "center" });
	};
	cell.append(link);
	return row;
}

// Instructions in their order; the line they are from before those of the same line.
function assemblyRows(code, withSource) {
	const rows = [],
		insnRows = [];
	let last = "";
	code.insns.forEach(([, , , , file, line], i) => {
		const here = file === undefined ? "" : file + ":" + line;
		if (withSource && here && here !== last && data.files[file].lines[line] !== undefined)
			rows.push(sourceRow(file, line, null, 0));
		last = here;
		insnRows.push(insnRow(code, i, insnRows));
		rows.push(insnRows[i]);
	});
	return rows;
}

// The lines of each file with the weights of the instructions that are from them.
function sourceRows(code) {
	const files = new Map();
	for (const [, weight, , , file, line] of code.insns) {
		if (file === undefined) continue;
		const lines = files.get(file) || files.set(file, new Map()).get(file);
		lines.set(line, (lines.get(line) || 0) + weight);
	}
	const rows = [];
	for (const [file, lines] of [...files].sort((a, b) => b[1].size - a[1].size)) {
		let from = Infinity,
			to = 0;
		for (const line of lines.keys()) ((from = Math.min(from, line)), (to = Math.max(to, line)));
		const known = Object.keys(data.files[file].lines)
			.map(Number)
			.filter((l) => l >= from - 3 && l <= to + 3);
		for (const line of [...new Set([...known, ...lines.keys()])].sort((a, b) => a - b)) {
			const row = sourceRow(file, line, lines.get(line) || 0, code.weight);
			row.classList.remove("source");
			rows.push(row);
		}
	}
	return rows;
}

function whyNoCode(name) {
	if (!data.code)
		return (
			"The page has no code. Bundle it with the recording: " +
			"`strobe bundle --with-code --with-source`, or write the page with --with-code " +
			"or --with-source."
		);
	if (KINDS[data.kind[name]] === "inlined")
		return "This function was inlined: its code is part of its callers.";
	return (
		"The page has no code of this function: it was not on the machine that wrote the page, " +
		"or too few samples fell in it."
	);
}

function codeTable(code) {
	const rows = codeForm === "source" ? sourceRows(code) : assemblyRows(code, codeForm === "both");
	const whole = document.createElement("table"),
		body = whole.createTBody();
	body.append(...rows);
	return whole;
}

function drawCode() {
	const codes = codesOf(chosen.name),
		place = at("code");
	place.replaceChildren();
	if (!codes.length)
		place.append(
			element("div", chosen.name ? whyNoCode(chosen.name) : "No function is chosen.", "empty")
		);
	for (const code of codes) {
		if (codes.length > 1) place.append(element("h2", code.object));
		place.append(codeTable(code));
	}
	const hot = [...place.querySelectorAll("td.h")].reduce(
		(a, b) => (!a || parseFloat(b.textContent || 0) > parseFloat(a.textContent || 0) ? b : a),
		null
	);
	if (hot) hot.scrollIntoView({ block: "center" });
	place.dataset.rows = place.querySelectorAll("tr").length; // for who looks from outside
}
