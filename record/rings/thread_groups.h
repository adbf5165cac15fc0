#ifndef RECORD_RINGS_THREAD_GROUPS_H
#define RECORD_RINGS_THREAD_GROUPS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"

/* --threads: assign rings to threads, and threads to CPUs. */
struct thread_group {
	struct cpuset cpus;     /* whose rings it reads */
	struct cpuset affinity; /* where it runs */
};
struct thread_groups {
	VEC(struct thread_group) groups;
};

/*
 * Make groups for these CPUs: "cpu", "core", "package", "numa", or
 * CPUS/AFFINITY[:CPUS/AFFINITY]... as CPU lists. The main thread reads CPUs that are in no
 * group. Return -1 with e, in perf's words, when a list is malformed or two contain the same
 * CPU.
 */
int thread_groups_make(struct thread_groups *g, const char *spec, const struct cpuset *cpus, struct err *e);
void thread_groups_release(struct thread_groups *g);

#endif
