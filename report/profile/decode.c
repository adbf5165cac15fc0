/*
 * Each worker turns samples into entries. The timeline is read-only, and each worker writes only
 * its own tables. A chain is hashed as it lies in the input; only a new one is split into frames.
 */
#include <time.h>

#include "base/parallel.h"
#include "base/phases.h"
#include "report/session/chain.h"
#include "report/profile/profile_priv.h"
#include "report/session/reference.h"
#include "report/profile/samples.h"
#include "report/tracepoint/trace_text.h"
#include "report/profile/map_versions.h"

struct decoder {
	struct profile *profile;
	struct part *part;
	unsigned number;
	const uint32_t *order; /* of chunks; NULL: as they lie, from number `first` on */
	size_t first;
	size_t n_chunks; /* chunks done */
	uint64_t began_ns;
	struct samples samples;
	struct ip_table frames; /* address -> frame */
	struct map_versions versions;
	uint64_t last_versions; /* of the chain that was looked up last */
	uint64_t *outer;        /* key values of the last sample */
	uint32_t last_outer;
	bool outer_known;
	bool keys_of_task; /* the event and the thread determine all keys, until sideband comes */
	struct sample_thread {
		uint32_t event, moment, pid, tid;
	} last_thread; /* of the last sample, with keys_of_task */
	struct trace_text *trace;
	struct out scratch;
	VEC(uint32_t) history_frames; /* of one sample */
	VEC(struct branch_sums) history_sums;
	struct reference
		/*
		 * With reference_graphs. Per chunk, because chunks do not depend on the number of
		 * workers.
		 */
		reference;
	struct chain_buffer joined; /* a chain together with its unwound part */
	struct split_chain {
		const uint8_t *words; /* with markers; they lie in the chunk or in `ips` */
		uint64_t n;
		struct chain_buffer ips;
		size_t end;       /* its frames end here in part->words */
		uint32_t version; /* of its outermost frames; 0: unknown */
	} split;                  /* the chain that was split last */
};

/* The number of the version in which addresses of this mode are looked up. */
static uint32_t version_number(struct decoder *d, const struct arrival *a, unsigned mode)
{
	return map_versions_number(&d->versions, d->profile->session, &a->task, a->moment, mode);
}

static uint32_t frame_new(struct decoder *d, const struct arrival *a, unsigned mode, uint32_t version, uint64_t ip)
{
	struct frame f = { .ip = ip, .mode = (uint8_t)mode };
	struct map_hit hit;
	uint32_t number;

	session_find(d->profile->session, &a->task, a->moment, mode, ip, &hit);
	f.dso = hit.dso;
	f.dso_off = hit.dso_off;
	f.map_size = hit.len;
	number = part_frame(d->part, &f);
	ip_table_put(&d->frames, (struct ip_slot){ .ip = ip, .version = version, .value = number });
	return number;
}

static inline uint32_t frame_number(struct decoder *d, const struct arrival *a, unsigned mode, uint32_t version,
				    uint64_t ip)
{
	const struct ip_slot *slot = ip_table_slot(&d->frames, version, ip);

	return slot->version ? slot->value : frame_new(d, a, mode, version, ip);
}

/*
 * Branches cross between modes, and nothing tells the mode of their ends: use the first mode that
 * maps the address.
 */
static uint32_t frame_anywhere(struct decoder *d, const struct arrival *a, uint64_t ip)
{
	static const uint8_t modes[] = { CPUMODE_USER, CPUMODE_KERNEL };
	struct map_hit hit;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (session_find(d->profile->session, &a->task, a->moment, modes[i], ip, &hit))
			return frame_number(d, a, modes[i], version_number(d, a, modes[i]), ip);
	return frame_number(d, a, CPUMODE_HYPERVISOR, version_number(d, a, CPUMODE_HYPERVISOR), ip);
}

