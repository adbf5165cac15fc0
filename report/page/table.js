// The table of functions. Only visible rows exist; two spacers take the room of the others.

// Pixels per row, as in the style sheet; extra rows above and below the visible part.
const LINE = 20,
	BESIDE = 10;
const COLUMNS = [
	["total", "Total", (n, s) => s.total[n], (n, s) => percent(s.total[n], all.total[0])],
	["self", "Self", (n, s) => s.self[n], (n, s) => percent(s.self[n], all.total[0])],
	["change", "Change", (n, s) => changeOf(n, s), (n, s) => points(changeOf(n, s))],
	[
		"was",
		"Was",
		(n, s) => shares(s.total[n], s.other[n]).old,
		(n, s) => (100 * shares(s.total[n], s.other[n]).old).toFixed(2) + "%",
	],
	["name", "Function", (n) => -rankOf(n), null],
].filter(([key]) => data.compared || (key !== "change" && key !== "was"));
let sort = ["self", true]; // column, largest first
// { order: functions from top to bottom; above, below: spacers; made: existing rows by position }.
let table = null;

const changeOf = (n, s) => {
	const { now, old } = shares(s.total[n], s.other[n]);
	return now - old;
};

function tableRow(n, place) {
	const sums = sumsOfFunctions(),
		row = document.createElement("tr");
	for (const [key, , value, text] of COLUMNS) {
		const cell = row.insertCell();
		if (!text) {
			cell.append(names[n], element("span", objectOf(n), "object"));
			cell.title = names[n];
			continue;
		}
		cell.textContent = text(n, sums);
		if (key === "change") {
			cell.className = value(n, sums) > 0 ? "more" : "less";
		} else {
			cell.className = "share";
			cell.style.setProperty("--w", cell.textContent);
		}
	}
	row.tabIndex = 0;
	row.setAttribute("aria-rowindex", place + 2);
	row.onclick = () => choose(n, "sandwich");
	row.onkeydown = (e) => {
		const beside = { ArrowDown: row.nextSibling, ArrowUp: row.previousSibling }[e.key];
		if (e.key === "Enter") row.onclick();
		else if (e.key === "c") choose(n, "code");
		else if (beside && beside.tabIndex === 0) beside.focus();
		else return;
		e.stopPropagation();
		e.preventDefault();
	};
	return row;
}

// Keep rows that stay visible: one of them may have the focus.
function showRows() {
	const { order, above, below, made } = table,
		main = at("main"),
		height = main.clientHeight;
	const first = Math.floor(Math.min(main.scrollTop, order.length * LINE - height) / LINE);
	const from = Math.max(first - BESIDE, 0),
		to = Math.min(from + Math.ceil(height / LINE) + 2 * BESIDE, order.length);
	for (const [place, row] of made)
		if (place < from || place >= to) {
			row.remove();
			made.delete(place);
		}
	for (let place = from, last = above; place < to; place++) {
		if (!made.has(place)) made.set(place, tableRow(order[place], place));
		if (last.nextSibling !== made.get(place)) last.after(made.get(place));
		last = made.get(place);
	}
	above.style.height = from * LINE + "px";
	below.style.height = (order.length - to) * LINE + "px";
}

function tableOrder() {
	const sums = sumsOfFunctions(),
		[by, down] = sort,
		sign = down ? 1 : -1,
		order = [];
	const value = COLUMNS.find(([key]) => key === by)[2];
	for (let n = 1; n < names.length; n++)
		if ((sums.total[n] > 0 || sums.other[n] > 0) && (!found || found[n])) order.push(n);
	const key = new Map(order.map((n) => [n, by === "change" ? Math.abs(value(n, sums)) : value(n, sums)]));
	return order.sort((a, b) => sign * (key.get(b) - key.get(a)) || rankOf(a) - rankOf(b));
}

function drawTable() {
	const order = tableOrder(),
		[by, down] = sort;
	const whole = document.createElement("table"),
		head = whole.createTHead().insertRow(),
		body = whole.createTBody();
	for (const [key, label] of COLUMNS) {
		const th = element(
			"th",
			label + (by === key ? (down === (key !== "name") ? " \u25be" : " \u25b4") : "")
		);
		if (by === key) th.setAttribute("aria-sort", down ? "descending" : "ascending");
		th.dataset.column = key;
		th.onclick = () => {
			sort = [key, by === key ? !down : true];
			draw();
		};
		head.append(th);
	}
	whole.setAttribute("aria-rowcount", order.length + 1);
	table = { order, above: body.insertRow(), below: body.insertRow(), made: new Map() };
	at("rows").replaceChildren(whole);
	showRows();
}
