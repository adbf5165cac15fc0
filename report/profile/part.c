/* A worker's tables: frames, key values, entries, kept samples. */
#include "report/profile/entries_priv.h"

/* ---- ids ---- */

bool frame_same_place(const struct frame *a, const struct frame *b)
{
	return a->dso == b->dso && a->dso_off == b->dso_off && a->ip == b->ip && a->mode == b->mode;
}

uint32_t part_frame(struct part *part, const struct frame *f)
{
	uint64_t hash = hash_mix(f->ip, f->dso_off ^ (uint64_t)f->dso << 40 ^ (uint64_t)f->mode << 60);
	struct idtable_probe probe = idtable_probe(&part->frame_index, hash);
	uint32_t id;

	while ((id = idtable_next(&part->frame_index, &probe)))
		if (frame_same_place(&part->frames.items[id], f))
			return id;
	vec_push(&part->frames, *f);
	id = (uint32_t)part->frames.len - 1;
	idtable_add(&part->frame_index, hash, id);
	return id;
}

uint32_t part_outer(struct part *part, const uint64_t *values, size_t n)
{
	uint64_t hash = hash_bytes(values, n * sizeof(*values), 0);
	struct idtable_probe probe = idtable_probe(&part->outer_index, hash);
	uint32_t id;

	if (!n)
		return 0;
	while ((id = idtable_next(&part->outer_index, &probe)))
		if (!memcmp(part->outers.items + (id - 1) * n, values, n * sizeof(*values)))
			return id - 1;
	for (size_t i = 0; i < n; i++)
		vec_push(&part->outers, values[i]);
	idtable_add(&part->outer_index, hash, ++part->n_outers);
	return part->n_outers - 1;
}

ENTRY_TABLE(frame_entry, found, frame, other_frame)

uint32_t part_add(struct part *part, const struct frame_entry *e) { return frame_entry_add(part, e); }

void part_measure(struct part *part, uint32_t entry, const struct measures *m)
{
	if (part->measures.len <= entry)
		vec_add(&part->measures, part_n_entries(part) - part->measures.len);
	measures_add(&part->measures.items[entry], m);
}

static void highest_rank_first(struct kept_samples *l)
{
	struct kept_sample first;
	size_t highest = 0;

	for (size_t i = 1; i < l->len; i++)
		if (l->items[i].rank > l->items[highest].rank)
			highest = i;
	first = l->items[0];
	l->items[0] = l->items[highest];
	l->items[highest] = first;
}

void kept_samples_add(struct kept_samples *l, uint64_t most, const struct kept_sample *s)
{
	if (l->len < most)
		vec_push(l, *s);
	else if (most && s->rank < l->items[0].rank)
		l->items[0] = *s;
	else
		return;
	if (l->len == most)
		highest_rank_first(l);
}

void part_keep(struct part *part, uint32_t entry, uint64_t most, const struct kept_sample *s)
{
	if (part->kept.len < part_n_entries(part))
		vec_add(&part->kept, part_n_entries(part) - part->kept.len);
	kept_samples_add(&part->kept.items[entry], most, s);
}

/* ---- life ---- */

void part_init(struct part *part, size_t n_events)
{
	vec_add(&part->frames, 1);
	vec_add(&part->chains, 1);
	vec_add(&part->chain_ends, 1);
	if (!n_events)
		return;
	part->totals = xcalloc(n_events, sizeof(*part->totals));
	part->n_samples = xcalloc(n_events, sizeof(*part->n_samples));
}

void part_free_kept(struct part *part)
{
	for (size_t i = 0; i < part->kept.len; i++)
		vec_free(&part->kept.items[i]);
	vec_free(&part->kept);
}

void part_release(struct part *part)
{
	vec_free(&part->frames);
	idtable_free(&part->frame_index);
	vec_free(&part->outers);
	idtable_free(&part->outer_index);
	vec_free(&part->found);
	vec_free(&part->entries);
	vec_free(&part->places);
	vec_free(&part->measures);
	part_free_kept(part);
	idtable_free(&part->entry_index);
	vec_free(&part->chain_entries);
	vec_free(&part->chains);
	vec_free(&part->chain_ends);
	idtable_free(&part->chain_index);
	vec_free(&part->words);
	vec_free(&part->branches);
	free(part->totals);
	free(part->n_samples);
	texts_free(&part->texts);
}
