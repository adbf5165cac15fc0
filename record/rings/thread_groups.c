/* Assign the rings of CPUs to reader threads. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "record/rings/node_priv.h"
#include "record/rings/thread_groups.h"

void thread_groups_release(struct thread_groups *g)
{
	for (size_t i = 0; i < g->groups.len; i++) {
		cpuset_free(&g->groups.items[i].cpus);
		cpuset_free(&g->groups.items[i].affinity);
	}
	vec_free(&g->groups);
}

static bool is_taken(const struct thread_groups *g, int cpu)
{
	for (size_t i = 0; i < g->groups.len; i++)
		if (cpuset_has(&g->groups.items[i].cpus, cpu))
			return true;
	return false;
}

/*
 * Collect the CPUs that share this one's core, package or node. Source:
 * Documentation/ABI/stable/sysfs-devices-system-cpu.
 */
static void share(const char *kind, int cpu, struct cpuset *set)
{
	char path[96];

	if (!strcmp(kind, "numa")) {
		node_read("", cpu, set);
		return;
	}
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s_siblings_list", cpu,
		 strcmp(kind, "core") ? "core" : "thread");
	cpuset_read(set, path, NULL);
}

static void group_by(struct thread_groups *g, const char *kind, const struct cpuset *cpus)
{
	for (size_t i = 0; i < cpus->len; i++) {
		int cpu = cpus->items[i];
		struct thread_group group = { 0 };
		struct cpuset all = { 0 };

		if (is_taken(g, cpu))
			continue;
		if (strcmp(kind, "cpu"))
			share(kind, cpu, &all);
		if (!cpuset_has(&all, cpu))
			cpuset_add(&all, cpu);
		for (size_t j = 0; j < all.len; j++) {
			if (cpuset_has(cpus, all.items[j]) && !is_taken(g, all.items[j]))
				cpuset_add(&group.cpus, all.items[j]);
			cpuset_add(&group.affinity, all.items[j]);
		}
		cpuset_free(&all);
		vec_push(&g->groups, group);
	}
}

static int bad(struct err *e, const char *what, const char *text)
{
	err_set(e, "%s '%s'", what, text);
	err_try(e, "--threads=cpu, core, package, numa, or lists of CPUs as 0-1/0:2-3/2");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Parse "0-1/0": a thread on CPU 0 reads the rings of CPUs 0 and 1. */
static int add_masks(struct thread_groups *g, char *text, const struct cpuset *cpus, struct err *e)
{
	char *slash = strchr(text, '/');
	struct cpuset wanted = { 0 };
	struct thread_group group = { 0 };
	int result = 0;

	if (!slash)
		return bad(e, "Invalid thread maps or affinity specs", text);
	*slash = '\0';
	if (cpuset_parse(&wanted, text, NULL) < 0 || cpuset_parse(&group.affinity, slash + 1, NULL) < 0)
		result = bad(e, "Invalid thread maps or affinity specs", text);
	for (size_t i = 0; !result && i < wanted.len; i++) {
		if (is_taken(g, wanted.items[i]))
			result = bad(e, "Intersecting maps mask:", text);
		else if (cpuset_has(cpus, wanted.items[i]))
			cpuset_add(&group.cpus, wanted.items[i]);
	}
	if (!result && !group.cpus.len)
		result = bad(e, "no CPU of the recording is in", text);
	cpuset_free(&wanted);
	vec_push(&g->groups, group);
	return result;
}

int thread_groups_make(struct thread_groups *g, const char *spec, const struct cpuset *cpus, struct err *e)
{
	static const char *const kinds[] = { "cpu", "core", "package", "numa" };
	autofree char *copy = xstrdup(spec);
	char *next = copy, *word;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(spec, kinds[i]))
			continue;
		group_by(g, spec, cpus);
		return 0;
	}
	while ((word = strsep(&next, ":")))
		if (add_masks(g, word, cpus, e) < 0)
			return -1;
	return 0;
}
