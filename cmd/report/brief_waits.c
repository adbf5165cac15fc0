/* Sum up what the threads of a recording waited for, for its brief. */
#include "cmd/report/report_priv.h"

#include "report/waits/waits.h"

/* How long a thread waited for each kind of thing, counting only avoidable waits. */
struct thread_waits {
	int32_t tid;
	char comm[16]; /* foreign text */
	uint64_t ns[WAIT_KINDS];
};
struct wait_summer {
	struct waits *waits;
	struct brief_waits *sums;
	uint64_t longest;                 /* ns; a longer wait is for a thread's end, or for work */
	VEC(struct thread_waits) threads; /* by number */
};

/*
 * Return true if somebody who holds or delivers something made the thread wait. A thread that
 * sleeps or polls has nothing to do.
 */
static bool is_avoidable(const struct wait_summer *w, const struct wait_span *s)
{
	return (s->kind == WAIT_IO || s->kind == WAIT_LOCK || s->kind == WAIT_PIPE || s->kind == WAIT_FAULT) &&
	       s->to - s->from < w->longest;
}

static void add_span(void *ctx, const struct wait_span *s)
{
	struct wait_summer *w = ctx;
	uint64_t ns = s->to - s->from;
	struct thread_waits *t;

	if (!waits_wants(w->waits, s->thread))
		return;
	w->sums->running += s->state == STATE_RUNNING ? ns : 0;
	w->sums->runnable += s->state == STATE_RUNNABLE ? ns : 0;
	if (s->state != STATE_BLOCKED)
		return;
	w->sums->blocked += ns;
	w->sums->kinds[s->kind].ns += ns;
	if (!is_avoidable(w, s))
		return;
	w->sums->kinds[s->kind].avoidable_ns += ns;
	while (w->threads.len <= s->thread)
		vec_push(&w->threads, (struct thread_waits){ 0 });
	t = &w->threads.items[s->thread];
	t->tid = s->tid;
	snprintf(t->comm, sizeof(t->comm), "%s", s->comm);
	t->ns[s->kind] += ns;
}

/* Find the thread that waited longest, for each kind. */
static void find_most(struct wait_summer *w)
{
	for (size_t i = 0; i < w->threads.len; i++)
		for (unsigned k = 0; k < WAIT_KINDS; k++) {
			const struct thread_waits *t = &w->threads.items[i];
			struct brief_wait *kind = &w->sums->kinds[k];

			if (t->ns[k] <= kind->most_ns)
				continue;
			kind->most_ns = t->ns[k];
			kind->most_tid = t->tid;
			memcpy(kind->most_comm, t->comm, sizeof(kind->most_comm));
		}
}

static bool tells_waits(const struct session *s)
{
	for (uint32_t i = 0; i < s->pd->n_events; i++)
		if (!strcmp(s->pd->events[i].name, "sched:sched_switch"))
			return true;
	return false;
}

int brief_waits_read(const struct report_opts *o, const char *path, const struct session *s, struct brief_waits *sums,
		     struct err *e)
{
	struct live_opts opts = { .session = report_session_opts(o) };
	struct wait_summer w = { .sums = sums, .longest = (s->last_time - s->first_time) / 2 };
	struct waits_watch watch = { .ctx = &w, .span = add_span };
	struct waits_opts how = { .watch = &watch };
	struct live *live;
	int status;

	*sums = (struct brief_waits){ 0 };
	for (unsigned k = 0; k < WAIT_KINDS; k++)
		sums->kinds[k].name = wait_kind_names[k];
	if (!tells_waits(s))
		return 0;
	live = live_open_file(path, &opts, e);
	if (!live)
		return -1;
	w.waits = waits_new(live, &how);
	status = waits_read(w.waits, e);
	find_most(&w);
	waits_free(w.waits);
	live_close(live);
	vec_free(&w.threads);
	return status;
}