/* The outer end of a new chain: where unwinding stopped, and why. */
static struct chain_end chain_end(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	static const uint8_t whys[] = {
		[UNWIND_STACK_CUT] = REASON_WINDOW_FULL, [UNWIND_NO_CFI] = REASON_NO_UNWIND_INFO,
		[UNWIND_NO_MAP] = REASON_NOT_MAPPED,     [UNWIND_BAD] = REASON_STACK_BROKEN,
		[UNWIND_LIMIT] = REASON_DEPTH_LIMIT,     [UNWIND_UNSUPPORTED] = REASON_UNSUPPORTED,
	};
	struct chain_end end = { .unwound = (c->unwound < c->n || c->stop.end) && !c->continued };
	struct map_hit hit;

	if (!end.unwound || (c->stop.end == UNWIND_DONE && !c->stop.guessed))
		return end;
	end.why = c->stop.guessed                 ? REASON_GUESSED_BY_POINTER
		  : c->stop.end == UNWIND_NO_FILE ? REASON_NO_FILE
						  : whys[c->stop.end];
	end.dso = session_find(d->profile->session, &a->task, a->moment, CPUMODE_USER, c->stop.ip, &hit) ? hit.dso
													 : DSO_UNKNOWN;
	return end;
}

/* Most chains differ from the one before only in their inner frames. Count the outer ones that both have. */
static size_t common_callers(const struct split_chain *last, const struct chain_words *c)
{
	const uint8_t *a = c->words + 8 * c->n, *b = last->words ? last->words + 8 * last->n : NULL;
	size_t n = 0, most = MIN(last->n, c->n);

	if (!last->version)
		return 0;
	while (n < most) {
		uint64_t ip = load_u64(a -= 8);

		if (ip != load_u64(b -= 8) || ip >= CHAIN_MARKER_MIN)
			break;
		n++;
	}
	return n;
}

/* `version`: of the outermost frames, which end the words of the part. */
static void remember_split(struct decoder *d, const struct arrival *a, const struct chain_words *c, uint32_t version)
{
	struct split_chain *split = &d->split;

	split->n = c->n;
	split->end = d->part->words.len;
	split->version = version;
	split->words = c->words;
	if (c->words == a->sample->chain && !d->profile->session->pd->swap)
		return; /* the record lives as long as the chunk */
	vec_clear(&split->ips);
	memcpy(vec_add(&split->ips, c->n), c->words, c->n * 8);
	split->words = (const uint8_t *)split->ips.items;
}

/* How far a chain is split. */
struct splitting {
	uint64_t at; /* the next word */
	int mode;    /* of addresses from here on, with its version */
	uint32_t version;
	bool cut; /* its user part is missing */
};

/*
 * Append the frames of a chain's words before number `until`, at most `room`; there is memory for them. false: a marker
 * is unknown.
 */
static bool add_frames(struct decoder *d, const struct arrival *a, const struct chain_words *c, uint64_t until,
		       uint64_t room, struct splitting *s)
{
	uint32_t *from = d->part->words.items + d->part->words.len, *to = from, *end = from + MIN(room, until - s->at);

	for (; s->at < until && to < end && !s->cut; s->at++) {
		uint64_t ip = load_u64(c->words + 8 * s->at);

		if (ip < CHAIN_MARKER_MIN) {
			*to++ = frame_number(d, a, (unsigned)s->mode, s->version, ip);
		} else if (ip == CHAIN_USER_DEFERRED) {
			s->cut = true;
		} else {
			s->mode = chain_marker_mode(ip);
			if (s->mode < 0)
				return false;
			s->version = version_number(d, a, (unsigned)s->mode);
		}
	}
	d->part->words.len += (size_t)(to - from);
	return true;
}

