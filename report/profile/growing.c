/*
 * Grow a profile from samples that still arrive. It takes chunk after chunk; meanwhile a copy of it is named and shown.
 * Sums fade, and entries that do not come again are forgotten, so that the profile stays small.
 *
 * The faded sums are fractions beside the entries. An entry is one chain of one thread, and a row may have many entries
 * with one sample each: with whole numbers, the first fading would forget them all.
 */
#include "report/profile/profile_priv.h"

void profile_take(struct profile *p, size_t n)
{
	p->settled &= !n;
	if (!p->decoder)
		p->decoder = decoder_new(p);
	for (uint32_t i = 0; i < n; i++)
		decoder_take(p->decoder, i);
}

/* ---- fading ---- */

static double fade(double v) { return v * 7 / 8; }

static void fade_totals(const struct profile *p, struct part *part)
{
	for (size_t i = 0; i < p->session->pd->n_events; i++) {
		part->totals[i].samples = (uint64_t)fade((double)part->totals[i].samples);
		part->totals[i].period = (uint64_t)fade((double)part->totals[i].period);
		part->totals[i].latency = (uint64_t)fade((double)part->totals[i].latency);
		if (p->lost) {
			p->lost[i].samples = fade(p->lost[i].samples);
			p->lost[i].period = fade(p->lost[i].period);
		}
		part->n_samples[i] = (uint64_t)fade((double)part->n_samples[i]);
	}
	part->n_alone = (uint64_t)fade((double)part->n_alone);
}

bool profile_settle(struct profile *p, size_t entry, struct frame_entry *news)
{
	struct frame_entry *e = &p->parts[0].found.items[entry];
	struct faded *f = &p->faded.items[entry];

	if (!e->samples && !e->period)
		return false;
	if (news)
		*news = *e;
	f->samples += (double)e->samples;
	f->period += (double)e->period;
	e->samples = e->period = 0;
	return true;
}

void profile_fade(struct profile *p)
{
	struct part *part = &p->parts[0];

	if (!p->settled) {
		bool any = false;

		vec_add(&p->faded, part->found.len - p->faded.len);
		for (size_t i = 0; i < part->found.len; i++)
			any |= profile_settle(p, i, NULL);
		p->numbering += any; /* a follower has not seen these */
	}
	for (size_t i = 0; i < p->faded.len; i++) {
		p->faded.items[i].samples = fade(p->faded.items[i].samples);
		p->faded.items[i].period = fade(p->faded.items[i].period);
	}
	p->settled = true;
	p->fades++;
	for (size_t i = 0; i < part->measures.len; i++) {
		struct measures *m = &part->measures.items[i];

		m->latency = m->latency * 7 / 8;
		for (size_t k = 0; k < WEIGHTS; k++)
			m->weights[k] = m->weights[k] * 7 / 8;
	}
	fade_totals(p, part);
}

/*
 * Forget an entry when no more than this part of a sample is left: after some 40 refreshes. If samples seldom repeat,
 * there would be too many entries, so choose_least() raises the limit, for all entries alike. Forgotten samples still
 * count in the total.
 */
#define LEAST_LEFT (1.0 / 256)
#define MOST_LEFT  0.8
enum { BYTES_MOST = 24 << 20 };

bool entry_is_alive(const struct profile *p, size_t entry)
{
	const struct faded *f = faded_of(p, entry);

	return p->parts[0].found.items[entry].samples || (f && f->samples > MAX(p->least_left, LEAST_LEFT));
}

/* ---- forgetting ---- */

struct compaction {
	struct profile *p;
	struct part part; /* the new one */
	uint32_t *frames, *chains;
	struct idtable by_words; /* chains of the new part */
	VEC(uint32_t) words;
	VEC(struct faded) faded;
};

static uint32_t keep_frame(struct compaction *c, uint32_t frame)
{
	if (frame && !c->frames[frame])
		c->frames[frame] = part_frame(&c->part, &c->p->parts[0].frames.items[frame]);
	return frame ? c->frames[frame] : 0;
}

static bool same_chain(const struct part *part, uint32_t id, const uint32_t *words, size_t n)
{
	const struct chain *c = &part->chains.items[id];

	return c->n == n && !memcmp(part->words.items + c->at, words, n * sizeof(*words));
}

