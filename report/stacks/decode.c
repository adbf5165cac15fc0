/*
 * Samples to stacks: the loop that runs once per sample, in every worker. Each address is given its name when it is met, so that samples of the same functions
 * are one stack from the start, however many addresses they were taken at; all that a worker writes but the names is its own.
 */
#include "base/parallel.h"
#include "report/session/advance.h"
#include "report/session/chain.h"
#include "report/profile/repeats.h"
#include "report/stacks/walk.h"
#include "report/stacks/stacks_priv.h"
#include "report/profile/views.h"

struct stretch { uint64_t from, to; unsigned mode; };

/* What waits for the end of its stack to be found. */
struct held { uint64_t hash, period; uint32_t event, bin, sum; };

struct worker {
	struct session *session;
	const struct stacks_opts *opts;
	const struct profile_filter *filter;
	struct stack_part *part;
	uint64_t bin_ns;
	unsigned number;
	bool by_place;
	struct lookup lookup;
	struct views views;
	struct ip_table places;		/* by address */
	struct advance counters;
	struct repeats repeats;		/* of sums */
	size_t n_tried, n_again;	/* of late: samples looked for among them, and found */
	size_t rest, rest_next;		/* so many are not looked for */
	struct chain_buffer joined;	/* a chain with its unwound part */
	VEC(struct stretch) stretches;	/* of its addresses that have one mode, innermost first */
	struct stack_walk walk;
	struct held held[STACK_WALKS];	/* of the stacks on their way */
	VEC(uint32_t) last_sums;	/* by node: the sum that was added to last + 1 */
	struct idtable sums, tasks;
	/*
	 * The addresses of the last stack, from its outer end on: the next one mostly begins like this. Only of the outermost stretch of addresses of one mode, whose
	 * view this is; 0: there is none.
	 */
	struct { uint32_t view, root; VEC(uint64_t) ips; } last;
	struct { uint32_t root; struct stack_task task; bool known; } last_task;
};

/* One sample on its way. */
struct arrival { const struct record *record; const struct sample *sample; struct task task; uint32_t event, moment; uint64_t period, pos, hash; };

static uint32_t place_at(struct worker *w, const struct arrival *a, unsigned mode, uint32_t view, uint64_t ip)
{
	const struct ip_slot *slot = ip_table_slot(&w->places, view, ip);
	struct map_hit hit;
	uint32_t place;

	if (slot->view)
		return slot->value;
	session_find(w->session, &a->task, a->moment, mode, ip, &hit);
	place = placer_find(&w->part->placer, &hit, ip, false);
	ip_table_put(&w->places, (struct ip_slot){ .ip = ip, .view = view, .value = place });
	return place;
}

/* ---- one chain ---- */

/* As many of the innermost addresses as stacks may have, by mode. A chain with a marker nobody knows is discarded as a whole, as perf does. */
static void find_stretches(struct worker *w, const struct chain_words *c)
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
			vec_push(&w->stretches, (struct stretch){ from, i, mode });
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
		vec_push(&w->stretches, (struct stretch){ from, i, mode });
}

/* How many of the outermost addresses are those of the last stack. */
static uint32_t known_callers(const struct worker *w, const uint8_t *words, const struct stretch *s, uint32_t view, uint32_t root)
{
	uint64_t n = MIN(s->to - s->from, w->last.ips.len), i = 0;

	if (w->last.view != view || w->last.root != root)
		return 0;
	while (i < n && load_u64(words + 8 * (s->to - 1 - i)) == w->last.ips.items[i])
		i++;
	return (uint32_t)i;
}

/* The outermost stretch as the last one. */
static void keep_callers(struct worker *w, const uint8_t *words, const struct stretch *s, uint32_t view, uint32_t root, uint32_t known)
{
	vec_reserve(&w->last.ips, s->to - s->from);
	for (uint64_t i = known; i < s->to - s->from; i++)
		w->last.ips.items[i] = load_u64(words + 8 * (s->to - 1 - i));
	w->last.ips.len = s->to - s->from;
	w->last.view = view;
	w->last.root = root;
}

/* A stack of nothing but the task, or of a single place. */
static void push_short(struct worker *w, uint32_t root, const uint32_t *place)
{
	uint32_t *keys = stack_walk_next(&w->walk, root, 0, !!place);

	if (place)
		*keys = *place;
	w->last.view = 0;
}

