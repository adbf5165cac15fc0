/*
 * Turn samples into stacks. A worker names an address when it first meets it, so samples of the same functions are one
 * stack from the start, whatever their addresses are. Except for the names, each worker writes only its own data.
 */
#include "base/parallel.h"
#include "base/phases.h"
#include "report/session/chain.h"
#include "report/profile/samples.h"
#include "report/stacks/stacks_priv.h"
#include "report/profile/map_versions.h"

/* A sample that is held: the keys of its stack are complete, but we have not looked up the stack's number yet. */
struct held {
	uint64_t hash, period, time;
	uint32_t event, slot, thread, cpu;
	uint64_t stack_hash;
	size_t at; /* in the worker's keys */
	uint32_t n, stack, sum;
};
enum { HELD_MOST = 16 }; /* look up this many stacks at a time, so that their cache misses overlap */

struct stacks_worker {
	struct session *session;
	const struct stacks_opts *opts;
	const struct profile_filter *filter;
	struct stack_part *part;
	unsigned number;
	bool by_place;
	struct samples samples;
	struct map_versions versions;
	struct ip_table places;     /* by address */
	struct chain_buffer joined; /* a chain with its unwound part */
	struct held held[HELD_MOST];
	size_t n_held;
	VEC(uint32_t) keys;                 /* of the held stacks */
	struct idtable stacks, sums, tasks; /* sums: of stacks that have several */
	struct u64map threads;
	uint32_t last_version;
	struct {
		uint32_t number; /* + 1; 0: none */
		struct stack_task task;
	} last_task;
	struct {
		struct stack_task_id id;
		uint32_t number; /* + 1; 0: none */
	} last_thread;
	/* Of the last plain sample in this chunk: nearly always the next one has the same thread and moment. */
	struct plain_owner {
		bool known;
		uint32_t moment, number, thread; /* number of the task, and of the thread with slices; both + 1 */
		uint64_t who;
		struct task task;
	} owner;
};

/* A chain, with the task and the moment in which to look up its addresses. */
struct task_chain {
	const struct task *task;
	uint32_t moment;
	const uint8_t *words;
	uint64_t n;
};
/* A run of addresses of one mode in one version of an address space. */
struct mode_stretch {
	const struct task_chain *chain;
	unsigned mode;
	uint32_t version;
};

static uint32_t find_place(struct stacks_worker *w, const struct mode_stretch *s, uint64_t ip)
{
	const struct ip_slot *slot = ip_table_slot(&w->places, s->version, ip);
	struct map_hit hit;
	uint32_t place;

	if (slot->version)
		return slot->value;
	session_find(w->session, s->chain->task, s->chain->moment, s->mode, ip, &hit);
	place = placer_find(&w->part->placer, &hit, ip, false);
	ip_table_put(&w->places, (struct ip_slot){ .ip = ip, .version = s->version, .value = place });
	return place;
}

/*
 * Put the places of addresses up to a marker into words before `key`, from the end. Return their number. This is not
 * inlined, so that the loop can use all registers.
 */
static __attribute__((noinline)) size_t put_places(struct stacks_worker *w, const struct mode_stretch *s,
						   const uint8_t *words, size_t most, uint32_t *key)
{
	struct ip_table places = w->places; /* in registers: nearly always the first slot has the address */
	uint32_t version = s->version;
	size_t n = 0;

	for (; n < most; n++) {
		uint64_t ip = load_u64(words + 8 * n);
		const struct ip_slot *slot = &places.slots[ip_table_begin(&places, version, ip)];

		if (slot->ip == ip && slot->version == version) {
			*--key = slot->value;
			continue;
		}
		if (ip >= CHAIN_MARKER_MIN)
			break;
		*--key = find_place(w, s, ip);
		places = w->places;
	}
	return n;
}

/* ---- one chain ---- */

/*
 * Hold a stack. Its keys are in the memory after those of the held stacks, from `keys` up to `end`. There is room for
 * one more key before them, so that we can hash two at a time.
 */
static struct held *hold(struct stacks_worker *w, uint32_t *keys, const uint32_t *end)
{
	struct held *h = &w->held[w->n_held++];

