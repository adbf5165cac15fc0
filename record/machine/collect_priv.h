#ifndef RECORD_MACHINE_COLLECT_PRIV_H
#define RECORD_MACHINE_COLLECT_PRIV_H

#include <limits.h>

#include "base/units.h"
#include "record/machine/collect.h"

/*
 * Shared by the collectors of single features. Each collector returns whether it could fill in
 * its feature.
 */
struct collect {
	struct features *f;
	struct arena *arena;
	const struct collect_opts *opts;
	struct cpuset present;
};
typedef bool collector(struct collect *c);

collector collect_cpu_topology, collect_numa_topology, collect_caches, collect_mem_topology;
collector collect_pmu_mappings, collect_cpu_pmu_caps, collect_pmu_caps, collect_hybrid_topology;

/* Read files below opts->root. Paths are printf formats. Missing files yield false or NULL. */
char *collect_path(const struct collect *c, char buf[PATH_MAX], const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Read one line into `buf`. */
bool collect_line(const struct collect *c, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Return one line in the arena; NULL if it is missing or empty. */
const char *collect_text(const struct collect *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Return a decimal number; `absent` when there is none. */
uint32_t collect_number(const struct collect *c, uint32_t absent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Return the value behind "key" and a colon (blanks around it ignored) in lines of text, in the
 * arena; NULL if absent.
 */
const char *collect_value(const struct collect *c, const char *text, const char *key);
/* List the names in a directory, sorted, in the arena, without dot files. */
struct str_list collect_names(const struct collect *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct name_list {
	VEC(const char *);
};
/* move the list into the arena; frees the vec */
struct str_list name_list_take(struct name_list *t, struct arena *a);

#endif
