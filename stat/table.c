#include "stat/table_priv.h"

#include <linux/perf_event.h>

#include "base/search.h"

const struct aggregation_text aggregation_texts[AGGREGATIONS] = {
	[PER_ALL] = { NULL, NULL, 0, false },
	[PER_SOCKET] = { "socket", "socket", 6, true },
	[PER_DIE] = { "die", "die", 12, true },
	[PER_CLUSTER] = { "cluster", "cluster", 20, true },
	[PER_CACHE] = { "cache", "cache", 22, true },
	[PER_CORE] = { "core", "core", 15, true },
	[PER_NODE] = { "node", "node", 6, true },
	[PER_CPU] = { "cpu", "CPU", 10, false },
	[PER_THREAD] = { "thread", "comm-pid", 25, false },
};

/*
 * Return the kind of a cache event. "Misses" means load misses: cache, operation read, result.
 * Source: perf_event_open(2), PERF_TYPE_HW_CACHE.
 */
static enum counter_kind cache_kind(uint64_t config)
{
	static const struct {
		uint8_t cache;
		enum counter_kind all, misses;
	} rows[] = {
		{ PERF_COUNT_HW_CACHE_L1D, KIND_L1D, KIND_L1D_MISSES },
		{ PERF_COUNT_HW_CACHE_L1I, KIND_L1I, KIND_L1I_MISSES },
		{ PERF_COUNT_HW_CACHE_LL, KIND_LL, KIND_LL_MISSES },
		{ PERF_COUNT_HW_CACHE_DTLB, KIND_DTLB, KIND_DTLB_MISSES },
		{ PERF_COUNT_HW_CACHE_ITLB, KIND_ITLB, KIND_ITLB_MISSES },
	};

	if ((config >> 8 & 0xff) != PERF_COUNT_HW_CACHE_OP_READ)
		return KIND_PLAIN;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].cache == (config & 0xff))
			return config >> 16 & 0xff ? rows[i].misses : rows[i].all;
	return KIND_PLAIN;
}

enum counter_kind counter_kind_of(uint32_t type, uint64_t config)
{
	static const enum counter_kind hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = KIND_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = KIND_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = KIND_CACHE_REFS,
		[PERF_COUNT_HW_CACHE_MISSES] = KIND_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = KIND_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = KIND_BRANCH_MISSES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = KIND_STALLED_FRONT,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = KIND_STALLED_BACK,
	};

	config &= UINT32_MAX; /* the upper half is the kind of cores */
	if (type == PERF_TYPE_HARDWARE)
		return config < ARRAY_SIZE(hardware) ? hardware[config] : KIND_PLAIN;
	if (type == PERF_TYPE_HW_CACHE)
		return cache_kind(config);
	if (type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK))
		return KIND_CLOCK;
	return KIND_PLAIN;
}

bool is_tool_time(const char *event)
{
	return !strcmp(event, "duration_time") || !strcmp(event, "user_time") || !strcmp(event, "system_time");
}

/* ---- counters ---- */

static bool same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/*
 * Return true if two events become one line. Instances of a device outside the cores count parts of
 * one thing. The same events on several kinds of cores merge on request.
 */
static bool merges(const struct table *t, const struct measured *a, const struct measured *b)
{
	bool instances = a->uncore && b->uncore && !t->o.no_merge;
	bool cores = a->core_type && b->core_type && t->o.hybrid_merge && !t->o.no_merge;

	return (instances || cores) && same(a->name, b->name) && !same(a->pmu, b->pmu) && same(a->cgroup, b->cgroup) &&
	       same(a->unit, b->unit) && a->scale == b->scale;
}

static uint32_t counter_for(struct table *t, size_t i)
{
	const struct measured *m = &t->measured[i];
	/* not if name= was given */
	bool told_apart = t->o.no_merge && m->uncore && m->pmu && !strstr(m->name, m->pmu);

	for (size_t j = 0; j < i; j++)
		if (merges(t, &t->measured[j], m)) {
			t->counters.items[t->counter_of[j]].supported |= m->supported;
			return t->counter_of[j];
		}
	vec_push(&t->counters,
		 (struct counter){
			 .name = told_apart ? arena_printf(&t->arena, "%s [%s]", m->name, m->pmu) : m->name,
			 .cgroup = m->cgroup,
			 .unit = m->unit,
			 .scale = m->scale,
			 .kind = m->kind,
			 .core_type = m->core_type,
			 .left_out = m->left_out,
			 .supported = m->supported,
			 .percore = m->percore,
		 });
	return (uint32_t)(t->counters.len - 1);
}

