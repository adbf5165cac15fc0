#!/bin/bash
# flamegraph --wall --html: what 1,000 threads did over time, and who woke them, driven in a browser.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need taskset
cat >many.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
enum { THREADS = 1000 };
static int fds[2];
static void *waiter(void *none)
{
	char c;
	if (read(fds[0], &c, 1) != 1)
		abort();
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	return none;
}
int main(void)
{
	static pthread_t t[THREADS];
	static char text[THREADS];
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	if (pipe(fds))
		abort();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], &small, waiter, NULL))
			abort();
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	if (write(fds[1], text, THREADS) != THREADS)
		abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
EOF2
cc -O1 -fno-omit-frame-pointer -o many many.c -lpthread || exit 1
must "$STROBE" record --wall -q -m 4M -o w.data taskset -c 0 ./many
must "$STROBE" flamegraph --wall --html -c many -i w.data -o page.html
check "the page has a time line of each thread" at_least "$(grep -c '"name":"many","pid"' page.html)" 1000
check "and stays small" test "$(stat -c %s page.html)" -lt 5000000

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -n "$browser" ]; then
	{
		printf '<script>window.faults = []; window.onerror = (m) => faults.push(m);</script>'
		cat page.html
		cat <<'EOF2'; } >driven.html
<script>
{
	const at = (id) => document.getElementById(id), lines = at("lines"), main = at("main"), said = {};
	const key = (k) => window.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
	const mouse = (e, type, x, y) =>
		e.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX: x, clientY: y }));
	const type = (text) => { at("search").value = text; at("search").dispatchEvent(new Event("input")); };
	const mid = (190 + lines.clientWidth) / 2;
	key("l");
	type("many");
	said.all = at("status").textContent;
	said.drawn = +lines.dataset.lanes;
	for (let i = 0; i < 50; i++) {	// through all of them
		main.scrollTop = i * 16 * 20;
		main.dispatchEvent(new Event("scroll"));
	}
	said.last = +lines.dataset.lanes;
	const box = lines.getBoundingClientRect();
	said.tells = "";
	for (let x = 200; x < box.width && !said.tells.includes("woken by"); x++) {
		mouse(lines, "mousemove", box.left + x, box.top + 200);
		said.tells = at("details").textContent;
	}
	said.arrows = +lines.dataset.arrows;
	mouse(lines, "mousedown", box.left + 600, box.top + 20);
	mouse(window, "mouseup", box.left + 700, box.top + 20);
	said.zoomed = at("status").textContent;
	mouse(lines, "dblclick", box.left + 600, box.top + 20);
	said.back = at("status").textContent === said.all;
	said.faults = faults;
	document.documentElement.setAttribute("data-said", JSON.stringify(said));
}
</script>
EOF2
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" \
		--window-size=1200,800 --virtual-time-budget=8000 --dump-dom "file://$tmp/driven.html" 2>browser.log |
		grep -o 'data-said="[^"]*"' | sed 's/&quot;/"/g' >said
	check "no fault: $(cat said)" grep -q '"faults":\[\]' said
	check "all threads are there" grep -qE '"all":"1[0-9]{3} threads' said
	check "only the visible ones are drawn" grep -qE '"drawn":[1-9][0-9],' said
	check "a piece tells what it was, how long, and who ended it" \
		grep -qE '"tells":"many [0-9/]+ +\[[^"]* ms from [^"]*woken by ' said
	check "arrows lead from there" grep -qE '"arrows":[1-9]' said
	check "a drag shows a part of the time, a double click all of it" grep -q '"back":true' said
fi
finish
