#include "stat/topology_priv.h"

#include "base/file.h"
#include "base/search.h"
#include "format/features.h"

static int number(const char *root, int cpu, const char *name)
{
	autofree char *path = xasprintf("%s/sys/devices/system/cpu/cpu%d/%s", root, cpu, name);
	char text[64], *end;
	long n;

	if (file_read_line(path, text, sizeof(text)) < 0)
		return UNPLACED;
	n = strtol(text, &end, 10);
	return end == text || n < 0 || n > INT32_MAX ? UNPLACED : (int)n;
}

/* Identify each cache by the first CPU that shares it, because many machines lack its `id`. */
static void read_caches(struct cpu_place *p, const char *root)
{
	for (int index = 0; index < 10; index++) {
		autofree char *level_name = xasprintf("cache/index%d/level", index);
		autofree char *type_name =
			xasprintf("%s/sys/devices/system/cpu/cpu%d/cache/index%d/type", root, p->cpu, index);
		autofree char *shared_name = xasprintf("cache/index%d/shared_cpu_list", index);
		int level = number(root, p->cpu, level_name);
		char type[32] = "";

		if (level == UNPLACED)
			return;
		file_read_line(type_name, type, sizeof(type));
		if (level > 0 && level < CACHE_LEVELS && strcmp(type, "Instruction"))
			p->cache[level] = number(root, p->cpu, shared_name);
	}
}

static void place_init(struct cpu_place *p, int cpu)
{
	*p = (struct cpu_place){ cpu, UNPLACED, UNPLACED, UNPLACED, UNPLACED, UNPLACED, { 0 } };
	for (int i = 0; i < CACHE_LEVELS; i++)
		p->cache[i] = UNPLACED;
}

static struct cpu_place *place_of(struct topology *t, int cpu)
{
	size_t at = search_count(i, t->cpus.len, t->cpus.items[i].cpu < cpu);

	return at < t->cpus.len && t->cpus.items[at].cpu == cpu ? &t->cpus.items[at] : NULL;
}

static void set_nodes(struct topology *t, int node, const struct cpuset *cpus)
{
	for (size_t i = 0; i < cpus->len; i++) {
		struct cpu_place *p = place_of(t, cpus->items[i]);

		if (p)
			p->node = node;
	}
}

static void set_caches(struct topology *t, unsigned level, const struct cpuset *cpus)
{
	for (size_t i = 0; i < cpus->len; i++) {
		struct cpu_place *p = place_of(t, cpus->items[i]);

		if (p)
			p->cache[level] = cpus->items[0];
	}
}

static void read_nodes(struct topology *t, const char *root)
{
	autofree char *path = xasprintf("%s/sys/devices/system/node/online", root);
	struct cpuset nodes = { 0 };

	cpuset_read(&nodes, path, NULL);
	for (size_t i = 0; i < nodes.len; i++) {
		autofree char *list = xasprintf("%s/sys/devices/system/node/node%d/cpulist", root, nodes.items[i]);
		struct cpuset cpus = { 0 };

		if (!cpuset_read(&cpus, list, NULL))
			set_nodes(t, nodes.items[i], &cpus);
		cpuset_free(&cpus);
	}
	cpuset_free(&nodes);
}

void topology_read(struct topology *t, const struct cpuset *cpus, const char *root)
{
	for (size_t i = 0; i < cpus->len; i++) {
		struct cpu_place p;

		place_init(&p, cpus->items[i]);
		p.socket = number(root, p.cpu, "topology/physical_package_id");
		p.die = number(root, p.cpu, "topology/die_id");
		p.cluster = number(root, p.cpu, "topology/cluster_id");
		p.core = number(root, p.cpu, "topology/core_id");
		read_caches(&p, root);
		vec_push(&t->cpus, p);
	}
	read_nodes(t, root);
}

static int of_file(uint32_t n) { return n > INT32_MAX ? UNPLACED : (int)n; }

/*
 * Parse the CPUs of a node or cache. Return false if the text is no list, or if all lists together name more CPUs than
 * a machine can have: reading a hostile file must end. *left: how many may still come.
 */
static bool take_cpus(struct cpuset *cpus, const char *list, size_t *left)
{
	bool taken = *left && list && !cpuset_parse(cpus, list, NULL) && cpus->len;

	*left -= MIN(cpus->len, *left);
	return taken && *left;
}

void topology_of_features(struct topology *t, const struct features *f)
{
	enum { CPUS_MAX = 65536 };
	size_t left = (1 + CACHE_LEVELS) * CPUS_MAX; /* a CPU has one node, and one cache of each level */

	for (uint32_t cpu = 0; cpu < f->n_cpus && cpu < CPUS_MAX; cpu++) {
		struct cpu_place p;

		place_init(&p, (int)cpu);
		p.socket = of_file(f->cpus[cpu].socket_id);
		p.die = f->has_dies ? of_file(f->cpus[cpu].die_id) : UNPLACED;
		p.core = of_file(f->cpus[cpu].core_id);
		vec_push(&t->cpus, p);
	}
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		struct cpuset cpus = { 0 };

		if (take_cpus(&cpus, f->nodes[i].cpus, &left))
			set_nodes(t, of_file(f->nodes[i].node), &cpus);
		cpuset_free(&cpus);
	}
	for (uint32_t i = 0; i < f->n_caches; i++) {
		const struct feature_cache *c = &f->caches[i];
		struct cpuset cpus = { 0 };

		if (c->level && c->level < CACHE_LEVELS && c->type && strcmp(c->type, "Instruction") &&
		    take_cpus(&cpus, c->cpus, &left))
			set_caches(t, c->level, &cpus);
		cpuset_free(&cpus);
	}
}

const struct cpu_place *topology_find(const struct topology *t, int cpu) { return place_of((struct topology *)t, cpu); }

void topology_release(struct topology *t) { vec_free(&t->cpus); }
