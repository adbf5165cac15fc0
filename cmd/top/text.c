/* top as text: print a page per refresh. Clear a terminal first; in logs, pages follow one another. */
#include "cmd/commands.h"
#include "cmd/top/top_priv.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/signal.h"

enum { HEAD_LINES = 5, LOG_ROWS = 20, DASHES = 79, NOTE_MS = 3000 };

/* ---- the head ---- */

static double percent(uint64_t n, uint64_t of) { return of ? 100.0 * (double)n / (double)of : 0; }

/* Print the control groups of all events, or only that of the shown event. */
static void put_cgroups(const struct top *t, bool shown_only, struct out *o)
{
	const char *title = ", cgroup: ";

	for (size_t i = 0; i < live_session(t->rows.live)->pd->n_events; i++) {
		const char *name = recording_cgroup(t->recording, i);

		if (!name || (shown_only && i != t->event))
			continue;
		out_str(o, title);
		out_name(o, name);
		title = ",";
	}
}

void top_print_target(const struct top *t, bool shown_only, struct out *o)
{
	const struct record_opts *r = &t->record;

	out_char(o, '(');
	if (r->pids || r->tids)
		out_fmt(o, "target_%cid: %s", r->pids ? 'p' : 't', r->pids ? r->pids : r->tids);
	else if (r->uid)
		out_fmt(o, "uid: %s", r->uid);
	else
		out_str(o, "all");
	if (r->cpus)
		out_fmt(o, ", CPU(s): %s", r->cpus);
	else if (!r->pids && !r->tids)
		out_fmt(o, ", %ld CPU%s", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "s" : "");
	put_cgroups(t, shown_only, o);
	out_char(o, ')');
}

static void put_headline(const struct top *t, const struct top_rates *r, struct out *o)
{
	const struct perfdata *pd = live_session(t->rows.live)->pd;

	out_fmt(o, "   PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact: %4.1f%% lost: %llu/%llu drop: 0/0 [",
		r->seconds > 0 ? (double)r->samples / r->seconds : 0, percent(r->kernel, r->samples),
		percent(r->exact, r->samples), (unsigned long long)r->costs.new_lost,
		(unsigned long long)r->costs.lost);
	if (top_next_event(t, t->event) == t->event)
		out_fmt(o, "%llu%s ", (unsigned long long)pd->events[t->event].attr.sample_period,
			pd->events[t->event].attr.flags & ATTR_FREQ ? "Hz" : "");
	out_name(o, pd->events[t->event].name);
	out_str(o, "],  ");
	top_print_target(t, true, o);
}

void top_print_costs(const struct top *t, const struct live_costs *c, struct out *o)
{
	out_fmt(o, "%s itself: %.1f%% of one CPU", tool_name(), c->cpu_percent);
	live_put_throttled(c, o);
	if (c->new_lost)
		out_fmt(o, ", WARNING: %llu samples were lost: larger rings (-m), a lower rate (-F)",
			(unsigned long long)c->new_lost);
	if (t->own_only)
		out_str(o, ", only processes of this user: it may not watch others");
	if (t->ended)
		out_str(o, ", the watched processes have ended");
}

/* Print failures of the kernel or of strobe, and our cost; perf leaves this line empty. */
static void put_costs(struct top *t, const struct top_rates *r, struct out *o)
{
	out_str(o, "   ");
	top_print_costs(t, &r->costs, o);
	if (t->note)
		out_fmt(o, ", %s", t->note);
	out_char(o, '\n');
	if (now_ns() - t->note_ns < NOTE_MS * 1000000ull)
		return; /* pages may follow faster than a user can read */
	free(t->note);
	t->note = NULL;
}

/* ---- a page ---- */

static void put_rows(const struct top *t, struct live_shot *s, size_t rows, struct out *o)
{
	struct run *r = &s->run;
	autofree uint32_t *events = xcalloc(r->session->pd->n_events, sizeof(*events));
	size_t n;
	struct view *v;

	n = report_table_events(r, t->event, events);
	if (!n)
		return;
	r->text.headings = false;
	r->text.max_rows = rows;
	v = view_new(r->fold, &r->view, events, n);
	if (r->o->hierarchy) {
		struct hierarchy *h = hierarchy_new(v);

		text_hierarchy(h, &r->text, o);
		hierarchy_free(h);
	} else {
		text_view(v, &r->text, o);
	}
	view_free(v);
}

