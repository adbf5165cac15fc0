/* Collect the topology of CPUs, NUMA nodes, caches and memory. */
#include <stdio.h>

#include "base/file.h"
#include "record/machine/collect_priv.h"

#define CPU "/sys/devices/system/cpu/cpu%d"

/* All CPUs of a group list the same CPUs: take each list only from its first CPU. */
static bool starts_with(const char *list, int cpu) { return list && strtol(list, NULL, 10) == cpu; }

/*
 * Add a list of CPUs. Newer kernels name the lists after their contents, older ones after
 * siblings.
 */
static void add_list(struct collect *c, struct name_list *to, int cpu, const char *name, const char *old_name)
{
	const char *list = collect_text(c, CPU "/topology/%s", cpu, name);

	if (!list && old_name)
		list = collect_text(c, CPU "/topology/%s", cpu, old_name);
	if (starts_with(list, cpu))
		vec_push(to, list);
}

bool collect_cpu_topology(struct collect *c)
{
	struct features *f = c->f;
	struct name_list packages = { 0 }, dies = { 0 }, cores = { 0 };

	if (!f->cpus_available)
		return false;
	f->n_cpus = f->cpus_available;
	f->cpus = arena_alloc(c->arena, f->n_cpus * sizeof(*f->cpus));
	for (uint32_t i = 0; i < f->n_cpus; i++)
		f->cpus[i] = (struct feature_cpu){ UINT32_MAX, UINT32_MAX, UINT32_MAX };
	for (size_t i = 0; i < c->present.len; i++) {
		int cpu = c->present.items[i];

		add_list(c, &packages, cpu, "package_cpus_list", "core_siblings_list");
		add_list(c, &dies, cpu, "die_cpus_list", NULL);
		add_list(c, &cores, cpu, "core_cpus_list", "thread_siblings_list");
		f->cpus[cpu].core_id = collect_number(c, UINT32_MAX, CPU "/topology/core_id", cpu);
		f->cpus[cpu].socket_id = collect_number(c, UINT32_MAX, CPU "/topology/physical_package_id", cpu);
		f->cpus[cpu].die_id = collect_number(c, UINT32_MAX, CPU "/topology/die_id", cpu);
	}
	f->has_dies = dies.len;
	f->packages = name_list_take(&packages, c->arena);
	f->dies = name_list_take(&dies, c->arena);
	f->cores = name_list_take(&cores, c->arena);
	return f->packages.n && f->cores.n;
}

/* Parse "Node 0 MemTotal:  10971352 kB". */
static uint64_t node_kb(const struct collect *c, const char *text, int node, const char *what)
{
	char key[64];
	const char *value;

	snprintf(key, sizeof(key), "Node %d %s", node, what);
	value = collect_value(c, text, key);
	return value ? strtoull(value, NULL, 10) : 0;
}

bool collect_numa_topology(struct collect *c)
{
	struct cpuset nodes = { 0 };
	char path[PATH_MAX];

	if (cpuset_read(&nodes, collect_path(c, path, "/sys/devices/system/node/online"), NULL) < 0)
		return false;
	c->f->n_nodes = (uint32_t)nodes.len;
	c->f->nodes = arena_alloc(c->arena, nodes.len * sizeof(*c->f->nodes));
	for (size_t i = 0; i < nodes.len; i++) {
		int n = nodes.items[i];
		autofree char *meminfo = file_read(collect_path(c, path, "/sys/devices/system/node/node%d/meminfo", n),
						   1 << 16, NULL, NULL);
		const char *cpus = collect_text(c, "/sys/devices/system/node/node%d/cpulist", n);

		c->f->nodes[i] = (struct feature_node){ (uint32_t)n, node_kb(c, meminfo, n, "MemTotal"),
							node_kb(c, meminfo, n, "MemFree"), cpus ? cpus : "" };
	}
	cpuset_free(&nodes);
	return c->f->n_nodes;
}

struct caches {
	VEC(struct feature_cache);
};

#define CACHE CPU "/cache/index%d"

/* Collect a cache. Return false when this CPU has no cache with that index. */
static bool collect_cache(const struct collect *c, struct caches *list, int cpu, int index)
{
	struct feature_cache cache = { .level = collect_number(c, UINT32_MAX, CACHE "/level", cpu, index) };

	if (cache.level == UINT32_MAX)
		return false;
	cache.cpus = collect_text(c, CACHE "/shared_cpu_list", cpu, index);
	if (!starts_with(cache.cpus, cpu))
		return true;
	cache.type = collect_text(c, CACHE "/type", cpu, index);
	cache.size = collect_text(c, CACHE "/size", cpu, index);
	if (!cache.type || !cache.size)
		return true;
	cache.line_size = collect_number(c, 0, CACHE "/coherency_line_size", cpu, index);
	cache.sets = collect_number(c, 0, CACHE "/number_of_sets", cpu, index);
	cache.ways = collect_number(c, 0, CACHE "/ways_of_associativity", cpu, index);
	vec_push(list, cache);
	return true;
}

bool collect_caches(struct collect *c)
{
	struct caches found = { 0 };
	struct features *f = c->f;

	for (size_t i = 0; i < c->present.len; i++) {
		int index = 0;

		while (index < 16 && collect_cache(c, &found, c->present.items[i], index))
			index++;
	}
	f->caches = arena_alloc(c->arena, found.len * sizeof(*f->caches));
	/* Sort by level; keep the order within a level. */
	for (uint32_t level = 0; level < 16; level++)
		for (size_t i = 0; i < found.len; i++)
			if (found.items[i].level == level)
				f->caches[f->n_caches++] = found.items[i];
	vec_free(&found);
	return f->n_caches;
}

static bool collect_mem_node(struct collect *c, int node, struct feature_mem_node *m)
{
	struct str_list names = collect_names(c, "/sys/devices/system/node/node%d", node);
	struct cpuset blocks = { 0 };

	for (uint32_t i = 0; i < names.n; i++)
		if (!strncmp(names.items[i], "memory", 6))
			cpuset_parse(&blocks, names.items[i] + 6, NULL);
	m->node = (uint64_t)node;
	m->size = m->n_bits = blocks.len ? (uint64_t)blocks.items[blocks.len - 1] + 1 : 0;
	m->words = arena_alloc(c->arena, ROUND_UP(m->n_bits, 64) / 8);
	for (size_t i = 0; i < blocks.len; i++)
		m->words[blocks.items[i] / 64] |= 1ull << blocks.items[i] % 64;
	cpuset_free(&blocks);
	return m->n_bits;
}

bool collect_mem_topology(struct collect *c)
{
	struct cpuset nodes = { 0 };
	char path[PATH_MAX], size[64];

	if (!collect_line(c, size, sizeof(size), "/sys/devices/system/memory/block_size_bytes") ||
	    cpuset_read(&nodes, collect_path(c, path, "/sys/devices/system/node/online"), NULL) < 0)
		return false;
	c->f->mem_block_size = strtoull(size, NULL, 16);
	c->f->mem_nodes = arena_alloc(c->arena, nodes.len * sizeof(*c->f->mem_nodes));
	for (size_t i = 0; i < nodes.len; i++)
		c->f->n_mem_nodes += collect_mem_node(c, nodes.items[i], &c->f->mem_nodes[c->f->n_mem_nodes]);
	cpuset_free(&nodes);
	return c->f->mem_block_size && c->f->n_mem_nodes;
}
