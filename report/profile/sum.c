/* Turn chains and entries of frames into chains and entries of sites, and merge those that become equal. */
#include "report/profile/entries_priv.h"

#include "base/parallel.h"
#include "base/phases.h"

/* What turns the frames of a part's chains into sites. */
struct siting {
	const struct profile *p;
	const uint32_t *map; /* frame of the part -> frame of the profile */
	/* frame of the part -> its only site, if each frame has only one; otherwise NULL */
	const uint32_t *only;
};

/* Turn the frames of a chain into sites, in the order of display. */
static void chain_to_sites(const struct siting *s, const uint32_t *words, size_t n, uint32_t *to)
{
	const uint32_t *first = s->p->chain_first.items, *sites = s->p->chain_sites.items;
	bool caller_first = s->p->opts.caller_first;

	if (s->only) {
		for (size_t i = 0; i < n; i++)
			to[caller_first ? n - 1 - i : i] = s->only[words[i]];
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t frame = s->map[words[caller_first ? n - 1 - i : i]];
		uint32_t from = first[frame], count = first[frame + 1] - from;

		if (caller_first)
			while (count--)
				*to++ = sites[from + count];
		else
			while (count--)
				*to++ = sites[from++];
	}
}

static size_t chain_length(const struct siting *s, const uint32_t *words, size_t n)
{
	const uint32_t *first = s->p->chain_first.items;
	size_t length = 0;

	for (size_t i = 0; i < n && !s->only; i++)
		length += first[s->map[words[i]] + 1] - first[s->map[words[i]]];
	return s->only ? n : length;
}

/*
 * Collected chains lie scattered in memory. So take several new ones at a time: while we work on some, the memory that
 * the others need is fetched.
 */
enum { COLLECT_AHEAD = 16 };
struct coming_chain {
	size_t at; /* of its sites in `scratch` */
	size_t n;
	uint64_t hash;
	uint32_t like; /* a collected chain with this hash; 0: none yet */
};

static uint32_t *collected_words(struct collector *c) { return c->only ? c->part->words.items : c->words.items; }

static uint32_t collect_chain(struct collector *c, const struct coming_chain *new, const uint32_t *sites)
{
	struct idtable_probe probe = idtable_probe(&c->index, new->hash);
	uint32_t *base = collected_words(c), id;
	size_t n = MIN(new->n, (size_t)CHAIN_SITES_MAX);

	while (!c->apart && (id = idtable_next(&c->index, &probe)))
		if (c->chains.items[id].n == n &&
		    (!n || !memcmp(base + c->chains.items[id].at, sites, n * sizeof(*sites))))
			return id;
	id = (uint32_t)c->chains.len;
	vec_push(&c->chains, (struct chain){ .at = c->words.len, .n = (uint32_t)n });
	if (!c->apart)
		idtable_add(&c->index, new->hash, id);
	if (c->hashes)
		c->hashes[id] = new->hash;
	if (c->only) {
		memcpy(base + c->words.len, sites, n * sizeof(*sites));
		c->words.len += n;
	} else {
		vec_append(&c->words, sites, n);
	}
	return id;
}

static void fetch_alike(struct collector *c, struct coming_chain *chains, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct idtable_probe probe = idtable_probe(&c->index, chains[i].hash);

		chains[i].like = idtable_next(&c->index, &probe);
		if (chains[i].like)
			__builtin_prefetch(&c->chains.items[chains[i].like]);
	}
	for (size_t i = 0; i < n; i++)
		if (chains[i].like)
			__builtin_prefetch(collected_words(c) + c->chains.items[chains[i].like].at);
}

void collect_chains(const struct profile *p, struct collector *c, uint32_t from, const uint32_t *map, uint32_t *numbers)
{
	const struct siting siting = { .p = p, .map = map, .only = c->only };
	struct coming_chain coming[COLLECT_AHEAD];
	VEC(uint32_t) scratch = { 0 };

	if (!c->chains.len)
		vec_add(&c->chains, 1);
	for (uint32_t i = MAX(from, 1u); i < c->part->chains.len; i += COLLECT_AHEAD) {
		size_t count = MIN(c->part->chains.len - i, (size_t)COLLECT_AHEAD);

		vec_clear(&scratch);
		for (size_t k = 0; k < count; k++) {
			const uint32_t *words = c->part->words.items + c->part->chains.items[i + k].at;
			size_t n = c->part->chains.items[i + k].n, length = chain_length(&siting, words, n);
			uint32_t *sites;

			vec_reserve(&scratch, scratch.len + length + 1);
			sites = scratch.items + scratch.len;
			scratch.len += length;
			chain_to_sites(&siting, words, n, sites);
			coming[k] = (struct coming_chain){ .at = scratch.len - length,
							   .n = length,
							   .hash = hash_bytes(sites, length * sizeof(*sites), 0) };
			idtable_fetch(&c->index, coming[k].hash);
		}
		fetch_alike(c, coming, count);
		for (size_t k = 0; k < count; k++)
			numbers[i + k] = collect_chain(c, &coming[k], scratch.items + coming[k].at);
	}
	vec_free(&scratch);
}

/* Put the sums over branches into the order of their chains' sites: with such sums, each frame has one site. */
static void turn_branches(const struct profile *p, struct part *part, const struct chain *from, size_t n)
{
	VEC(struct branch_sums) turned = { 0 };

	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < from[i].n; k++)
			vec_push(&turned,
				 part->branches.items[from[i].at + (p->opts.caller_first ? from[i].n - 1 - k : k)]);
	vec_move(&part->branches, &turned);
}

/*
 * Collect the distinct chains of sites; `numbers`: chain of frames -> chain of sites. If no chain gets longer, they
 * overwrite the chains of frames, which saves memory.
 */
