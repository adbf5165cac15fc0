/* Pass rounds of records to the helper thread, which unwinds and rewrites their samples; take them back and write. */
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "format/writer/writer.h"
#include "record/attr/attr_config.h"
#include "record/unwind/rewriter_priv.h"

/* ---- the helper ---- */

/* Hand over the finished rounds. The caller holds the lock. */
static void give(struct rewriter *l)
{
	for (struct unwind_round *r = l->finished; r; r = r->next)
		l->waiting -= r->waiting;
	if (!l->finished)
		return;
	*l->ready_end = l->finished;
	l->ready_end = l->finished_end;
	l->finished = NULL;
	l->finished_end = &l->finished;
}

static void *help(void *arg)
{
	struct rewriter *l = arg;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		struct unwind_round *r;
		bool behind;

		while (!l->queue && !l->stop)
			pthread_cond_wait(&l->news, &l->lock);
		if (!l->queue)
			break;
		r = l->queue;
		l->queue = r->next;
		if (!l->queue)
			l->queue_end = &l->queue;
		behind = l->queue != NULL;
		r->next = NULL;
		pthread_mutex_unlock(&l->lock);
		rewriter_complete(l, r, behind);
		l->count.cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		pthread_mutex_lock(&l->lock);
		l->told = l->count;
		give(l);
		l->n_waiting--;
		pthread_cond_broadcast(&l->done);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* ---- the recorder's side ---- */

/* Make an empty recording of these events in memory, and open it, to get the layouts of records. */
static struct perfdata *make_layouts(const struct event_list *list, struct err *e)
{
	int fd = memfd_create("strobe-layouts", MFD_CLOEXEC);
	struct perfdata *pd = NULL;
	struct features none = { 0 };
	struct writer *w;
	char path[40];

	if (fd < 0) {
		err_sys(e, "cannot describe the events in memory");
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	w = writer_open(path, &(struct writer_opts){ 0 }, e);
	for (size_t i = 0; w && i < list->events.len; i++) {
		const struct event *event = &list->events.items[i];
		struct writer_event we = { .name = event->name,
					   .leader = event->leader,
					   .n_members = event->n_members };
		VEC(uint64_t) ids = { 0 };

		for (size_t j = 0; event->fds && j < event->n_cpus * event->n_threads; j++)
			if (event->fds[j] >= 0)
				vec_push(&ids, event->ids[j]);
		attr_of_event(&we.attr, event);
		we.ids = ids.items;
		we.n_ids = ids.len;
		writer_event(w, &we);
		vec_free(&ids);
	}
	if (w && writer_begin(w, &none, e) < 0)
		writer_abandon(w, false);
	else if (w && writer_finish(w, &none, e) == 0)
		pd = perfdata_open(path, &(struct perfdata_opts){ .force = true }, e);
	close(fd);
	return pd;
}

struct rewriter *rewriter_new(const struct event_list *list, const struct rewriter_opts *opts, struct err *e)
{
	struct rewriter *l = xcalloc(1, sizeof(*l));
	sigset_t every, before;

	l->opts = *opts;
	l->n_events = list->events.len;
	l->unwinds = xcalloc(l->n_events, sizeof(bool));
	memcpy(l->unwinds, opts->unwinds, l->n_events * sizeof(bool));
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->news, NULL);
	pthread_cond_init(&l->done, NULL);
	l->queue_end = &l->queue;
	l->ready_end = &l->ready;
	l->joining_end = &l->joining;
	l->finished_end = &l->finished;
	l->processes = processes_new();
	l->known = known_stacks_new();
	l->workers[0] = rewrite_worker_new();
	l->filling = unwind_round_new();
	l->pd = make_layouts(list, e);
	if (!l->pd) {
		rewriter_free(l);
		return NULL;
	}
	sigfillset(&every); /* the main thread handles signals */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	l->runs = pthread_create(&l->thread, NULL, help, l) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (l->runs)
		return l;
	err_set(e, "cannot start the thread that unwinds");
	rewriter_free(l);
	return NULL;
}

static void rounds_free(struct unwind_round *r)
{
	while (r) {
		struct unwind_round *next = r->next;

		unwind_round_free(r);
		r = next;
	}
}

void rewriter_free(struct rewriter *l)
{
	if (!l)
		return;
	if (l->runs) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_signal(&l->news);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
	}
	rounds_free(l->queue);
	rounds_free(l->ready);
	rounds_free(l->joining);
	rounds_free(l->finished);
	unwind_round_free(l->held);
	unwind_round_free(l->filling);
	unwind_round_free(l->taken);
	processes_free(l->processes);
	for (unsigned i = 0; i < HELPERS_MAX; i++) {
		if (!l->workers[i])
			continue;
		unwind_cache_free(l->workers[i]->cache);
		vec_free(&l->workers[i]->words);
		free(l->workers[i]);
	}
	known_stacks_free(l->known);
	vec_free(&l->rests);
	u64map_free(&l->rest_by_place);
	vec_free(&l->order);
	vec_free(&l->work);
	if (l->pd)
		perfdata_close(l->pd);
	pthread_cond_destroy(&l->done);
	pthread_cond_destroy(&l->news);
	pthread_mutex_destroy(&l->lock);
	free(l->unwinds);
	free(l);
}

