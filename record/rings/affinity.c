/* Move the reader to the CPU or node of the ring that it reads. */
#include "record/rings/affinity.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"

enum { NODES_MAX = 1024 };

int affinity_parse(enum affinity_mode *mode, const char *text, struct err *e)
{
	if (!strcasecmp(text, "node") || !strcasecmp(text, "cpu")) {
		*mode = strcasecmp(text, "node") ? AFFINITY_CPU : AFFINITY_NODE;
		return 0;
	}
	err_set(e, "unknown affinity '%s'", text);
	err_try(e, "--affinity=node or --affinity=cpu");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Collect the CPUs of this one's node. Source: Documentation/ABI/stable/sysfs-devices-node. */
static bool node_of(int cpu, cpu_set_t *set)
{
	for (int node = 0; node < NODES_MAX; node++) {
		struct cpuset cpus = { 0 };
		char path[64];
		bool found;

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
		if (cpuset_read(&cpus, path, NULL) < 0)
			return false;
		found = cpuset_has(&cpus, cpu);
		for (size_t i = 0; found && i < cpus.len; i++)
			if (cpus.items[i] < CPU_SETSIZE)
				CPU_SET(cpus.items[i], set);
		cpuset_free(&cpus);
		if (found)
			return true;
	}
	return false;
}

void affinity_follow(enum affinity_mode mode, int cpu, int *at)
{
	cpu_set_t set;

	if (mode == AFFINITY_ANY || cpu < 0 || cpu >= CPU_SETSIZE || cpu + 1 == *at)
		return;
	*at = cpu + 1;
	CPU_ZERO(&set);
	if (mode == AFFINITY_CPU)
		CPU_SET(cpu, &set);
	else if (!node_of(cpu, &set))
		return;
	sched_setaffinity(0, sizeof(set), &set);
}