/* ---- places ---- */

static int cache_of(const struct cpu_place *p, unsigned level)
{
	if (level)
		return level < CACHE_LEVELS ? p->cache[level] : UNPLACED;
	for (level = CACHE_LEVELS - 1; level; level--)
		if (p->cache[level] != UNPLACED)
			return p->cache[level];
	return UNPLACED;
}

static unsigned level_of(const struct table *t, const struct cpu_place *p)
{
	unsigned level = CACHE_LEVELS - 1;

	while (!t->o.cache_level && level && p->cache[level] == UNPLACED)
		level--;
	return t->o.cache_level ? t->o.cache_level : level;
}

/* Return what the CPUs of one place have in common. */
static struct cpu_place common_part(const struct table *t, const struct cpu_place *p, enum aggregation per)
{
	struct cpu_place c = { UNPLACED, UNPLACED, UNPLACED, UNPLACED, UNPLACED, UNPLACED, { 0 } };

	if (per == PER_CPU)
		c.cpu = p->cpu;
	if (per == PER_NODE)
		c.node = p->node;
	if (per == PER_SOCKET || per == PER_DIE || per == PER_CLUSTER || per == PER_CACHE || per == PER_CORE)
		c.socket = p->socket;
	if (per == PER_DIE || per == PER_CLUSTER || per == PER_CACHE || per == PER_CORE)
		c.die = p->die == UNPLACED ? 0 : p->die;
	if (per == PER_CLUSTER)
		c.cluster = p->cluster;
	if (per == PER_CORE)
		c.core = p->core;
	if (per == PER_CACHE)
		c.cache[0] = cache_of(p, t->o.cache_level);
	return c;
}

static const char *label_of(struct table *t, const struct cpu_place *c, const struct cpu_place *whole,
			    enum aggregation per)
{
	struct arena *a = &t->arena;

	switch (per) {
	case PER_SOCKET: return arena_printf(a, "S%d", c->socket);
	case PER_DIE: return arena_printf(a, "S%d-D%d", c->socket, c->die);
	case PER_CLUSTER: return arena_printf(a, "S%d-D%d-CLS%d", c->socket, c->die, c->cluster);
	case PER_CACHE: return arena_printf(a, "S%d-D%d-L%u-ID%d", c->socket, c->die, level_of(t, whole), c->cache[0]);
	case PER_CORE: return arena_printf(a, "S%d-D%d-C%d", c->socket, c->die, c->core);
	case PER_NODE: return arena_printf(a, "N%d", c->node);
	case PER_CPU: return arena_printf(a, "CPU%d", c->cpu);
	default: return "";
	}
}

/* Return where a CPU is; a CPU that the topology lacks is UNPLACED in every respect. */
static struct cpu_place where_is(const struct table *t, int cpu)
{
	static const struct cpu_place nowhere = { UNPLACED,
						  UNPLACED,
						  UNPLACED,
						  UNPLACED,
						  UNPLACED,
						  UNPLACED,
						  { UNPLACED, UNPLACED, UNPLACED, UNPLACED, UNPLACED } };
	const struct cpu_place *known = topology_find(t->topology, cpu);
	struct cpu_place whole = known ? *known : nowhere;

	whole.cpu = cpu;
	return whole;
}

static struct stat_place place_of_cpu(const struct table *t, int cpu)
{
	struct cpu_place whole = where_is(t, cpu);

	return (struct stat_place){ .at = common_part(t, &whole, t->o.per), .first_cpu = cpu };
}

static int compare_places(const struct stat_place *a, const struct stat_place *b)
{
	const struct cpu_place *x = &a->at, *y = &b->at;
	const int of_x[] = { x->node, x->socket, x->die, x->cluster, x->cache[0], x->core, x->cpu };
	const int of_y[] = { y->node, y->socket, y->die, y->cluster, y->cache[0], y->core, y->cpu };

	for (size_t i = 0; i < ARRAY_SIZE(of_x); i++)
		if (of_x[i] != of_y[i])
			return of_x[i] < of_y[i] ? -1 : 1;
	return 0;
}

