#ifndef PROBE_FETCH_H
#define PROBE_FETCH_H

#include "probe/spec.h"
#include "probe/tracefs.h"
#include "symbols/debug/debug.h"

/*
 * Arguments in the kernel's own words: "n=%di:s32", "name=+0(+16(%bp)):string".
 * Source: Documentation/trace/kprobetrace.rst, "Synopsis of kprobe_events"; uprobetracer.rst for "@+OFFSET".
 */

/* Where types come from: DWARF or BTF. Ids are the source's own, 0 = void. */
struct type_source {
	void *of;
	void (*describe)(void *of, uint32_t type, struct type_info *t);
	bool (*member)(void *of, uint32_t type, const char *name, struct type_member *m);
	size_t (*member_names)(void *of, uint32_t type, const char **names, size_t max);
	uint32_t (*named)(void *of, uint32_t function, const char *name); /* a struct of that name */
};
struct type_source types_of_debug(struct debug *d);

/* A value that the kernel can fetch: a base and what is read through it. */
enum fetch_base { FETCH_REGISTER, FETCH_STATIC, FETCH_CONSTANT, FETCH_RETURN };
struct fetch_place {
	enum fetch_base base;
	const char *reg;     /* "%di" */
	const char *symbol;  /* STATIC in the kernel; NULL: "@+offset" of a user's file */
	uint64_t offset;     /* STATIC: address or, of a symbol, what is added; CONSTANT: the value */
	int64_t through[40]; /* memory at base + through[0], then at what was read there + through[1] ... */
	unsigned n;
};

/* A variable found: its type and place. */
struct fetch_variable {
	const char *name;
	struct fetch_place place;
	uint32_t type;
};

struct fetch {
	struct type_source types;
	uint32_t function; /* for types by name */
	uint16_t machine;
	bool user; /* a program, not the kernel */
	struct arena *arena;
};
/* The text of an argument of a variable: members, indexes and type applied. Fills a->name, a->fetch in the arena. */
int fetch_variable(const struct fetch *f, const struct probe_arg *arg, const struct fetch_variable *v,
		   struct trace_arg *a, struct err *e);
/* Whether the variable can be shown as a whole: $vars leaves out structs and what else has no one value. */
bool fetch_is_plain(const struct fetch *f, uint32_t type);
/* The name that an argument has when none is given. NULL = none (the kernel's arg1, arg2 ...). */
const char *fetch_name(const struct probe_arg *arg, struct arena *arena);

#endif
