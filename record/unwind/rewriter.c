/* Unwind in a helper thread, and rewrite samples. */
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/sort/sort.h"
#include "format/writer/writer.h"
#include "record/attr/attr_config.h"
#include "record/unwind/rewriter_priv.h"

/* ---- rounds ---- */

static struct unwind_round *round_new(void)
{
	struct unwind_round *r = xcalloc(1, sizeof(*r));

	out_init_mem(&r->done);
	return r;
}

/* Release everything except the records to write. */
static void round_forget(struct unwind_round *r)
{
	for (size_t i = 0; i < r->entries.len; i++)
		maps_drop(r->entries.items[i].maps);
	vec_free(&r->entries);
	for (unsigned i = 0; i < HELPERS_MAX; i++)
		vec_free(&r->words[i]);
	free(r->raw);
	r->raw = NULL;
}

static void round_free(struct unwind_round *r)
{
	if (!r)
		return;
	round_forget(r);
	out_release(&r->done);
	free(r);
}

static void rounds_free(struct unwind_round *r)
{
	while (r) {
		struct unwind_round *next = r->next;

		round_free(r);
		r = next;
	}
}

/* ---- reading records ---- */

void rewriter_record_at(const struct unwind_round *r, size_t at, struct record *rec)
{
	const uint8_t *p = r->raw + at;

	*rec = (struct record){ .pos = at,
				.offset = at,
				.body = p + 8,
				.type = load_u32(p),
				.misc = load_u16(p + 4),
				.size = (uint16_t)(load_u16(p + 6) - 8) };
}

/* Find chain and copies of a sample, by the decoded sizes. */
static bool find_shape(const struct record *rec, const struct sample *s, struct sample_shape *shape)
{
	const uint8_t *copies;

	if (!(s->type & SAMPLE_CALLCHAIN) || !(s->type & SAMPLE_REGS_USER) || !(s->type & SAMPLE_STACK_USER))
		return false;
	shape->chain = (uint32_t)(s->chain - 8 - rec->body);
	shape->chain_end = (uint32_t)(s->chain + 8 * s->n_chain - rec->body);
	shape->user = shape->chain + 8;
	while (shape->user < shape->chain_end && load_u64(rec->body + shape->user) != CHAIN_USER)
		shape->user += 8;
	copies = s->regs_user.values ? s->regs_user.values - 8 : s->stack_user.data - 16;
	shape->copies = (uint32_t)(copies - rec->body);
	shape->copies_end = (uint32_t)(s->stack_user.data - rec->body);
	if (s->stack_user.size)
		shape->copies_end += (uint32_t)s->stack_user.size + 8;
	return true;
}

static void parse(struct rewriter *l, struct unwind_round *r)
{
	uint64_t time = 0;

	for (size_t at = 0; r->len - at >= 8;) {
		struct round_entry entry = { .at = (uint32_t)at, .tid = -1 };
		struct record rec;
		struct sample sample;
		uint16_t size = load_u16(r->raw + at + 6);
		int event;

		if (size < 8 || size > r->len - at)
			break;
		rewriter_record_at(r, at, &rec);
		if (record_time(l->pd, &rec, &entry.time) && entry.time)
			time = entry.time;
		entry.time = time; /* without a time: sort it after the previous record */
		event = rec.type == RECORD_SAMPLE ? perfdata_event_of(l->pd, &rec) : -1;
		if (event >= 0 && (size_t)event < l->n_events && l->unwinds[event]) {
			if (sample_decode(l->pd, &rec, (uint32_t)event, &sample, NULL) == 0 &&
			    find_shape(&rec, &sample, &entry.shape)) {
				entry.unwinds = true;
				entry.tid = (int32_t)sample.tid;
			} else {
				l->count.damaged++;
			}
		}
		r->last_time = MAX(r->last_time, entry.time);
		vec_push(&r->entries, entry);
		at += size;
	}
}

/* ---- in the order of time ---- */