	h->at = (size_t)(keys - w->keys.items);
	h->n = (uint32_t)(end - keys);
	keys[-1] = 0;
	h->stack_hash = hash_words(keys - (h->n & 1), (h->n + 1) / 2, h->n);
	w->keys.len = h->at + h->n;
	idtable_fetch(&w->stacks, h->stack_hash);
	return h;
}

/* Hold a stack that has only the task, or the task and one place (0: none). */
static struct held *hold_short(struct stacks_worker *w, uint32_t task, uint32_t place)
{
	uint32_t *keys;

	vec_reserve(&w->keys, w->keys.len + 3);
	keys = w->keys.items + w->keys.len + 1;
	keys[0] = task;
	keys[1] = place;
	return hold(w, keys, keys + 1 + (place > 0));
}

/*
 * Hold a chain. It begins with the innermost address, so we fill in the places from the end. Keep only as many of the
 * innermost addresses as a stack may have. Return NULL if it has no address, or, as in perf, if it has an unknown
 * marker.
 */
static struct held *hold_chain(struct stacks_worker *w, const struct task_chain *c, uint32_t task)
{
	struct mode_stretch stretch = { .chain = c, .mode = CPUMODE_USER };
	uint64_t ip, i = 0;
	uint32_t *key, *end;
	size_t left, n;

	left = MIN(c->n, w->opts->max_stack);
	vec_reserve(&w->keys, w->keys.len + 2 + left);
	key = end = w->keys.items + w->keys.len + 2 + left;
	for (; i < c->n && left; i += n, key -= n, left -= n) {
		n = 0;
		ip = load_u64(c->words + 8 * i);
		if (ip < CHAIN_MARKER_MIN) {
			stretch.version =
				map_versions_number(&w->versions, w->session, c->task, c->moment, stretch.mode);
			n = put_places(w, &stretch, c->words + 8 * i, MIN(left, c->n - i), key);
			continue;
		}
		if (ip == CHAIN_USER_DEFERRED)
			break;
		if (chain_marker_mode(ip) < 0)
			return NULL;
		stretch.mode = (unsigned)chain_marker_mode(ip);
		i++;
	}
	if (key == end)
		return NULL;
	w->last_version = stretch.version;
	*--key = task;
	return hold(w, key, end);
}

/* ---- one sample ---- */

/* Return the number of the task, + 1. */
static uint32_t task_number(struct stacks_worker *w, const struct task *t, uint64_t cgroup)
{
	bool ids = w->opts->pid || w->opts->tid;
	struct stack_task task = { .comm = t->comm,
				   .pid = ids ? t->pid : 0,
				   .tid = ids ? t->tid : 0,
				   .cgroup = w->opts->frames ? cgroup : 0 };
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;

	if (w->last_task.number && w->last_task.task.comm == task.comm && w->last_task.task.pid == task.pid &&
	    w->last_task.task.tid == task.tid && w->last_task.task.cgroup == task.cgroup)
		return w->last_task.number;
	hash = hash_mix(task.comm ^ task.cgroup << 32, (uint64_t)(uint32_t)task.pid << 32 | (uint32_t)task.tid);
	probe = idtable_probe(&w->tasks, hash);
	while ((id = idtable_next(&w->tasks, &probe)))
		if (!memcmp(&w->part->tasks.items[id - 1], &task, sizeof(task)))
			break;
	if (!id) {
		vec_push(&w->part->tasks, task);
		id = (uint32_t)w->part->tasks.len;
		idtable_add(&w->tasks, hash, id);
	}
	w->last_task.task = task;
	return w->last_task.number = id;
}

/* Return the number of the thread, + 1; 0 without slices. */
static uint32_t thread_of(struct stacks_worker *w, const struct task *t)
{
	struct stack_task_id id = { t->pid, t->tid };
	uint32_t *number;

	if (!w->opts->slices)
		return 0;
	if (w->last_thread.number && w->last_thread.id.pid == id.pid && w->last_thread.id.tid == id.tid)
		return w->last_thread.number;
	number = u64map_put(&w->threads, (uint64_t)(uint32_t)id.pid << 32 | (uint32_t)id.tid, NULL);
	if (!*number) {
		vec_push(&w->part->threads, id);
		*number = (uint32_t)w->part->threads.len;
	}
	w->last_thread.id = id;
	return w->last_thread.number = *number;
}

