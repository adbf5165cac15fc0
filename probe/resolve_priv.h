#ifndef PROBE_RESOLVE_PRIV_H
#define PROBE_RESOLVE_PRIV_H

/*
 * The steps from a definition's place to addresses (resolve.c). resolve_kernel.c has those for the
 * kernel.
 */
#include "probe/prober_priv.h"

bool name_is_glob(const char *s);
/* Add a point unless its address is already there. */
void points_add(struct probe_points *out, const struct probe_point *point);
/*
 * Find points by the object's DWARF, symbols or source files. Finding nothing is no error, unless a
 * match exists that cannot be probed.
 */
int points_by_dwarf(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		    struct err *e);
int points_by_alias(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		    struct err *e);
int points_by_source(struct prober *p, const struct probe_spec *spec, struct probe_points *out, struct err *e);
int points_explain_none(struct prober *p, const struct probe_spec *spec, struct err *e);
/* Check that an instruction begins at each point, and that there are not too many points. */
int points_check_boundaries(struct prober *p, const struct probe_spec *spec, const struct probe_points *points,
			    struct err *e);
int points_check_count(struct prober *p, const struct probe_spec *spec, size_t n, struct err *e);
/* Return the nearest line that can have a probe, 0 if there is none. */
uint32_t points_nearest_line(const struct debug_lines *lines, uint32_t wanted);
/* Find the lines of a function that match a pattern (resolve_pattern.c). */
int points_at_pattern(struct prober *p, const struct debug_function *f, const struct probe_point *like,
		      const char *pattern, struct probe_points *out, struct err *e);
/*
 * Report that no line matched: where we searched, and what comes nearest. `lines`: those with code.
 */
int pattern_not_in_function(struct prober *p, const struct debug_function *f, const struct probe_spec *spec,
			    struct err *e);
int pattern_not_found(struct prober *p, const struct probe_spec *spec, const struct source_text *source,
		      const struct debug_lines *lines, struct err *e);
/* Find a place in the kernel or a module: by its image, or by kallsyms and BTF. */
int points_in_kernel(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		     struct err *e);

#endif
