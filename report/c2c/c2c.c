/*
 * Sum up cache lines and the places in them, from a profile whose entries are single samples. All accesses are in one
 * array. Sorted by line and time, the accesses of a line are neighbours. Then the accesses of each shown line are
 * sorted by place and time, so that those of a place are neighbours.
 */
#include "report/c2c/c2c_priv.h"

#include "base/sort/sort.h"
#include "base/units.h"
#include "symbols/arch/arch.h"

/* ---- samples ---- */

static uint64_t key_time(const struct sample_context *c, const struct profile_opts *o) { return c->sample->time; }
static uint64_t key_address(const struct sample_context *c, const struct profile_opts *o) { return c->sample->addr; }
static uint64_t key_ip(const struct sample_context *c, const struct profile_opts *o) { return c->sample->ip; }
static uint64_t key_phys(const struct sample_context *c, const struct profile_opts *o) { return c->sample->phys_addr; }
static uint64_t key_weight(const struct sample_context *c, const struct profile_opts *o) { return c->sample->weight; }
static uint64_t key_cpu(const struct sample_context *c, const struct profile_opts *o) { return c->sample->cpu; }
static uint64_t key_period(const struct sample_context *c, const struct profile_opts *o) { return c->sample->period; }
static uint64_t key_comm(const struct sample_context *c, const struct profile_opts *o) { return c->task->first_comm; }
static uint64_t key_data_src(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->data_src;
}
static uint64_t key_thread(const struct sample_context *c, const struct profile_opts *o)
{
	return (uint64_t)(uint32_t)c->task->pid << 32 | (uint32_t)c->task->tid;
}

enum { TIME, ADDRESS, IP, PHYS, WEIGHT, CPU, PERIOD, DATA_SRC, THREAD, COMM, KEYS };
static const struct sample_key *const keys[KEYS] = {
	[TIME] = &(const struct sample_key){ key_time },
	[ADDRESS] = &(const struct sample_key){ key_address },
	[IP] = &(const struct sample_key){ key_ip },
	[PHYS] = &(const struct sample_key){ key_phys },
	[WEIGHT] = &(const struct sample_key){ key_weight },
	[CPU] = &(const struct sample_key){ key_cpu },
	[PERIOD] = &(const struct sample_key){ key_period },
	[DATA_SRC] = &(const struct sample_key){ key_data_src },
	[THREAD] = &(const struct sample_key){ key_thread, .of_task = true },
	[COMM] = &(const struct sample_key){ key_comm, .of_task = true, .is_comm = true },
};

static uint64_t line_mask(const struct c2c *c)
{
	enum { USUAL_LINE = 64 };
	uint32_t size = c->session->pd->features.cache_line_size;

	if (!size || size & (size - 1))
		size = USUAL_LINE;
	return ~((uint64_t)size * (c->opts->double_line ? 2 : 1) - 1);
}

uint64_t c2c_offset(const struct c2c *c, uint64_t address) { return address & ~line_mask(c); }
uint64_t c2c_line_address(const struct c2c *c, uint64_t address) { return address & line_mask(c); }

/* Add an access for each sample of an entry. An entry has more than one sample if samples are equal. */
static void take_entry(struct c2c *c, uint32_t part, const struct entry *x)
{
	const struct profile *p = c->profile;
	const uint64_t *of = profile_outer(p, x->outer);
	const struct site *data = &p->sites.items[x->other];
	struct c2c_access a = { .time = of[TIME],
				.address = of[ADDRESS],
				.ip = of[IP],
				.data_src = of[DATA_SRC],
				.phys = of[PHYS],
				.weight = of[WEIGHT],
				.period = of[PERIOD],
				.line = (data->dso ? data->dso_off : of[ADDRESS]) & line_mask(c),
				.ino = dso_inode(c->session->symbols, data->dso),
				.pid = (int32_t)(of[THREAD] >> 32),
				.tid = (int32_t)of[THREAD],
				.cpu = (uint32_t)of[CPU],
				.site = x->self,
				.comm = (uint32_t)of[COMM],
				.part = part,
				.chain = x->chain,
				.mode = x->first_mode,
				.is_mapped = data->dso };
	struct c2c_sums one = { 0 };

	c2c_count(&one, a.data_src, a.address, a.is_mapped && p->sites.items[x->self].dso);
	for (uint64_t i = 0; i < x->samples; i++) {
		vec_push(&c->accesses, a);
		c2c_sums_add(&c->sums, &one);
	}
}