/* The sample's chain, place by place from the outside, is the next stack. false: it has none. */
static bool push_chain(struct worker *w, const struct arrival *a, uint32_t root)
{
	const struct chain_place place = { .sample = a->sample, .task = &a->task, .pos = a->pos, .moment = a->moment, .worker = w->number, .max = w->opts->max_stack };
	struct chain_words c;
	uint32_t known = 0, *keys = NULL;
	uint64_t n = 0;

	chain_of_sample(w->session, &place, &w->joined, &c);
	find_stretches(w, &c);
	for (size_t k = 0; k < w->stretches.len; k++)
		n += w->stretches.items[k].to - w->stretches.items[k].from;
	for (size_t k = w->stretches.len; k-- > 0; known = 0) {
		const struct stretch *t = &w->stretches.items[k];
		uint32_t view = views_number(&w->views, w->session, &a->task, a->moment, t->mode);

		if (!keys) {
			known = known_callers(w, c.words, t, view, root);
			keys = stack_walk_next(&w->walk, root, known, (uint32_t)n);
			keep_callers(w, c.words, t, view, root, known);
		}
		for (uint64_t i = t->to - known; i-- > t->from;)
			*keys++ = place_at(w, a, t->mode, view, load_u64(c.words + 8 * i));
	}
	return n;
}

/* ---- one sample ---- */

/* The first node of the task's stacks. */
static uint32_t task_node(struct worker *w, const struct task *t)
{
	bool ids = w->opts->pid || w->opts->tid;
	struct stack_task task = { .comm = t->comm, .pid = ids ? t->pid : 0, .tid = ids ? t->tid : 0 };
	uint64_t hash = hash_mix(task.comm, (uint64_t)(uint32_t)task.pid << 32 | (uint32_t)task.tid);
	struct idtable_probe probe;
	uint32_t id;

	if (w->last_task.known && w->last_task.task.comm == task.comm && w->last_task.task.pid == task.pid && w->last_task.task.tid == task.tid)
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

static bool same_sum(const struct stack_sum *a, uint32_t node, uint32_t event, uint32_t bin)
{
	return a->node == node && a->event == event && a->bin == bin;
}

/* Its number + 1. */
static uint32_t sum_of(struct worker *w, uint32_t node, uint32_t event, uint32_t bin)
{
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;

	id = w->last_sums.items[node];
	if (id && same_sum(&w->part->sums.items[id - 1], node, event, bin))
		return id;
	hash = hash_mix(node, (uint64_t)event << 32 | bin);
	probe = idtable_probe(&w->sums, hash);
	while ((id = idtable_next(&w->sums, &probe)))
		if (same_sum(&w->part->sums.items[id - 1], node, event, bin))
			break;
	if (!id) {
		vec_push(&w->part->sums, (struct stack_sum){ .node = node, .event = event, .bin = bin });
		id = (uint32_t)w->part->sums.len;
		idtable_add(&w->sums, hash, id);
	}
	w->last_sums.items[node] = id;
	return id;
}

/* In which part of the recording's time it was taken. */
static uint32_t bin_of(const struct worker *w, uint64_t time)
{
	uint64_t first = w->session->first_time;

	return w->bin_ns && time > first ? (uint32_t)MIN((time - first) / w->bin_ns, w->opts->time_bins - 1ull) : 0;
}

/* What waits for the ends of its stacks. */
static void add_held(struct worker *w)
{
	size_t n = w->walk.ran ? 0 : w->walk.n;

	stack_walk_run(&w->walk, &w->part->tree);
	if (w->last_sums.len < w->part->tree.nodes.len)
		vec_add(&w->last_sums, w->part->tree.nodes.len - w->last_sums.len);
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&w->last_sums.items[stack_walk_node(&w->walk, i)], 1);
	for (size_t i = 0; i < n; i++) {
		w->held[i].sum = sum_of(w, stack_walk_node(&w->walk, i), w->held[i].event, w->held[i].bin);
		__builtin_prefetch(&w->part->sums.items[w->held[i].sum - 1], 1);
	}
	for (size_t i = 0; i < n; i++) {
		struct stack_sum *sum = &w->part->sums.items[w->held[i].sum - 1];

		sum->period += w->held[i].period;
		sum->samples++;
		if (w->held[i].hash && w->repeats.lines)
			repeats_keep(&w->repeats, (struct repeat){ .hash = w->held[i].hash, .to = w->held[i].sum });
	}
}

static void arrive(struct worker *w, struct arrival *a)
{
	const struct sample *s = a->sample;
	uint64_t time = w->session->sorted ? s->time : a->pos;
	unsigned mode = a->record->misc & MISC_CPUMODE;
	struct map_hit hit;
	uint32_t root, place;

	a->moment = session_moment(w->session, &w->lookup, s->time, a->pos);
	session_task(w->session, &w->lookup, (int32_t)s->pid, (int32_t)s->tid, a->moment, &a->task);
	if (!sample_filter_wants_task(&w->filter->who, w->session, &a->task))
		return;
	w->part->first[a->event] = MIN(w->part->first[a->event], time);
	if (w->by_place) {
		session_find(w->session, &a->task, a->moment, mode, s->ip, &hit);
		if (!sample_filter_wants_place(&w->filter->who, w->session->symbols, s->ip, hit.dso, hit.dso ? dso_find(w->session->symbols, hit.dso, hit.dso_off) : 0))
			return;
	}
	root = task_node(w, &a->task);
	if (!push_chain(w, a, root)) {
		place = 0;
		if (!(w->session->pd->events[a->event].attr.sample_type & SAMPLE_CALLCHAIN)) {	/* without a chain it is where it was taken */
			session_find(w->session, &a->task, a->moment, mode, s->ip, &hit);
			place = placer_find(&w->part->placer, &hit, s->ip, true);
		}
		push_short(w, root, place ? &place : NULL);
	}
	w->held[w->walk.n - 1] = (struct held){ .hash = a->hash, .period = a->period, .event = a->event, .bin = bin_of(w, s->time) };
	if (w->walk.n == STACK_WALKS)
		add_held(w);
}

