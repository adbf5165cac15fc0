/* Merge the workers' frames and key values into the profile's. */
#include "report/profile/profile_priv.h"

#include "base/sort/radix.h"

/* Return the frame of a sort item. */
static const struct frame *ref_frame(const struct part *parts, const struct radix_item *item)
{
	return &parts[item->value >> 32].frames.items[(uint32_t)item->value];
}

/* Sort by dso, dso_off, ip and mode; the radix sort starts with the last of these. */
static void sort_frames(const struct part *parts, struct radix_item *refs, size_t n)
{
	autofree struct radix_item *spare = xmalloc(n * sizeof(*spare) + 1);

	for (int field = 0; field < 4; field++) {
		for (size_t i = 0; i < n; i++) {
			const struct frame *f = ref_frame(parts, &refs[i]);

			refs[i].key = field == 0 ? f->mode : field == 1 ? f->ip : field == 2 ? f->dso_off : f->dso;
		}
		radix_sort(refs, spare, n);
	}
}

/* Sort the frames, so that their numbers do not depend on which worker met them first. */
void merge_frames(struct profile *p, const struct part *parts, unsigned n_parts, uint32_t from, uint32_t *const *maps)
{
	VEC(struct radix_item) refs = { 0 };
	size_t before = p->frames.len;

	for (unsigned i = 0; i < n_parts; i++) {
		vec_reserve(&refs, refs.len + parts[i].frames.len - from);
		for (uint32_t k = from; k < parts[i].frames.len; k++)
			refs.items[refs.len++].value = (uint64_t)i << 32 | k;
	}
	sort_frames(parts, refs.items, refs.len);
	for (size_t i = 0; i < refs.len; i++) {
		const struct frame *frame = ref_frame(parts, &refs.items[i]);
		struct frame *last = &p->frames.items[p->frames.len - 1];

		if (p->frames.len == before || !frame_same_place(frame, last)) {
			vec_push(&p->frames, *frame);
			last = &p->frames.items[p->frames.len - 1];
		}
		last->map_size = MAX(last->map_size, frame->map_size);
		maps[refs.items[i].value >> 32][(uint32_t)refs.items[i].value] = (uint32_t)p->frames.len - 1;
	}
	vec_free(&refs);
}

static void merge_outers(struct profile *p, uint32_t **maps)
{
	struct part all = { 0 };
	size_t n = p->opts.n_keys;

	for (unsigned i = 0; i < p->n_parts; i++) {
		struct part *part = &p->parts[i];

		maps[i] = xcalloc(MAX(part->n_outers, 1u), sizeof(uint32_t));
		for (uint32_t k = 0; k < part->n_outers; k++)
			maps[i][k] = part_outer(&all, part->outers.items + k * n, n);
		vec_free(&part->outers);
		idtable_free(&part->outer_index);
		for (size_t k = 1; k < part->texts.table.texts.len; k++)
			texts_number(&p->texts, part->texts.table.texts.items[k]);
		texts_free(&part->texts);
	}
	p->n_outers = MAX(all.n_outers, 1u);
	vec_move(&p->outers, &all.outers);
	idtable_free(&all.outer_index);
}

void merge_parts(struct naming *n)
{
	struct profile *p = n->p;

	n->frame_maps = xcalloc(p->n_parts, sizeof(*n->frame_maps));
	n->outer_maps = xcalloc(p->n_parts, sizeof(*n->outer_maps));
	n->n_frames = xcalloc(p->n_parts, sizeof(*n->n_frames));
	for (unsigned i = 0; i < p->n_parts; i++) {
		n->n_frames[i] = (uint32_t)p->parts[i].frames.len;
		n->frame_maps[i] = xcalloc(p->parts[i].frames.len, sizeof(uint32_t));
	}
	vec_add(&p->frames, 1);
	merge_frames(p, p->parts, p->n_parts, 1, n->frame_maps);
	for (unsigned i = 0; i < p->n_parts; i++) {
		vec_free(&p->parts[i].frames);
		idtable_free(&p->parts[i].frame_index);
	}
	merge_outers(p, n->outer_maps);
}