/* ---- lines ---- */

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/*
 * Compare by CPU mode, object and address. Memory without a file belongs to its process. Unmapped addresses come last
 * in their mode. perf sorts in this order, too, and keeps it for rows with equal sums.
 */
static int compare_lines(const struct c2c_access *x, const struct c2c_access *y)
{
	int by;

	if ((by = order(x->mode, y->mode)) || (by = order(!x->is_mapped, !y->is_mapped)))
		return by;
	if (x->is_mapped && ((by = order(x->ino, y->ino)) ||
			     (x->mode != CPUMODE_KERNEL && !x->ino && (by = (x->pid > y->pid) - (x->pid < y->pid)))))
		return by;
	return order(x->line, y->line);
}

static int compare_times(const struct c2c_access *x, const struct c2c_access *y) { return order(x->time, y->time); }

static int compare_accesses(const void *a, const void *b, void *ctx)
{
	int by = compare_lines(a, b);

	return by ? by : compare_times(a, b);
}

/* Count how often the physical address differs from the previous access: if pages move, a virtual line has several. */
static void count_phys(struct c2c *c, struct c2c_row *r)
{
	uint64_t last = 0;

	for (size_t i = r->from; i < r->to; i++) {
		const struct c2c_access *a = &c->accesses.items[i];

		if (!a->phys || c2c_memory_node(c, a->phys) < 0 || a->phys == last)
			continue;
		r->n_phys++;
		last = a->phys;
	}
}

static struct c2c_row row_of(struct c2c *c, size_t from, size_t to)
{
	struct c2c_row r = { .from = from, .to = to, .first = c->accesses.items[from] };

	for (size_t i = from; i < to; i++)
		c2c_count(&r.sums, c->accesses.items[i].data_src, c->accesses.items[i].address, true);
	count_phys(c, &r);
	return r;
}

static void find_lines(struct c2c *c)
{
	const struct c2c_access *a = c->accesses.items;
	size_t to;

	vec_sort_r(&c->accesses, compare_accesses, NULL);
	for (size_t from = 0; from < c->accesses.len; from = to) {
		struct c2c_line line = { 0 };

		for (to = from + 1; to < c->accesses.len && !compare_lines(&a[from], &a[to]);)
			to++;
		line.all = row_of(c, from, to);
		vec_push(&c->lines, line);
	}
}

/* ---- places ---- */

static uint32_t dso_of(const struct c2c *c, const struct c2c_access *a) { return c->profile->sites.items[a->site].dso; }

static int compare_objects(const struct c2c *c, uint32_t x, uint32_t y)
{
	const struct symbols *s = c->session->symbols;

	return !x || !y ? !x - !y : strcmp(dso_short_name(s, x), dso_short_name(s, y));
}

static int compare_field(const struct c2c *c, enum c2c_field field, const struct c2c_access *x,
			 const struct c2c_access *y)
{
	switch (field) {
	case C2C_PID: return (x->pid > y->pid) - (x->pid < y->pid);
	case C2C_TID: return (x->tid > y->tid) - (x->tid < y->tid);
	case C2C_CODE: return order(x->ip, y->ip);
	case C2C_OBJECT: return compare_objects(c, dso_of(c, x), dso_of(c, y));
	}
	return 0;
}

static int compare_places(const struct c2c *c, const struct c2c_access *x, const struct c2c_access *y)
{
	int by = order(c2c_offset(c, x->address), c2c_offset(c, y->address));

	for (size_t i = 0; i < c->opts->n_fields && !by; i++)
		by = compare_field(c, c->opts->fields[i], x, y);
	return by;
}

static int compare_placed(const void *a, const void *b, void *ctx)
{
	int by = compare_places(ctx, a, b);

	return by ? by : compare_times(a, b);
}

