/*
 * Free what a long-running view no longer refers to: address spaces of processes that ended, and
 * objects that no space maps. The others keep their ids. The freed ids are used again.
 */
#include "symbols/name/symbols_priv.h"

/* Return whether the object came from a build-id record and waits for its map. */
static bool waits_for_map(const struct dso *d) { return !d->mapper && d->id.size && d->kind == DSO_KIND_FILE; }

/*
 * Return whether to keep an object. One that nothing maps may be mapped again soon: free it at the
 * second sweep that finds it unused.
 */
static bool is_kept(struct dso *d, bool used)
{
	d->unused = used || waits_for_map(d) ? 0 : MIN(d->unused + 1, 2);
	return d->unused < 2;
}

/* Release file pages: the symbols are in memory, and later lookups mostly read names. */
static void release_pages(const struct dso *d)
{
	const struct image *images[] = { d->image, d->debug, d->mini, d->module_file };

	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		if (images[i])
			image_release_pages(images[i]);
}

static void index_dsos(struct symbols *s)
{
	idtable_free(&s->by_name);
	for (uint32_t i = DSO_GUEST_KERNEL + 1; i < s->dsos.len; i++)
		if (s->dsos.items[i] && s->dsos.items[i]->name_hash)
			idtable_add(&s->by_name, s->dsos.items[i]->name_hash, i);
}

void symbols_sweep(struct symbols *s, const bool *spaces, bool *dsos)
{
	spaces_sweep(s, spaces, dsos);
	/* what unwinders remember about objects */
	if (s->unwind.free)
		s->unwind.free(s->unwind.state);
	s->unwind = (struct attached){ 0 };
	for (uint32_t i = DSO_GUEST_KERNEL + 1; i < s->dsos.len; i++) {
		struct dso *d = s->dsos.items[i];

		if (!d)
			continue;
		if (is_kept(d, dsos[i])) {
			release_pages(d);
			continue;
		}
		dso_free(d);
		s->dsos.items[i] = NULL;
		vec_push(&s->free_dsos, i);
	}
	index_dsos(s);
}
