/*
 * The objects of a session, and what the recording alone says about each: nothing here loads a
 * file.
 */
#include "symbols/name/symbols_priv.h"

struct dso *symbols_get_dso(const struct symbols *s, uint32_t dso)
{
	struct dso *d = dso < s->dsos.len ? s->dsos.items[dso] : NULL;

	return d ? d : s->dsos.items[DSO_UNKNOWN];
}

void symbols_set_build_id(struct symbols *s, uint32_t dso, const struct build_id *id)
{
	if (dso != DSO_UNKNOWN)
		symbols_get_dso(s, dso)->id = *id;
}

uint32_t symbols_find_dso(const struct symbols *s, const char *name)
{
	for (size_t i = 1; i < s->dsos.len; i++) {
		const struct dso *d = s->dsos.items[i];

		if (d && (!strcmp(d->long_name, name) || !strcmp(d->short_name, name)))
			return (uint32_t)i;
	}
	return DSO_UNKNOWN;
}

size_t symbols_n_dsos(const struct symbols *s) { return s->dsos.len; }

const char *dso_name(const struct symbols *s, uint32_t dso) { return symbols_get_dso(s, dso)->long_name; }

const char *dso_short_name(const struct symbols *s, uint32_t dso) { return symbols_get_dso(s, dso)->short_name; }

const char *dso_path(const struct symbols *s, uint32_t dso) { return symbols_get_dso(s, dso)->path; }

enum dso_kind dso_kind(const struct symbols *s, uint32_t dso) { return symbols_get_dso(s, dso)->kind; }

const struct build_id *dso_build_id(const struct symbols *s, uint32_t dso) { return &symbols_get_dso(s, dso)->id; }
uint64_t dso_inode(const struct symbols *s, uint32_t dso) { return symbols_get_dso(s, dso)->ino; }

bool is_c_library(const struct dso *d)
{
	static const char *const names[] = { "libc.so", "libc-2", "libpthread", "ld-linux",
					     "ld-musl", "ld-2",   "ld.so",      "ld64.so" };

	for (size_t i = 0; d->kind == DSO_KIND_FILE && i < ARRAY_SIZE(names); i++)
		if (!strncmp(d->short_name, names[i], strlen(names[i])))
			return true;
	return false;
}

bool dso_is_c_library(const struct symbols *s, uint32_t dso) { return is_c_library(symbols_get_dso(s, dso)); }
