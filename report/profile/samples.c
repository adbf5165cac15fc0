/* The sample loop: chunks, look-ahead, filters and repeats. */
#include "report/profile/samples.h"

/* ---- repeats ---- */

/* May we skip the filter for repeats? It must see each sample if it needs fields that a repeat does not have. */
static bool filter_allows_repeats(const struct samples *in)
{
	const struct profile_filter *f = in->filter;

	return !f->times.len && !f->who.cpus.len && !f->socket && !f->windows.given && !f->parallelism.len &&
	       !session_defers_chains(in->session);
}

/*
 * If samples rarely repeat, the lookup costs more than it saves: it takes about an eighth of the time of a sample with
 * a new chain. Then skip the lookup for a while, and longer each time that it finds too little.
 */
enum { TRIES = 1 << 12, REST_MAX = 1 << 16 };

static void judge_repeats(struct samples *in)
{
	if (in->n_again >= TRIES / 8)
		in->rest_next = 0;
	else
		in->rest = in->rest_next = MIN(MAX(in->rest_next * 2, (size_t)TRIES), (size_t)REST_MAX);
	in->n_tried = in->n_again = 0;
}

/* Hash all that identifies a comparable sample: its thread, moment, event, time bin and chain. */
static inline uint64_t hash_identity(struct samples *in, const struct sample_ahead *a, const struct repeat_plan *plan)
{
	const struct record *r = &a->record;
	uint64_t time = load_u64(r->body + plan->time);
	uint64_t more = (uint64_t)session_moment(in->session, &in->lookup, time, session_pos(r->stream, r->pos)) << 32 |
			a->event;

	if (in->bin_ns)
		more = hash_mix(more, samples_bin(in, time));
	return repeat_hash(plan, r, repeat_hash_thread(load_u64(r->body + plan->tid), more), a->chain_hash);
}

/*
 * Hash a sample for the lookup of repeats, unless the hash does not cover all its fields, or the lookup is paused. Also
 * hash its chain if a caller needs it.
 */
static inline void hash_sample(struct samples *in, struct sample_ahead *a)
{
	const struct repeat_plan *plan = &in->plans[a->event];
	bool rests = in->rest;

	a->hash = 0;
	a->chain_hashed = false;
	if ((!in->seen.lines && !in->hash_chains) || !repeat_comparable(plan, &a->record))
		return;
	in->rest -= rests;
	if (plan->by_chain && (in->hash_chains || !rests)) {
		uint64_t n;
		const uint8_t *chain = repeat_chain(plan, &a->record, &n);

		a->chain_hash = chain_hash(chain, n);
		a->chain_hashed = true;
	}
	if (rests || !in->seen.lines)
		return;
	in->n_tried++;
	a->hash = hash_identity(in, a, plan);
	__builtin_prefetch(repeats_line(&in->seen, a->hash));
}

static void find_repeats(struct samples *in, size_t n)
{
	size_t n_fresh = 0;

	for (size_t i = 0; i < n; i++) {
		struct sample_ahead *a = &in->ahead[i];
		const struct repeat *like = a->hash ? repeats_find(&in->seen, a->hash) : NULL;

		a->to = 0;
		if (like) {
			a->to = like->to;
			a->thread = like->thread;
		} else {
			if (in->plain && in->chunk.plain) /* look_ahead_plain() filled only a part of the record */
				a->record = chunk_sample_record(&in->chunk, a->record.body - 8);
			in->fresh[n_fresh++] = (uint8_t)i;
		}
	}
	in->n_fresh = n_fresh;
	in->n_again += n - n_fresh;
	if (in->n_tried >= TRIES)
		judge_repeats(in);
}

/* ---- chunks ---- */

void samples_init(struct samples *in, struct session *s, const struct profile_filter *filter,
		  struct format_notes *notes)
{
	in->session = s;
	in->filter = filter;
	in->notes = notes;
	if (in->repeats && filter_allows_repeats(in))
		repeats_init(&in->seen);
	in->plans = xcalloc(MAX(s->pd->n_events, (size_t)1), sizeof(*in->plans));
	for (size_t i = 0; i < s->pd->n_events; i++)
		in->plans[i] = repeat_plan(&s->pd->events[i], in->by_ip, in->by_chain);
}

void samples_release(struct samples *in)
{
	lookup_release(&in->lookup);
	advance_release(&in->counters);
	repeats_release(&in->seen);
	free(in->plans);
	free(in->copy.room);
}

/* May we use look_ahead_plain()? In most inputs, all samples have one event and already the form that we need. */
static bool is_plain(const struct samples *in)
{
	return in->session->pd->n_events == 1 && in->session->sorted && !in->bin_ns && in->seen.lines &&
	       in->plans[0].least != REPEAT_NEVER;
}

void samples_open(struct samples *in, size_t chunk)
{
	in->number = chunk;
	in->ended = false;
	in->plain = is_plain(in);
	session_chunk_open(in->session, chunk, &in->copy, &in->chunk);
}

void samples_close(struct samples *in)
{
	const struct session_chunk *c = &in->session->chunks.items[in->number];

	chunk_release(&in->chunk);
	stream_rest(in->session->pd, c->stream, c->from, c->to);
}

/*
 * The same as samples_ahead for plain inputs. It keeps in local variables what all samples share, and so needs a
 * quarter fewer instructions. Fill in->ahead from number `n` on; stop at a record that is not a comparable sample.
 */
