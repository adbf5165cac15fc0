#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

/*
 * Probes: from a definition to what the kernel is told, and back. Nothing here prints; texts for the user come as
 * values.
 *
 *	prober_open -> prober_find (for each definition) -> probe_events_name -> probe_events_add, or only shown
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
	const char *vmlinux; /* image with DWARF; NULL = where distributions keep it */
	const char *source;  /* directory that source paths are looked for in */
	const char *symfs;
	int target_ns; /* exec is meant as this process sees it; 0 = as we do */
	bool no_inlines;
	bool show_only;      /* nothing will be defined: an image of another kernel is fine */
	unsigned max_probes; /* points of one definition */
};

struct prober;
struct probe_point;
struct probe_names {
	VEC(const char *);
};
/* `plain`: without "@VERSION". */
struct probe_listed {
	const char *text, *plain;
};
struct probe_list {
	VEC(struct probe_listed);
};
struct prober *prober_open(const struct prober_opts *opts, struct err *e);
void prober_close(struct prober *p);
bool prober_is_user(const struct prober *p);
/*
 * Names for -F: of the object, or of the running kernel. A version stands behind its name
 * ("memcpy@@GLIBC_2.14") unless it is the default one and no static table writes it there. Texts
 * live as long as the prober.
 */
int prober_names(struct prober *p, bool demangled, struct probe_list *out, struct err *e);
/* Parameters of a kernel function by BTF, for -V: "type\tname" texts, malloc'd. */
int prober_parameters(struct prober *p, const struct probe_point *point, struct probe_names *out, struct err *e);
struct debug *prober_debug(struct prober *p);    /* NULL when there is no object (a kernel without image) */
const char *prober_path(const struct prober *p); /* of the program or image; NULL = none */

/* A place found for a definition. Texts live as long as the prober. */
struct probe_point {
	uint64_t address;     /* of the object; of the running kernel without image its own */
	uint64_t base;        /* of the symbol */
	const char *symbol;   /* function that the address lies in; NULL = none known */
	const char *function; /* name it was asked by, for the event; NULL = none */
	uint32_t scope;       /* id for variables, 0 = no DWARF there */
	bool at_entry;
	const char *module; /* of the kernel; NULL = none */
	bool live;          /* address and base are the running kernel's, not the image's */
	bool by_text;       /* the symbol's name is not unique: the kernel is told the distance from _text */
};
struct probe_points {
	VEC(struct probe_point);
};
int prober_points(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		  struct err *e);

/* The object is only needed for this function: debug_narrow() where one symbol has that name. */
bool prober_narrow(struct prober *p, const char *function);

/* One probe as it will be defined. */
struct probe_event {
	struct trace_probe trace;
	char *shown;     /* "leaf in /bin/x with n": what perf shows behind "on" */
	bool fixed_name; /* the user chose it */
	bool added;
};
struct probe_events {
	VEC(struct probe_event) v;
	VEC(const char *) notes; /* for the user, in order */
	struct arena arena;
};
/* Appends the events of one definition. On failure nothing of it stays. */
int prober_find(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e);
void probe_events_release(struct probe_events *l);

/*
 * Give events names that no other has: "_1", "_2" ... for copies and, with `force`, for clashes; else a clash is an
 * error (exit_code 239). `taken` may be NULL: nothing is compared with the running kernel.
 */
int probe_events_name(struct probe_events *l, const struct trace_probes *taken, bool force, struct err *e);
/* Define all; when one is refused those before it are taken back. */
int probe_events_add(struct probe_events *l, struct err *e);

/* "probe_libc" for a path, "probe" for NULL. */
char *probe_group_of(const char *path, struct arena *arena);

/* ---- source text ---- */
/* The lines of a source file, found with -s and the unit's directory. NULL with e. */
struct source {
	char *text;
	VEC(const char *) lines;
	char *path;
};
struct source *source_open(struct prober *p, const char *file, const char *directory, struct err *e);
void source_close(struct source *s);
/* A lazy pattern: '*' and '?' and sets as in a glob, blanks ignored; a '*' is implied at both ends? No: at the end only
 * what the pattern says. */
bool lazy_match(const char *text, const char *pattern);

/* ---- filters of names: globs with ! & | ( ) ---- */
struct name_filter;
struct name_filter *name_filter_parse(const char *text, struct err *e);
bool name_filter_match(const struct name_filter *f, const char *name);
void name_filter_free(struct name_filter *f);

#endif
