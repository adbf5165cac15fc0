#ifndef PROBE_SPEC_H
#define PROBE_SPEC_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Parse a probe definition, before anything is looked up.
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][+OFFS|:LINE|%return|;PATTERN] [ARG ...]
 *	[[GROUP:]EVENT=]SRC:LINE [ARG ...]        [[GROUP:]EVENT=]SRC;PATTERN [ARG ...]
 *	[[GROUP:]EVENT=]ADDRESS [ARG ...]         %[sdt_PROVIDER:]NAME, sdt_PROVIDER:NAME
 *
 * Source: perf-probe(1), "PROBE SYNTAX". In addition, "::" and blanks inside brackets belong to a
 * name, so C++ and Rust names need no backslashes.
 */
struct probe_arg;
enum probe_place { PLACE_FUNCTION, PLACE_SOURCE, PLACE_ADDRESS, PLACE_MARKER };
struct probe_spec {
	enum probe_place place;
	const char *text;          /* as typed: only the place */
	const char *group, *event; /* NULL = not given */
	const char *function;      /* name or glob; for PLACE_MARKER its name */
	const char *provider;      /* PLACE_MARKER: "sdt_libc" or NULL */
	const char *file;          /* path or its end; NULL = not given */
	const char *pattern;       /* lazy; NULL = none */
	uint64_t offset;           /* or the address */
	uint32_t line;             /* of the file, or counted from the function's */
	bool has_line, has_offset, is_return;
	VEC(struct probe_arg) args;
};

/*
 * Parse a definition. Strings are in the arena. The caller releases the vecs, also after an error.
 * exit_code is 234 (EINVAL), as in perf.
 */
int probe_spec_parse(struct probe_spec *p, const char *text, struct arena *arena, struct err *e);
void probe_spec_release(struct probe_spec *p);

/* The argument of -L: FUNC[@SRC][:N[-M|+M]], SRC[:N[-M|+M]]. */
struct line_range {
	const char *function, *file; /* one of them or both */
	uint32_t first, last;        /* last 0 = to the end */
};
int line_range_parse(struct line_range *r, const char *text, struct arena *arena, struct err *e);

#endif
