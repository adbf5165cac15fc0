#ifndef SYMBOLS_BUNDLE_MAKE_PRIV_H
#define SYMBOLS_BUNDLE_MAKE_PRIV_H

#include "base/hash.h"
#include "base/out.h"
#include "symbols/bundle/make.h"
#include "symbols/name/bundle.h"

/* A line that a place names; `file` is the offset of its name. */
struct source_hit {
	uint32_t file, line;
};

/* A bundle while it is made. Texts are kept once. */
struct maker {
	struct symbols *s;
	const struct bundle_want *want;
	struct bundle_counts *counts;
	struct out strings, objects, files;
	struct idtable texts; /* offsets in `strings` */
	uint32_t n_objects, n_files;
	VEC(struct source_hit) lines;
};

/* Append little-endian numbers, whatever the host's byte order. */
void bundle_u32(struct out *o, uint32_t v);
void bundle_u64(struct out *o, uint64_t v);
/* Return the offset of a text in `strings`; 0 for NULL and "". */
uint32_t maker_text(struct maker *m, const char *text);
/* The same for the path of a file; the function want->shown, if any, may replace the path. */
uint32_t maker_path(struct maker *m, const char *path);

/* --- image.c --- */
/* Add the parts of the object's file that the want asks for. `code` are spans of file offsets. */
struct code_span {
	uint64_t from, len;
};
struct code_spans {
	VEC(struct code_span);
};
void maker_put_image(struct maker *m, struct dso *d, struct code_spans *code);

/* --- code.c --- */
/*
 * Add the places of all instructions of the sampled functions to `hits`, and the places that these
 * refer to. `code` gets the file offsets of the bytes. All hits are in one object.
 */
struct hit_list {
	VEC(struct bundle_hit);
};
void maker_add_code(struct maker *m, uint32_t dso, struct hit_list *hits, struct code_spans *code);

/* --- files.c --- */
void maker_put_jitdumps(struct maker *m);
void maker_put_sources(struct maker *m);

#endif
