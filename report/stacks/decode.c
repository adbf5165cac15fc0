/*
 * Each worker turns samples into stacks. An address gets its name when it is first met, so samples
 * of the same functions are one stack from the start, whatever their addresses. Apart from the
 * names, each worker writes only its own data.
 */
#include "base/parallel.h"
#include "base/phases.h"
#include "report/session/chain.h"
#include "report/profile/samples.h"
#include "report/stacks/walk_priv.h"
#include "report/stacks/stacks_priv.h"
#include "report/profile/map_versions.h"

struct mode_stretch {
	uint64_t from, to;
	unsigned mode;
};

/* What belongs to a stack whose end is not yet found. */
struct held {
	uint64_t hash, period, time;
	uint32_t event, slot, thread, sum, cpu;
};

struct stacks_worker {
	struct session *session;
	const struct stacks_opts *opts;
	const struct profile_filter *filter;
	struct stack_part *part;
	unsigned number;
	bool by_place;
	struct samples samples;
	struct map_versions versions;
	struct ip_table places;             /* by address */
	struct chain_buffer joined;         /* a chain with its unwound part */
	VEC(struct mode_stretch) stretches; /* runs of its addresses with the same mode, innermost first */
	struct stack_walk walk;
	struct held held[STACK_WALKS]; /* of the stacks under way */
	VEC(uint32_t) last_sums;       /* by node: number of the sum last used, + 1 */
	struct idtable sums, tasks;
	struct u64map threads;
	/*
	 * The addresses of the last stack, from its outer end: the next stack usually begins alike.
	 * Only the outermost stretch of one mode, looked up in this version; 0: none.
	 */
	struct {
		uint32_t version, root;
		VEC(uint64_t) ips;
	} last;
	struct {
		uint32_t root;
		struct stack_task task;
		bool known;
	} last_task;
	struct {
		struct stack_task_id id;
		uint32_t number; /* + 1; 0: none */
	} last_thread;
};

static uint32_t place_at(struct stacks_worker *w, const struct arrival *a, unsigned mode, uint32_t version, uint64_t ip)
{
	const struct ip_slot *slot = ip_table_slot(&w->places, version, ip);
	struct map_hit hit;
	uint32_t place;

	if (slot->version)
		return slot->value;
	session_find(w->session, &a->task, a->moment, mode, ip, &hit);
	place = placer_find(&w->part->placer, &hit, ip, false);
	ip_table_put(&w->places, (struct ip_slot){ .ip = ip, .version = version, .value = place });
	return place;
}

/* ---- one chain ---- */

/*
 * Split the chain into stretches by mode; keep only as many of the innermost addresses as a stack
 * may have. Drop a whole chain with an unknown marker, as perf does.
 */
static void find_stretches(struct stacks_worker *w, const struct chain_words *c)
{
	uint64_t from = 0, left = w->opts->max_stack, i;
	unsigned mode = CPUMODE_USER;

	vec_clear(&w->stretches);
	for (i = 0; i < c->n && left; i++) {
		uint64_t ip = load_u64(c->words + 8 * i);
		int next;

		if (ip < CHAIN_MARKER_MIN) {
			left--;
			continue;
		}
		if (i > from)
			vec_push(&w->stretches, (struct mode_stretch){ from, i, mode });
		from = i + 1;
		if (ip == CHAIN_USER_DEFERRED)
			return;
		next = chain_marker_mode(ip);
		if (next < 0) {
			vec_clear(&w->stretches);
			return;
		}
		mode = (unsigned)next;
	}
	if (i > from)
		vec_push(&w->stretches, (struct mode_stretch){ from, i, mode });
}

/* Count how many of the outermost addresses equal those of the last stack. */
static uint32_t known_callers(const struct stacks_worker *w, const uint8_t *words, const struct mode_stretch *s,
			      uint32_t version, uint32_t root)
{
	uint64_t n = MIN(s->to - s->from, w->last.ips.len), i = 0;

	if (w->last.version != version || w->last.root != root)
		return 0;
	while (i < n && load_u64(words + 8 * (s->to - 1 - i)) == w->last.ips.items[i])
		i++;
	return (uint32_t)i;
}

