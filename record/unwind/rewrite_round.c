/* Complete a round in the helper thread: sort its records by time, unwind its samples, write what is ready. */
#include "base/bytes.h"
#include "base/parallel.h"
#include "base/sort/sort.h"
#include "record/unwind/rewriter_priv.h"

/* ---- rounds ---- */

struct unwind_round *unwind_round_new(void)
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

void unwind_round_free(struct unwind_round *r)
{
	if (!r)
		return;
	round_forget(r);
	out_release(&r->done);
	free(r);
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

struct rewrite_worker *rewrite_worker_new(void)
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
			l->workers[i] = rewrite_worker_new();
	}
	l->count.helpers = MAX(l->count.helpers, helpers);
	l->at_hand = r;
	parallel_for((l->work.len + SLICE - 1) / SLICE, helpers, unwind_slice, l);
	for (unsigned i = 0; i < HELPERS_MAX; i++)
		if (l->workers[i])
			vec_move(&r->words[i], &l->workers[i]->words);
}

/* ---- complete rounds ---- */

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

void rewriter_complete(struct rewriter *l, struct unwind_round *next, bool behind)
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