/* A sample that carries counter values is one sample for each of them, as large as the counter advanced. */
static void arrive_read(struct worker *w, const struct arrival *a)
{
	uint64_t i = 0, by;
	uint32_t event;

	while (advance_next(&w->counters, w->session->pd, a->sample, a->event, &i, &event, &by, &w->part->notes.unknown_ids)) {
		struct arrival one = *a;

		one.event = event;
		one.period = by;
		arrive(w, &one);
	}
}

static bool takes(const struct worker *w, const struct sample *s)
{
	const struct profile_filter *f = w->filter;

	return sample_filter_wants_cpu(&f->who, s->cpu) && (!f->times.len || !s->time || s->time == UINT64_MAX || time_ranges_have(&f->times, s->time));
}

/* See repeat_hash(); 0: it does not tell enough of such a sample, or they are not looked for now. */
static inline uint64_t simple_hash(struct worker *w, const struct record *r, uint32_t event)
{
	const struct file_event *ev = &w->session->pd->events[event];
	bool chain = ev->attr.sample_type & SAMPLE_CALLCHAIN;
	uint64_t time;
	uint32_t moment;

	if (!w->repeats.lines || !repeats_possible(ev) || !repeat_whole(ev, r))
		return 0;
	if (w->rest) {
		w->rest--;
		return 0;
	}
	w->n_tried++;
	time = load_u64(r->body + ev->layout.time);
	moment = session_moment(w->session, &w->lookup, time, session_pos(r->stream, r->pos));
	return repeat_hash(ev, r, hash_mix((uint64_t)moment << 32 | event, bin_of(w, time)), !chain, chain);
}

/* A sample that waits: so many are looked at ahead that the memory their slots lie in has come when it is their turn. */
enum { AHEAD = 16 };
struct waiting { struct record record; uint64_t hash; uint32_t event, to; };	/* to: of the repeat, 0 = it has to be walked */

/* The whole way of a sample, if one like it has been here. */
static void arrive_again(struct worker *w, const struct waiting *waiting)
{
	const struct record *r = &waiting->record;
	const struct file_event *ev = &w->session->pd->events[waiting->event];
	uint64_t time = w->session->sorted ? load_u64(r->body + ev->layout.time) : session_pos(r->stream, r->pos), *first = &w->part->first[waiting->event];
	struct stack_sum *sum = &w->part->sums.items[waiting->to - 1];

	w->n_again++;
	sum->period += ev->layout.period >= 0 ? load_u64(r->body + ev->layout.period) : ev->default_period;
	sum->samples++;
	if (time < *first)
		*first = time;
}

static void decode_one(struct worker *w, const struct waiting *waiting)
{
	const struct perfdata *pd = w->session->pd;
	const struct record *r = &waiting->record;
	struct arrival a = { .record = r, .event = waiting->event, .pos = session_pos(r->stream, r->pos), .hash = waiting->hash };
	struct sample sample;

	a.sample = &sample;
	if (sample_decode(pd, r, a.event, &sample, NULL) < 0) {
		w->part->notes.bad_samples++;
		return;
	}
	if (!takes(w, &sample))
		return;
	a.period = sample.period;
	if (sample.type & SAMPLE_READ)
		arrive_read(w, &a);
	else
		arrive(w, &a);
}

/* Where stacks seldom come again it costs more to look for them than to walk them: looking rests for a while, the longer the more often it was of no use. */
enum { TRIES = 1 << 12, REST_MAX = 1 << 16 };

static void judge_repeats(struct worker *w)
{
	if (w->n_again >= TRIES / 8 * 3)
		w->rest_next = 0;
	else
		w->rest = w->rest_next = MIN(MAX(w->rest_next * 2, (size_t)TRIES), (size_t)REST_MAX);
	w->n_tried = w->n_again = 0;
}