static void sum_chains(const struct profile *p, struct collector *c, const uint32_t *map, uint32_t *numbers)
{
	struct part *part = c->part;

	vec_reserve(&c->chains, part->chains.len);
	if (!c->only)
		vec_reserve(&c->words, part->words.len);
	collect_chains(p, c, 1, map, numbers);
	if (p->opts.branch_history)
		turn_branches(p, part, part->chains.items, part->chains.len);
	vec_move(&part->chains, &c->chains);
	if (c->only)
		part->words.len = c->words.len;
	else
		vec_move(&part->words, &c->words);
	idtable_free(&c->index);
}

uint32_t part_place(struct part *part, uint32_t *first, uint32_t frame, uint32_t event)
{
	for (uint32_t id = first[frame]; id; id = part->places.items[id - 1].next)
		if (part->places.items[id - 1].event == event)
			return id - 1;
	vec_push(&part->places, (struct sampled_place){ .frame = frame, .event = event, .next = first[frame] });
	first[frame] = (uint32_t)part->places.len;
	return first[frame] - 1;
}

/* Sum the samples by address. */
static void sum_places(const struct profile *p, struct part *part, const uint32_t *frames)
{
	uint32_t *first = xcalloc(p->frames.len, sizeof(*first));

	for (size_t i = 0; i < part->found.len; i++) {
		const struct frame_entry *e = &part->found.items[i];
		uint32_t place = part_place(part, first, frames[e->frame], e->event);

		part->places.items[place].samples += e->samples;
		part->places.items[place].period += e->period;
	}
	free(first);
}

ENTRY_TABLE(entry, entries, self, other)

uint32_t part_add_entry(struct part *to, const struct entry *e) { return entry_add(to, e); }

void part_take_entry(struct part *to, const struct profile *p, const struct part *from, size_t number,
		     const struct entry *e)
{
	uint32_t entry = entry_add(to, e);

	if (p->opts.want_measures)
		part_measure(to, entry, &from->measures.items[number]);
	for (size_t k = 0; number < from->kept.len && k < from->kept.items[number].len; k++)
		part_keep(to, entry, p->opts.keep_samples, &from->kept.items[number].items[k]);
}

void part_move_entries(struct part *part, struct part *summed)
{
	part_free_kept(part);
	vec_move(&part->kept, &summed->kept);
	vec_move(&part->measures, &summed->measures);
	vec_free(&part->found);
	vec_move(&part->entries, &summed->entries);
	idtable_free(&summed->entry_index);
	vec_free(&summed->chain_entries);
}

/* Make entries of sites, and merge those that become equal. */
static void sum_entries(const struct profile *p, struct part *part, const uint32_t *frames, const uint32_t *outers,
			const uint32_t *chains)
{
	struct part summed = { 0 };

	idtable_free(&part->entry_index);
	vec_free(&part->chain_entries);
	for (size_t i = 0; i < part->found.len; i++) {
		const struct frame_entry *from = &part->found.items[i];
		part_take_entry(&summed, p, part, i,
				&(struct entry){
					.event = from->event,
					.outer = outers[from->outer],
					.chain = chains[from->chain],
					.self = p->leaf_sites.items[frames[from->frame]],
					.other = p->leaf_sites.items[frames[from->other_frame]],
					.first_thread = from->first_thread,
					.first_time = from->first_time,
					.period = from->period,
					.samples = from->samples,
					.first_mode = from->first_mode,
				});
	}
	part_move_entries(part, &summed);
}

/* Return the only site of each frame of the part; NULL: not all frames have one. */
static uint32_t *only_sites(const struct naming *n, size_t part)
{
	const struct profile *p = n->p;
	const uint32_t *map = n->frame_maps[part];
	uint32_t *only;

	for (uint32_t i = 1; i <= p->frames.len; i++)
		if (i < p->frames.len ? p->chain_first.items[i] != i - 1 : p->chain_sites.len + 1 != p->frames.len)
			return NULL;
	only = xcalloc(n->n_frames[part] + 1, sizeof(*only));
	for (uint32_t i = 1; i < n->n_frames[part]; i++)
		only[i] = p->chain_sites.items[p->chain_first.items[map[i]]];
	return only;
}

struct summing {
	const struct naming *n;
	uint64_t **hashes; /* by part: of its chains */
};

static void sum_part(void *ctx, size_t item, unsigned worker)
{
	const struct summing *s = ctx;
	const struct naming *n = s->n;
	const struct profile *p = n->p;
	struct part *part = &p->parts[item];
	autofree uint32_t *chains = xcalloc(part->chains.len, sizeof(*chains));
	autofree uint32_t *only = only_sites(n, item);
	struct collector c = { .only = only, .apart = p->opts.branch_history, .part = part };

	idtable_free(&part->chain_index);
	if (p->n_parts > 1)
		c.hashes = s->hashes[item] = xcalloc(part->chains.len, sizeof(*c.hashes));
	sum_chains(p, &c, n->frame_maps[item], chains);
	if (p->opts.keep_places)
		sum_places(p, part, n->frame_maps[item]);
	sum_entries(p, part, n->frame_maps[item], n->outer_maps[item], chains);
}

void sum_sites(const struct naming *n)
{
	struct summing s = { .n = n, .hashes = xcalloc(n->p->n_parts, sizeof(*s.hashes)) };

	parallel_for(n->p->n_parts, n->p->n_parts, sum_part, &s);
	phase("join");
	join_entries(n->p, s.hashes);
	for (unsigned i = 0; i < n->p->n_parts; i++)
		free(s.hashes[i]);
	free(s.hashes);
}