static int by_time(const void *a, const void *b)
{
	const struct round_order *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void list_round(struct rewriter *l, struct unwind_round *r, uint64_t until)
{
	for (size_t i = 0; r && i < r->entries.len; i++) {
		struct round_entry *entry = &r->entries.items[i];

		if (!entry->applied && entry->time <= until)
			vec_push(&l->order, (struct round_order){ entry->time, l->order.len, r, entry });
	}
}

static void forget_stacks(struct rewriter *l, const struct record *rec)
{
	struct record_task t;
	struct record_comm c;

	if (rec->type == RECORD_EXIT && record_task(rec, &t) == 0)
		known_stacks_forget(l->known, (int32_t)t.tid);
	else if (rec->type == RECORD_COMM && record_comm(l->pd, rec, &c) == 0 && c.exec)
		known_stacks_forget(l->known, (int32_t)c.tid);
}

/* Apply sideband up to the last record of round `r`; give its samples the maps of their time. */
static void apply(struct rewriter *l, struct unwind_round *r, struct unwind_round *next)
{
	vec_clear(&l->order);
	list_round(l, r, UINT64_MAX);
	list_round(l, next, r->last_time);
	vec_sort(&l->order, by_time);
	for (size_t i = 0; i < l->order.len; i++) {
		struct round_order *o = &l->order.items[i];
		struct record rec;

		o->entry->applied = true;
		rewriter_record_at(o->round, o->entry->at, &rec);
		if (o->entry->unwinds) {
			int16_t tid = l->pd->events[perfdata_event_of(l->pd, &rec)].layout.tid;

			o->entry->thread = known_stacks_thread(l->known, o->entry->tid);
			o->entry->maps = processes_use(l->processes, tid < 0 ? -1 : (int32_t)load_u32(rec.body + tid));
		} else if (rec.type != RECORD_SAMPLE) {
			processes_apply(l->processes, l->pd, &rec);
			forget_stacks(l, &rec);
		}
	}
}

/* ---- unwinding ---- */

enum unwound_end rewriter_end_of(const struct unwind_stop *stop)
{
	static const uint8_t ends[] = {
		[UNWIND_DONE] = UNWOUND_WHOLE,        [UNWIND_STACK_CUT] = UNWOUND_WINDOW_FULL,
		[UNWIND_NO_CFI] = UNWOUND_NO_INFO,    [UNWIND_NO_MAP] = UNWOUND_NOT_MAPPED,
		[UNWIND_NO_FILE] = UNWOUND_NO_FILE,   [UNWIND_BAD] = UNWOUND_BROKEN,
		[UNWIND_LIMIT] = UNWOUND_DEPTH_LIMIT, [UNWIND_UNSUPPORTED] = UNWOUND_UNSUPPORTED,
	};

	return stop->guessed && stop->end == UNWIND_DONE ? UNWOUND_GUESSED : ends[stop->end];
}

bool rewriter_args(struct rewriter *l, const struct round_entry *entry, struct unwind_args *args, int32_t *pid)
{
	struct sample s;
	struct record rec;

	rewriter_record_at(l->at_hand, entry->at, &rec);
	if (sample_decode(l->pd, &rec, (uint32_t)perfdata_event_of(l->pd, &rec), &s, NULL) < 0 ||
	    !s.regs_user.values) /* a kernel thread */
		return false;
	*pid = (int32_t)s.pid;
	*args = (struct unwind_args){
		.time_ns = entry->time,
		.regs_mask = s.regs_user.mask,
		.regs = s.regs_user.values,
		.abi = s.regs_user.abi,
		.stack = s.stack_user.data,
		.stack_size = s.stack_user.dyn_size,
		.stack_ends = s.stack_user.dyn_size + 8 <= s.stack_user.size,
	};
	return true;
}

static void unwind_entry(struct rewriter *l, struct round_entry *entry, unsigned number)
{
	static const struct unwind_maps nothing = { .id = UINT32_MAX };
	struct rewrite_worker *w = l->workers[number];
	struct unwind_args args;
	struct unwind_stop stop = { 0 };
	int32_t pid;
	size_t n;

	entry->result = (struct unwound_stack){ .worker = (uint8_t)number, .end = UNWOUND_NONE };
	if (!rewriter_args(l, entry, &args, &pid))
		return;
	n = unwind_by_tables(w->cache, entry->maps ? &entry->maps->view : &nothing, &args, w->ips, w->sps, FRAMES_MAX,
			     &stop);
	entry->result.cut = n && (stop.end == UNWIND_STACK_CUT || stop.end == UNWIND_BAD || stop.end == UNWIND_NO_CFI);
	/* Report the same as an unwinder of a recording: the address is not mapped, or the thread is unknown. */
	if (n == 1 && stop.end == UNWIND_NO_MAP)
		n = 0;
	while (n && !w->ips[n - 1])
		n--;
	if (!n && stop.end != UNWIND_NO_MAP && stop.end != UNWIND_NO_FILE && stop.end != UNWIND_UNSUPPORTED)
		stop.end = UNWIND_DONE;
	entry->result.at = w->words.len;
	entry->result.n = (uint32_t)n;
	entry->result.end = (uint8_t)rewriter_end_of(&stop);
	entry->result.stop = stop.end;
	vec_append(&w->words, w->ips, n);
	vec_append(&w->words, w->sps, n);
}

static void unwind_slice(void *ctx, size_t slice, unsigned worker)
{
	struct rewriter *l = ctx;

	for (size_t i = slice * SLICE; i < MIN((slice + 1) * SLICE, l->work.len); i++)
		unwind_entry(l, l->work.items[i], worker);
}

static struct rewrite_worker *worker_new(void)
{
	struct rewrite_worker *w = xcalloc(1, sizeof(*w));

	w->cache = unwind_cache_new();
	return w;
}

/* Unwind all samples of a round: alone, unless more rounds wait already. */
static void unwind_round(struct rewriter *l, struct unwind_round *r, bool behind)
{
	unsigned helpers = behind ? MIN(parallel_threads(), (unsigned)HELPERS_MAX) : 1;

	vec_clear(&l->work);
	for (size_t i = 0; i < r->entries.len; i++)
		if (r->entries.items[i].unwinds)
			vec_push(&l->work, &r->entries.items[i]);
	helpers = MIN(helpers, (unsigned)((l->work.len + SLICE - 1) / SLICE));
	for (unsigned i = 0; i < HELPERS_MAX; i++) {
		if (!l->workers[i] && i < helpers)
			l->workers[i] = worker_new();
	}
	l->count.helpers = MAX(l->count.helpers, helpers);
	l->at_hand = r;
	parallel_for((l->work.len + SLICE - 1) / SLICE, helpers, unwind_slice, l);
	for (unsigned i = 0; i < HELPERS_MAX; i++)
		if (l->workers[i])
			vec_move(&r->words[i], &l->workers[i]->words);
}

/* ---- the helper ---- */

/* Count the cut stacks, before later ones may continue them. */
static void judge(struct rewriter *l, const struct unwind_round *r)
{
	for (size_t i = 0; i < r->entries.len; i++) {
		const struct unwound_stack *res = &r->entries.items[i].result;

		l->count.judged += r->entries.items[i].unwinds && res->end != UNWOUND_NONE;
		l->count.judged_cut += res->end == UNWOUND_WINDOW_FULL;
	}
}

/* Release the copies, which we do not need any more. */
static void drop_copies(struct rewriter *l, struct unwind_round *r)
{
	size_t to = 0;

	if (l->opts.keep_stacks)
		return;
	for (size_t i = 0; i < r->entries.len; i++) {
		struct round_entry *entry = &r->entries.items[i];
		uint8_t *p = r->raw + entry->at;
		uint16_t size = load_u16(p + 6), kept = size;

		if (entry->unwinds) {
			struct sample_shape *sh = &entry->shape;

			kept = (uint16_t)(size - (sh->copies_end - sh->copies));
			memmove(p + 8 + sh->copies, p + 8 + sh->copies_end, size - 8u - sh->copies_end);
			sh->copies_end = sh->copies;
			memcpy(p + 6, &kept, sizeof(kept));
		}
		memmove(r->raw + to, p, kept);
		entry->at = (uint32_t)to;
		to += kept;
	}
	r->len = r->cap = to;
	r->raw = xrealloc(r->raw, MAX(to, (size_t)1));
	pthread_mutex_lock(&l->lock);
	l->waiting -= r->waiting - r->len;
	pthread_mutex_unlock(&l->lock);
	r->waiting = r->len;
}

/* Write the rounds whose cut stacks are complete, or have waited long enough. */
static void emit_rounds(struct rewriter *l, uint64_t number, bool all)
{
	struct unwind_round *r;

	while ((r = l->joining)) {
		if (!all && r->n_cut && r->n_rounds + PATIENCE > number && l->joining_bytes <= JOINING_BYTES)
			return;
		l->joining = r->next;
		if (!l->joining)
			l->joining_end = &l->joining;
		r->next = NULL;
		l->joining_bytes -= r->len;
		rewriter_emit(l, r);
		round_forget(r);
		*l->finished_end = r;
		l->finished_end = &r->next;
	}
}

/* Unwind the waiting round: `next` has the last sideband before its end. */
static void complete(struct rewriter *l, struct unwind_round *next, bool behind)
{
	struct unwind_round *r = l->held;

	parse(l, next);
	l->held = next;
	if (!r)
		return;
	apply(l, r, next);
	processes_read_jits(l->processes);
	unwind_round(l, r, behind);
	rewriter_join(l, r);
	r->n_rounds = atomic_load(&l->n_rounds);
	judge(l, r);
	for (struct unwind_round *before = l->joining; before; before = before->next)
		rewriter_join_again(l, before);
	if (r->n_cut || l->joining)
		drop_copies(l, r);
	*l->joining_end = r;
	l->joining_end = &r->next;
	l->joining_bytes += r->len;
	emit_rounds(l, r->number, next->flushes);
	processes_forget(l->processes);
}

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
		complete(l, r, behind);
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
	l->workers[0] = worker_new();
	l->filling = round_new();
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
	round_free(l->held);
	round_free(l->filling);
	round_free(l->taken);
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
	l->filling = round_new();
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
		round_free(l->taken);
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