static int by_place_and_cpu(const void *a, const void *b)
{
	const struct stat_place *x = a, *y = b;
	int order = compare_places(x, y);

	return order ? order : (x->first_cpu > y->first_cpu) - (x->first_cpu < y->first_cpu);
}

/* Return the index of a CPU's place. Places are sorted: a file may name many thousands of CPUs. */
static uint32_t find_place(const struct table *t, int cpu)
{
	struct stat_place wanted = place_of_cpu(t, cpu);

	return (uint32_t)search_count(i, t->places.len, compare_places(&t->places.items[i], &wanted) < 0);
}

static void label_place(struct table *t, struct stat_place *place)
{
	struct cpu_place whole = where_is(t, place->first_cpu), core = common_part(t, &whole, PER_CORE);

	place->label = label_of(t, &place->at, &whole, t->o.per);
	place->core = label_of(t, &core, &whole, PER_CORE);
}

/* Make the places of these CPUs, each once. */
static void add_places(struct table *t, const struct cpuset *cpus)
{
	size_t n = 0;

	for (size_t i = 0; i < cpus->len; i++)
		vec_push(&t->places, place_of_cpu(t, cpus->items[i]));
	if (t->places.len)
		qsort(t->places.items, t->places.len, sizeof(*t->places.items), by_place_and_cpu);
	for (size_t i = 0; i < t->places.len; i++) {
		if (n && !compare_places(&t->places.items[n - 1], &t->places.items[i]))
			continue;
		t->places.items[n] = t->places.items[i];
		label_place(t, &t->places.items[n++]);
	}
	t->places.len = n;
}

static void add_threads(struct table *t)
{
	for (size_t i = 0; i < t->o.n_threads; i++)
		vec_push(&t->places,
			 (struct stat_place){ .label = arena_printf(&t->arena, "%s-%d", t->o.comms[i], t->o.tids[i]) });
}

/* Make all places in order, before anything refers to them. */
static void make_places(struct table *t)
{
	struct cpuset cpus = { 0 };

	for (size_t i = 0; t->o.per != PER_ALL && t->o.per != PER_THREAD && i < t->n_measured; i++)
		for (size_t c = 0; c < t->measured[i].n_cpus; c++)
			if (t->measured[i].cpus[c] >= 0)
				cpuset_add(&cpus, t->measured[i].cpus[c]);
	if (t->o.per == PER_THREAD)
		add_threads(t);
	else
		add_places(t, &cpus);
	if (!t->places.len)
		vec_push(&t->places, (struct stat_place){ .label = "" });
	cpuset_free(&cpus);
}

/* Return the first CPU of the core: there a core's counter is printed with per-CPU output. */
static uint32_t first_of_core(const struct table *t, uint32_t place)
{
	for (uint32_t i = 0; i < place; i++)
		if (same(t->places.items[i].core, t->places.items[place].core))
			return i;
	return place;
}

static void find_places(struct table *t)
{
	bool by_thread = t->o.per == PER_THREAD;
	size_t total = 0;

	for (size_t i = 0; i < t->n_measured; i++)
		total += by_thread ? t->measured[i].n_threads : t->measured[i].n_cpus;
	t->place_of = arena_alloc(&t->arena, (total + 1) * sizeof(*t->place_of));
	total = 0;
	for (size_t i = 0; i < t->n_measured; i++) {
		const struct measured *m = &t->measured[i];

		t->place_from[i] = total;
		for (size_t k = 0; k < (by_thread ? m->n_threads : m->n_cpus); k++) {
			uint32_t place = 0;

			if (by_thread)
				place = (uint32_t)MIN(k, t->places.len - 1);
			else if (t->o.per != PER_ALL && m->cpus[k] >= 0)
				place = find_place(t, m->cpus[k]);
			t->place_of[total++] = m->percore && t->o.per == PER_CPU ? first_of_core(t, place) : place;
		}
	}
}

