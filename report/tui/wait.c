/* Wait for work on other threads: a progress bar, and keys that cancel. */
#include "report/tui/tui.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"

int tui_thread(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV); /* crashes are handled in the thread where they happen */
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	rc = pthread_create(thread, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* ---- the progress bar ---- */

static void put_seconds(struct pen *p, uint64_t s)
{
	if (s < 60)
		pen_fmt(p, "%u s", (unsigned)s);
	else
		pen_fmt(p, "%u:%02u min", (unsigned)(s / 60), (unsigned)(s % 60));
}

void tui_bar_draw(struct tui_bar *b, struct progress *progress, struct pen *p)
{
	enum { BAR_MIN = 8, BAR_MAX = 40, REST = 44, SURE_NS = 300000000 };
	uint64_t total = atomic_load(&progress->total), done = MIN(atomic_load(&progress->done), total), now = now_ns();
	const char *what = atomic_load(&progress->what);
	int bar = MIN(MAX(p->end - p->x - REST, BAR_MIN), BAR_MAX), full;

	if (progress_stopped(progress)) {
		pen_text(p, "giving up ...");
		return;
	}
	if (what != b->stage) {
		b->stage = what;
		b->stage_ns = now;
	}
	pen_fmt(p, "%s ", what ? what : "loading");
	if (!total) {
		put_seconds(p, (now - b->began_ns) / 1000000000);
		return;
	}
	full = (int)((double)done / (double)total * bar);
	for (int i = 0; i < bar; i++)
		pen_code(p, i < full ? GLYPH_BLOCK : GLYPH_SHADE);
	pen_fmt(p, " %u%%", (unsigned)((double)done / (double)total * 100));
	if (done && now - b->stage_ns > SURE_NS) {
		pen_text(p, ", ");
		put_seconds(p,
			    (uint64_t)((double)(now - b->stage_ns) / (double)done * (double)(total - done) / 1e9) + 1);
		pen_text(p, " to go");
	}
}

void tui_bar_box(struct tui_bar *b, struct progress *progress, const char *title, const char *name, struct grid *g)
{
	int width = MIN(g->width, 76), x = (g->width - width) / 2, y = MAX(g->height / 2 - 2, 0);
	struct pen p;

	grid_box(g, y, x, 5, width, title, INK_BOX);
	p = grid_pen(g, y + 1, x + 2, x + width - 2, INK_BOX);
	pen_name(&p, name);
	p = grid_pen(g, y + 3, x + 2, x + width - 2, INK_BOX);
	tui_bar_draw(b, progress, &p);
}

/* ---- waiting ---- */

struct wait {
	struct tui *tui;
	const char *title, *name;
	struct progress *progress;
	struct tui_bar bar;
	void (*job)(void *ctx);
	void *ctx;
	atomic_bool done;
};

enum { TICK_MS = 100, MOMENT_MS = 150 };

static void *work(void *ctx)
{
	struct wait *w = ctx;

	w->job(w->ctx);
	atomic_store(&w->done, true);
	tui_wake(w->tui);
	return NULL;
}

static int wait_open(struct screen *s, struct err *e)
{
	s->tick_ms = TICK_MS;
	return 0;
}

static void wait_draw(struct screen *s, struct grid *g)
{
	struct wait *w = s->state;

	tui_bar_box(&w->bar, w->progress, w->title, w->name, g);
}

static enum tui_then wait_tick(struct screen *s)
{
	return atomic_load(&((struct wait *)s->state)->done) ? TUI_LEAVE : TUI_STAY;
}

static enum tui_then wait_act(struct screen *s, int action, const struct tui_event *e)
{
	if (action == TUI_DO_BACK || action == TUI_DO_QUIT)
		progress_stop(((struct wait *)s->state)->progress);
	return wait_tick(s);
}

static const struct screen_type wait_type = { .title = "Waiting",
					      .open = wait_open,
					      .draw = wait_draw,
					      .act = wait_act,
					      .tick = wait_tick,
					      .wants_all = true,
					      .popup = true };

/* Does the job end in a moment? Most jobs end before anyone could read a message about them. */
static bool soon_done(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += MOMENT_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return !pthread_timedjoin_np(thread, NULL, &until);
}

bool tui_wait(struct tui *t, const char *title, const char *name, struct progress *progress, void (*job)(void *ctx),
	      void *ctx)
{
	struct wait w = { .tui = t,
			  .title = title,
			  .name = name,
			  .progress = progress,
			  .bar = { .began_ns = now_ns() },
			  .job = job,
			  .ctx = ctx };
	pthread_t thread;

	progress_begin(progress, "opening", 0);
	atomic_store(&progress->stop, false);
	if (tui_thread(&thread, work, &w)) {
		work(&w);
	} else if (!soon_done(thread)) {
		t->jobs++;
		if (tui_show(t, &wait_type, &w) == TUI_QUIT)
			progress_stop(progress);
		pthread_join(thread, NULL);
		t->jobs--;
	}
	return !progress_stopped(progress);
}
