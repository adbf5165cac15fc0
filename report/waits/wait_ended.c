/* Keep what ended threads did, for each of them or for each name. */
#include "report/waits/waits_priv.h"

/* This many threads have rows of their own. We add what later ones did to a row for each name. */
enum { ENDED_MOST = 1 << 16 };

/* Return the row of ended threads with this name. */
static struct wait_thread *sum_row(struct waits *w, const char *comm)
{
	bool is_new;
	uint32_t *at = u64map_put(&w->ended_index, strtab_intern(&w->names, comm), &is_new);
	struct wait_thread *sum;

	if (is_new) {
		vec_push(&w->threads, (struct wait_thread){ .tid = -1, .pid = -1, .wanted = true });
		*at = (uint32_t)w->threads.len;
		snprintf(w->threads.items[*at - 1].comm, SCHED_COMM, "%s", comm);
	}
	sum = &w->threads.items[*at - 1];
	return sum;
}

static void add_to_row(struct waits *w, struct wait_thread th)
{
	struct wait_thread *sum = sum_row(w, th.comm);

	sum->ended++;
	sum->running += th.running;
	sum->runnable += th.runnable;
	for (int k = 0; k < WAIT_KINDS; k++)
		sum->blocked[k] += th.blocked[k];
	sum->unseen += th.unseen;
	sum->last += th.last - th.first;
	sum->unknown += th.unknown;
}

/* Forget the numbers and names of threads that ended. */
static void sweep(struct waits *w)
{
	bool is_new;

	u64map_free(&w->thread_index);
	sched_names_clear(&w->tasks);
	for (size_t i = 0; i < w->threads.len; i++) {
		const struct wait_thread *th = &w->threads.items[i];

		if (th->tid < 0 || th->has_ended)
			continue;
		*u64map_put(&w->thread_index, (uint32_t)th->tid, &is_new) = (uint32_t)i + 1;
		sched_names_tell(&w->tasks, th->tid, th->comm);
	}
}

void wait_thread_ended(struct waits *w, uint32_t thread)
{
	struct wait_thread *th = &w->threads.items[thread];
	uint32_t *at = u64map_find(&w->thread_index, (uint32_t)th->tid);

	th->state = STATE_UNKNOWN;
	th->has_ended = true;
	if (at)
		*at = 0; /* the number may be given to another thread */
	free(th->past);
	th->past = NULL;
	th->n_past = 0;
	if (++w->n_ended % ENDED_MOST == 0)
		sweep(w);
	/* A watcher identifies threads by their index, so do not use it for another thread. */
	if (w->opts->watch || (th->wanted && w->n_ended_kept++ < ENDED_MOST))
		return;
	if (th->wanted)
		add_to_row(w, *th); /* moves the threads */
	w->threads.items[thread] = (struct wait_thread){ .tid = -1, .pid = -1, .has_ended = true };
	vec_push(&w->unused_threads, thread);
}
