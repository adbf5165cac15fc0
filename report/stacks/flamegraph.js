// The interactive part of a flame graph: zoom on click, search, tooltips in the bottom line. It
// works on the drawn boxes: each box is a <g class="b"> with a <title>, a <rect> and a <text>. It
// knows nothing else about the profile.
"use strict";
(function () {
	const svg = document.documentElement;
	const at = (id) => document.getElementById(id);
	const pad = 10, charWidth = 6.9;
	const height = svg.viewBox.baseVal.height;
	let full = svg.viewBox.baseVal.width - 2 * pad;	// width of the root; changes with the window
	const boxes = Array.from(document.querySelectorAll("g.b"), (g) => {
		const rect = g.querySelector("rect");
		const title = g.querySelector("title").textContent;
		return {
			g, rect, title, text: g.querySelector("text"), name: title.slice(0, title.lastIndexOf(" (")),
			x: parseFloat(rect.getAttribute("x")), w: parseFloat(rect.getAttribute("width")),
			y: parseFloat(rect.getAttribute("y")), fill: rect.getAttribute("fill"),
		};
	});
	const root = boxes[0];
	const inverted = svg.dataset.icicle === "1";
	let zoomed = root, found = null;

	const above = (a, b) => (inverted ? a.y < b.y : a.y > b.y);	// a calls b if it spans b

	function label(box, width) {
		const fits = Math.floor((width - 6) / charWidth);
		const text = box.name.length <= fits ? box.name : box.name.slice(0, fits - 2) + "..";
		box.text.textContent = fits < 3 ? "" : text;
	}

	function place(box, x, width, faded) {
		box.g.style.display = width < 0.1 ? "none" : "";
		box.g.style.opacity = faded ? "0.5" : "";
		if (width < 0.1)
			return;
		box.rect.setAttribute("x", x);
		box.rect.setAttribute("width", width);
		box.text.setAttribute("x", x + 3);
		label(box, width);
	}

	function zoom(to) {
		const scale = full / to.w, slack = 1e-4;
		zoomed = to;
		for (const box of boxes) {
			if (above(box, to) && box.x <= to.x + slack && box.x + box.w >= to.x + to.w - slack)
				place(box, pad, full, true);
			else if (above(box, to) || box.x + box.w <= to.x + slack || box.x >= to.x + to.w - slack)
				box.g.style.display = "none";
			else
				place(box, pad + (box.x - to.x) * scale, box.w * scale, false);
		}
		at("reset").style.visibility = to === root ? "hidden" : "visible";
		mark();
	}

	// The share of the found boxes in the visible part. Nested boxes count once.
	function share(hits) {
		let end = -1, sum = 0;
		hits.sort((a, b) => a.x - b.x || b.w - a.w);
		for (const box of hits) {
			const from = Math.max(box.x, end, zoomed.x), to = Math.min(box.x + box.w, zoomed.x + zoomed.w);
			if (to > from)
				sum += to - from;
			end = Math.max(end, box.x + box.w);
		}
		return 100 * sum / zoomed.w;
	}

	function mark() {
		const hits = [];
		for (const box of boxes) {
			const hit = found && found.test(box.name);
			box.rect.setAttribute("fill", hit ? "rgb(230,0,230)" : box.fill);
			if (hit && box.g.style.display !== "none")
				hits.push(box);
		}
		at("matched").textContent = found ? "Matched: " + share(hits).toFixed(1) + "%" : "";
		at("search").textContent = found ? "Reset search" : "Search";
	}

	function search() {
		if (found) {
			found = null;
		} else {
			const term = prompt("Regular expression of names to search for", "");
			if (!term)
				return;
			try {
				found = new RegExp(term);
			} catch (error) {
				found = new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
			}
		}
		mark();
	}

	const boxOf = (target) => {
		const g = target.closest ? target.closest("g.b") : null;
		return g ? boxes.find((box) => box.g === g) : null;
	};
	svg.addEventListener("click", (event) => {
		const box = boxOf(event.target);
		if (event.target.id === "search")
			search();
		else if (event.target.id === "reset")
			zoom(root);
		else if (box)
			zoom(box);
	});
	svg.addEventListener("mouseover", (event) => {
		const box = boxOf(event.target);
		at("details").textContent = box ? box.title : " ";
	});
	window.addEventListener("keydown", (event) => {
		if ((event.ctrlKey && event.key === "f") || event.key === "F3" || event.key === "/") {
			event.preventDefault();
			search();
		} else if (event.key === "Escape") {
			found = null;
			zoom(root);
		}
	});

	// Fit the width of the window, one unit per pixel. A tall picture scrolls; it does not shrink.
	function fit() {
		const width = Math.max(svg.getBoundingClientRect().width || window.innerWidth, 300);
		full = width - 2 * pad;
		for (const text of document.querySelectorAll("text.middle"))
			text.setAttribute("x", width / 2);
		for (const id of ["search", "matched"])
			at(id).setAttribute("x", width - pad);
		zoom(zoomed);
	}
	svg.setAttribute("width", "100%");
	svg.setAttribute("height", height);
	svg.removeAttribute("viewBox");
	window.addEventListener("resize", fit);
	fit();
})();
