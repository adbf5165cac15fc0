/*
 * Each worker turns samples into entries. The timeline is read-only, and each worker writes only
 * its own tables.
 */

#include "base/clock.h"
#include "base/parallel.h"
#include "base/phases.h"
#include "report/profile/decode_priv.h"

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

/* Does the sample have the event, the thread and the moment of the last one? Samples of a thread often come in runs. */
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

/* Do thread, place and chain determine the entry of a sample? */
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

/* Add a sample to the entry of an earlier sample that is like it. */
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

/* parallel_for never uses worker numbers from here on. */
enum { DECODE_BESIDE = 64 };
/* Limits of a first look. Its rows must be named and sorted, too. */
enum { LOOK_NS = 150000000, LOOK_ENTRIES = 30000 };

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
 * Return the order of the chunks. If we may stop early, spread the first ones over the recording:
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

/* Decode the chunks that the session's walk has just found. */
static void decode_between(void *ctx, size_t from, size_t to)
{
	struct decoder *decoders = ctx;
	unsigned n = decoders->profile->n_parts;

	for (unsigned i = 0; i < n; i++) {
		decoders[i].first = from;
		decoders[i].samples.lookup.valid = false;
	}
	parallel_for(to - from, n, decode_chunk, decoders);
}

bool decode_steps(struct profile *p)
{
	struct decoder *decoders = decoders_new(p);
	bool in_time = session_steps(p->session, decode_between, decoders);

	decoders_free(decoders, p->n_parts);
	return in_time;
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
	d->samples.lookup.valid = false; /* the timeline may have newer changes than the cached result */
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
