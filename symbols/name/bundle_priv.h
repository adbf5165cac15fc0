#ifndef SYMBOLS_NAME_BUNDLE_PRIV_H
#define SYMBOLS_NAME_BUNDLE_PRIV_H

#include "symbols/name/bundle.h"

struct bundle {
	void *heap;
	struct bytes strings;
	struct arena arena; /* names that were shortened */
	VEC(struct bundle_object) objects;
	struct u64map by_name; /* hash of a name to number + 1 of the first object with it */
	VEC(struct bundle_file) files;
};

/* Index the expanded bytes of a section, which it takes over, also on failure. NULL when they are damaged. */
struct bundle *bundle_index(void *heap, size_t len);
void bundle_free(struct bundle *b); /* NULL is fine */
/* What the bundle knows of an object of the timeline, NULL = nothing. */
struct bundle_object *bundle_find(const struct bundle *b, const struct dso *d);
/* Decode the places and inlined calls. No other thread may do so at the same time. */
void bundle_object_load(struct bundle *b, struct bundle_object *o, bool short_templates);

#endif