/* Keep the outermost stretch for the next stack. */
static void keep_callers(struct stacks_worker *w, const uint8_t *words, const struct mode_stretch *s, uint32_t version,
			 uint32_t root, uint32_t known)
{
	vec_reserve(&w->last.ips, s->to - s->from);
	for (uint64_t i = known; i < s->to - s->from; i++)
		w->last.ips.items[i] = load_u64(words + 8 * (s->to - 1 - i));
	w->last.ips.len = s->to - s->from;
	w->last.version = version;
	w->last.root = root;
}

/* Push a stack that has only the task, or the task and one place. */
static void push_short(struct stacks_worker *w, uint32_t root, const uint32_t *place)
{
	uint32_t *keys = stack_walk_next(&w->walk, root, 0, !!place);

	if (place)
		*keys = *place;
	w->last.version = 0;
}

/*
 * Push the sample's chain as the next stack, from the outermost place inward. false: it has no
 * chain.
 */
static bool push_chain(struct stacks_worker *w, const struct arrival *a, uint32_t root)
{
	const struct chain_place place = { .sample = a->sample,
					   .task = &a->task,
					   .pos = a->pos,
					   .moment = a->moment,
					   .worker = w->number,
					   .max = w->opts->max_stack };
	struct chain_words c;
	uint32_t known = 0, *keys = NULL;
	uint64_t n = 0;

	chain_of_sample(w->session, &place, &w->joined, &c);
	find_stretches(w, &c);
	for (size_t k = 0; k < w->stretches.len; k++)
		n += w->stretches.items[k].to - w->stretches.items[k].from;
	for (size_t k = w->stretches.len; k-- > 0; known = 0) {
		const struct mode_stretch *t = &w->stretches.items[k];
		uint32_t version = map_versions_number(&w->versions, w->session, &a->task, a->moment, t->mode);

		if (!keys) {
			known = known_callers(w, c.words, t, version, root);
			keys = stack_walk_next(&w->walk, root, known, (uint32_t)n);
			keep_callers(w, c.words, t, version, root, known);
		}
		for (uint64_t i = t->to - known; i-- > t->from;)
			*keys++ = place_at(w, a, t->mode, version, load_u64(c.words + 8 * i));
	}
	return n;
}

/* ---- one sample ---- */

/* The first node of the task's stacks. */
static uint32_t task_node(struct stacks_worker *w, const struct task *t, uint64_t cgroup)
{
	bool ids = w->opts->pid || w->opts->tid;
	struct stack_task task = { .comm = t->comm,
				   .pid = ids ? t->pid : 0,
				   .tid = ids ? t->tid : 0,
				   .cgroup = w->opts->frames ? cgroup : 0 };
	uint64_t hash =
		hash_mix(task.comm ^ task.cgroup << 32, (uint64_t)(uint32_t)task.pid << 32 | (uint32_t)task.tid);
	struct idtable_probe probe;
	uint32_t id;

	if (w->last_task.known && w->last_task.task.comm == task.comm && w->last_task.task.pid == task.pid &&
	    w->last_task.task.tid == task.tid && w->last_task.task.cgroup == task.cgroup)
		return w->last_task.root;
	probe = idtable_probe(&w->tasks, hash);
	while ((id = idtable_next(&w->tasks, &probe)))
		if (!memcmp(&w->part->tasks.items[id - 1], &task, sizeof(task)))
			break;
	if (!id) {
		vec_push(&w->part->tasks, task);
		id = (uint32_t)w->part->tasks.len;
		idtable_add(&w->tasks, hash, id);
	}
	w->last_task.root = stack_tree_child(&w->part->tree, 0, id - 1);
	w->last_task.task = task;
	w->last_task.known = true;
	return w->last_task.root;
}

/* With slices: the number of the thread, + 1. */
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