/* Return the number of the stack, + 1. As with repeats, we treat stacks with equal hashes as equal. */
static uint32_t stack_number(struct stacks_worker *w, const struct held *h)
{
	struct idtable_probe probe = idtable_probe(&w->stacks, h->stack_hash);
	struct stack_part *part = w->part;
	uint32_t id = idtable_next(&w->stacks, &probe), *keys;

	if (id)
		return id;
	keys = word_blocks_add(&part->keys, h->n + 1);
	memcpy(keys, w->keys.items + h->at, h->n * sizeof(*keys));
	keys[h->n] = 0;
	vec_push(&part->stacks, (struct part_stack){ .keys = keys, .n = h->n });
	id = (uint32_t)part->stacks.len;
	idtable_add(&w->stacks, h->stack_hash, id);
	return id;
}

static uint64_t sum_hash(const struct stack_sum *s)
{
	return hash_mix(hash_mix(s->stack, (uint64_t)s->event << 32 | s->slot), s->thread);
}

static bool same_sum(const struct stack_sum *a, const struct stack_sum *b)
{
	return a->stack == b->stack && a->event == b->event && a->slot == b->slot && a->thread == b->thread;
}

/* Return the number of the sum for a held sample, + 1. */
static uint32_t sum_number(struct stacks_worker *w, const struct held *h)
{
	struct part_stack *stack = &w->part->stacks.items[h->stack - 1];
	struct stack_sum wanted = { h->stack - 1, h->event, h->slot, h->thread, 0, 0 };
	struct idtable_probe probe;
	uint32_t id = stack->sum;

	if (id && same_sum(&w->part->sums.items[id - 1], &wanted))
		return id;
	if (id && !stack->several)
		idtable_add(&w->sums, sum_hash(&w->part->sums.items[id - 1]), id);
	stack->several = id > 0;
	probe = idtable_probe(&w->sums, sum_hash(&wanted));
	while (id && (id = idtable_next(&w->sums, &probe)))
		if (same_sum(&w->part->sums.items[id - 1], &wanted))
			break;
	if (!id) {
		vec_push(&w->part->sums, wanted);
		id = (uint32_t)w->part->sums.len;
		if (stack->several)
			idtable_add(&w->sums, probe.hash, id);
	}
	stack->sum = id & INT32_MAX;
	return id;
}

/* Look up the stacks of all held samples, and add the samples to their sums. */
static void add_held(struct stacks_worker *w)
{
	for (size_t i = 0; i < w->n_held; i++) {
		w->held[i].stack = stack_number(w, &w->held[i]);
		__builtin_prefetch(&w->part->stacks.items[w->held[i].stack - 1], 1);
		if (w->held[i].stack <= w->part->sums.len) /* most stacks have one sum */
			__builtin_prefetch(&w->part->sums.items[w->held[i].stack - 1], 1);
	}
	for (size_t i = 0; i < w->n_held; i++) {
		w->held[i].sum = sum_number(w, &w->held[i]);
		__builtin_prefetch(&w->part->sums.items[w->held[i].sum - 1], 1);
	}
	for (size_t i = 0; i < w->n_held; i++) {
		const struct held *h = &w->held[i];
		struct stack_sum *sum = &w->part->sums.items[h->sum - 1];

		sum->period += h->period;
		sum->samples++;
		if (w->opts->each)
			vec_push(&w->part->each,
				 (struct stack_sample){
					 .time = h->time, .weight = h->period, .group = h->sum - 1, .cpu = h->cpu });
		samples_keep(&w->samples, h->hash, h->sum, 0);
	}
	w->n_held = 0;
	w->keys.len = 0;
}

/* Hold a stack that consists of the sampled address. */
static struct held *hold_address(struct stacks_worker *w, const struct task_chain *c, uint32_t task, unsigned mode,
				 uint64_t ip)
{
	struct map_hit hit;

	session_find(w->session, c->task, c->moment, mode, ip, &hit);
	return hold_short(w, task, placer_find(&w->part->placer, &hit, ip, true));
}

/* Is the sampled address the stack if there is no chain? With frames, also if the sample should have a chain. */
static bool wants_address(const struct stacks_worker *w, uint64_t sample_type)
{
	return w->opts->frames || !(sample_type & SAMPLE_CALLCHAIN);
}

