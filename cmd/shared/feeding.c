#include "cmd/shared/feeding.h"

#include "base/clock.h"
#include "base/signal.h"
#include "base/mem.h"

enum { LOOK_MS = 50 };

struct feeding_terminal {
	struct terminal terminal;
	struct terminal *inner;
	struct tui *tui;
	struct feed *feed;
};

static struct terminal *inner(struct terminal *t) { return ((struct feeding_terminal *)t)->inner; }

/* Pages are due at equal intervals, also while another screen is open. */
static void count_time(struct feed *f)
{
	uint64_t now = now_ns();

	if (now < f->next_ns)
		return;
	if (!f->is_due(f)) {
		f->next_ns = now + LOOK_MS * 1000000ull;
		return;
	}
	f->due = f->wake = true;
	f->next_ns = MAX(f->next_ns + f->delay_ms * 1000000ull, now);
}

/* Take in what arrived, unless jobs on other threads read the session. */
static bool take_in(struct feeding_terminal *t)
{
	bool goes_on;

	if (t->tui->jobs)
		return true;
	goes_on = t->feed->take_in(t->feed);
	count_time(t->feed);
	return goes_on && !stop_requested;
}

/*
 * Tell the screen that a page is due. Handle keys first: if a page takes longer than the time to
 * the next one, pages would never leave time for keys.
 */
static struct tui_event wake(struct feeding_terminal *t)
{
	struct tui_event e = t->inner->read(t->inner, 0);

	t->feed->wake = e.key != TUI_WOKEN;
	return e;
}

/*
 * Return how long to wait for a key, at most `most` milliseconds, so that arriving data are taken
 * in and pages come in time.
 */
static int until_page(const struct feed *f, int most)
{
	uint64_t now = now_ns(), left = f->next_ns > now ? (f->next_ns - now + 999999) / 1000000 : 0;

	return (int)MIN(left, (uint64_t)MIN(most, (int)LOOK_MS));
}

static struct tui_event feeding_read(struct terminal *terminal, int timeout_ms)
{
	struct feeding_terminal *t = (struct feeding_terminal *)terminal;
	uint64_t until = now_ns() + (uint64_t)MAX(timeout_ms, 0) * 1000000;

	for (;;) {
		uint64_t now = now_ns();
		int left = timeout_ms < 0 ? LOOK_MS : until > now ? (int)((until - now) / 1000000) : 0;
		struct tui_event e;
		bool woken;

		if (!take_in(t))
			return (struct tui_event){ .key = TUI_GONE };
		woken = t->feed->wake;
		e = woken ? wake(t) : t->inner->read(t->inner, until_page(t->feed, left));
		if (e.key != TUI_WOKEN || woken || (timeout_ms >= 0 && now_ns() + 999999 >= until))
			return stop_requested ? (struct tui_event){ .key = TUI_GONE } : e;
	}
}

static void feeding_size(struct terminal *t, int *width, int *height) { inner(t)->size(inner(t), width, height); }
static void feeding_show(struct terminal *t, const struct grid *g) { inner(t)->show(inner(t), g); }
static void feeding_leave(struct terminal *t) { inner(t)->leave(inner(t)); }
static void feeding_enter(struct terminal *t) { inner(t)->enter(inner(t)); }
static void feeding_wake(struct terminal *t) { inner(t)->wake(inner(t)); }
static void feeding_close(struct terminal *t)
{
	inner(t)->close(inner(t));
	free(t);
}

void feed_begin(struct tui *t, struct feed *f)
{
	struct feeding_terminal *feeding = xcalloc(1, sizeof(*feeding));

	*feeding = (struct feeding_terminal){ .terminal = { .size = feeding_size,
							    .show = feeding_show,
							    .read = feeding_read,
							    .leave = feeding_leave,
							    .enter = feeding_enter,
							    .wake = feeding_wake,
							    .close = feeding_close },
					      .inner = t->terminal,
					      .tui = t,
					      .feed = f };
	t->terminal = &feeding->terminal;
}