/* A stack that has to be walked: of a deep one the inner end, as that is what differs from the last one. */
static void fetch_places(struct worker *w, const struct waiting *waiting)
{
	enum { INNER_END = 8 };
	const struct record *r = &waiting->record;
	const struct file_event *ev = &w->session->pd->events[waiting->event];
	const uint8_t *words = r->body + ev->layout.fixed_size + 8;

	if (!(ev->attr.sample_type & SAMPLE_CALLCHAIN) || !repeats_possible(ev) || !repeat_whole(ev, r))
		return;
	for (uint64_t i = 0, n = MIN(load_u64(words - 8), (uint64_t)INNER_END); i < n; i++)
		ip_table_fetch(&w->places, w->last.view, load_u64(words + 8 * i));
}

static void decode_waiting(struct worker *w, struct waiting *waiting, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct repeat *p = waiting[i].hash ? repeats_find(&w->repeats, waiting[i].hash) : NULL;

		waiting[i].to = p ? p->to : 0;
		if (p)
			__builtin_prefetch(&w->part->sums.items[p->to - 1], 1);
		else
			fetch_places(w, &waiting[i]);
	}
	for (size_t i = 0; i < n; i++)
		(waiting[i].to ? arrive_again : decode_one)(w, &waiting[i]);
	if (w->n_tried >= TRIES)
		judge_repeats(w);
}

static void decode_chunk(void *ctx, size_t item, unsigned worker)
{
	struct worker *w = &((struct worker *)ctx)[worker];
	const struct session_chunk *stretch = &w->session->chunks.items[item];
	size_t n = 0, ahead = w->session->pd->swap ? 1 : AHEAD;	/* swapped records live until the next one */
	struct waiting waiting[AHEAD], *next = waiting;
	struct chunk c;
	int got, event;

	session_chunk_open(w->session, item, NULL, &c);
	while ((got = chunk_next(&c, &next->record, NULL))) {
		if (got < 0 && !chunk_skip(&c))
			break;
		if (got < 0 || next->record.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(w->session->pd, &next->record);
		if (event < 0) {
			w->part->notes.unknown_ids++;
			continue;
		}
		next->event = (uint32_t)event;
		next->hash = simple_hash(w, &next->record, (uint32_t)event);
		if (next->hash)
			__builtin_prefetch(repeats_line(&w->repeats, next->hash));
		next++;
		if (++n == ahead) {
			decode_waiting(w, waiting, n);
			n = 0;
			next = waiting;
		}
	}
	decode_waiting(w, waiting, n);
	add_held(w);
	chunk_release(&c);
	stream_rest(w->session->pd, stretch->stream, stretch->from, stretch->to);
}

static void worker_release(struct worker *w)
{
	lookup_release(&w->lookup);
	views_release(&w->views);
	ip_table_release(&w->places);
	repeats_release(&w->repeats);
	advance_release(&w->counters);
	vec_free(&w->joined);
	vec_free(&w->last_sums);
	vec_free(&w->stretches);
	idtable_free(&w->sums);
	idtable_free(&w->tasks);
	vec_free(&w->last.ips);
	stack_walk_release(&w->walk);
}

struct stack_part *stack_decode(struct session *s, const struct stacks_opts *opts, uint64_t bin_ns, const struct profile_filter *filter, struct places *places, unsigned *n)
{
	struct stack_part *parts;
	struct worker *workers;

	*n = advance_needed(s->pd) ? 1 : (unsigned)MAX(MIN(opts->threads, s->chunks.len), (size_t)1);
	parts = xcalloc(*n, sizeof(*parts));
	workers = xcalloc(*n, sizeof(*workers));
	for (unsigned i = 0; i < *n; i++) {
		workers[i] = (struct worker){ .session = s, .opts = opts, .filter = filter, .part = &parts[i], .bin_ns = bin_ns, .number = i, .by_place = sample_filter_by_place(&filter->who) };
		ip_table_init(&workers[i].places);
		if (!workers[i].by_place && !filter->times.len && !filter->who.cpus.len && !session_defers_chains(s))
			repeats_init(&workers[i].repeats);
		placer_init(&parts[i].placer, places);
		parts[i].first = xmalloc((s->pd->n_events + 1) * sizeof(*parts[i].first));
		memset(parts[i].first, 0xff, (s->pd->n_events + 1) * sizeof(*parts[i].first));
	}
	parallel_for(s->chunks.len, *n, decode_chunk, workers);
	for (unsigned i = 0; i < *n; i++) {
		s->notes.format.unknown_ids += parts[i].notes.unknown_ids;
		s->notes.format.bad_samples += parts[i].notes.bad_samples;
		worker_release(&workers[i]);
	}
	free(workers);
	return parts;
}

void stack_parts_free(struct stack_part *parts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		stack_tree_release(&parts[i].tree);
		vec_free(&parts[i].sums);
		vec_free(&parts[i].tasks);
		free(parts[i].first);
		placer_release(&parts[i].placer);
	}
	free(parts);
}
