/*
 * top on a screen: the browser of report with a live profile. Everything runs on the screen's thread: it takes in
 * arriving records while it waits for keys, on any screen.
 */
#include "cmd/commands.h"
#include "base/clock.h"
#include "cmd/shared/feeding.h"
#include "cmd/shared/screen.h"
#include "cmd/top/top_priv.h"

struct top_source {
	struct browse_source source;
	struct feed feed;
	struct top *top;
	struct report_opts opts, before; /* current options, and those before the last change */
	struct arena texts;              /* of options that the user typed */
	bool any, changed;               /* any: a page was shown */
	struct top_rates rates;
	struct err why; /* the recording failed */
	bool failed;
};

static struct top_source *self(struct browse_source *s) { return (struct top_source *)s; }

/* ---- taking in records while waiting for keys ---- */

static struct top_source *of_feed(struct feed *f) { return f->of; }

static bool take_in(struct feed *f)
{
	struct top_source *s = of_feed(f);

	if (!s->failed && !s->top->ended && top_wait(s->top, 0, &s->why) < 0)
		s->failed = true;
	return !s->failed;
}

/* Let sums fade at equal intervals, also while another screen is open. */
static bool is_due(struct feed *f)
{
	struct top_source *s = of_feed(f);
	struct top *t = s->top;

	if (!s->any && !t->rows.sums->parts[0].found.len && now_ns() < t->shown_ns + f->delay_ms * 1000000ull)
		return false; /* the first page waits for a sample */
	if (f->due)
		top_fade(t); /* the previous page was not shown */
	return true;
}

/* ---- pages ---- */

static void release(struct browse_source *source, struct browse_data *d)
{
	live_page_free(&self(source)->top->rows, (struct live_page *)d);
}

/* Show the first page early; the next page covers everything since the start. */
static void end_page(struct top_source *s)
{
	if (s->any && !s->changed)
		top_fade(s->top);
	s->any = true;
	s->feed.due = s->changed = false;
}

static struct browse_data *load(struct browse_source *source, bool part, struct progress *progress, struct err *e)
{
	struct top_source *s = self(source);
	struct live_page *p;

	if (s->changed && top_change_rows(s->top, &s->opts, e) < 0)
		return NULL;
	p = live_page_new(&s->top->rows);
	p->shot.run.text.min_samples = s->top->least;
	if (!s->changed)
		top_rates(s->top, &s->rates);
	end_page(s);
	return &p->data;
}

static int change(struct browse_source *source, enum browse_change what, const char *text, struct err *e)
{
	struct top_source *s = self(source);

	if (what == BROWSE_INPUT) {
		err_set(e, "top shows what happens now");
		return err_try(e, "%s report -i FILE", tool_name());
	}
	s->before = s->opts;
	s->changed = true;
	report_apply_change(&s->opts, live_session(s->top->rows.live)->pd, what, text, &s->texts);
	return 0;
}

static void undo(struct browse_source *source)
{
	self(source)->opts = self(source)->before;
	self(source)->changed = false;
}

static const char *input(struct browse_source *source) { return NULL; }
static const char *sort(struct browse_source *source) { return self(source)->opts.sort ? self(source)->opts.sort : ""; }
static enum tui_then annotate(struct browse_source *source, struct tui *t, struct browse_data *d, const struct view *v,
			      uint32_t dso, uint32_t symbol)
{
	return live_page_annotate((struct live_page *)d, &self(source)->opts, source, t, v, dso, symbol);
}

/* ---- live ---- */

static bool due(struct browse_source *source) { return self(source)->feed.due && !self(source)->top->frozen; }

static bool in_place(struct browse_source *source) { return true; }

static void status(struct browse_source *source, struct out *o)
{
	struct top_source *s = self(source);
	const struct top_rates *r = &s->rates;

	if (s->top->frozen)
		out_str(o, "FROZEN (p continues), ");
	if (s->top->zero)
		out_str(o, "[z] ");
	out_fmt(o, "%.0f samples/s, kernel %.1f%%, lost: %llu/%llu, ",
		r->seconds > 0 ? (double)r->samples / r->seconds : 0,
		r->samples ? 100.0 * (double)r->kernel / (double)r->samples : 0, (unsigned long long)r->costs.new_lost,
		(unsigned long long)r->costs.lost);
	top_print_costs(s->top, &r->costs, o);
	out_str(o, ", ");
	top_print_target(s->top, false, o);
}

enum own_action { DO_FREEZE = BROWSE_OWN, DO_ZERO, DO_HIDE_KERNEL, DO_HIDE_USER, DO_DELAY, DO_RECORDING, DO_PAGE };