/*
 * Find a kept chain with the same frames. A chain that came again after an earlier compaction exists twice: now both
 * become one.
 */
static uint32_t find_chain(struct compaction *c, uint64_t hash)
{
	struct idtable_probe probe = idtable_probe(&c->by_words, hash);
	uint32_t id;

	while (!c->p->opts.branch_history && (id = idtable_next(&c->by_words, &probe)))
		if (same_chain(&c->part, id, c->words.items, c->words.len))
			return id;
	return 0;
}

static uint32_t keep_chain(struct compaction *c, uint32_t chain)
{
	const struct part *old = &c->p->parts[0];
	const struct chain *from = &old->chains.items[chain];
	struct part *part = &c->part;
	uint64_t hash;
	uint32_t id;

	if (!chain || c->chains[chain])
		return chain ? c->chains[chain] : 0;
	vec_clear(&c->words);
	for (size_t i = 0; i < from->n; i++)
		vec_push(&c->words, keep_frame(c, old->words.items[from->at + i]));
	hash = hash_bytes(c->words.items, c->words.len * sizeof(uint32_t), 0);
	id = find_chain(c, hash);
	if (!id) {
		id = (uint32_t)part->chains.len;
		vec_push(&part->chains, (struct chain){ .at = part->words.len, .n = from->n });
		vec_push(&part->chain_ends, old->chain_ends.items[chain]);
		if (c->p->opts.branch_history)
			vec_append(&part->branches, old->branches.items + from->at, from->n);
		vec_append(&part->words, c->words.items, from->n);
		idtable_add(&c->by_words, hash, id);
	}
	c->chains[chain] = id;
	return id;
}

static void keep_entry(struct compaction *c, size_t number)
{
	struct profile *p = c->p;
	struct part *old = &p->parts[0], *part = &c->part;
	struct frame_entry e = old->found.items[number];
	const struct faded *f = faded_of(p, number);
	size_t n = p->opts.n_keys;
	uint32_t to;

	if (n) {
		const uint64_t *values = old->outers.items + (size_t)e.outer * n;

		for (size_t i = 0; i < n; i++)
			if (u64map_find(&old->texts.ids, values[i]))
				texts_number(&part->texts, texts_get(&old->texts, values[i]));
		e.outer = part_outer(part, values, n);
	}
	e.frame = keep_frame(c, e.frame);
	e.other_frame = keep_frame(c, e.other_frame);
	e.chain = keep_chain(c, e.chain);
	to = part_add(part, &e);
	if (number < old->measures.len)
		part_measure(part, to, &old->measures.items[number]);
	for (size_t i = 0; number < old->kept.len && i < old->kept.items[number].len; i++)
		part_keep(part, to, p->opts.keep_samples, &old->kept.items[number].items[i]);
	if (!f)
		return;
	if (c->faded.len < part->found.len)
		vec_add(&c->faded, part->found.len - c->faded.len);
	c->faded.items[to].samples += f->samples;
	c->faded.items[to].period += f->period;
}

/* Count what we lose with an entry: its fractions of samples are no longer in any row. */
static void lose_entry(struct profile *p, size_t number)
{
	const struct frame_entry *e = &p->parts[0].found.items[number];
	const struct faded *f = faded_of(p, number);

	if (!f)
		return;
	p->lost[e->event].samples += f->samples;
	p->lost[e->event].period += f->period;
}

static size_t profile_bytes(const struct profile *p)
{
	/* A follower of this profile needs about as much for each address without a symbol: two sites and a row. */
	enum { FOLLOWS_FRAME = 240 };
	const struct part *part = &p->parts[0];

	return part->found.len * (sizeof(*part->found.items) + sizeof(struct faded)) +
	       part->words.len * sizeof(uint32_t) + part->chains.len * (sizeof(struct chain) + 2 * 16) +
	       part->frames.len * (sizeof(struct frame) + 2 * 16 + FOLLOWS_FRAME) +
	       part->outers.len * sizeof(uint64_t) + part->texts.table.arena.total;
}

/* Raise the limit of entry_is_alive() until the entries that stay need no more than BYTES_MOST. */
static void choose_least(struct profile *p)
{
	const struct part *part = &p->parts[0];
	size_t bytes = profile_bytes(p), n = MAX(part->found.len, (size_t)1), alive;

	p->least_left = LEAST_LEFT;
	for (;;) {
		alive = 0;
		for (size_t i = 0; i < part->found.len; i++)
			alive += entry_is_alive(p, i);
		if (bytes / n * alive <= BYTES_MOST || p->least_left >= MOST_LEFT)
			return;
		p->least_left = MIN(p->least_left * 1.5, MOST_LEFT);
	}
}