static void note_first(struct stacks_worker *w, uint32_t event, uint64_t time)
{
	w->part->first[event] = MIN(w->part->first[event], time);
}

static void arrive(struct stacks_worker *w, struct arrival *a)
{
	const struct sample *s = a->sample;
	const struct chain_place place = { .sample = s,
					   .task = &a->task,
					   .pos = a->pos,
					   .moment = a->moment,
					   .worker = w->number,
					   .max = w->opts->max_stack };
	unsigned mode = s->misc & MISC_CPUMODE;
	struct task_chain chain = { .task = &a->task, .moment = a->moment };
	struct chain_words c;
	struct map_hit hit;
	uint32_t task;
	struct held *h;

	if (a->outside || (w->opts->no_idle && !a->task.pid && !a->task.tid))
		return;
	note_first(w, a->event, a->time);
	if (w->by_place) {
		session_find(w->session, &a->task, a->moment, mode, s->ip, &hit);
		if (!sample_filter_wants_place(&w->filter->who, w->session->symbols, s->ip, hit.dso,
					       hit.dso ? dso_find(w->session->symbols, hit.dso, hit.dso_off) : 0))
			return;
	}
	task = task_number(w, &a->task, s->cgroup);
	chain_of_sample(w->session, &place, &w->joined, &c);
	chain.words = c.words;
	chain.n = c.n;
	h = hold_chain(w, &chain, task);
	if (!h)
		h = wants_address(w, s->type) ? hold_address(w, &chain, task, mode, s->ip) : hold_short(w, task, 0);
	h->hash = a->hash;
	h->period = a->period;
	h->time = s->type & SAMPLE_TIME ? s->time : 0;
	h->event = a->event;
	h->slot = samples_bin(&w->samples, s->time);
	h->thread = thread_of(w, &a->task);
	h->cpu = s->cpu;
	if (w->n_held == HELD_MOST)
		add_held(w);
}

/* Return the CPU of a comparable sample. */
static uint32_t plain_cpu(const struct stacks_worker *w, const struct sample_ahead *a)
{
	int at = w->session->pd->events[a->event].layout.cpu;

	return at < 0 ? UINT32_MAX : load_u32(a->record.body + at);
}

static const struct plain_owner *find_owner(struct stacks_worker *w, uint64_t who, uint32_t moment)
{
	struct plain_owner *o = &w->owner;

	if (o->known && o->who == who && o->moment == moment)
		return o;
	session_task(w->session, &w->samples.lookup, (int32_t)load_u32((const uint8_t *)&who),
		     (int32_t)load_u32((const uint8_t *)&who + 4), moment, &o->task);
	o->known = true;
	o->who = who;
	o->moment = moment;
	o->number = task_number(w, &o->task, 0);
	o->thread = thread_of(w, &o->task);
	return o;
}

/*
 * Take a comparable sample that no filter can drop. It has no other fields than those that we read here, so this does
 * the same as samples_take() and arrive(), in a third of the time.
 */
static void take_plain(struct stacks_worker *w, const struct sample_ahead *a)
{
	const struct repeat_plan *plan = &w->samples.plans[a->event];
	const uint8_t *body = a->record.body;
	uint64_t time = load_u64(body + plan->time);
	const struct plain_owner *owner;
	struct task_chain chain;
	struct held *h;

	chain.words = repeat_chain(plan, &a->record, &chain.n);
	chain.moment =
		session_moment(w->session, &w->samples.lookup, time, session_pos(a->record.stream, a->record.pos));
	owner = find_owner(w, load_u64(body + plan->tid), chain.moment);
	chain.task = &owner->task;
	if (w->opts->no_idle && !owner->task.pid && !owner->task.tid)
		return;
	note_first(w, a->event, samples_time(&w->samples, a));
	h = hold_chain(w, &chain, owner->number);
	if (!h)
		h = wants_address(w, w->session->pd->events[a->event].attr.sample_type)
			    ? hold_address(w, &chain, owner->number, a->record.misc & MISC_CPUMODE,
					   load_u64(body + plan->ip))
			    : hold_short(w, owner->number, 0);
	h->hash = a->hash;
	h->period = samples_period(&w->samples, a);
	h->time = time;
	h->event = a->event;
	h->slot = samples_bin(&w->samples, time);
	h->thread = owner->thread;
	h->cpu = plain_cpu(w, a);
	if (w->n_held == HELD_MOST)
		add_held(w);
}

