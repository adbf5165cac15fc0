#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/err.h"
#include "base/mem.h"

/* Numbers with suffixes, as perf's options take them. -1 and e ("bad size '3X'") on anything else, overflow included.
 */
int parse_u64(const char *s, uint64_t *v, struct err *e);      /* decimal or 0x, nothing behind it */
int parse_size(const char *s, uint64_t *bytes, struct err *e); /* suffix B K M G (powers of 1024) or none */
int parse_duration(const char *s, uint64_t *ns,
		   struct err *e); /* suffix s m h d, ms us ns; or plain seconds with fraction */

/* A set of CPU numbers, kept sorted and free of duplicates. Zeroed = empty. */
struct cpuset {
	VEC(int);
};
/* "0-3,5"; -1 and e when malformed, a number is >= 65536, or a range runs backwards. Appends nothing on failure. */
int cpuset_parse(struct cpuset *c, const char *list, struct err *e);
int cpuset_read(struct cpuset *c, const char *path, struct err *e); /* a sysfs file of that shape */
bool cpuset_has(const struct cpuset *c, int cpu);
void cpuset_add(struct cpuset *c, int cpu);
/* "0-3,5" into buf (NUL-terminated, cut if it does not fit); returns buf. */
char *cpuset_format(const struct cpuset *c, char *buf, size_t size);
void cpuset_free(struct cpuset *c);

#endif
