#ifndef REPORT_ANNOTATE_SOURCE_H
#define REPORT_ANNOTATE_SOURCE_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Lines of source files, by the paths that debug information gives. Paths and contents are foreign: only regular files
 * are read, up to a size, and what is printed of them goes through out_name().
 */
struct source_opts {
	const char *prefix; /* put before absolute paths, NULL = nothing */
	uint32_t strip;     /* with prefix: so many leading directories are left out first */
	const char *root;   /* --symfs: looked in first; NULL = none */
};

struct source_file {
	const char *name;    /* as debug information has it. Foreign text */
	char *path;          /* where it was looked for last */
	const char *problem; /* why it cannot be read; NULL if it is */
	char *text;
	size_t len;
	VEC(uint32_t) starts; /* offset of each line; one more at the end */
	bool told;            /* for who tells problems once */
};

struct sources {
	struct source_opts opts;
	VEC(struct source_file *) files;
	struct arena arena;
};

void sources_release(struct sources *s);
/* The file of that name, read at the first call; never NULL. Lives as long as `s`. Names of equal text are one file. */
struct source_file *sources_get(struct sources *s, const char *name);
uint32_t source_lines(const struct source_file *f);
/* Line `line` (from 1) without its newline: *len bytes at the result, not terminated. NULL if there is none. Foreign
 * text. */
const char *source_line(const struct source_file *f, uint32_t line, size_t *len);

#endif