/* Keep a repeat as a sample of its own. It has a time: see repeat_plan(). */
static void keep_again(struct stacks_worker *w, const struct sample_ahead *a, uint64_t period)
{
	vec_push(&w->part->each,
		 (struct stack_sample){ .time = load_u64(a->record.body + w->samples.plans[a->event].time),
					.weight = period,
					.group = a->to - 1,
					.cpu = plain_cpu(w, a) });
}

/* Add a repeat to the sum of the earlier sample. */
static void add_again(struct stacks_worker *w, const struct sample_ahead *a)
{
	struct stack_sum *sum = &w->part->sums.items[a->to - 1];
	uint64_t period = samples_period(&w->samples, a);

	sum->period += period;
	sum->samples++;
	if (w->opts->each)
		keep_again(w, a, period);
	note_first(w, a->event, samples_time(&w->samples, a));
}

/*
 * Prefetch the places of the stack's inner end, where it differs most from other stacks. This is not needed for a small
 * table, which is in the cache anyway.
 */
static void fetch_places(struct stacks_worker *w, const struct sample_ahead *a)
{
	enum { INNER_END = 8, SMALL_BITS = 14 };
	const struct repeat_plan *plan = &w->samples.plans[a->event];
	const uint8_t *words;
	uint64_t n;

	if (w->places.bits <= SMALL_BITS || !repeat_comparable(plan, &a->record))
		return;
	words = repeat_chain(plan, &a->record, &n);
	n = MIN(n, (uint64_t)INNER_END);
	for (uint64_t i = 0; i < n; i++)
		ip_table_fetch(&w->places, w->last_version, load_u64(words + 8 * i));
}

/* Can no filter drop a sample? If we look up repeats, no filter needs fields that take_plain() does not read. */
static bool drops_none(const struct stacks_worker *w)
{
	const struct profile_filter *f = w->filter;

	return w->samples.seen.lines && !f->hide_kernel && !f->hide_user && sample_filter_wants_all(&f->who) &&
	       !session_defers_chains(w->session);
}

static void take_sample(struct stacks_worker *w, const struct sample_ahead *ahead, bool all)
{
	struct arrival a;

	if (ahead->to) {
		add_again(w, ahead);
	} else if (all && repeat_comparable(&w->samples.plans[ahead->event], &ahead->record)) {
		take_plain(w, ahead);
	} else {
		samples_take(&w->samples, ahead);
		while (samples_next(&w->samples, &a))
			arrive(w, &a);
	}
}

static void decode_chunk(struct stacks_worker *w, size_t chunk)
{
	struct samples *in = &w->samples;
	bool all = drops_none(w);
	size_t n;

	w->owner.known = false;
	samples_open(in, chunk);
	while ((n = samples_ahead(in))) {
		for (size_t i = 0; i < n; i++) {
			if (in->ahead[i].to)
				__builtin_prefetch(&w->part->sums.items[in->ahead[i].to - 1], 1);
			else
				fetch_places(w, &in->ahead[i]);
		}
		for (size_t i = 0; i < n; i++)
			take_sample(w, &in->ahead[i], all);
	}
	add_held(w);
	samples_close(in);
}

static void worker_release(struct stacks_worker *w)
{
	samples_release(&w->samples);
	map_versions_release(&w->versions);
	ip_table_release(&w->places);
	vec_free(&w->joined);
	vec_free(&w->keys);
	idtable_free(&w->stacks);
	idtable_free(&w->sums);
	idtable_free(&w->tasks);
	u64map_free(&w->threads);
}

static void worker_init(struct stacks_worker *w, const struct stack_decoding *how, struct stack_part *part,
			unsigned number)
{
	size_t n_events = how->session->pd->n_events;

	*w = (struct stacks_worker){ .session = how->session,
				     .opts = how->opts,
				     .filter = how->filter,
				     .part = part,
				     .number = number,
				     .by_place = sample_filter_by_place(&how->filter->who) };
	w->samples = (struct samples){ .repeats = !w->by_place,
				       .by_ip = how->opts->frames,
				       .by_chain = true,
				       .bin_ns = how->slot_ns,
				       .n_bins = how->n_slots };
	samples_init(&w->samples, how->session, how->filter, &part->notes);
	ip_table_init(&w->places);
	placer_init(&part->placer, how->places);
	part->first = xmalloc((n_events + 1) * sizeof(*part->first));
	memset(part->first, 0xff, (n_events + 1) * sizeof(*part->first));
}