static size_t look_ahead_plain(struct samples *in, size_t n)
{
	const struct repeat_plan plan = in->plans[0];
	const struct lookup *l = &in->lookup;
	bool rests = in->rest, hash_chain = plan.by_chain && (in->hash_chains || !rests);
	uint64_t after = 1, before = 0, moment = 0, thread = 0, thread_hash = 0;
	size_t first = n;

	for (; n < SAMPLES_AHEAD; n++) {
		struct sample_ahead *a = &in->ahead[n];
		struct record *r = &a->record;
		uint64_t time, tid, chain_words;
		const uint8_t *chain, *header;
		uint16_t size;

		if (!(header = chunk_sample(&in->chunk, &size)))
			break;
		chunk_fetch_ahead(header, size);
		chunk_pass_sample(&in->chunk, size);
		r->body = header + 8;
		r->misc = load_u16(header + 4);
		r->size = (uint16_t)(size - 8);
		a->event = 0;
		a->hash = 0;
		a->chain_hashed = false;
		if (!repeat_comparable(&plan, r))
			continue;
		chain = repeat_chain(&plan, r, &chain_words);
		if (hash_chain) {
			a->chain_hash = chain_hash(chain, chain_words);
			a->chain_hashed = true;
		}
		if (rests)
			continue;
		time = load_u64(r->body + plan.time);
		tid = load_u64(r->body + plan.tid);
		if (time <= after || time >= before || tid != thread) {
			moment = session_moment(in->session, &in->lookup, time,
						session_pos(in->chunk.index, (uint64_t)(header - in->chunk.start)));
			after = l->before[0].time;
			before = l->before[1].time;
			thread = tid;
			thread_hash = repeat_hash_thread(tid, moment << 32);
		}
		a->hash = repeat_hash(&plan, r, thread_hash, a->chain_hash);
		__builtin_prefetch(repeats_line(&in->seen, a->hash));
	}
	if (rests)
		in->rest -= MIN(in->rest, n - first);
	else
		in->n_tried += n - first;
	return n;
}

size_t samples_ahead(struct samples *in)
{
	/* a record in the other byte order lives only until the next one */
	size_t n = 0, most = in->session->pd->swap ? 1 : SAMPLES_AHEAD;

	while (n < most && !in->ended) {
		struct sample_ahead *a;
		int got, event;

		if (in->plain && (n = look_ahead_plain(in, n)) == most)
			break;
		a = &in->ahead[n];
		got = chunk_next(&in->chunk, &a->record, NULL);

		if (got <= 0) {
			in->ended = !got || !chunk_skip(&in->chunk);
			continue;
		}
		if (a->record.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(in->session->pd, &a->record);
		if (event < 0) {
			in->notes->unknown_ids++;
			continue;
		}
		a->event = (uint32_t)event;
		hash_sample(in, a);
		n++;
	}
	find_repeats(in, n);
	return n;
}

/* ---- samples ---- */

static bool is_dropped(const struct samples *in, const struct sample *s, uint64_t pos)
{
	const struct profile_filter *f = in->filter;

	if (!sample_filter_wants_cpu(&f->who, s->cpu) || !windows_have(&f->windows, in->session, s->time, pos))
		return true;
	return f->times.len && s->time && s->time != UINT64_MAX && !time_ranges_have(&f->times, s->time);
}

static bool is_outside(const struct samples *in, const struct arrival *a)
{
	const struct profile_filter *f = in->filter;
	const struct features *machine = &in->session->pd->features;
	uint32_t cpu = a->sample->cpu;
	unsigned mode = a->sample->misc & MISC_CPUMODE;

	if ((f->hide_kernel && mode == CPUMODE_KERNEL) || (f->hide_user && mode == CPUMODE_USER))
		return true;
	if (!sample_filter_wants_task(&f->who, in->session, &a->task))
		return true;
	if (f->socket && (cpu >= machine->n_cpus || (int64_t)machine->cpus[cpu].socket_id + 1 != f->socket))
		return true;
	return f->parallelism.len && !cpuset_has(&f->parallelism, (int)MIN(a->parallelism, (uint32_t)INT32_MAX));
}

void samples_take(struct samples *in, const struct sample_ahead *ahead)
{
	const struct record *r = &ahead->record;
	const struct session *s = in->session;
	struct sample *sample = &in->sample;
	uint64_t pos = session_pos(r->stream, r->pos);
	struct arrival *a = &in->taken;

	in->state = TAKEN_NONE;
	if (sample_decode_next(s->pd, r, ahead->event, sample, NULL) < 0) {
		in->notes->bad_samples++;
		return;
	}
	if (is_dropped(in, sample, pos))
		return;
	*a = (struct arrival){ .record = r,
			       .sample = sample,
			       .event = ahead->event,
			       .period = sample->period,
			       .pos = pos,
			       .time = s->sorted ? sample->time : pos,
			       .hash = ahead->hash,
			       .ahead = ahead };
	a->moment = session_moment(s, &in->lookup, sample->time, pos);
	a->parallelism = parallelism_at(&s->parallelism, sample->time, &in->parallelism_hint);
	session_task(s, &in->lookup, (int32_t)sample->pid, (int32_t)sample->tid, a->moment, &a->task);
	a->outside = is_outside(in, a);
	in->next_read = 0;
	in->state = sample->type & SAMPLE_READ && !in->whole ? TAKEN_READ : TAKEN_ONE;
}

/* Turn a sample that reads counters into one arrival per counter, whose period is how much the counter advanced. */
bool samples_next(struct samples *in, struct arrival *a)
{
	if (in->state == TAKEN_NONE)
		return false;
	*a = in->taken;
	if (in->state == TAKEN_READ)
		return advance_next(&in->counters, in->session->pd, &in->sample, in->taken.event, &in->next_read,
				    &a->event, &a->period, &in->notes->unknown_ids);
	in->state = TAKEN_NONE;
	return true;
}