void profile_compact(struct profile *p)
{
	struct part *old = &p->parts[0];
	struct compaction c = { .p = p };

	if (!p->lost)
		p->lost = xcalloc(p->session->pd->n_events, sizeof(*p->lost));
	if (p->faded.len)
		choose_least(p);
	c.frames = xcalloc(old->frames.len, sizeof(*c.frames));
	c.chains = xcalloc(old->chains.len, sizeof(*c.chains));
	part_init(&c.part, 0);
	for (size_t i = 0; i < old->found.len; i++) {
		if (entry_is_alive(p, i))
			keep_entry(&c, i);
		else
			lose_entry(p, i);
	}
	c.part.totals = old->totals;
	c.part.n_samples = old->n_samples;
	c.part.n_alone = old->n_alone;
	memcpy(c.part.n_modes, old->n_modes, sizeof(old->n_modes));
	c.part.n_exact = old->n_exact;
	c.part.notes = old->notes;
	c.part.unwind_failed = old->unwind_failed;
	old->totals = NULL;
	old->n_samples = NULL;
	part_release(old);
	*old = c.part;
	vec_move(&p->faded, &c.faded);
	free(c.frames);
	free(c.chains);
	idtable_free(&c.by_words);
	vec_free(&c.words);
	p->compacted = profile_bytes(p);
	p->numbering++;
	profile_forget(p);
}

static void mark_frames(const struct frame *frames, size_t n, struct session_roots *roots)
{
	for (size_t i = 0; i < n; i++)
		roots->dsos[frames[i].dso] = true;
}

static void mark_outers(const struct profile *p, const uint64_t *outers, size_t n, struct session_roots *roots)
{
	size_t n_keys = p->opts.n_keys, n_strings = p->session->strings.texts.len;

	for (size_t k = 0; k < n_keys; k++)
		for (size_t i = k; p->opts.keys[k]->is_comm && i < n; i += n_keys)
			if (outers[i] < n_strings) /* otherwise it stands for a thread without a name */
				roots->strings[outers[i]] = true;
}

void profile_mark(const struct profile *p, struct session_roots *roots)
{
	mark_frames(p->frames.items, p->frames.len, roots);
	mark_outers(p, p->outers.items, p->outers.len, roots);
	for (unsigned i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		mark_frames(part->frames.items, part->frames.len, roots);
		mark_outers(p, part->outers.items, part->outers.len, roots);
		for (size_t k = 0; k < part->found.len; k++)
			roots->threads[part->found.items[k].first_thread] = true;
		for (size_t k = 0; k < part->entries.len; k++)
			roots->threads[part->entries.items[k].first_thread] = true;
	}
}

void profile_forget(struct profile *p)
{
	idtable_free(&p->parts[0].chain_index);
	if (p->decoder)
		decoder_forget(p->decoder);
}

void profile_clear(struct profile *p)
{
	struct part *part = &p->parts[0];

	part_release(part);
	*part = (struct part){ 0 };
	part_init(part, p->session->pd->n_events);
	vec_free(&p->faded);
	free(p->lost);
	p->lost = NULL;
	p->compacted = 0;
	p->settled = false;
	p->numbering++;
	profile_forget(p);
}

void profile_take_over(struct profile *p, struct profile *from)
{
	profile_clear(p);
	part_release(&p->parts[0]);
	p->parts[0] = from->parts[0];
	vec_move(&p->faded, &from->faded);
	p->lost = from->lost;
	p->least_left = from->least_left;
	p->compacted = from->compacted;
	from->parts[0] = (struct part){ 0 };
	part_init(&from->parts[0], from->session->pd->n_events);
	from->lost = NULL;
	from->numbering++;
	profile_forget(p);
	profile_forget(from);
}

bool profile_has_grown(const struct profile *p)
{
	enum { LEAST = 16 << 20 };

	/* without fading, nothing can be forgotten */
	return p->fades && profile_bytes(p) > MAX(p->compacted + p->compacted / 2, (size_t)LEAST);
}
