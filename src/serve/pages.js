// SPDX-License-Identifier: MIT
// Keeps the page of serve live. Without it the page shows what was when it was
// loaded, and its forms lead to pages of their own. Text that came from a board
// is only ever made text: nothing here makes markup of it.
"use strict";
(function () {
	const table = document.querySelector("table[data-live]");
	const live = document.getElementById("live");

	function say(on, words) {
		live.className = on ? "on" : "off";
		live.textContent = words;
	}

	function newRow(id) {
		const row = document.createElement("tr");
		const link = document.createElement("a");

		row.dataset.id = id;
		link.href = "/boards/" + encodeURIComponent(id);
		row.insertCell().append(link);
		for (let i = 1; i < table.tHead.rows[0].cells.length; i++)
			row.insertCell();
		return row;
	}

	function fill(row, cells) {
		let found = false;

		cells.forEach(function (text, i) {
			const cell = i ? row.cells[i] : row.cells[0].firstChild;

			if (!cell || cell.textContent === text)
				return;
			cell.textContent = text;
			found = true;
		});
		if (found) {
			row.classList.add("new");
			setTimeout(function () { row.classList.remove("new"); }, 1500);
		}
		return found;
	}

	function rowsById() {
		const rows = new Map();

		for (const row of table.tBodies[0].rows)
			rows.set(row.dataset.id, row);
		return rows;
	}

	// What else the page says of a board: anew from the server, as it is there.
	async function fetchParts() {
		const answer = await fetch(location.href, { signal: AbortSignal.timeout(10000) });
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");

		for (const id of ["facts", "findings", "pictures"]) {
			const now = document.getElementById(id), then = page.getElementById(id);

			if (now && then)
				now.replaceWith(document.adoptNode(then));
		}
	}

	// One at a time, however often it is wanted; once more where it was wanted
	// meanwhile, since what is on its way may be older. Calls wait for nobody.
	let refreshing = null, again = false;

	function refresh() {
		again = refreshing !== null;
		if (!again)
			refreshing = fetchParts().catch(function () {}).then(function () {
				refreshing = null;
				if (again)
					refresh();
			});
	}

	function take(data, all) {
		const news = JSON.parse(data), rows = rowsById();
		const summary = document.getElementById("summary");
		const list = [];
		let changed = false;

		if (summary)
			summary.textContent = news.summary;
		for (const [id, ...cells] of news.rows) {
			const row = rows.get(id) || (all ? newRow(id) : null);

			if (!row)
				continue;
			changed = fill(row, cells) || changed;
			list.push(row);
		}
		// As it stands already, mostly: then nothing is laid out anew.
		if (all && (list.length !== rows.size || list.some(function (row, i) { return row.sectionRowIndex !== i; })))
			table.tBodies[0].replaceChildren(...list);
		if (changed && document.getElementById("findings"))
			refresh();
		if (all && !list.length && document.getElementById("findings"))
			say(false, "this board is gone");
		else
			say(true, "live");
	}

	function look() {
		const source = new EventSource(table.dataset.live);

		source.addEventListener("all", function (e) { take(e.data, true); });
		source.addEventListener("some", function (e) { take(e.data, false); });
		source.onerror = function () {
			say(false, source.readyState === EventSource.CLOSED ?
				"not live: load the page again" : "not live: serve does not answer");
		};
	}

	// A form's answer below it, instead of on a page of its own.
	async function ask(form) {
		const answer = form.querySelector(".answer"), button = form.querySelector("button");

		button.disabled = true;
		answer.textContent = "asking …";
		try {
			const got = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
			const page = new DOMParser().parseFromString(await got.text(), "text/html");
			const inside = page.getElementById("answer");

			answer.replaceChildren(...(inside ? document.adoptNode(inside).childNodes : ["There is no answer: log in again?"]));
			if (document.getElementById("findings"))
				refresh();
		} catch (e) {
			answer.textContent = "serve does not answer";
		}
		button.disabled = false;
	}

	document.addEventListener("submit", function (e) {
		if (!e.target.querySelector(".answer"))
			return;
		e.preventDefault();
		ask(e.target);
	});
	if (table && window.EventSource)
		look();
})();
