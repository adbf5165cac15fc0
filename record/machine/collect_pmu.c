/* Collect the PMUs of this machine, their capabilities and the kinds of cores. */
#include "record/machine/collect_priv.h"

#define PMUS "/sys/bus/event_source/devices"

/*
 * Collect the PMUs and their types. Source:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices.
 */
bool collect_pmu_mappings(struct collect *c)
{
	struct str_list names = collect_names(c, PMUS);
	struct features *f = c->f;

	f->pmus = arena_alloc(c->arena, names.n * sizeof(*f->pmus));
	for (uint32_t i = 0; i < names.n; i++) {
		uint32_t type = collect_number(c, UINT32_MAX, PMUS "/%s/type", names.items[i]);

		if (type != UINT32_MAX)
			f->pmus[f->n_pmus++] = (struct feature_pmu){ type, names.items[i] };
	}
	return f->n_pmus;
}

static uint32_t collect_caps(struct collect *c, const char *pmu, struct feature_cap **caps)
{
	struct str_list names = collect_names(c, PMUS "/%s/caps", pmu);
	uint32_t n = 0;

	*caps = names.n ? arena_alloc(c->arena, names.n * sizeof(**caps)) : NULL;
	for (uint32_t i = 0; i < names.n; i++) {
		const char *value = collect_text(c, PMUS "/%s/caps/%s", pmu, names.items[i]);

		if (value)
			(*caps)[n++] = (struct feature_cap){ names.items[i], value };
	}
	return n;
}

bool collect_cpu_pmu_caps(struct collect *c)
{
	c->f->n_cpu_caps = collect_caps(c, "cpu", &c->f->cpu_caps);
	return c->f->n_cpu_caps;
}

bool collect_pmu_caps(struct collect *c)
{
	struct features *f = c->f;

	f->pmu_caps = arena_alloc(c->arena, f->n_pmus * sizeof(*f->pmu_caps));
	for (uint32_t i = 0; i < f->n_pmus; i++) {
		struct feature_pmu_caps caps = { .pmu = f->pmus[i].name };

		if (!strcmp(caps.pmu, "cpu"))
			continue;
		caps.n = collect_caps(c, caps.pmu, &caps.caps);
		if (caps.n)
			f->pmu_caps[f->n_pmu_caps++] = caps;
	}
	return f->n_pmu_caps;
}

/*
 * Collect the kinds of cores. Hybrid machines have a PMU for each kind, named after it, that
 * lists its CPUs.
 */
bool collect_hybrid_topology(struct collect *c)
{
	struct features *f = c->f;

	f->hybrids = arena_alloc(c->arena, f->n_pmus * sizeof(*f->hybrids));
	for (uint32_t i = 0; i < f->n_pmus; i++) {
		const char *cpus =
			!strncmp(f->pmus[i].name, "cpu_", 4) ? collect_text(c, PMUS "/%s/cpus", f->pmus[i].name) : NULL;

		if (cpus)
			f->hybrids[f->n_hybrids++] = (struct feature_hybrid){ f->pmus[i].name, cpus };
	}
	return f->n_hybrids;
}
