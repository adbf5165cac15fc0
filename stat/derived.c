#include "stat/derived_priv.h"

/*
 * Return the value of a kind of event that matches `c`: same place, cores, tasks and modes. 0 if it
 * was not counted.
 */
static double value_of(const struct table *t, const struct counter *c, size_t place, enum counter_kind kind)
{
	for (size_t i = 0; i < t->counters.len; i++) {
		const struct counter *other = &t->counters.items[i];
		const struct stat_cell *cell = table_cell(t, i, place);
		bool same_cgroup =
			other->cgroup == c->cgroup || (other->cgroup && c->cgroup && !strcmp(other->cgroup, c->cgroup));
		/* Clocks count in all processor modes. */
		bool same_mode =
			kind == KIND_CLOCK || (other->left_out == c->left_out && other->core_type == c->core_type);

		if (other->kind == kind && same_cgroup && same_mode && cell->here && cell_counted(other, cell))
			return cell->value.mean;
	}
	return 0;
}

/* Shares of one event in another, and the limits above which they are bad. */
static const struct share {
	enum counter_kind part, whole;
	const char *format, *unit;
	double factor, middle, high, too_high;
} shares[] = {
	{ KIND_BRANCH_MISSES, KIND_BRANCHES, "%7.2f%%", "of all branches", 100, 5, 10, 20 },
	{ KIND_L1D_MISSES, KIND_L1D, "%7.2f%%", "of all L1-dcache accesses", 100, 5, 10, 20 },
	{ KIND_L1I_MISSES, KIND_L1I, "%7.2f%%", "of all L1-icache accesses", 100, 5, 10, 20 },
	{ KIND_DTLB_MISSES, KIND_DTLB, "%7.2f%%", "of all dTLB cache accesses", 100, 5, 10, 20 },
	{ KIND_ITLB_MISSES, KIND_ITLB, "%7.2f%%", "of all iTLB cache accesses", 100, 5, 10, 20 },
	{ KIND_LL_MISSES, KIND_LL, "%7.2f%%", "of all LL-cache accesses", 100, 5, 10, 20 },
	{ KIND_CACHE_MISSES, KIND_CACHE_REFS, "%8.3f %%", "of all cache refs", 100, 5, 10, 20 },
	{ KIND_STALLED_FRONT, KIND_CYCLES, "%7.2f%%", "frontend cycles idle", 100, 10, 30, 50 },
	{ KIND_STALLED_BACK, KIND_CYCLES, "%7.2f%%", "backend cycles idle", 100, 20, 50, 75 },
};

static size_t add(struct derived *d, size_t n, double value, const char *format, const char *unit, enum shade shade)
{
	d[n] = (struct derived){ value, format, unit, shade };
	return n + 1;
}

static size_t share(const struct share *s, double part, double whole, struct derived *d)
{
	double value = s->factor * part / whole;

	return add(d, 0, value, s->format, s->unit,
		   value > s->too_high ? SHADE_TOO_HIGH
		   : value > s->high   ? SHADE_HIGH
		   : value > s->middle ? SHADE_MIDDLE
				       : SHADE_NONE);
}

/* Derive stalled cycles: use the part of the pipeline that stalls more. */
static size_t per_cycle(const struct table *t, const struct counter *c, size_t place, double value, struct derived *d)
{
	double cycles = value_of(t, c, place, KIND_CYCLES);
	double front = value_of(t, c, place, KIND_STALLED_FRONT), back = value_of(t, c, place, KIND_STALLED_BACK);
	double stalled = MAX(front, back);
	size_t n = 0;

	if (cycles)
		n = add(d, n, value / cycles, "%7.2f ", "insn per cycle", SHADE_NONE);
	if (stalled && value)
		n = add(d, n, stalled / value, "%7.2f ", "stalled cycles per insn", SHADE_NONE);
	return n;
}

static size_t rate(double value, double clock_ns, struct derived *d)
{
	static const struct {
		double least;
		const char *unit;
	} steps[] = { { 1e9, "G/sec" }, { 1e6, "M/sec" }, { 1e3, "K/sec" } };
	double per_second = 1e9 * value / clock_ns;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (per_second >= steps[i].least)
			return add(d, 0, per_second / steps[i].least, "%8.3f", steps[i].unit, SHADE_NONE);
	return add(d, 0, per_second, "%8.3f", "/sec", SHADE_NONE);
}

size_t derived_find(const struct table *t, size_t counter, size_t place, struct derived *d)
{
	const struct counter *c = &t->counters.items[counter];
	double value = table_cell(t, counter, place)->value.mean, clock_ns = value_of(t, c, place, KIND_CLOCK), whole;

	if (c->kind == KIND_CLOCK)
		return t->elapsed_ns.mean > 0
			       ? add(d, 0, value / t->elapsed_ns.mean, "%8.3f", "CPUs utilized", SHADE_NONE)
			       : 0;
	if (c->kind == KIND_TOOL_TIME) /* time per time is meaningless */
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		if (shares[i].part == c->kind && (whole = value_of(t, c, place, shares[i].whole)))
			return share(&shares[i], value, whole, d);
	if (c->kind == KIND_CYCLES && clock_ns)
		return add(d, 0, value / clock_ns, "%8.3f", "GHz", SHADE_NONE);
	if (c->kind == KIND_INSTRUCTIONS) {
		size_t n = per_cycle(t, c, place, value, d);

		if (n)
			return n;
	}
	return clock_ns ? rate(value, clock_ns, d) : 0;
}
