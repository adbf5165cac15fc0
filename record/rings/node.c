/* Find the memory node of a CPU. */
#include "record/rings/node_priv.h"

#include "base/mem.h"

bool node_read(const char *root, int cpu, struct cpuset *cpus)
{
	autofree char *online = xasprintf("%s/sys/devices/system/node/online", root);
	struct cpuset nodes = { 0 }; /* their numbers may have gaps */
	bool found = false;

	cpuset_read(&nodes, online, NULL);
	for (size_t i = 0; i < nodes.len && !found; i++) {
		autofree char *list = xasprintf("%s/sys/devices/system/node/node%d/cpulist", root, nodes.items[i]);

		found = !cpuset_read(cpus, list, NULL) && cpuset_has(cpus, cpu);
		if (!found)
			cpuset_free(cpus);
	}
	cpuset_free(&nodes);
	return found;
}
