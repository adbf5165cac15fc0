#ifndef RECORD_MACHINE_COLLECT_PRIV_H
#define RECORD_MACHINE_COLLECT_PRIV_H

#include <limits.h>

#include "base/units.h"
#include "record/machine/collect.h"

/* What the collectors of single features share. Each returns whether its feature could be filled in. */
struct collect {
	struct features *f;
	struct arena *arena;
	const struct collect_opts *opts;
	struct cpuset present;
};
typedef bool collector(struct collect *c);

collector collect_cpu_topology, collect_numa_topology, collect_caches, collect_mem_topology;
collector collect_pmu_mappings, collect_cpu_pmu_caps, collect_pmu_caps, collect_hybrid_topology;

/* Files below opts->root. Paths are made by printf; what is not there reads as false or NULL. */
char *collect_path(const struct collect *c, char buf[PATH_MAX], const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* One line into `buf`. */
bool collect_line(const struct collect *c, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* One line in the arena; NULL if there is none or it is empty. */
const char *collect_text(const struct collect *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A decimal number; `absent` when there is none. */
uint32_t collect_number(const struct collect *c, uint32_t absent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The value behind "key" and a colon (blanks around it ignored) in a text of such lines, into the arena; NULL if
 * absent. */
const char *collect_value(const struct collect *c, const char *text, const char *key);
/* Names in a directory, sorted, in the arena; dot files left out. */
struct str_list collect_names(const struct collect *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct texts {
	VEC(const char *);
};
struct str_list texts_take(struct texts *t, struct arena *a); /* into the arena; the vec is freed */

#endif