/* Update a running mean like perf, so that rounding is the same. */
static void mean_add(struct c2c_mean *m, uint64_t value)
{
	m->n++;
	m->mean += ((double)value - m->mean) / (double)m->n;
}

static void add_cycles(struct c2c_row *r, const struct c2c_access *a)
{
	static const enum c2c_sum kinds[C2C_MEANS] = { C2C_REMOTE_HITM, C2C_LOCAL_HITM, C2C_REMOTE_PEER, C2C_LOCAL_PEER,
						       C2C_LOADS };
	struct c2c_sums one = { 0 };

	c2c_count(&one, a->data_src, a->address, true);
	for (size_t i = 0; i < C2C_MEANS; i++)
		if (one.n[kinds[i]]) {
			mean_add(&r->means[i], a->weight);
			return;
		}
}

static void find_places(struct c2c *c, struct c2c_line *line)
{
	struct c2c_access *a = c->accesses.items;
	size_t to, begin = line->all.from, end = line->all.to;

	qsort_r(a + begin, end - begin, sizeof(*a), compare_placed, c);
	line->from = c->places.len;
	for (size_t from = begin; from < end; from = to) {
		struct c2c_row place;

		for (to = from + 1; to < end && !compare_places(c, &a[from], &a[to]);)
			to++;
		place = row_of(c, from, to);
		for (size_t i = from; i < to; i++) {
			add_cycles(&place, &a[i]);
			line->period += a[i].period;
		}
		vec_push(&c->places, place);
	}
	line->end = c->places.len;
}

/* ---- choice and order of rows ---- */

enum c2c_sum c2c_shown_sum(const struct c2c *c)
{
	static const enum c2c_sum sums[] = { [C2C_TOTAL] = C2C_TOTAL_HITM,
					     [C2C_LOCAL] = C2C_LOCAL_HITM,
					     [C2C_REMOTE] = C2C_REMOTE_HITM,
					     [C2C_PEER] = C2C_TOTAL_PEER };

	return sums[c->opts->display];
}

/* Does the row have shared accesses of the displayed kind, or stores? */
static bool is_worth_showing(const struct c2c *c, const struct c2c_row *r)
{
	return r->sums.n[c2c_shown_sum(c)] || r->sums.n[C2C_STORES];
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct c2c *c = ctx;
	const struct c2c_row *x = a, *y = b;
	int by = order(y->sums.n[c2c_shown_sum(c)], x->sums.n[c2c_shown_sum(c)]);

	return by ? by : order(x->from, y->from);
}

static int compare_in_line(const void *a, const void *b, void *ctx)
{
	const struct c2c *c = ctx;
	const struct c2c_row *x = a, *y = b;
	enum c2c_sum sum = c2c_shown_sum(c), second = c->opts->display == C2C_LOCAL    ? C2C_REMOTE_HITM
						      : c->opts->display == C2C_REMOTE ? C2C_LOCAL_HITM
										       : sum;
	int by = order(is_worth_showing(c, y), is_worth_showing(c, x));

	if (!by)
		by = order(c2c_offset(c, x->first.address), c2c_offset(c, y->first.address));
	if (!by)
		by = order(y->sums.n[sum], x->sums.n[sum]);
	if (!by)
		by = order(y->sums.n[second], x->sums.n[second]);
	return by ? by : order(x->from, y->from);
}

/* Sort rows that are not shown last. They still count for the widths of columns. */
static void choose_places(struct c2c *c, struct c2c_line *line)
{
	qsort_r(c->places.items + line->from, line->end - line->from, sizeof(*c->places.items), compare_in_line, c);
	line->to = line->from;
	while (line->to < line->end && is_worth_showing(c, &c->places.items[line->to]))
		line->to++;
}

/* perf leaves out rows below this share of the sum over all lines. */
static bool is_shown(const struct c2c *c, const struct c2c_line *line)
{
	const double least = 0.0005;
	enum c2c_sum sum = c2c_shown_sum(c);

	if (c->opts->show_all)
		return true;
	return is_worth_showing(c, &line->all) && c->sums.n[sum] &&
	       (double)line->all.sums.n[sum] / (double)c->sums.n[sum] >= least;
}