/*
 * Copy a sample, but only the used part of its stack, and one word more if the stack ends there:
 * windows are larger than most stacks. Return its new size; 0: it is no such sample, and nothing
 * was copied.
 */
static size_t put_shortened(const struct rewriter *l, uint8_t *to, const uint8_t *p, uint16_t len)
{
	struct unwind_round whole = { .raw = (uint8_t *)(uintptr_t)p, .len = len };
	struct record rec;
	struct sample s;
	uint64_t used;
	size_t head, rest;
	uint16_t size;
	int event;

	rewriter_record_at(&whole, 0, &rec);
	event = rec.type == RECORD_SAMPLE && !l->opts.keep_stacks ? perfdata_event_of(l->pd, &rec) : -1;
	if (event < 0 || (size_t)event >= l->n_events || !l->unwinds[event] ||
	    sample_decode(l->pd, &rec, (uint32_t)event, &s, NULL) < 0)
		return 0;
	used = ROUND_UP(MIN(s.stack_user.dyn_size, s.stack_user.size), 8) + 8;
	if (used >= s.stack_user.size)
		return 0;
	head = (size_t)(s.stack_user.data - p);
	rest = len - head - s.stack_user.size;
	memcpy(to, p, head + used);
	memcpy(to + head - sizeof(used), &used, sizeof(used));
	memcpy(to + head + used, s.stack_user.data + s.stack_user.size, rest);
	size = (uint16_t)(head + used + rest);
	memcpy(to + 6, &size, sizeof(size));
	return size;
}

/* Copy a piece of a ring. A record may continue in the next piece. */
static void put_piece(struct rewriter *l, const uint8_t *p, size_t len)
{
	struct unwind_round *r = l->filling;

	while (len) {
		size_t size = l->put_left ? l->put_left : MAX(load_u16(p + 6), 8), n = MIN(size, len), shorter = 0;

		if (!l->put_left && n == size)
			shorter = put_shortened(l, r->raw + r->len, p, (uint16_t)n);
		if (!shorter)
			memcpy(r->raw + r->len, p, n);
		r->len += shorter ? shorter : n;
		l->put_left = size - n;
		p += n;
		len -= n;
	}
}

void rewriter_put(struct rewriter *l, const struct iovec *iov, size_t n)
{
	struct unwind_round *r = l->filling;

	for (size_t i = 0; i < n; i++) {
		if (!iov[i].iov_len)
			continue;
		if (iov[i].iov_len > r->cap - r->len) {
			r->cap = r->cap * 2 + iov[i].iov_len;
			r->raw = xrealloc(r->raw, r->cap);
		}
		put_piece(l, iov[i].iov_base, iov[i].iov_len);
	}
}

void rewriter_learn(struct rewriter *l, const void *records, size_t len)
{
	rewriter_flush(l); /* the helper sleeps now, so we may use its tables */
	for (size_t at = 0; len - at >= 8;) {
		const uint8_t *p = (const uint8_t *)records + at;
		struct unwind_round whole = { .raw = (uint8_t *)(uintptr_t)records, .len = len };
		struct record rec;
		uint16_t size = load_u16(p + 6);

		if (size < 8 || size > len - at)
			break;
		rewriter_record_at(&whole, at, &rec);
		processes_apply(l->processes, l->pd, &rec);
		at += size;
	}
}