/* Append the frames of a chain to the words of the part. false: an unknown marker makes the chain useless. */
static bool split_chain(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	const struct profile_opts *o = &d->profile->opts;
	struct splitting s = { .mode = CPUMODE_USER, .version = version_number(d, a, CPUMODE_USER) };
	bool short_enough = c->n <= o->max_stack;
	size_t known = short_enough ? common_callers(&d->split, c) : 0;
	uint64_t room = o->caller_first ? c->n : o->max_stack;
	struct part *part = d->part;

	vec_reserve(&part->words, part->words.len + c->n);
	if (!add_frames(d, a, c, c->n - known, room, &s))
		return false;
	if (known && !s.cut && s.version == d->split.version) {
		memcpy(part->words.items + part->words.len, part->words.items + d->split.end - known,
		       known * sizeof(*part->words.items));
		part->words.len += known;
	} else if (known) {
		add_frames(d, a, c, c->n, room, &s);
	}
	remember_split(d, a, c, short_enough && !s.cut ? s.version : 0);
	return true;
}

/* Split a new chain into frames. Drop the whole chain if it has an unknown marker, as perf does. */
static uint32_t chain_add(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	struct part *part = d->part;
	size_t from = part->words.len, most = d->profile->opts.max_stack, count;

	if (!split_chain(d, a, c)) {
		part->words.len = from;
		return 0;
	}
	count = part->words.len - from;
	if (count > most) {
		memmove(part->words.items + from, part->words.items + part->words.len - most, most * sizeof(uint32_t));
		count = most;
		part->words.len = from + count;
	}
	if (!count)
		return 0;
	vec_push(&part->chains, (struct chain){ .at = from, .n = (uint32_t)count });
	vec_push(&part->chain_ends, chain_end(d, a, c));
	return (uint32_t)part->chains.len - 1;
}

static uint64_t chain_key(struct decoder *d, const struct arrival *a, const struct chain_words *c)
{
	bool own = c->words == a->sample->chain && c->n == a->sample->n_chain;
	uint64_t hash = own && a->ahead->chain_hashed ? a->ahead->chain_hash : chain_hash(c->words, c->n);

	d->last_versions = (uint64_t)version_number(d, a, CPUMODE_USER) << 32 | version_number(d, a, CPUMODE_KERNEL);
	return hash_mix(hash, d->last_versions);
}

/*
 * Fetch what adding these samples will read of chains and entries, all at once: the tables are larger than the cache.
 * The address spaces are guessed; a wrong guess only costs time.
 */
static void fetch_chains(struct decoder *d)
{
	const struct part *part = d->part;
	const struct samples *in = &d->samples;
	uint32_t chains[SAMPLES_AHEAD];
	uint64_t hashes[SAMPLES_AHEAD];
	size_t n = 0;

	for (size_t i = 0; i < in->n_fresh; i++) {
		const struct sample_ahead *a = &in->ahead[in->fresh[i]];

		if (!a->chain_hashed)
			continue;
		hashes[n] = hash_mix(a->chain_hash, d->last_versions);
		idtable_fetch(&part->chain_index, hashes[n++]);
	}
	for (size_t i = 0; i < n; i++) {
		struct idtable_probe probe = idtable_probe(&part->chain_index, hashes[i]);

		chains[i] = idtable_next(&part->chain_index, &probe);
		if (chains[i] && chains[i] - 1 < part->chain_entries.len)
			__builtin_prefetch(&part->chain_entries.items[chains[i] - 1]);
		else
			chains[i] = 0;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t entry = chains[i] ? part->chain_entries.items[chains[i] - 1] : 0;

		if (entry)
			__builtin_prefetch(&part->found.items[entry - 1], 1);
	}
}

static uint32_t chain_number(struct decoder *d, const struct arrival *a)
{
	const struct chain_place place = { .sample = a->sample,
					   .task = &a->task,
					   .pos = a->pos,
					   .moment = a->moment,
					   .worker = d->number,
					   .max = d->profile->opts.max_stack };
	struct chain_words c;
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;

	if (!chain_of_sample(d->profile->session, &place, &d->joined, &c))
		d->part->unwind_failed++;
	if (d->profile->opts.reference_graphs && c.n)
		reference_keep(&d->reference, a->sample->tid, &c);
	else if (d->profile->opts.reference_graphs && !(a->sample->type & SAMPLE_CALLCHAIN))
		reference_borrow(&d->reference, a->sample->tid, a->sample->ip, a->sample->misc & MISC_CPUMODE, &c);
	if (!c.n)
		return 0;
	hash = chain_key(d, a, &c);
	probe = idtable_probe(&d->part->chain_index, hash);
	id = idtable_next(&d->part->chain_index, &probe);
	if (id)
		return id - 1;
	id = chain_add(d, a, &c);
	idtable_add(&d->part->chain_index, hash, id + 1);
	return id;
}

