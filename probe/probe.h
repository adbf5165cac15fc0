#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

/*
 * Probes: from a definition to the kernel's commands, and back. Nothing here prints; texts for the
 * user are returned.
 *
 * Example: define a probe at the function main of a program.
 *
 *	struct prober_opts opts = { .exec = "/tmp/program", .max_probes = 128 };
 *	struct probe_events events = { 0 };
 *	struct arena arena = { 0 };
 *	struct probe_spec spec;
 *	struct err e = { 0 };
 *	struct prober *p = prober_open(&opts, &e);
 *
 *	if (!p || probe_spec_parse(&spec, "main", &arena, &e) < 0 ||
 *	    prober_find(p, &spec, &events, &e) < 0 ||
 *	    probe_events_name(&events, NULL, false, &e) < 0 || probe_events_add(&events, &e) < 0)
 *		return fprintf(stderr, "%s: %s\n", e.what, e.why), 1;
 *	printf("%s:%s\n", events.v.items[0].trace.group, events.v.items[0].trace.event);
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/out.h"
#include "probe/spec.h"
#include "probe/tracefs.h"
#include "symbols/debug/debug.h"

struct prober_opts {
	const char *exec;    /* program or library; NULL = the kernel */
	const char *module;  /* of the kernel: a name or a path; NULL = the kernel itself */
	const char *vmlinux; /* image with DWARF; NULL = search where distributions keep it */
	const char *source;  /* directory to search for source files */
	const char *symfs;
	int target_ns; /* look up exec in this process's mount namespace; 0 = in ours */
	bool no_inlines;
	bool show_only;      /* define nothing: an image of another kernel is allowed */
	unsigned max_probes; /* limit of points for one definition */
};

struct prober;
struct probe_point;
struct probe_names {
	VEC(const char *);
};
/* `plain`: the text without "@VERSION". */
struct probe_listed {
	const char *text, *plain;
};
struct probe_list {
	VEC(struct probe_listed);
};
/* Open the object or the kernel. Strings of `opts` must outlive the prober. Return NULL with e on failure. */
struct prober *prober_open(const struct prober_opts *opts, struct err *e);
void prober_close(struct prober *p); /* NULL is allowed */
bool prober_is_user(const struct prober *p);
/*
 * List names for -F: of the object, or of the running kernel. A version follows its name
 * ("memcpy@@GLIBC_2.14"), unless it is the default version and no static table contains it. Texts
 * are valid as long as the prober.
 */
int prober_names(struct prober *p, bool demangled, struct probe_list *out, struct err *e);
/*
 * List the parameters of a kernel function from BTF, for -V, as "type\tname"; the caller frees the
 * texts.
 */
int prober_parameters(struct prober *p, const struct probe_point *point, struct probe_names *out, struct err *e);
struct debug *prober_debug(struct prober *p);    /* NULL without an object (a kernel without image) */
const char *prober_path(const struct prober *p); /* of the program or image; NULL = none */

/* An address found for a definition. Texts are valid as long as the prober. */
struct probe_point {
	uint64_t address;     /* in the object; without an image in the running kernel */
	uint64_t base;        /* address of the symbol */
	const char *symbol;   /* function that contains the address; NULL = unknown */
	const char *function; /* name in the definition, for the event's name; NULL = none */
	uint32_t scope;       /* id for variables, 0 = no DWARF there */
	bool at_entry;
	const char *module; /* of the kernel; NULL = none */
	bool live;          /* address and base are in the running kernel, not in the image */
	bool by_text;       /* the symbol's name is ambiguous: give the kernel the distance from _text */
};
struct probe_points {
	VEC(struct probe_point);
};
/*
 * Append the addresses of a definition's place. `wants_variables`: skip the prologue of unoptimised functions, as their
 * variables are not in place before its end. Return -1 with e if there are none, or more than opts.max_probes.
 */
int prober_points(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		  struct err *e);

/*
 * Read only the part of the debug information that has this function, by debug_narrow(). Return false, and read all of
 * it later, if not exactly one symbol has the name.
 */
bool prober_narrow(struct prober *p, const char *function);

/* One probe, ready to define. */
struct probe_event {
	struct trace_probe trace;
	char *shown;     /* "leaf in /bin/x with n": what perf prints behind "on" */
	bool fixed_name; /* the user chose the name */
	bool added;
};
struct probe_events {
	VEC(struct probe_event) v;
	VEC(const char *) notes; /* for the user, in order */
	struct arena arena;
};
/* Append the events of one definition. On failure append nothing. */
int prober_find(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e);
void probe_events_release(struct probe_events *l);

/*
 * Give each event a unique name: append "_1", "_2" ... to copies and, with `force`, to clashing
 * names; without it a clash is an error (exit_code 239). `taken`: the running kernel's probes, or
 * NULL.
 */
int probe_events_name(struct probe_events *l, const struct trace_probes *taken, bool force, struct err *e);
/* Define all events. If the kernel refuses one, remove those before it and return -1 with e. */
int probe_events_add(struct probe_events *l, struct err *e);

/* Return "probe_libc" for a path, "probe" for NULL. */
char *probe_group_of(const char *path, struct arena *arena);

/* ---- source text ---- */
struct source_text {
	char *text;
	VEC(const char *) lines; /* [0] is line 1 */
	char *path;
};
/* Open a source file, found through -s and the unit's directory. Return NULL with e on failure. */
struct source_text *source_open(struct prober *p, const char *file, const char *directory, struct err *e);
void source_close(struct source_text *s);
/* Match a lazy pattern: '*', '?' and sets as in a glob; blanks are ignored. */
bool lazy_match(const char *text, const char *pattern);

/* ---- filters of names: globs with ! & | ( ) ---- */
struct name_filter;
/* Return NULL with e for a rule that cannot be parsed. */
struct name_filter *name_filter_parse(const char *text, struct err *e);
bool name_filter_match(const struct name_filter *f, const char *name); /* no filter (NULL) matches all */
void name_filter_free(struct name_filter *f);

#endif
