#ifndef PROBE_RESOLVE_PRIV_H
#define PROBE_RESOLVE_PRIV_H

/* The steps from a definition's place to addresses (resolve.c), of which those for the kernel have a file of their own
 * (resolve_kernel.c). */
#include "probe/prober_priv.h"

enum { NOT_FOUND = 254, TOO_MANY = 249, INVALID = 234 }; /* exit codes as perf's */

bool name_is_glob(const char *s);
/* Each address once. */
void points_add(struct probe_points *out, const struct probe_point *point);
/* By the object's DWARF, by its symbols, by its source files; nothing found is no error, unless something was and
 * cannot be had. */
int points_by_dwarf(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		    struct err *e);
int points_by_alias(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		    struct err *e);
int points_by_source(struct prober *p, const struct probe_spec *spec, struct probe_points *out, struct err *e);
int points_explain_none(struct prober *p, const struct probe_spec *spec, struct err *e);
/* Whether instructions begin there, and whether there are too many. */
int points_check_boundaries(struct prober *p, const struct probe_spec *spec, const struct probe_points *points,
			    struct err *e);
int points_check_count(struct prober *p, const struct probe_spec *spec, size_t n, struct err *e);
/* The nearest line that a probe can stand at, 0 if there is none. */
uint32_t points_nearest_line(const struct debug_lines *lines, uint32_t wanted);
/* Lines of a function that match a pattern (resolve_pattern.c). */
int points_at_pattern(struct prober *p, const struct debug_function *f, const struct probe_point *like,
		      const char *pattern, struct probe_points *out, struct err *e);
/* Raise that none did: where was looked, and what comes nearest. `lines`: those with code. */
int pattern_not_in_function(struct prober *p, const struct debug_function *f, const struct probe_spec *spec,
			    struct err *e);
int pattern_not_found(struct prober *p, const struct probe_spec *spec, const struct source *source,
		      const struct debug_lines *lines, struct err *e);
/* A place of the kernel or a module: by its image, or by kallsyms and BTF. */
int points_in_kernel(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		     struct err *e);

#endif
