#include "report/tui_browse_priv.h"

#include <signal.h>
#include <time.h>

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void publish(struct loader *l, struct browse_data *d)
{
	struct browse_data *unseen = atomic_exchange(&l->ready, d);

	if (unseen)
		l->source->release(l->source, unseen);
	tui_wake(l->tui);
}

static void *run(void *ctx)
{
	struct loader *l = ctx;
	struct browse_data *d;
	struct err e = { 0 };

	d = l->part ? l->source->load(l->source, true, &l->progress, &e) : NULL;
	if (d)
		publish(l, d);
	if (!e.what[0])
		d = l->source->load(l->source, false, &l->progress, &e);
	if (d && !e.what[0]) {
		publish(l, d);
	} else {
		l->failed = true;
		l->err = e;
	}
	atomic_store(&l->done, true);
	tui_wake(l->tui);
	return NULL;
}

void loader_start(struct loader *l, struct browse_source *source, struct tui *t, bool part)
{
	sigset_t all, before;

	*l = (struct loader){ .source = source, .tui = t, .part = part, .began_ns = now_ns() };
	progress_begin(&l->progress, "opening", 0);
	sigfillset(&all);	/* signals are for the thread that has the terminal; crashes come where they happen */
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	l->running = !pthread_create(&l->thread, NULL, run, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!l->running)
		run(l);
}

struct browse_data *loader_take(struct loader *l, bool *failed)
{
	bool done = atomic_load(&l->done);
	struct browse_data *d = atomic_exchange(&l->ready, NULL);	/* after `done`: what came before it is seen */

	*failed = false;
	if (done || (d && !d->part)) {	/* behind the last data comes nothing to wait for */
		if (l->running)
			pthread_join(l->thread, NULL);
		l->running = false;
		*failed = l->failed;
		l->failed = false;
		atomic_store(&l->done, false);
	}
	return d;
}

static void put_seconds(struct pen *p, uint64_t s)
{
	if (s < 60)
		pen_fmt(p, "%u s", (unsigned)s);
	else
		pen_fmt(p, "%u:%02u min", (unsigned)(s / 60), (unsigned)(s % 60));
}

void loader_draw(struct loader *l, struct pen *p)
{
	enum { BAR_MIN = 8, BAR_MAX = 40, REST = 44 };
	uint64_t total = atomic_load(&l->progress.total), done = MIN(atomic_load(&l->progress.done), total), now = now_ns();
	const char *what = atomic_load(&l->progress.what);
	int bar = MIN(MAX(p->end - p->x - REST, BAR_MIN), BAR_MAX), full;

	if (!l->running)
		return;
	if (what != l->stage) {
		l->stage = what;
		l->stage_ns = now;
	}
	pen_fmt(p, "%s ", what ? what : "loading");
	if (!total) {
		put_seconds(p, (now - l->began_ns) / 1000000000);
		return;
	}
	full = (int)((double)done / (double)total * bar);
	for (int i = 0; i < bar; i++)
		pen_code(p, i < full ? GLYPH_BLOCK : GLYPH_SHADE);
	pen_fmt(p, " %u%%", (unsigned)((double)done / (double)total * 100));
	if (done && now - l->stage_ns > 300000000) {
		pen_text(p, ", ");
		put_seconds(p, (uint64_t)((double)(now - l->stage_ns) / (double)done * (double)(total - done) / 1e9) + 1);
		pen_text(p, " to go");
	}
}