/* ---- branches as chains ---- */

/* The addresses of a call and of its return are at most this far apart. */
enum { CALL_BYTES = 8, HISTORY_MAX = 1 << 10 };

struct history {
	struct {
		const uint8_t *words;
		uint64_t rounds, cycles;
	} branches[HISTORY_MAX]; /* with the rounds that were left out before it */
	size_t n;
};

/*
 * A round of a loop that repeats the previous round tells little. Like perf, leave out every second
 * one and count it where it was. Branches are equal if their sources are equal.
 */
static void drop_rounds(struct history *h)
{
	for (size_t i = 1; i < h->n; i++) {
		size_t last = i, round, same = 0;

		while (last-- && branch_from(h->branches[last].words) != branch_from(h->branches[i].words))
			;
		if (last == SIZE_MAX)
			continue;
		round = i - last;
		while (same < round && i + same < h->n &&
		       branch_from(h->branches[last + same].words) == branch_from(h->branches[i + same].words))
			same++;
		if (same < round)
			continue;
		for (size_t k = i; k < i + round && k + round < h->n; k++) {
			h->branches[k + round].rounds += 1 + h->branches[k].rounds;
			h->branches[k + round].cycles +=
				h->branches[k].cycles + branch_cycles(branch_flags(h->branches[k].words));
		}
		memmove(&h->branches[i], &h->branches[i + round], (h->n - i - round) * sizeof(h->branches[0]));
		h->n -= round;
	}
}

static struct branch_sums *history_frame(struct decoder *d, uint32_t frame)
{
	vec_push(&d->history_frames, frame);
	vec_push(&d->history_sums, (struct branch_sums){ 0 });
	return &d->history_sums.items[d->history_sums.len - 1];
}

/*
 * Add the target and the source of a branch. They keep this order in both directions, so swap them
 * here if callers come first.
 */
static void history_branch(struct decoder *d, const struct arrival *a, const struct history *h, size_t n)
{
	const uint8_t *branch = h->branches[n].words;
	uint32_t to = frame_anywhere(d, a, branch_to(branch)), from = frame_anywhere(d, a, branch_from(branch));
	uint64_t flags = branch_flags(branch);
	struct branch_sums went = { .to = 1,
				    .predicted = !!(flags & BRANCH_PREDICTED),
				    .aborted = !!(flags & BRANCH_ABORTED) },
			   left = { .from = 1,
				    .cycles = branch_cycles(flags),
				    .rounds = h->branches[n].rounds,
				    .round_cycles = h->branches[n].cycles };

	if (d->profile->opts.caller_first) {
		*history_frame(d, from) = left;
		*history_frame(d, to) = went;
	} else {
		*history_frame(d, to) = went;
		*history_frame(d, from) = left;
	}
}

/* The rest of the call chain, outside of the calls that are among the branches. */
static void history_callers(struct decoder *d, const struct arrival *a, const struct history *h)
{
	const struct sample *s = a->sample;
	int mode = CPUMODE_USER;
	size_t called = 0;
	bool innermost = true;

	for (uint64_t i = 0; i < s->n_chain; i++) {
		uint64_t ip = load_u64(s->chain + 8 * i);
		size_t k = called;

		if (ip >= CHAIN_MARKER_MIN) {
			mode = chain_marker_mode(ip);
			if (mode < 0)
				return;
			continue;
		}
		while (k < h->n && !(branch_from(h->branches[k].words) < ip &&
				     branch_from(h->branches[k].words) + CALL_BYTES >= ip))
			k++;
		if (k < h->n)
			called = k + 1;
		else if (!innermost || !h->n)
			history_frame(d, frame_number(d, a, (unsigned)mode, version_number(d, a, (unsigned)mode), ip));
		innermost = false;
	}
}