void table_layout(struct table *t, const struct measured *m, size_t n, const struct topology *topology,
		  const struct table_opts *o)
{
	*t = (struct table){ .o = *o, .measured = m, .n_measured = n, .topology = topology };
	t->counter_of = arena_alloc(&t->arena, (n + 1) * sizeof(*t->counter_of));
	t->place_from = arena_alloc(&t->arena, (n + 1) * sizeof(*t->place_from));
	for (size_t i = 0; i < n; i++)
		t->counter_of[i] = counter_for(t, i);
	make_places(t);
	find_places(t);
	t->cells = arena_alloc(&t->arena, (t->counters.len * t->places.len + 1) * sizeof(*t->cells));
}

/* ---- values ---- */

struct sum {
	struct count count;
	uint32_t n_cpus;
	bool here;
};

/*
 * Return true if the package was already counted: these counters read the same on all its CPUs, so
 * only the first is used.
 */
static bool package_seen(const struct measured *m, const struct topology *topology, size_t cpu)
{
	const struct cpu_place *mine = topology_find(topology, m->cpus[cpu]);

	for (size_t i = 0; i < cpu && mine; i++) {
		const struct cpu_place *other = topology_find(topology, m->cpus[i]);

		if (other && (!m->open || m->open[i * m->n_threads]) && other->socket == mine->socket &&
		    other->die == mine->die)
			return true;
	}
	return false;
}

/* Return true if the CPUs are not counted yet: several devices of a kind count on the same CPUs. */
static bool adds_cpus(const struct table *t, size_t i)
{
	for (size_t j = 0; j < i && t->measured[i].uncore; j++)
		if (t->counter_of[j] == t->counter_of[i])
			return false;
	return true;
}

static void sum_up(const struct table *t, size_t i, bool total, struct sum *sums)
{
	const struct measured *m = &t->measured[i];
	bool seen_cpus = !adds_cpus(t, i);

	for (size_t c = 0; c < m->n_cpus; c++) {
		bool counted = seen_cpus;

		if (m->per_package && t->o.per != PER_CPU && package_seen(m, t->topology, c))
			continue;
		for (size_t k = 0; k < m->n_threads; k++) {
			size_t at = c * m->n_threads + k;
			struct sum *sum = &sums[t->place_of[t->place_from[i] + (t->o.per == PER_THREAD ? k : c)]];
			struct count d;

			if (m->open && !m->open[at])
				continue;
			d = total || m->snapshot ? m->now[at] : count_since(&m->now[at], &m->before[at]);
			if (!t->o.no_scale)
				d.value = count_scaled(&d);
			count_add(&sum->count, &d);
			sum->n_cpus += !counted;
			counted = sum->here = true;
		}
	}
}

static void take_in(struct stat_cell *cell, const struct sum *sum, bool supported)
{
	cell->here |= sum->here || !supported;
	cell->n_cpus = MAX(sum->n_cpus, 1u);
	spread_add(&cell->value, (double)sum->count.value);
	spread_add(&cell->enabled, (double)sum->count.enabled);
	spread_add(&cell->running, (double)sum->count.running);
}

/* Copy a core's counts to each of its CPUs. */
static void copy_to_siblings(const struct table *t, struct sum *sums)
{
	for (uint32_t p = 0; p < t->places.len; p++)
		sums[p] = sums[first_of_core(t, p)];
}

void table_add(struct table *t, double elapsed_ns, bool total)
{
	size_t n_places = t->places.len;
	autofree struct sum *sums = xcalloc(t->counters.len * n_places + 1, sizeof(*sums));

	spread_add(&t->elapsed_ns, elapsed_ns);
	for (size_t i = 0; i < t->n_measured; i++)
		sum_up(t, i, total, &sums[t->counter_of[i] * n_places]);
	for (size_t c = 0; c < t->counters.len; c++) {
		const struct counter *counter = &t->counters.items[c];

		if (counter->percore && t->o.per == PER_CPU && t->o.show_threads)
			copy_to_siblings(t, &sums[c * n_places]);
		for (size_t p = 0; p < n_places; p++)
			take_in(table_cell(t, c, p), &sums[c * n_places + p], counter->supported);
	}
}

void table_clear(struct table *t)
{
	memset(t->cells, 0, t->counters.len * t->places.len * sizeof(*t->cells));
	t->elapsed_ns = (struct spread){ 0 };
}

void table_release(struct table *t)
{
	vec_free(&t->counters);
	vec_free(&t->places);
	arena_release(&t->arena);
}
