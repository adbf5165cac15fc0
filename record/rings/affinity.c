/* Move the reader to the CPU or node of the ring that it reads. */
#include "record/rings/affinity.h"

#include <string.h>

#include "base/file.h"
#include "record/rings/node_priv.h"

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

static bool node_of(int cpu, cpu_set_t *set)
{
	struct cpuset cpus = { 0 };
	bool found = node_read("", cpu, &cpus);

	for (size_t i = 0; i < cpus.len; i++)
		if (cpus.items[i] < CPU_SETSIZE)
			CPU_SET(cpus.items[i], set);
	cpuset_free(&cpus);
	return found;
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