/*
 * The chain of a sample's branches. Chains of different entries are kept apart, so that the sums
 * over branches belong to one entry.
 */
static uint32_t history_number(struct decoder *d, const struct arrival *a, const struct frame_entry *e)
{
	struct part *part = d->part;
	struct history h = { 0 }; /* some 24 KB */
	struct idtable_probe probe;
	uint64_t hash;
	uint32_t id;
	size_t n;

	vec_clear(&d->history_frames);
	vec_clear(&d->history_sums);
	for (uint64_t i = 0; i < a->sample->branch.n && h.n < HISTORY_MAX; i++)
		h.branches[h.n++].words = branch_at(a->sample->branch.entries, i);
	drop_rounds(&h);
	for (size_t i = 0; i < h.n; i++)
		history_branch(d, a, &h, i);
	history_callers(d, a, &h);
	n = MIN(d->history_frames.len, (size_t)d->profile->opts.max_stack * 2);
	if (!n)
		return 0;
	hash = hash_bytes(d->history_frames.items, n * sizeof(uint32_t),
			  hash_mix((uint64_t)e->event << 32 | e->outer, e->frame));
	probe = idtable_probe(&part->chain_index, hash);
	id = idtable_next(&part->chain_index, &probe);
	if (!id) {
		vec_push(&part->chains, (struct chain){ .at = part->words.len, .n = (uint32_t)n });
		vec_push(&part->chain_ends, (struct chain_end){ 0 });
		id = (uint32_t)part->chains.len;
		idtable_add(&part->chain_index, hash, id);
		vec_append(&part->words, d->history_frames.items, n);
		vec_add(&part->branches, n);
	}
	for (size_t i = 0; i < n; i++)
		branch_sums_add(&part->branches.items[part->chains.items[id - 1].at + i], &d->history_sums.items[i]);
	return id - 1;
}

static void find_outer(struct decoder *d, const struct arrival *a)
{
	const struct profile_opts *o = &d->profile->opts;
	struct sample_context c = { .session = d->profile->session,
				    .sample = a->sample,
				    .task = &a->task,
				    .branch = a->branch,
				    .event = &d->profile->session->pd->events[a->event],
				    .event_number = a->event,
				    .moment = a->moment,
				    .period = a->period,
				    .parallelism = a->parallelism,
				    .texts = &d->part->texts,
				    .trace = d->trace,
				    .scratch = &d->scratch };
	bool same = d->outer_known;

	for (size_t i = 0; i < o->n_keys; i++) {
		uint64_t v = (c.key = o->keys[i])->value(&c, o);

		same &= d->outer[i] == v;
		d->outer[i] = v;
	}
	if (!same) {
		d->last_outer = part_outer(d->part, d->outer, o->n_keys);
		d->outer_known = true;
	}
}

/* Samples of one thread follow each other. */
static bool is_last_thread(struct decoder *d, const struct arrival *a)
{
	const struct sample_thread *l = &d->last_thread, this = {
		.event = a->event, .moment = a->moment, .pid = a->sample->pid, .tid = a->sample->tid
	};
	bool same = d->outer_known && l->tid == this.tid && l->pid == this.pid && l->event == this.event &&
		    l->moment == this.moment;

	d->last_thread = this;
	return same;
}

static uint32_t outer_number(struct decoder *d, const struct arrival *a)
{
	if (!d->keys_of_task || !is_last_thread(d, a))
		find_outer(d, a);
	return d->last_outer;
}

/* ---- entries ---- */