static bool same_sum(const struct stack_sum *a, uint32_t node, const struct held *h)
{
	return a->node == node && a->event == h->event && a->slot == h->slot && a->thread == h->thread;
}

/* The number of the sum for this node and what is held, + 1. */
static uint32_t sum_of(struct stacks_worker *w, uint32_t node, const struct held *h)
{
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;

	id = w->last_sums.items[node];
	if (id && same_sum(&w->part->sums.items[id - 1], node, h))
		return id;
	hash = hash_mix(hash_mix(node, (uint64_t)h->event << 32 | h->slot), h->thread);
	probe = idtable_probe(&w->sums, hash);
	while ((id = idtable_next(&w->sums, &probe)))
		if (same_sum(&w->part->sums.items[id - 1], node, h))
			break;
	if (!id) {
		vec_push(&w->part->sums,
			 (struct stack_sum){ .node = node, .event = h->event, .slot = h->slot, .thread = h->thread });
		id = (uint32_t)w->part->sums.len;
		idtable_add(&w->sums, hash, id);
	}
	w->last_sums.items[node] = id;
	return id;
}

/* Find the ends of the stacks under way and add what belongs to them. */
static void add_held(struct stacks_worker *w)
{
	size_t n = w->walk.ran ? 0 : w->walk.n;

	stack_walk_run(&w->walk, &w->part->tree);
	if (w->last_sums.len < w->part->tree.nodes.len)
		vec_add(&w->last_sums, w->part->tree.nodes.len - w->last_sums.len);
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&w->last_sums.items[stack_walk_node(&w->walk, i)], 1);
	for (size_t i = 0; i < n; i++) {
		w->held[i].sum = sum_of(w, stack_walk_node(&w->walk, i), &w->held[i]);
		__builtin_prefetch(&w->part->sums.items[w->held[i].sum - 1], 1);
	}
	for (size_t i = 0; i < n; i++) {
		struct stack_sum *sum = &w->part->sums.items[w->held[i].sum - 1];

		sum->period += w->held[i].period;
		sum->samples++;
		if (w->opts->each)
			vec_push(&w->part->each, (struct stack_sample){ .time = w->held[i].time,
									.weight = w->held[i].period,
									.group = w->held[i].sum - 1,
									.cpu = w->held[i].cpu });
		samples_keep(&w->samples, w->held[i].hash, w->held[i].sum, 0);
	}
}

static void arrive(struct stacks_worker *w, struct arrival *a)
{
	const struct sample *s = a->sample;
	unsigned mode = a->sample->misc & MISC_CPUMODE;
	struct map_hit hit;
	uint32_t root, place;

	if (a->outside || (w->opts->no_idle && !a->task.pid && !a->task.tid))
		return;
	w->part->first[a->event] = MIN(w->part->first[a->event], a->time);
	if (w->by_place) {
		session_find(w->session, &a->task, a->moment, mode, s->ip, &hit);
		if (!sample_filter_wants_place(&w->filter->who, w->session->symbols, s->ip, hit.dso,
					       hit.dso ? dso_find(w->session->symbols, hit.dso, hit.dso_off) : 0))
			return;
	}
	root = task_node(w, &a->task, s->cgroup);
	if (!push_chain(w, a, root)) {
		place = 0;
		/* Without a chain the sampled address is the stack; with frames also when unwinding failed. */
		if (w->opts->frames || !(s->type & SAMPLE_CALLCHAIN)) {
			session_find(w->session, &a->task, a->moment, mode, s->ip, &hit);
			place = placer_find(&w->part->placer, &hit, s->ip, true);
		}
		push_short(w, root, place ? &place : NULL);
	}
	w->held[w->walk.n - 1] = (struct held){
		.hash = a->hash,
		.period = a->period,
		.time = s->type & SAMPLE_TIME ? s->time : 0,
		.event = a->event,
		.slot = samples_bin(&w->samples, s->time),
		.thread = thread_of(w, &a->task),
		.cpu = s->cpu,
	};
	if (w->walk.n == STACK_WALKS)
		add_held(w);
}

