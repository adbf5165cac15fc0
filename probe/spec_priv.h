#ifndef PROBE_SPEC_PRIV_H
#define PROBE_SPEC_PRIV_H

#include "probe/spec.h"

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
/* Parse a single argument. */
int probe_arg_parse(struct probe_arg *a, const char *text, struct arena *arena, struct err *e);

#endif
