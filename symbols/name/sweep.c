/*
 * Give back what a long-running view no longer refers to: address spaces of processes that ended, and
 * objects that no space maps. Ids of what stays stay the same; those of the others are used again.
 */
#include "symbols/name/symbols_priv.h"

/* Objects that came from build-id records wait for their map. */
static bool waits_for_map(const struct dso *d) { return !d->mapper && d->id.size && d->kind == DSO_KIND_FILE; }

/* An object that nothing mapped may be mapped again soon: it goes when it was not needed twice. */
static bool is_kept(struct dso *d, bool used)
{
	d->unused = used || waits_for_map(d) ? 0 : MIN(d->unused + 1, 2);
	return d->unused < 2;
}

/* Their symbols are known: of most, only names are read again. */
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
	/* what unwinders remember of objects */
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
