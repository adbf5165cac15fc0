#include "report/tui/browse_priv.h"

#include <time.h>

#include "base/clock.h"

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
	*l = (struct loader){ .source = source, .tui = t, .part = part, .bar = { .began_ns = now_ns() } };
	progress_begin(&l->progress, "opening", 0);
	/* If samples still arrive, the screen's thread takes them in, so read there, too. */
	l->running = !browse_arriving(source) && !tui_thread(&l->thread, run, l);
	if (!l->running)
		run(l);
}

bool loader_stop(struct loader *l)
{
	enum { PATIENCE_S = 1 };
	struct timespec until;

	if (!l->running)
		return true;
	progress_stop(&l->progress);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	if (pthread_timedjoin_np(l->thread, NULL, &until))
		return false;
	l->running = false;
	return true;
}

struct browse_data *loader_take(struct loader *l, bool *failed)
{
	bool done = atomic_load(&l->done);
	/* Read this after `done`, so that we do not miss data that came before. */
	struct browse_data *d = atomic_exchange(&l->ready, NULL);

	*failed = false;
	if (done || (d && !d->part)) { /* after the final data there is nothing to wait for */
		if (l->running)
			pthread_join(l->thread, NULL);
		l->running = false;
		*failed = l->failed;
		l->failed = false;
		atomic_store(&l->done, false);
	}
	return d;
}

void loader_draw(struct loader *l, struct pen *p)
{
	if (l->running)
		tui_bar_draw(&l->bar, &l->progress, p);
}
