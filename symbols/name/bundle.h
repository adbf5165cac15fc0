#ifndef SYMBOLS_NAME_BUNDLE_H
#define SYMBOLS_NAME_BUNDLE_H

#include "symbols/name/symbols_priv.h"

/*
 * A bundle: what a report needs from other files, kept in the recording itself. It is foreign, so every size and
 * offset is checked. It never makes an object: it only answers for those that the recording mapped.
 * Source: strobe.data(5), "BUNDLE"; symbols/bundle writes it.
 */
enum { BUNDLE_VERSION = 1, BUNDLE_HEAD = 16, BUNDLE_SYMBOL = 32, BUNDLE_PLACE = 40, BUNDLE_INLINE = 12 };
enum { BUNDLE_MAX = 1 << 29, BUNDLE_FILE_MAX = 1 << 30 }; /* expanded; claimed length of an object file */
enum { BUNDLE_OBJECT_GUEST = 1, BUNDLE_OBJECT_LINES = 2 };
/* unwind_skips_caller() of the place itself, and of the byte before it, where a call may lie */
enum { BUNDLE_SKIPS_CALLER = 1, BUNDLE_SKIPS_BEFORE = 2 };
enum bundle_file_kind { BUNDLE_JITDUMP = 1, BUNDLE_SOURCE };

/* The names of one place that the recording refers to. Texts are offsets in the bundle's strings, 0 = none. */
struct bundle_place {
	uint64_t dso_off;
	uint32_t file, line;             /* dso_source_line() */
	uint32_t outer_file, outer_line; /* dso_inlines() */
	uint32_t function;               /* dso_function() */
	uint32_t first_inline;
	uint16_t n_inlines, flags;
};

struct bundle_inline {
	const char *name;
	uint32_t file, line;
};

/* An object in the bundle. Its rows stay encoded until the object is loaded. */
struct bundle_object {
	uint32_t name, problem;
	uint8_t kind, flags;
	struct build_id id;
	int32_t pid;
	uint64_t ino, bias, file_len;
	struct bytes symbols, places, inlines, spans, contents;
	uint32_t n_symbols, n_places, n_inlines, n_spans;
	uint32_t next; /* number + 1 of the next object with the same hash of its name, 0 = none */
	/* from bundle_object_load(): */
	struct bundle_place *place_rows; /* by dso_off */
	struct bundle_inline *inline_rows;
};

struct bundle_file {
	uint32_t name;
	enum bundle_file_kind kind;
	int32_t pid;
	const uint8_t *data;
	size_t len;
};

struct bundle;
struct dso;
/* A text of the bundle, "" for an offset outside. Lives as long as the bundle. */
const char *bundle_text(const struct bundle *b, uint32_t at);
/* The session's bundle, opened at the first call; NULL when it has none, or a damaged one. Thread-safe. */
struct bundle *symbols_bundle(const struct symbols *s);
/* The place at an offset, NULL when the object is not in the bundle or the place was not asked for. */
const struct bundle_place *bundle_place_at(const struct dso *d, uint64_t dso_off);
/* A file that a process wrote for us (a jitdump), NULL = not in the bundle. */
const struct bundle_file *bundle_file_of(const struct symbols *s, const char *path, int32_t pid);

#endif
