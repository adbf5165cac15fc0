/*
 * top on a screen: the browser of report, whose profile goes on. Everything runs on the screen's thread: what
 * arrives is taken in while keys are waited for, whichever screen is open.
 */
#include "cmd/commands.h"
#include "cmd/report/browse_parts.h"
#include "cmd/shared/screen.h"
#include "cmd/top/top_priv.h"

#include "base/signal.h"

enum { LOOK_MS = 50 };

/* A page that the browser shows. */
struct top_page {
	struct browse_data data;
	struct top_shot shot;
	struct hot *hot; /* samples per address, once the user has asked for code */
};

struct top_source {
	struct browse_source source;
	struct top *top;
	struct report_opts opts, before; /* current options, and those before the last change */
	struct arena texts;              /* of options that the user typed */
	uint64_t next_ns;                /* when the next page is due */
	bool due, any, changed;          /* any: a page was shown */
	bool wake;                       /* `due` is new */
	struct top_rates rates;
};

static struct top_source *self(struct browse_source *s) { return (struct top_source *)s; }

/* ---- taking in while keys are waited for ---- */

struct feeding_terminal {
	struct terminal terminal;
	struct terminal *inner;
	struct tui *tui;
	struct top_source *source;
	struct err why; /* the recording failed */
	bool failed;
};

static struct feeding_terminal *feeding(struct terminal *t) { return (struct feeding_terminal *)t; }

/* A page is due at equal times. Sums fade then, also while another screen is open. */
static void count_time(struct top_source *s)
{
	struct top *t = s->top;
	uint64_t now = top_now_ns();

	if (now < s->next_ns ||
	    (!s->any && !t->sums->parts[0].found.len && now < t->shown_ns + t->delay_ms * 1000000ull))
		return; /* the first page waits for a sample */
	if (s->due)
		top_fade(t); /* nobody took the page before */
	s->due = s->wake = true;
	s->next_ns = MAX(s->next_ns + t->delay_ms * 1000000ull, now);
}

/* Jobs on other threads read the session. */
static bool take_in(struct feeding_terminal *f)
{
	if (f->tui->jobs)
		return true;
	if (!f->failed && !f->source->top->ended && top_wait(f->source->top, 0, &f->why) < 0)
		f->failed = true;
	count_time(f->source);
	return !f->failed && !stop_requested;
}

/* How long to wait for a key, at most so many milliseconds: what arrives is taken in, and pages come in time. */
static int until_page(const struct top_source *s, int most)
{
	uint64_t now = top_now_ns(), left = s->next_ns > now ? (s->next_ns - now + 999999) / 1000000 : 0;

	return (int)MIN(left, (uint64_t)MIN(most, (int)LOOK_MS));
}

static struct tui_event feeding_read(struct terminal *terminal, int timeout_ms)
{
	struct feeding_terminal *f = feeding(terminal);
	uint64_t until = top_now_ns() + (uint64_t)MAX(timeout_ms, 0) * 1000000;

	for (;;) {
		uint64_t now = top_now_ns();
		int left = timeout_ms < 0 ? LOOK_MS : until > now ? (int)((until - now) / 1000000) : 0;
		struct tui_event e;
		bool woken;

		if (!take_in(f))
			return (struct tui_event){ .key = TUI_GONE };
		woken = f->source->wake;
		f->source->wake = false;
		e = woken ? (struct tui_event){ .key = TUI_WOKEN }
			  : f->inner->read(f->inner, until_page(f->source, left));
		if (e.key != TUI_WOKEN || woken || (timeout_ms >= 0 && top_now_ns() + 999999 >= until))
			return stop_requested ? (struct tui_event){ .key = TUI_GONE } : e;
	}
}

static void feeding_size(struct terminal *t, int *width, int *height)
{
	feeding(t)->inner->size(feeding(t)->inner, width, height);
}
static void feeding_show(struct terminal *t, const struct grid *g) { feeding(t)->inner->show(feeding(t)->inner, g); }
static void feeding_leave(struct terminal *t) { feeding(t)->inner->leave(feeding(t)->inner); }
static void feeding_enter(struct terminal *t) { feeding(t)->inner->enter(feeding(t)->inner); }
static void feeding_wake(struct terminal *t) { feeding(t)->inner->wake(feeding(t)->inner); }
static void feeding_close(struct terminal *t) { feeding(t)->inner->close(feeding(t)->inner); }

static void feed(struct feeding_terminal *f, struct tui *t, struct top_source *source)
{
	*f = (struct feeding_terminal){ .terminal = { .size = feeding_size,
						      .show = feeding_show,
						      .read = feeding_read,
						      .leave = feeding_leave,
						      .enter = feeding_enter,
						      .wake = feeding_wake,
						      .close = feeding_close },
					.inner = t->terminal,
					.tui = t,
					.source = source };
	t->terminal = &f->terminal;
}

/* ---- pages ---- */

static void release(struct browse_source *source, struct browse_data *d)
{
	struct top_page *p = (struct top_page *)d;

	report_drop_sets(d);
	hot_free(p->hot);
	top_shot_release(self(source)->top, &p->shot);
	free(p);
}