/* Keep a repeat. It has a time: see repeats_possible(). */
static void keep_again(struct stacks_worker *w, const struct sample_ahead *a, uint64_t period)
{
	const struct layout *l = &w->session->pd->events[a->event].layout;

	vec_push(&w->part->each,
		 (struct stack_sample){ .time = load_u64(a->record.body + l->time),
					.weight = period,
					.group = a->to - 1,
					.cpu = l->cpu < 0 ? UINT32_MAX : load_u32(a->record.body + l->cpu) });
}

/* Add a repeat to the sum of the earlier sample. */
static void add_again(struct stacks_worker *w, const struct sample_ahead *a)
{
	struct stack_sum *sum = &w->part->sums.items[a->to - 1];
	uint64_t time = samples_time(&w->samples, a), *first = &w->part->first[a->event];
	uint64_t period = samples_period(&w->samples, a);

	sum->period += period;
	sum->samples++;
	if (w->opts->each)
		keep_again(w, a, period);
	if (time < *first)
		*first = time;
}

/* Prefetch the places of the stack's inner end: this is where it differs from the last stack. */
static void fetch_places(struct stacks_worker *w, const struct sample_ahead *a)
{
	enum { INNER_END = 8 };
	const struct record *r = &a->record;
	const struct file_event *ev = &w->session->pd->events[a->event];
	const uint8_t *words = r->body + ev->layout.fixed_size + 8;

	if (!(ev->attr.sample_type & SAMPLE_CALLCHAIN) || !repeats_possible(ev) || !repeat_whole(ev, r))
		return;
	for (uint64_t i = 0, n = MIN(load_u64(words - 8), (uint64_t)INNER_END); i < n; i++)
		ip_table_fetch(&w->places, w->last.version, load_u64(words + 8 * i));
}

static void decode_chunk(void *ctx, size_t chunk, unsigned worker)
{
	struct stacks_worker *w = &((struct stacks_worker *)ctx)[worker];
	struct samples *in = &w->samples;
	struct arrival a;
	size_t n;

	samples_open(in, chunk);
	while ((n = samples_ahead(in))) {
		for (size_t i = 0; i < n; i++) {
			if (in->ahead[i].to)
				__builtin_prefetch(&w->part->sums.items[in->ahead[i].to - 1], 1);
			else
				fetch_places(w, &in->ahead[i]);
		}
		for (size_t i = 0; i < n; i++) {
			if (in->ahead[i].to) {
				add_again(w, &in->ahead[i]);
				continue;
			}
			samples_take(in, &in->ahead[i]);
			while (samples_next(in, &a))
				arrive(w, &a);
		}
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
	vec_free(&w->last_sums);
	vec_free(&w->stretches);
	idtable_free(&w->sums);
	idtable_free(&w->tasks);
	u64map_free(&w->threads);
	vec_free(&w->last.ips);
	stack_walk_release(&w->walk);
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

struct stack_part *stack_decode(const struct stack_decoding *how, unsigned *n)
{
	struct session *s = how->session;
	struct stack_part *parts;
	struct stacks_worker *workers;

	*n = advance_needed(s->pd) ? 1 : (unsigned)MAX(MIN(how->opts->threads, s->chunks.len), (size_t)1);
	parts = xcalloc(*n, sizeof(*parts));
	phase("decode");
	workers = xcalloc(*n, sizeof(*workers));
	for (unsigned i = 0; i < *n; i++)
		worker_init(&workers[i], how, &parts[i], i);
	parallel_for(s->chunks.len, *n, decode_chunk, workers);
	for (unsigned i = 0; i < *n; i++)
		worker_end(&workers[i]);
	free(workers);
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
		w->samples.lookup.valid = false; /* changes may have come after those that it knows */
		decode_chunk(w, i, 0);
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
	w->last.version = 0;
	w->last_task.known = false;
}

void stack_decoder_free(struct stacks_worker *w)
{
	worker_end(w);
	free(w);
}

void stack_part_release(struct stack_part *p)
{
	stack_tree_release(&p->tree);
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
