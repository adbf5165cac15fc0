/*
 * Samples to stacks: the loop that runs once per sample, in every worker. Each address is given its name when it is met, so that samples of the same functions
 * are one stack from the start, however many addresses they were taken at; all that a worker writes but the names is its own.
 */
#include "base/parallel.h"
#include "report/advance.h"
#include "report/chain.h"
#include "report/repeats.h"
#include "report/stacks_priv.h"
#include "report/views.h"

struct stretch { uint64_t from, to; unsigned mode; };

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
	struct chain_buffer joined;	/* a chain with its unwound part */
	VEC(struct stretch) stretches;	/* of its addresses that have one mode, innermost first */
	VEC(uint32_t) last_sums;	/* by node: the sum that was added to last + 1 */
	struct idtable sums, tasks;
	/*
	 * The last stack, from its outer end on: its addresses, and the nodes they lead to; nodes[0] is its task. The next one mostly begins like this. Only of the
	 * outermost stretch of addresses of one mode, whose view this is.
	 */
	struct { uint32_t view, root; VEC(uint64_t) ips; VEC(uint32_t) nodes; } last;
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

/* How far the outermost stretch is that of the last stack. */
static uint64_t known_callers(struct worker *w, const uint8_t *words, const struct stretch *s, uint32_t view, uint32_t root)
{
	uint64_t n = MIN(s->to - s->from, w->last.ips.len), i = 0;

	if (w->last.view != view || w->last.root != root)
		return 0;
	while (i < n && load_u64(words + 8 * (s->to - 1 - i)) == w->last.ips.items[i])
		i++;
	return i;
}

/* Its place after `node`, frame by frame from the outside; keeps what it meets as the last stack. */
static uint32_t walk_outermost(struct worker *w, const struct arrival *a, const uint8_t *words, const struct stretch *s, uint32_t root)
{
	uint32_t view = views_number(&w->views, w->session, &a->task, a->moment, s->mode);
	uint64_t n = s->to - s->from, known = known_callers(w, words, s, view, root);
	uint32_t node;

	vec_reserve(&w->last.ips, n);
	vec_reserve(&w->last.nodes, n + 1);
	w->last.view = view;
	w->last.root = root;
	w->last.nodes.items[0] = root;
	node = w->last.nodes.items[known];
	for (uint64_t i = known; i < n; i++)
		ip_table_fetch(&w->places, view, load_u64(words + 8 * (s->to - 1 - i)));
	for (uint64_t i = known; i < n; i++) {
		uint64_t ip = load_u64(words + 8 * (s->to - 1 - i));

		node = stack_tree_child(&w->part->tree, node, place_at(w, a, s->mode, view, ip));
		w->last.ips.items[i] = ip;
		w->last.nodes.items[i + 1] = node;
	}
	w->last.ips.len = n;
	return node;
}