static bool keys_of_task(const struct profile_opts *o)
{
	for (size_t i = 0; i < o->n_keys; i++)
		if (!o->keys[i]->of_task)
			return false;
	return true;
}

/* Tell whether thread, place and chain determine the entry of a sample. */
static bool repeats_tell(const struct profile *p)
{
	const struct profile_opts *o = &p->opts;

	if (!keys_of_task(o))
		return false;
	if (o->chains && (o->reference_graphs || o->branch_history))
		return false;
	return o->kind == PROFILE_SAMPLES && !o->only.dso && !o->want_measures && !o->keep_samples;
}

/* Prefetch the sums of an entry, which may lie on two cache lines. */
static inline void fetch_entry(const struct frame_entry *entry)
{
	__builtin_prefetch(&entry->first_time, 1);
	__builtin_prefetch(&entry->samples, 1);
}

static void count_mode(struct part *part, unsigned misc)
{
	part->n_modes[misc & MISC_CPUMODE]++;
	part->n_exact += !!(misc & MISC_EXACT_IP);
}

/* Add a sample to the entry of the one like it. */
static void add_again(struct decoder *d, const struct sample_ahead *a)
{
	struct frame_entry *entry = &d->part->found.items[a->to - 1];
	uint64_t time = samples_time(&d->samples, a);

	entry->period += samples_period(&d->samples, a);
	entry->samples++;
	ENTRY_FIRST(entry, time, a->thread, a->record.misc & MISC_CPUMODE);
	d->part->n_samples[a->event]++;
	count_mode(d->part, a->record.misc);
}

static uint64_t latency_of(const struct arrival *a) { return (a->period + a->parallelism / 2) / a->parallelism; }

static void add_entry(struct decoder *d, const struct arrival *a, const struct frame_entry *e)
{
	uint32_t number = part_add(d->part, e);
	uint64_t weight = d->profile->opts.kind == PROFILE_BRANCHES ? branch_cost(a->branch) : a->sample->weight;

	if (d->profile->opts.want_measures)
		part_measure(d->part, number,
			     &(struct measures){ .latency = latency_of(a),
						 .weights = { weight, a->sample->ins_lat, a->sample->retire_lat } });
	if (d->profile->opts.keep_samples)
		part_keep(d->part, number, d->profile->opts.keep_samples,
			  &(struct kept_sample){ .rank = hash_mix(a->pos, 0),
						 .time = a->sample->time,
						 .pid = a->sample->pid,
						 .tid = a->sample->tid,
						 .cpu = a->sample->cpu,
						 .comm = a->task.first_comm });
	samples_keep(&d->samples, a->hash, number + 1, e->first_thread);
}

/* Count a sample that gets no row. */
static void count_outside(struct decoder *d, const struct arrival *a)
{
	const struct profile_opts *o = &d->profile->opts;
	struct event_total *t = &d->part->totals[a->event];
	uint64_t n = o->kind == PROFILE_BRANCHES ? a->sample->branch.n : 1;

	t->samples += n;
	t->period += o->kind == PROFILE_BRANCHES ? n : a->period;
	t->latency += o->kind == PROFILE_BRANCHES ? n : latency_of(a);
}

/* Tell whether the frame is in the part that opts.only selects. */
static bool is_inside(const struct decoder *d, uint32_t frame)
{
	const struct profile_opts *o = &d->profile->opts;
	const struct frame *f = &d->part->frames.items[frame];

	return f->dso == o->only.dso && f->dso_off >= o->only.from && f->dso_off < o->only.to;
}

