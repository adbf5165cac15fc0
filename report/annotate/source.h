#ifndef REPORT_ANNOTATE_SOURCE_H
#define REPORT_ANNOTATE_SOURCE_H

#include "base/err.h"
#include "base/mem.h"
#include "symbols/symbols.h"

/*
 * Lines of source files, by the paths in debug information. Paths and contents are foreign: we read
 * only regular files up to a size limit, and print their lines with out_name().
 */
struct source_opts {
	const char *prefix;            /* put before absolute paths, NULL = nothing */
	uint32_t strip;                /* with prefix: first remove this many leading directories */
	const char *root;              /* --symfs: look here first; NULL = none */
	const struct symbols *bundled; /* where no file is, the bundle of this recording; NULL = none */
	bool bundle_only;              /* read no file */
};

struct source_file {
	const char *name;    /* as in debug information; foreign text */
	char *path;          /* the last path we tried */
	const char *problem; /* why it is unreadable; NULL if readable */
	char *text;
	size_t len;
	VEC(uint32_t) starts; /* offset of each line, with one more at the end */
	bool told;            /* for callers that report a problem only once */
	uint32_t dso;         /* for callers: the object whose code came from it first; 0: unknown */
};

struct sources {
	struct source_opts opts;
	VEC(struct source_file *) files;
	struct arena arena;
};

void sources_release(struct sources *s);
/*
 * Return the file with this name, read on first use; never NULL. Lives as long as `s`. Equal names
 * are one file.
 */
struct source_file *sources_get(struct sources *s, const char *name);
uint32_t source_lines(const struct source_file *f);
/*
 * Line `line` (from 1) without its newline: *len bytes, not terminated. NULL if there is none.
 * Foreign text.
 */
const char *source_line(const struct source_file *f, uint32_t line, size_t *len);

#endif