/* The first page comes early, and the next one covers everything since the start. */
static void end_page(struct top_source *s)
{
	if (s->any && !s->changed)
		top_fade(s->top);
	s->any = true;
	s->due = s->changed = false;
}

static struct browse_data *load(struct browse_source *source, bool part, struct progress *progress, struct err *e)
{
	struct top_source *s = self(source);
	struct top_page *p;

	if (s->changed && top_change_rows(s->top, &s->opts, e) < 0)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	top_shoot(s->top, &p->shot);
	p->data = (struct browse_data){ .session = p->shot.run.session,
					.fold = p->shot.run.fold,
					.view = &p->shot.run.view,
					.text = &p->shot.run.text,
					.hierarchy = s->opts.hierarchy,
					.relative = p->shot.run.view.relative };
	p->shot.run.view.relative = false; /* the screen handles this itself */
	report_add_sets(&p->shot.run, true, &p->data);
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
	report_apply_change(&s->opts, live_session(s->top->live)->pd, what, text, &s->texts);
	return 0;
}

static void undo(struct browse_source *source)
{
	self(source)->opts = self(source)->before;
	self(source)->changed = false;
}

static const char *input(struct browse_source *source) { return NULL; }
static const char *sort(struct browse_source *source) { return self(source)->opts.sort ? self(source)->opts.sort : ""; }
static const char *fields(struct browse_source *source)
{
	return self(source)->opts.fields ? self(source)->opts.fields : "";
}

static enum tui_then annotate(struct browse_source *source, struct tui *t, struct browse_data *d, const struct view *v,
			      uint32_t dso, uint32_t symbol)
{
	struct top_page *p = (struct top_page *)d;
	struct tui_annotate_opts opts;

	if (!p->shot.run.profile->opts.keep_places) {
		tui_message(t, "Code", "code is shown for samples, not for branches");
		return TUI_LEAVE;
	}
	if (!report_code_opts(&self(source)->opts, source, d->session, t, &opts))
		return TUI_LEAVE;
	if (!p->hot)
		p->hot = hot_new(p->shot.run.profile);
	return tui_annotate(t, p->hot, &p->shot.rows->run.filter, v->events, v->n_events,
			    hot_function_of(p->hot, dso, symbol), &opts);
}

/* ---- live ---- */

static bool due(struct browse_source *source) { return self(source)->due && !self(source)->top->frozen; }

static void status(struct browse_source *source, struct out *o)
{
	struct top_source *s = self(source);
	const struct top_rates *r = &s->rates;

	if (s->top->frozen)
		out_str(o, "FROZEN (p goes on), ");
	if (s->top->zero)
		out_str(o, "[z] ");
	out_fmt(o, "%.0f samples/s, kernel %.1f%%, lost: %llu/%llu, ",
		r->seconds > 0 ? (double)r->samples / r->seconds : 0,
		r->samples ? 100.0 * (double)r->kernel / (double)r->samples : 0, (unsigned long long)r->costs.new_lost,
		(unsigned long long)r->costs.lost);
	top_print_costs(s->top, &r->costs, o);
	out_str(o, ", ");
	top_print_target(s->top, o);
}

enum own_action { DO_FREEZE = BROWSE_OWN, DO_ZERO, DO_HIDE_KERNEL, DO_HIDE_USER, DO_DELAY, DO_RECORDING, DO_PAGE };

static const struct tui_binding own_keys[] = {
	{ TUI_UNBOUND, { 0 }, "What happens now" },
	{ DO_FREEZE, { 'p' }, "freeze the screen, and go on" },
	{ DO_ZERO, { 'z' }, "each time the samples since the last time alone, or fading ones" },
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
	s->next_ns = top_now_ns() + s->top->delay_ms * 1000000ull;
}

static void hide(struct top_source *s, bool *what, const char *whose, struct out *note)
{
	*what = !*what;
	top_clear(s->top); /* what was hidden was not summed up */
	out_fmt(note, "rows of %s are %s from now on", whose, *what ? "hidden" : "shown");
}

static void act(struct browse_source *source, struct tui *t, int action, struct out *note)
{
	struct top_source *s = self(source);
	struct profile_filter *f = &s->top->rows->run.filter;
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

static const struct browse_live live = { .due = due, .status = status, .keys = own_keys, .act = act };

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
					    .fields = fields,
					    .annotate = annotate,
					    .live = &live,
					    .no_headings = t->o->report.settings.no_headings,
					    .runner = report_runner(&t->o->report) },
				.top = t,
				.opts = t->o->report,
				.before = t->o->report,
				.next_ns = top_now_ns() + FIRST_MS * 1000000ull };
	struct tui *tui = open_screen(t);
	struct feeding_terminal f;

	if (!tui)
		return false;
	feed(&f, tui, &s);
	*rc = browse(tui, &s.source, e) < 0 ? -1 : 0;
	tui_free(tui);
	if (f.failed) {
		*e = f.why;
		*rc = -1;
	}
	arena_release(&s.texts);
	return true;
}
