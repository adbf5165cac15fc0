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
./many 2>err || skip "this machine cannot run 1000 threads: $(head -1 err)"
must "$STROBE" record --wall --stack-rate=0 -q -m 4M -o w.data taskset -c $one_cpu ./many
must "$STROBE" flamegraph --wall --html -c many -i w.data -o page.html
. "$STROBE_SOURCE/tests/e2e/lib_page.sh"
need python3
page_get page.html >data.json
check "the page has a time line of each thread" python3 - <<'EOF'
import json
d = json.load(open("data.json"))
named = {t for t, thread in enumerate(d["threads"]) if thread[0] == "many"}
lanes = [t for t, n in zip(d["lane_thread"], d["lane_pieces"]) if n and t in named]
assert len(lanes) >= 1000 and len(set(lanes)) == len(lanes), len(lanes)
assert sum(d["lane_pieces"]) == len(d["piece_from"]) == len(d["piece_waker"])
EOF
check "the page is smaller than 5 MB" test "$(stat -c %s page.html)" -lt 5000000

if [ -n "$browser" ]; then
	drive page.html <<'EOF' >said
	const lines = at("lines"), main = at("main"), left = 250, mid = (left + lines.clientWidth) / 2;
	key("l");
	type("many");
	said.all = status();
	said.drawn = Number(lines.dataset.lanes);
	for (let i = 0; i < 50; i++) {	// through all of them
		main.scrollTop = i * 18 * 20;
		main.dispatchEvent(new Event("scroll"));
	}
	said.last = Number(lines.dataset.lanes);
	said.found = find(lines, left + 5, lines.clientWidth, 200, 260, 3, (text) => text.includes("woken by"));
	said.tells = tip();
	said.arrows = Number(lines.dataset.arrows);
	mouse(lines, "mousedown", box(lines).left + 600, box(lines).top + 60);
	mouse(window, "mouseup", box(lines).left + 700, box(lines).top + 60);
	said.zoomed = status();
	mouse(lines, "dblclick", box(lines).left + 600, box(lines).top + 60);
	said.back = status() === said.all;
EOF
	said "all threads are there" 're.search("[0-9]{4} threads", d["all"])'
	said "only the visible ones are drawn" '10 < d["drawn"] < 100 and d["last"] > 0'
	said "a piece tells what it was, how long, and who ended it" \
		're.match(r"many [0-9/]+\s+\[.* ms from .*woken by ", d["tells"], re.S)'
	said "arrows lead from there" 'd["arrows"] > 0'
	said "a drag shows a part of the time, a double click all of it" '" s to " in d["zoomed"] and d["back"]'
else
	skip_part "no browser here"
fi
finish