static const struct tui_binding own_keys[] = {
	{ TUI_UNBOUND, { 0 }, "What happens now" },
	{ DO_FREEZE, { 'p' }, "freeze the screen, and continue" },
	{ DO_ZERO, { 'z' }, "show only samples since the last refresh, or fading samples" },
	{ DO_HIDE_KERNEL, { 'K' }, "hide rows of the kernel, or show them" },
	{ DO_HIDE_USER, { 'U' }, "hide rows of user space, or show them" },
	{ DO_DELAY, { 'D' }, "seconds between refreshes" },
	{ DO_RECORDING, { 'R' }, "save the last seconds (--history) as a recording" },
	{ DO_PAGE, { 'W' }, "the last seconds as a page with a flame graph" },
	TUI_KEYS_END
};

static void type_delay(struct top_source *s, struct tui *t)
{
	autofree char *now = xasprintf("%g", s->top->delay_ms / 1000.0);
	autofree char *text = tui_input(t, "Seconds between refreshes:", now, NULL, NULL);
	struct err e = { 0 };
	double seconds;

	if (!text)
		return;
	if (top_parse_delay(text, &seconds, &e) < 0) {
		tui_error(t, &e);
		return;
	}
	s->top->delay_ms = (unsigned)(seconds * 1000);
	s->feed.delay_ms = s->top->delay_ms;
	s->feed.next_ns = now_ns() + s->top->delay_ms * 1000000ull;
}

static void hide(struct top_source *s, bool *what, const char *whose, struct out *note)
{
	*what = !*what;
	top_clear(s->top); /* hidden samples were not summed up */
	out_fmt(note, "rows of %s are %s from now on", whose, *what ? "hidden" : "shown");
}

static void act(struct browse_source *source, struct tui *t, int action, struct out *note)
{
	struct top_source *s = self(source);
	struct profile_filter *f = &s->top->rows.now->run.filter;
	char *text = NULL;

	switch (action) {
	case DO_FREEZE: s->top->frozen = !s->top->frozen; break;
	case DO_ZERO: s->top->zero = !s->top->zero; break;
	case DO_HIDE_KERNEL: hide(s, &f->hide_kernel, "the kernel", note); break;
	case DO_HIDE_USER: hide(s, &f->hide_user, "user space", note); break;
	case DO_DELAY: type_delay(s, t); break;
	case DO_RECORDING: text = top_save_here(s->top); break;
	case DO_PAGE: text = top_flame_page(s->top); break;
	}
	if (text)
		out_str(note, text);
	free(text);
}

static bool begin(struct browse_source *source, struct tui *t, struct browse_data *d, const struct view *v)
{
	struct top *top = self(source)->top;
	struct live_page *p = (struct live_page *)d;
	long function;

	if (!top->symbol)
		return true;
	if (!p->hot)
		p->hot = hot_new(p->shot.run.profile);
	function = hot_named(p->hot, top->symbol, v->events[0]);
	if (function == HOT_NONE)
		return false;
	annotate(source, t, d, v, p->hot->functions.items[function].dso, p->hot->functions.items[function].symbol);
	return true;
}

static const struct browse_live live = { .begin = begin,
					 .due = due,
					 .in_place = in_place,
					 .status = status,
					 .keys = own_keys,
					 .hint = "p: freeze  R: save  ",
					 .no_script = "a script reads a recording: R saves one",
					 .act = act };

/* ---- the choice between screen and text ---- */

static struct tui *open_screen(const struct top *t)
{
	const struct report_opts *o = &t->o->report;
	struct screen_wish wish = { .command = "top", .tui = o->tui, .input = "" };

	if (t->o->batch)
		wish.text = "--batch asks for text";
	else if (t->o->rounds)
		wish.text = "--rounds asks for text";
	else if (o->stdio)
		wish.text = "--stdio asks for text";
	else if (o->settings.text && !o->tui)
		wish.text = "the setting tui.top asks for text";
	if (wish.text && !o->tui)
		return NULL;
	return screen_open(&wish, &o->settings.colors);
}

bool top_screen(struct top *t, int *rc, struct err *e)
{
	struct top_source s = { .source = { .load = load,
					    .release = release,
					    .change = change,
					    .undo = undo,
					    .input = input,
					    .sort = sort,
					    .annotate = annotate,
					    .live = &live,
					    .no_headings = t->o->report.settings.no_headings,
					    .runner = screen_runner(&t->o->report.objects) },
				.top = t,
				.opts = t->o->report,
				.before = t->o->report,
				.feed = { .take_in = take_in,
					  .is_due = is_due,
					  .of = &s,
					  .delay_ms = t->delay_ms,
					  .next_ns = now_ns() + FIRST_MS * 1000000ull } };
	struct tui *tui = open_screen(t);

	if (!tui)
		return false;
	feed_begin(tui, &s.feed);
	*rc = browse(tui, &s.source, e) < 0 ? -1 : 0;
	tui_free(tui);
	if (s.failed) {
		*e = s.why;
		*rc = -1;
	}
	arena_release(&s.texts);
	return true;
}