/* Print at most as many lines as the terminal has. */
static void cut_lines(struct out *text, size_t lines)
{
	const char *at = out_text(text), *end;

	for (; lines && (end = strchr(at, '\n')); lines--)
		at = end + 1;
	if (!lines)
		text->len = (size_t)(at - text->buf);
}

/* Print a page. true: it has rows. */
static bool put_page(struct top *t, struct out *out)
{
	struct winsize size = { 0 };
	bool terminal = t->clear && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row > HEAD_LINES;
	size_t rows = t->entries ? t->entries : terminal ? (uint64_t)size.ws_row - HEAD_LINES : (uint64_t)LOG_ROWS;
	struct top_rates rates;
	struct live_shot shot;
	struct out text;
	bool any;

	live_shoot(&t->rows, &shot);
	shot.run.text.min_samples = t->least;
	top_rates(t, &rates);
	out_init_mem(&text);
	if (t->clear)
		out_str(out, "\033[H\033[2J\n");
	put_headline(t, &rates, &text);
	out_char(&text, '\n');
	for (int i = 0; i < (size.ws_col > 1 ? size.ws_col - 1 : DASHES); i++)
		out_char(&text, '-');
	out_char(&text, '\n');
	put_costs(t, &rates, &text);
	out_char(&text, '\n');
	if (t->symbol)
		top_put_code(t, &shot, &text);
	else
		put_rows(t, &shot, rows, &text);
	if (terminal)
		cut_lines(&text, size.ws_row - 2u);
	if (size.ws_col && !t->o->report.separator)
		fit_lines(out, &text, size.ws_col);
	else
		out_mem(out, text.buf, text.len);
	if (!t->clear)
		out_char(out, '\n');
	out_flush(out);
	out_release(&text);
	any = shot.run.fold->passed[t->event].samples;
	live_shot_release(&t->rows, &shot);
	return any;
}

/* ---- the loop ---- */

enum { LEAVE, PAGE, AGAIN };

/* Wait for the next refresh; react to keys meanwhile. AGAIN: a key has changed the page. */
static int next_page(struct top *t, uint64_t at_ns, struct err *e)
{
	enum { KEYS_MS = 100 };

	while (!stop_requested) {
		uint64_t now = now_ns();
		int left = at_ns > now ? (int)((at_ns - now) / 1000000) : 0;

		if (top_wait(t, t->keys ? MIN(left, (int)KEYS_MS) : left, e) < 0)
			return -1;
		if (!top_read_keys(t))
			return LEAVE;
		if (now_ns() + 999999 >= at_ns || (t->ended && t->o->batch && !t->o->rounds))
			return PAGE;
		if (t->due)
			return AGAIN;
	}
	return LEAVE;
}

/*
 * On a terminal, show the first pages early until one has rows, because a machine may be idle at the start. The next
 * page covers everything since the start.
 */
static int show_pages(struct top *t, struct out *out, struct err *e)
{
	uint64_t shown = 0, began = now_ns(), delay_ns = t->delay_ms * 1000000ull, at;
	bool early = t->clear;
	int got;

	at = began + (early ? FIRST_MS * 1000000ull : delay_ns);
	while ((got = next_page(t, at, e)) > LEAVE) {
		bool rows = (t->frozen && !t->due) || put_page(t, out), again = early && !rows && at < began + delay_ns;

		t->due = false;
		if (got == AGAIN)
			continue;
		if (!early)
			top_fade(t);
		at = again ? at + FIRST_MS * 1000000ull : MAX(at, now_ns()) + t->delay_ms * 1000000ull;
		early = again;
		shown += !again;
		if (out->error || (shown && shown == t->o->rounds) || (t->ended && t->o->batch && !t->o->rounds))
			break;
	}
	return got < 0 ? -1 : 0;
}

int top_text(struct top *t, struct err *e)
{
	struct out out;
	bool raw;
	int rc;

	t->clear = isatty(STDOUT_FILENO) && !t->o->batch;
	t->keys = t->clear && isatty(STDIN_FILENO);
	raw = t->keys; /* it becomes false when the input ends */
	out_init_fd(&out, STDOUT_FILENO);
	if (raw)
		top_raw_keys(t);
	rc = show_pages(t, &out, e);
	if (raw)
		top_usual_keys(t);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0)
		rc = -1;
	return rc;
}