static void arrive(struct decoder *d, struct arrival *a)
{
	const struct sample *s = a->sample;
	const struct profile_opts *o = &d->profile->opts;
	unsigned mode = a->sample->misc & MISC_CPUMODE;
	struct frame_entry e = { .event = a->event, .period = a->period, .samples = 1 };

	if (o->kind == PROFILE_MEMORY)
		a->period = e.period = MAX(s->weight, (uint64_t)1);
	d->part->n_samples[a->event] += o->kind != PROFILE_BRANCHES || s->branch.n;
	d->part->n_alone += a->parallelism == 1;
	count_mode(d->part, a->sample->misc);
	if (a->outside) {
		count_outside(d, a);
		return;
	}
	e.first_thread = a->task.thread;
	e.first_mode = (uint8_t)mode;
	e.first_time = a->time;
	if (o->kind == PROFILE_BRANCHES) {
		e.period = 1;
		for (uint64_t i = 0; i < s->branch.n; i++) {
			a->branch = branch_at(s->branch.entries, i);
			e.outer = outer_number(d, a);
			e.other_frame = frame_anywhere(d, a, branch_from(a->branch));
			e.frame = frame_anywhere(d, a, branch_to(a->branch));
			add_entry(d, a, &e);
		}
		return;
	}
	e.outer = outer_number(d, a);
	e.frame = frame_number(d, a, mode, version_number(d, a, mode), s->ip);
	if (o->only.dso && !is_inside(d, e.frame)) {
		count_outside(d, a);
		return;
	}
	if (o->kind == PROFILE_MEMORY)
		e.other_frame = frame_number(d, a, mode, version_number(d, a, mode), s->addr);
	if (o->branch_history)
		e.chain = history_number(d, a, &e);
	else if (o->chains)
		e.chain = chain_number(d, a);
	add_entry(d, a, &e);
}

/* ---- which chunks ---- */

/* Worker numbers from here on are never used by parallel_for. */
enum { DECODE_BESIDE = 64 };
/* Limits of a first look. Its rows must be named and sorted, too. */
enum { LOOK_NS = 150000000, LOOK_ENTRIES = 30000 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Tell whether to stop: the user gave up, or the first look has enough. Each worker decodes at
 * least one chunk.
 */
static bool is_enough(const struct decoder *d)
{
	const struct profile *p = d->profile;

	if (progress_stopped(p->opts.progress))
		return true;
	return p->opts.first_look && d->n_chunks &&
	       (d->part->found.len * p->n_parts >= LOOK_ENTRIES || now_ns() - d->began_ns > LOOK_NS);
}

/*
 * The order of the chunks. If we may stop early, the first ones are spread over the recording:
 * halves, quarters, eighths.
 */
static uint32_t *order_chunks(const struct profile *p)
{
	size_t n = p->session->chunks.len, filled = 0;
	uint32_t *order = xcalloc(n + 1, sizeof(*order));
	unsigned bits = 0;

	while ((size_t)1 << bits < n)
		bits++;
	if (!p->opts.first_look)
		bits = 0;
	for (size_t i = 0; !bits && i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = 0; bits && i < (size_t)1 << bits; i++) {
		size_t at = 0;

		for (unsigned k = 0; k < bits; k++)
			at |= (i >> k & 1) << (bits - 1 - k);
		if (at < n)
			order[filled++] = (uint32_t)at;
	}
	return order;
}

static void decode_chunk(void *ctx, size_t nth, unsigned worker)
{
	struct decoder *d = &((struct decoder *)ctx)[worker];
	struct samples *in = &d->samples;
	struct arrival a;
	size_t n;

	if (is_enough(d))
		return;
	d->n_chunks++;
	d->split.version = 0; /* its words may lie in the last chunk */
	reference_clear(&d->reference);
	samples_open(in, d->order ? d->order[nth] : d->first + nth);
	while ((n = samples_ahead(in))) {
		for (size_t i = 0; i < n; i++)
			if (in->ahead[i].to)
				fetch_entry(&d->part->found.items[in->ahead[i].to - 1]);
		if (in->hash_chains)
			fetch_chains(d);
		for (size_t i = 0; i < n; i++) {
			if (in->ahead[i].to) {
				add_again(d, &in->ahead[i]);
				continue;
			}
			samples_take(in, &in->ahead[i]);
			while (samples_next(in, &a))
				arrive(d, &a);
		}
	}
	samples_close(in);
	progress_add(d->profile->opts.progress, 1);
}

static void decoder_init(struct decoder *d, struct profile *p, unsigned number)
{
	*d = (struct decoder){ .profile = p,
			       .part = &p->parts[number],
			       .number = number + (p->opts.beside ? DECODE_BESIDE : 0),
			       .outer = xcalloc(p->opts.n_keys, sizeof(uint64_t)),
			       .keys_of_task = keys_of_task(&p->opts) };
	ip_table_init(&d->frames);
	out_init_mem(&d->scratch);
	d->samples = (struct samples){ .repeats = repeats_tell(p),
				       .by_ip = true,
				       .by_chain = p->opts.chains,
				       .hash_chains = p->opts.chains && !p->opts.branch_history };
	samples_init(&d->samples, p->session, p->filter, &d->part->notes);
	if (p->opts.want_trace)
		d->trace = trace_text_new(p->session);
}

static void decoder_release(struct decoder *d)
{
	samples_release(&d->samples);
	out_release(&d->scratch);
	if (d->trace)
		trace_text_free(d->trace);
	map_versions_release(&d->versions);
	vec_free(&d->joined);
	vec_free(&d->split.ips);
	reference_release(&d->reference);
	vec_free(&d->history_frames);
	vec_free(&d->history_sums);
	ip_table_release(&d->frames);
	free(d->outer);
}

static struct decoder *decoders_new(struct profile *p)
{
	uint64_t began_ns = now_ns();
	struct decoder *decoders = xcalloc(p->n_parts, sizeof(*decoders));