static void choose_lines(struct c2c *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->lines.len; i++) {
		struct c2c_line *line = &c->lines.items[i];

		if (line->all.sums.n[C2C_TOTAL_HITM] || line->all.sums.n[C2C_TOTAL_PEER]) {
			c->n_shared++;
			c2c_sums_add(&c->shared, &line->all.sums);
		}
		if (is_shown(c, line))
			c->lines.items[kept++] = *line;
	}
	c->lines.len = kept;
	vec_sort_r(&c->lines, compare_rows, c);
	for (size_t i = 0; i < kept; i++) {
		find_places(c, &c->lines.items[i]);
		choose_places(c, &c->lines.items[i]);
	}
}

/* ---- the machine ---- */

static void find_nodes(struct c2c *c)
{
	const struct features *f = &c->session->pd->features;
	struct c2c_nodes *n = &c->nodes;

	n->n = MAX(f->n_nodes, 1u);
	n->n_cpus = f->cpus_available;
	for (size_t i = 0; i < c->accesses.len; i++)
		if (c->accesses.items[i].cpu < UINT16_MAX)
			n->n_cpus = MAX(n->n_cpus, c->accesses.items[i].cpu + 1);
	n->n_cpus = MIN(n->n_cpus, (uint32_t)UINT16_MAX);
	n->of_cpu = xcalloc(n->n_cpus + 1, sizeof(*n->of_cpu));
	for (uint32_t i = 0; i < n->n_cpus; i++)
		n->of_cpu[i] = f->n_nodes ? -1 : 0;
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		struct cpuset cpus = { 0 };

		if (cpuset_parse(&cpus, f->nodes[i].cpus, NULL) == 0)
			for (size_t k = 0; k < cpus.len; k++)
				if ((uint32_t)cpus.items[k] < n->n_cpus)
					n->of_cpu[cpus.items[k]] = (int32_t)i;
		cpuset_free(&cpus);
	}
}

int c2c_memory_node(const struct c2c *c, uint64_t phys)
{
	const struct features *f = &c->session->pd->features;
	uint64_t block = f->mem_block_size ? phys / f->mem_block_size : UINT64_MAX;

	for (uint64_t i = 0; i < f->n_mem_nodes; i++) {
		const struct feature_mem_node *m = &f->mem_nodes[i];

		if (block < m->n_bits && m->words[block / 64] >> block % 64 & 1)
			return (int)m->node;
	}
	return -1;
}

enum c2c_display c2c_usual_display(const struct session *s)
{
	const char *machine = s->pd->features.arch;
	const struct arch *a = machine ? arch_find(machine) : NULL;

	return a && a->names_peers ? C2C_PEER : C2C_TOTAL;
}

/* ---- opening and closing ---- */

struct c2c *c2c_new(struct session *s, const struct c2c_opts *opts)
{
	struct c2c *c = xcalloc(1, sizeof(*c));

	c->opts = opts;
	c->session = s;
	c->profile_opts = (struct profile_opts){ .kind = PROFILE_MEMORY,
						 .keys = keys,
						 .n_keys = KEYS,
						 .chains = opts->chains,
						 .caller_first = opts->caller_first,
						 .max_stack = opts->max_stack,
						 .inlines = opts->chains,
						 .by_address = true,
						 .graph_by = opts->graph_by,
						 .want_names = true,
						 .want_lines = !opts->no_lines && !opts->stats_only,
						 .no_quality = true };
	c->profile = profile_new(s, &c->profile_opts, &c->filter);
	profile_decode(c->profile);
	profile_name(c->profile);
	c->fold.profile = c->profile;
	c->view.fold = &c->fold;
	c->view.opts = &c->view_opts;
	for (uint32_t i = 0; i < c->profile->n_parts; i++)
		for (size_t k = 0; k < c->profile->parts[i].entries.len; k++)
			take_entry(c, i, &c->profile->parts[i].entries.items[k]);
	find_nodes(c);
	find_lines(c);
	choose_lines(c);
	return c;
}

void c2c_free(struct c2c *c)
{
	profile_free(c->profile);
	free(c->nodes.of_cpu);
	vec_free(&c->accesses);
	vec_free(&c->lines);
	vec_free(&c->places);
	free(c);
}