static uint32_t walk_chain(struct worker *w, const struct arrival *a, uint32_t root)
{
	const struct chain_place place = { .sample = a->sample, .task = &a->task, .pos = a->pos, .moment = a->moment, .worker = w->number, .max = w->opts->max_stack };
	struct chain_words c;
	uint32_t node = root;

	chain_of_sample(w->session, &place, &w->joined, &c);
	find_stretches(w, &c);
	for (size_t k = w->stretches.len; k-- > 0;) {
		const struct stretch *t = &w->stretches.items[k];
		uint32_t view;

		if (k + 1 == w->stretches.len) {
			node = walk_outermost(w, a, c.words, t, root);
			continue;
		}
		view = views_number(&w->views, w->session, &a->task, a->moment, t->mode);
		for (uint64_t i = t->to; i-- > t->from;)
			node = stack_tree_child(&w->part->tree, node, place_at(w, a, t->mode, view, load_u64(c.words + 8 * i)));
	}
	return node;
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

	if (w->last_sums.len <= node)
		vec_add(&w->last_sums, w->part->tree.nodes.len - w->last_sums.len);
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

static void arrive(struct worker *w, struct arrival *a)
{
	const struct sample *s = a->sample;
	uint64_t time = w->session->sorted ? s->time : a->pos;
	unsigned mode = a->record->misc & MISC_CPUMODE;
	struct map_hit hit;
	uint32_t root, node, sum;

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
	node = walk_chain(w, a, root);
	if (node == root && !(w->session->pd->events[a->event].attr.sample_type & SAMPLE_CALLCHAIN)) {	/* without a chain it is where it was taken */
		session_find(w->session, &a->task, a->moment, mode, s->ip, &hit);
		node = stack_tree_child(&w->part->tree, node, placer_find(&w->part->placer, &hit, s->ip, true));
	}
	sum = sum_of(w, node, a->event, bin_of(w, s->time));
	w->part->sums.items[sum - 1].period += a->period;
	w->part->sums.items[sum - 1].samples++;
	if (a->hash && w->repeats.slots)
		repeats_keep(&w->repeats, (struct repeat){ .hash = a->hash, .moment = a->moment, .to = sum });
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

/* See repeat_hash(); 0: it does not tell enough of such a sample. */
static uint64_t simple_hash(struct worker *w, const struct record *r, uint32_t event)
{
	const struct file_event *ev = &w->session->pd->events[event];
	bool chain = ev->attr.sample_type & SAMPLE_CALLCHAIN;

	if (!w->repeats.slots || !repeat_possible(ev, r))
		return 0;
	w->n_tried++;
	return repeat_hash(ev, r, (uint64_t)bin_of(w, load_u64(r->body + ev->layout.time)) << 32 | event, !chain, chain);
}

/* The whole way of a sample, if one like it has been here. */
static bool arrive_again(struct worker *w, const struct record *r, uint32_t event, uint64_t hash)
{
	const struct file_event *ev = &w->session->pd->events[event];
	const struct repeat *p = w->repeats.slots ? repeats_slot(&w->repeats, hash) : NULL;
	uint64_t time = load_u64(r->body + ev->layout.time), pos = session_pos(r->stream, r->pos);
	struct stack_sum *sum;

	if (!p || !p->to || p->hash != hash || p->moment != session_moment(w->session, &w->lookup, time, pos))
		return false;
	w->n_again++;
	sum = &w->part->sums.items[p->to - 1];
	sum->period += ev->layout.period >= 0 ? load_u64(r->body + ev->layout.period) : ev->default_period;
	sum->samples++;
	w->part->first[event] = MIN(w->part->first[event], w->session->sorted ? time : pos);
	return true;
}

/* A sample that waits: so many are looked at ahead that the memory their slots lie in has come when it is their turn. */
enum { AHEAD = 16 };
struct waiting { struct record record; uint64_t hash; uint32_t event; };

static void decode_one(struct worker *w, const struct waiting *waiting)
{
	const struct perfdata *pd = w->session->pd;
	const struct record *r = &waiting->record;
	struct arrival a = { .record = r, .event = waiting->event, .pos = session_pos(r->stream, r->pos), .hash = waiting->hash };
	struct sample sample;

	if (a.hash && arrive_again(w, r, a.event, a.hash))
		return;
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

/* Where stacks seldom come again it costs more to look for them than to walk them. */
enum { TRIES = 1 << 16 };

static void decode_waiting(struct worker *w, const struct waiting *waiting, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct repeat *p = waiting[i].hash && w->repeats.slots ? repeats_slot(&w->repeats, waiting[i].hash) : NULL;

		if (p && p->hash == waiting[i].hash && p->to)
			__builtin_prefetch(&w->part->sums.items[p->to - 1], 1);
	}
	for (size_t i = 0; i < n; i++)
		decode_one(w, &waiting[i]);
	if (w->n_tried < TRIES)
		return;
	if (w->n_again < TRIES / 8 * 3)
		repeats_release(&w->repeats);
	w->n_tried = w->n_again = 0;
}

static void decode_chunk(void *ctx, size_t item, unsigned worker)
{
	struct worker *w = &((struct worker *)ctx)[worker];
	const struct session_chunk *stretch = &w->session->chunks.items[item];
	size_t n = 0, ahead = w->session->pd->swap ? 1 : AHEAD;	/* swapped records live until the next one */
	struct waiting waiting[AHEAD];
	struct chunk c;
	struct record r;
	int got, event;

	session_chunk_open(w->session, item, NULL, &c);
	while ((got = chunk_next(&c, &r, NULL))) {
		if (got < 0 && !chunk_skip(&c))
			break;
		if (got < 0 || r.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(w->session->pd, &r);
		if (event < 0) {
			w->part->notes.unknown_ids++;
			continue;
		}
		waiting[n] = (struct waiting){ .record = r, .event = (uint32_t)event, .hash = simple_hash(w, &r, (uint32_t)event) };
		if (waiting[n].hash)
			__builtin_prefetch(repeats_slot(&w->repeats, waiting[n].hash));
		if (++n == ahead) {
			decode_waiting(w, waiting, n);
			n = 0;
		}
	}
	decode_waiting(w, waiting, n);
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
	vec_free(&w->last.nodes);
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