static void submit(struct rewriter *l, bool flushes)
{
	struct unwind_round *r = l->filling;

	r->flushes = flushes;
	r->number = atomic_fetch_add(&l->n_rounds, 1) + 1;
	pthread_mutex_lock(&l->lock);
	l->waiting += r->waiting = r->len;
	l->n_waiting++;
	*l->queue_end = r;
	l->queue_end = &r->next;
	pthread_cond_signal(&l->news);
	pthread_mutex_unlock(&l->lock);
	l->filling = unwind_round_new();
}

void rewriter_round(struct rewriter *l) { submit(l, false); }

bool rewriter_has_room(struct rewriter *l)
{
	bool room;

	pthread_mutex_lock(&l->lock);
	room = l->waiting < ROOM;
	l->waits += !room;
	pthread_mutex_unlock(&l->lock);
	return room;
}

void rewriter_flush(struct rewriter *l)
{
	submit(l, true); /* makes the helper complete the last round; twice, so that it holds an empty one */
	submit(l, true);
	pthread_mutex_lock(&l->lock);
	while (l->n_waiting)
		pthread_cond_wait(&l->done, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

bool rewriter_take(struct rewriter *l, struct iovec *iov)
{
	do {
		unwind_round_free(l->taken);
		pthread_mutex_lock(&l->lock);
		l->taken = l->ready;
		if (l->taken) {
			l->ready = l->taken->next;
			if (!l->ready)
				l->ready_end = &l->ready;
		}
		pthread_mutex_unlock(&l->lock);
	} while (l->taken && !l->taken->done.len);
	if (!l->taken)
		return false;
	*iov = (struct iovec){ l->taken->done.buf, l->taken->done.len };
	return true;
}

void rewriter_cut(struct rewriter *l, uint64_t *samples, uint64_t *cut)
{
	pthread_mutex_lock(&l->lock);
	*samples = l->told.judged;
	*cut = l->told.judged_cut;
	pthread_mutex_unlock(&l->lock);
}

void rewriter_widened(struct rewriter *l, uint32_t window) { l->opts.window = window; }

struct rewriter_count rewriter_count(struct rewriter *l)
{
	struct rewriter_count c;
	struct processes_count s;

	pthread_mutex_lock(&l->lock);
	c = l->told;
	c.waits = l->waits;
	pthread_mutex_unlock(&l->lock);
	s = processes_count(l->processes);
	c.objects = s.objects;
	c.missing = s.missing;
	c.table_bytes = s.tables.bytes;
	c.table_rows = s.tables.rows;
	for (unsigned i = 0; i < HELPERS_MAX; i++)
		if (l->workers[i]) {
			struct unwind_cache_count k = unwind_cache_count(l->workers[i]->cache);

			c.asked += k.asked;
			c.missed += k.missed;
		}
	return c;
}

void rewriter_describe(struct rewriter *l, struct features *f, struct arena *arena)
{
	struct rewriter_count c;

	pthread_mutex_lock(&l->lock);
	c = l->told;
	pthread_mutex_unlock(&l->lock);
	f->unwound_window = l->opts.window;
	f->unwound_events = arena_alloc(arena, l->n_events * sizeof(uint32_t));
	f->n_unwound_events = 0;
	for (uint32_t i = 0; i < l->n_events; i++)
		if (l->unwinds[i] && (!i || l->opts.numbers[i] != l->opts.numbers[i - 1] || !l->unwinds[i - 1]))
			f->unwound_events[f->n_unwound_events++] = l->opts.numbers[i];
	f->unwound_ends = arena_alloc(arena, N_UNWOUND_ENDS * sizeof(*f->unwound_ends));
	f->n_unwound_ends = N_UNWOUND_ENDS;
	for (unsigned i = 0; i < N_UNWOUND_ENDS; i++)
		f->unwound_ends[i] = (struct feature_unwound_end){ unwound_ends[i], c.ends[i] };
	feature_set(f, FEATURE_UNWOUND);
}
