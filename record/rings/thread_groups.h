#ifndef RECORD_RINGS_THREAD_GROUPS_H
#define RECORD_RINGS_THREAD_GROUPS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"

/* --threads: who reads which rings, and where. */
struct thread_group {
	struct cpuset cpus, affinity;
}; /* whose rings; where the thread runs */
struct thread_groups {
	VEC(struct thread_group) groups;
};

/*
 * "cpu", "core", "package", "numa", or CPUS/AFFINITY[:CPUS/AFFINITY]... as CPU lists, for these CPUs. A CPU that no
 * group names is read by the main thread. -1 and e, with perf's words, when a list is malformed or two name the same
 * CPU.
 */
int thread_groups_make(struct thread_groups *g, const char *spec, const struct cpuset *cpus, struct err *e);
void thread_groups_release(struct thread_groups *g);

#endif