static void worker_end(struct stacks_worker *w)
{
	struct format_notes *notes = &w->session->notes.format;

	notes->unknown_ids += w->part->notes.unknown_ids;
	notes->bad_samples += w->part->notes.bad_samples;
	worker_release(w);
}

/* Workers and what they decode next: the chunks from `first` on. */
struct stack_decoders {
	struct stacks_worker *workers;
	unsigned n;
	size_t first;
};

static void decode_item(void *ctx, size_t item, unsigned worker)
{
	const struct stack_decoders *d = ctx;

	decode_chunk(&d->workers[worker], d->first + item);
}

static void decode_between(void *ctx, size_t from, size_t to)
{
	struct stack_decoders *d = ctx;

	for (unsigned i = 0; i < d->n; i++)
		d->workers[i].samples.lookup.valid = false;
	d->first = from;
	parallel_for(to - from, d->n, decode_item, d);
}

/* Make a worker for each thread, but no more than there are pieces of work. */
static struct stack_part *decoders_init(struct stack_decoders *d, const struct stack_decoding *how, uint64_t pieces)
{
	struct stack_part *parts;

	d->n = advance_needed(how->session->pd) ? 1 : (unsigned)MAX(MIN(how->opts->threads, pieces), (uint64_t)1);
	d->workers = xcalloc(d->n, sizeof(*d->workers));
	parts = xcalloc(d->n, sizeof(*parts));
	for (unsigned i = 0; i < d->n; i++)
		worker_init(&d->workers[i], how, &parts[i], i);
	return parts;
}

static void decoders_release(struct stack_decoders *d)
{
	for (unsigned i = 0; i < d->n; i++)
		worker_end(&d->workers[i]);
	free(d->workers);
}

struct stack_part *stack_decode(const struct stack_decoding *how, unsigned *n)
{
	struct stack_decoders d;
	struct stack_part *parts = decoders_init(&d, how, how->session->chunks.len);

	phase("decode");
	decode_between(&d, 0, how->session->chunks.len);
	*n = d.n;
	decoders_release(&d);
	return parts;
}

struct stack_part *stack_decode_steps(const struct stack_decoding *how, unsigned *n)
{
	struct stack_decoders d;
	struct stack_part *parts = decoders_init(&d, how, session_n_steps(how->session));

	session_steps(how->session, decode_between, &d);
	*n = d.n;
	decoders_release(&d);
	return parts;
}

/* ---- what still arrives ---- */

struct stacks_worker *stack_decoder_new(const struct stack_decoding *how, struct stack_part *part)
{
	struct stacks_worker *w = xcalloc(1, sizeof(*w));

	worker_init(w, how, part, 0);
	return w;
}

void stack_decoder_take(struct stacks_worker *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		w->samples.lookup.valid = false; /* the timeline may have newer changes than the cached result */
		decode_chunk(w, i);
	}
}

void stack_decoder_forget(struct stacks_worker *w)
{
	lookup_release(&w->samples.lookup);
	if (w->samples.seen.lines) {
		repeats_release(&w->samples.seen);
		repeats_init(&w->samples.seen);
	}
	map_versions_release(&w->versions);
	w->versions = (struct map_versions){ 0 };
	ip_table_release(&w->places);
	ip_table_init(&w->places);
	w->last_version = 0;
	w->last_task.number = 0;
}

void stack_decoder_free(struct stacks_worker *w)
{
	worker_end(w);
	free(w);
}

void stack_part_release(struct stack_part *p)
{
	vec_free(&p->stacks);
	word_blocks_release(&p->keys);
	vec_free(&p->sums);
	vec_free(&p->tasks);
	vec_free(&p->threads);
	vec_free(&p->each);
	free(p->first);
	placer_release(&p->placer);
}

void stack_parts_free(struct stack_part *parts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		stack_part_release(&parts[i]);
	free(parts);
}
