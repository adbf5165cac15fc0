#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Parse numbers with suffixes, as perf's options take them. Return -1 with e ("bad size '3X'") for
 * anything else, also on overflow.
 */
int parse_u64(const char *s, uint64_t *v, struct err *e); /* decimal or 0x, no suffix */
/* suffix B K M G (powers of 1024) or none */
int parse_size(const char *s, uint64_t *bytes, struct err *e);
/* suffix s m h d ms us ns, or none for seconds; the number may have a fraction */
int parse_duration(const char *s, uint64_t *ns, struct err *e);

/* A set of CPU numbers, sorted and without duplicates. A zeroed struct is a valid empty set. */
struct cpuset {
	VEC(int);
};
/*
 * Parse "0-3,5". Return -1 with e and add nothing when the list is malformed, a number is >= 65536,
 * or a range runs backwards.
 */
int cpuset_parse(struct cpuset *c, const char *list, struct err *e);
int cpuset_read(struct cpuset *c, const char *path, struct err *e); /* a sysfs file in that form */
bool cpuset_has(const struct cpuset *c, int cpu);
void cpuset_add(struct cpuset *c, int cpu);
/* Write "0-3,5" into buf (NUL-terminated, cut if it does not fit) and return buf. */
char *cpuset_format(const struct cpuset *c, char *buf, size_t size);
void cpuset_free(struct cpuset *c);

#endif
