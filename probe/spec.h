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
struct probe_field {
	const char *name; /* NULL: an index */
	int64_t index;
	bool through; /* "->": the text before it is a pointer. For an index the type decides. */
};
/* [NAME=]VALUE[:TYPE][@user] */
struct probe_arg {
	const char *text; /* as typed, without NAME= */
	const char *name; /* NULL = none given */
	/*
	 * In the source; NULL: `raw` is in the kernel's syntax ("%di", "$retval", "+0($retval)",
	 * "@sym").
	 */
	const char *variable;
	/* The type in "(struct x *)" before the variable, without stars; NULL = none. */
	const char *cast;
	const char *raw;
	const char *type; /* NULL = not given */
	bool user;        /* @user: read from the process's memory */
	VEC(struct probe_field) fields;
};
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
/* Parse a single argument. */
int probe_arg_parse(struct probe_arg *a, const char *text, struct arena *arena, struct err *e);

/* The argument of -L: FUNC[@SRC][:N[-M|+M]], SRC[:N[-M|+M]]. */
struct line_range {
	const char *function, *file; /* one of them or both */
	uint32_t first, last;        /* last 0 = to the end */
};
int line_range_parse(struct line_range *r, const char *text, struct arena *arena, struct err *e);

#endif
