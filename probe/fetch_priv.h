#ifndef PROBE_FETCH_PRIV_H
#define PROBE_FETCH_PRIV_H

#include "probe/spec_priv.h"
#include "probe/tracefs.h"
#include "symbols/debug/debug.h"

/*
 * Arguments in the kernel's syntax: "n=%di:s32", "name=+0(+16(%bp)):string". Source:
 * Documentation/trace/kprobetrace.rst, "Synopsis of kprobe_events"; uprobetracer.rst for
 * "@+OFFSET".
 */

/* A source of types: DWARF or BTF. Ids belong to the source; 0 = void. */
struct type_source {
	void *of;
	void (*describe)(void *of, uint32_t type, struct type_info *t);
	bool (*member)(void *of, uint32_t type, const char *name, struct type_member *m);
	size_t (*member_names)(void *of, uint32_t type, const char **names, size_t max);
	uint32_t (*named)(void *of, uint32_t function, const char *name); /* a struct with that name */
};
struct type_source types_of_debug(struct debug *d);

/* A value that the kernel can fetch: a base, and offsets to read through. */
enum fetch_base { FETCH_REGISTER, FETCH_STATIC, FETCH_CONSTANT, FETCH_RETURN };
struct fetch_place {
	enum fetch_base base;
	const char *reg;     /* "%di" */
	const char *symbol;  /* STATIC in the kernel; NULL: "@+offset" in a user's file */
	uint64_t offset;     /* STATIC: the address, or the distance from symbol; CONSTANT: the value */
	int64_t through[40]; /* read memory at base + through[0], then at the result + through[1] ... */
	unsigned n;
};

/* A variable: its type and place. */
struct fetch_variable {
	const char *name;
	struct fetch_place place;
	uint32_t type;
};

struct fetch {
	struct type_source types;
	uint32_t function; /* for types by name */
	uint16_t machine;
	bool user; /* in a program, not in the kernel */
	struct arena *arena;
};
/*
 * Write the argument for a variable, with members, indexes and type applied: fill a->name and
 * a->fetch in the arena.
 */
int fetch_variable(const struct fetch *f, const struct probe_arg *arg, const struct fetch_variable *v,
		   struct trace_arg *a, struct err *e);
/* Return true if the variable has one value: $vars leaves out structs and similar types. */
bool fetch_is_plain(const struct fetch *f, uint32_t type);
/* Return the default name of an argument. NULL = none (the kernel uses arg1, arg2 ...). */
const char *fetch_name(const struct probe_arg *arg, struct arena *arena);

#endif
