#ifndef PROBE_SPEC_H
#define PROBE_SPEC_H

#include "base/err.h"
#include "base/mem.h"

/*
 * What the words of a probe definition say, before anything is looked up.
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][+OFFS|:LINE|%return|;PATTERN] [ARG ...]
 *	[[GROUP:]EVENT=]SRC:LINE [ARG ...]        [[GROUP:]EVENT=]SRC;PATTERN [ARG ...]
 *	[[GROUP:]EVENT=]ADDRESS [ARG ...]         %[sdt_PROVIDER:]NAME, sdt_PROVIDER:NAME
 *
 * Source: perf-probe(1), "PROBE SYNTAX". Beyond it "::" belongs to the name, and so do blanks inside of its brackets:
 * names of C++ and Rust need no backslashes.
 */
struct probe_field {
	const char *name; /* NULL: an index */
	int64_t index;
	bool through; /* "->": what stands before is a pointer; an index: same, decided by its type */
};
/* [NAME=]VALUE[:TYPE][@user] */
struct probe_arg {
	const char *text;     /* as typed, without NAME= */
	const char *name;     /* NULL = none given */
	const char *variable; /* of the source; NULL: `raw` is the kernel's own text ("%di", "$retval", "+0($retval)",
				 "@sym") */
	const char *cast; /* name of the type that "(struct x *)" gives the variable, without the stars; NULL = none */
	const char *raw;
	const char *type; /* NULL = not given */
	bool user;        /* @user: its memory is the process's */
	VEC(struct probe_field) fields;
};
enum probe_place { PLACE_FUNCTION, PLACE_SOURCE, PLACE_ADDRESS, PLACE_MARKER };
struct probe_spec {
	enum probe_place place;
	const char *text;          /* as typed: the place alone */
	const char *group, *event; /* NULL = not given */
	const char *function;      /* name or glob; of PLACE_MARKER its name */
	const char *provider;      /* PLACE_MARKER: "sdt_libc" or NULL */
	const char *file;          /* path or its end; NULL = not given */
	const char *pattern;       /* lazy; NULL = none */
	uint64_t offset;           /* or the address */
	uint32_t line;             /* of the file, or counted from the function's */
	bool has_line, has_offset, is_return;
	VEC(struct probe_arg) args;
};

/* Strings are in the arena; the vecs are the caller's to release, also after an error. exit_code 234 (EINVAL), as
 * perf's. */
int probe_spec_parse(struct probe_spec *p, const char *text, struct arena *arena, struct err *e);
void probe_spec_release(struct probe_spec *p);
/* One argument alone. */
int probe_arg_parse(struct probe_arg *a, const char *text, struct arena *arena, struct err *e);

/* What -L takes: FUNC[@SRC][:N[-M|+M]], SRC[:N[-M|+M]]. */
struct line_range {
	const char *function, *file; /* one of them or both */
	uint32_t first, last;        /* last 0 = to the end */
};
int line_range_parse(struct line_range *r, const char *text, struct arena *arena, struct err *e);

/* A name that the kernel takes for a group, event or argument: letters, digits and '_', no digit first. */
bool is_c_name(const char *s);

#endif
