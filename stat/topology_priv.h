#ifndef STAT_TOPOLOGY_PRIV_H
#define STAT_TOPOLOGY_PRIV_H

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"

/*
 * The place of each CPU: core, die, socket and so on, from sysfs or a recording. UNPLACED where
 * unknown. Source: Documentation/ABI/stable/sysfs-devices-system-cpu of the kernel, "topology";
 * strobe.data(5), "CPU_TOPOLOGY".
 */
enum { UNPLACED = -1, CACHE_LEVELS = 5 };
struct cpu_place {
	int cpu, socket, die, cluster, core, node;
	int cache[CACHE_LEVELS]; /* the first CPU that shares the data cache of level 1..4 */
};
struct topology {
	VEC(struct cpu_place) cpus;
}; /* by CPU number, ascending */

/* Read the places of these CPUs from the sysfs below `root` ("" for the running system). */
void topology_read(struct topology *t, const struct cpuset *cpus, const char *root);
struct features;
/* Read the places from a recording. */
void topology_of_features(struct topology *t, const struct features *f);
const struct cpu_place *topology_find(const struct topology *t, int cpu); /* NULL if unknown */
void topology_release(struct topology *t);

#endif