	for (unsigned i = 0; i < p->n_parts; i++) {
		decoder_init(&decoders[i], p, i);
		decoders[i].began_ns = began_ns;
	}
	return decoders;
}

static void decoders_free(struct decoder *decoders, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		decoder_release(&decoders[i]);
	free(decoders);
}

void decode_run(struct profile *p)
{
	size_t n_chunks = p->session->chunks.len;
	autofree uint32_t *order = order_chunks(p);
	struct decoder *decoders = decoders_new(p);

	for (unsigned i = 0; i < p->n_parts; i++)
		decoders[i].order = order;
	progress_begin(p->opts.progress, "decoding samples", n_chunks);
	parallel_for(n_chunks, p->n_parts, decode_chunk, decoders);
	decoders_free(decoders, p->n_parts);
}

bool decode_steps(struct profile *p)
{
	struct decoder *decoders = decoders_new(p);
	size_t done = 0, n_due;
	bool more;

	do {
		more = session_step(p->session, &n_due);
		phase("decode");
		for (unsigned i = 0; i < p->n_parts; i++) {
			decoders[i].first = done;
			decoders[i].samples.lookup.valid = false; /* changes may have come after those that it knows */
		}
		if (!session_is_late(p->session))
			parallel_for(n_due - done, p->n_parts, decode_chunk, decoders);
		done = n_due;
	} while (more && !session_is_late(p->session));
	decoders_free(decoders, p->n_parts);
	return !session_is_late(p->session);
}

/* ---- more and more samples ---- */

struct decoder *decoder_new(struct profile *p)
{
	struct decoder *d = xcalloc(1, sizeof(*d));

	decoder_init(d, p, 0);
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	decoder_release(d);
	free(d);
}

void decoder_take(struct decoder *d, uint32_t chunk)
{
	d->order = &chunk;
	d->samples.lookup.valid = false; /* changes may have come after those that it knows */
	decode_chunk(d, 0, 0);
	d->order = NULL;
}

void decoder_forget(struct decoder *d)
{
	lookup_release(&d->samples.lookup);
	if (d->samples.seen.lines) {
		repeats_release(&d->samples.seen);
		repeats_init(&d->samples.seen);
	}
	map_versions_release(&d->versions);
	d->versions = (struct map_versions){ 0 };
	ip_table_release(&d->frames);
	ip_table_init(&d->frames);
	reference_release(&d->reference);
	d->outer_known = false;
	d->split.version = 0;
}
