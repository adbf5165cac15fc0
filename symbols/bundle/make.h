#ifndef SYMBOLS_BUNDLE_MAKE_H
#define SYMBOLS_BUNDLE_MAKE_H

#include "symbols/symbols.h"

/*
 * Make the bundle of a recording: what symbols/ answers about the places that the recording refers to, so that
 * another machine can answer the same. symbols/name/bundle.h reads it; strobe.data(5), "BUNDLE", describes it.
 */
struct bundle_hit {
	uint32_t dso;
	bool sampled; /* an instruction that was sampled, not only a caller or data */
	uint64_t dso_off;
};

struct bundle_want {
	bool code;   /* the instructions of sampled functions, with their lines and the names they refer to */
	bool source; /* the source lines that the places name, and those around them */
	const char *(*shown)(const char *path); /* names of files go through it; NULL: they stay as they are */
	bool unwind; /* the unwind tables of the objects: copied stacks are unwound by the reader */
};

struct bundle_counts {
	uint64_t objects, symbols, places, functions, files;
};

/*
 * Make the section's bytes, which the caller frees. `hits` are sorted by the function, and repeats dropped. -1 with e
 * when it would be larger than a reader accepts.
 */
int bundle_make(struct symbols *s, struct bundle_hit *hits, size_t n, const struct bundle_want *want, void **bytes,
		size_t *len, struct bundle_counts *counts, struct err *e);

#endif
