#include "report/profile/blocks.h"

#include "report/profile/samples.h"

enum {
	SHARE_WIDTH = 15,
	CYCLES_WIDTH = 14,
	AVERAGE_SHARE_WIDTH = 11,
	AVERAGE_WIDTH = 10,
	RANGE_WIDTH = 70,
	OBJECT_WIDTH = 20
};

/* ---- collecting ---- */

struct block_collector {
	struct blocks *b;
	struct idtable index;
	const struct profile *p;
	const struct arrival *arrival;
};

struct block_place {
	uint32_t dso, symbol;
	uint64_t dso_off;
};

/* Find an end of a branch. Nothing says whether it is in the kernel: try user space first, as for rows of branches. */
static bool find_place(struct block_collector *c, uint64_t address, struct block_place *place)
{
	static const uint8_t modes[] = { CPUMODE_USER, CPUMODE_KERNEL };
	struct session *s = c->p->session;
	struct map_hit hit;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!session_find(s, &c->arrival->task, c->arrival->moment, modes[i], address, &hit))
			continue;
		*place = (struct block_place){ .dso = hit.dso,
					       .dso_off = hit.dso_off,
					       .symbol = dso_find(s->symbols, hit.dso, hit.dso_off) };
		return place->symbol;
	}
	return false;
}

static struct block *get_block(struct block_collector *c, const struct block_place *end)
{
	uint64_t hash = hash_mix((uint64_t)end->dso << 32 | end->symbol, end->dso_off);
	struct idtable_probe probe = idtable_probe(&c->index, hash);
	uint32_t id;

	while ((id = idtable_next(&c->index, &probe))) {
		struct block *b = &c->b->items.items[id - 1];

		if (b->dso == end->dso && b->symbol == end->symbol && b->to == end->dso_off)
			return b;
	}
	vec_push(&c->b->items,
		 (struct block){ .dso = end->dso, .symbol = end->symbol, .from = end->dso_off, .to = end->dso_off });
	idtable_add(&c->index, hash, (uint32_t)c->b->items.len);
	return &c->b->items.items[c->b->items.len - 1];
}

/* Add the block that a branch ends. `before`: the previous branch, whose target starts the block; NULL: unknown. */
static void add_branch(struct block_collector *c, const uint8_t *branch, const uint8_t *before)
{
	uint64_t cycles = branch_cycles(branch_flags(branch));
	struct block_place end, start;
	struct block *b;
	bool started;

	c->b->cycles += cycles; /* even without a known function: shares are of all cycles */
	if (!cycles || !find_place(c, branch_from(branch), &end))
		return;
	b = get_block(c, &end);
	b->cycles += cycles;
	b->n++;
	started = before && find_place(c, branch_to(before), &start) && start.dso == end.dso &&
		  start.symbol == end.symbol;
	if (b->started && (!started || start.dso_off > b->from))
		return;
	if (started && (!b->started || start.dso_off < b->from)) {
		b->from = start.dso_off;
		b->started = true;
		b->n_seen = 0;
	}
	if (b->n_seen < BLOCK_SEEN)
		b->seen[b->n_seen++] = (uint16_t)cycles;
}

static void add_sample(struct block_collector *c, const struct arrival *a)
{
	const struct sample *s = a->sample;

	c->arrival = a;
	for (uint64_t i = s->branch.n; i--;) /* the last one is the oldest */
		add_branch(c, branch_at(s->branch.entries, i),
			   i + 1 < s->branch.n ? branch_at(s->branch.entries, i + 1) : NULL);
}

static int block_compare(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static uint64_t function_start(const struct blocks *b, const struct block *k)
{
	return dso_offset(b->session->symbols, k->dso, dso_symbol(b->session->symbols, k->dso, k->symbol)->start);
}

struct blocks *blocks_new(const struct profile *p, uint32_t event)
{
	struct blocks *b = xcalloc(1, sizeof(*b));
	struct block_collector c = { .b = b, .p = p };
	struct samples in = { .whole = true };
	struct format_notes ignored = { 0 }; /* the profile has counted the damage */
	struct arrival a;
	size_t n;

	b->session = p->session;
	samples_init(&in, p->session, p->filter, &ignored);
	for (size_t chunk = 0; chunk < p->session->chunks.len; chunk++) {
		samples_open(&in, chunk);
		while ((n = samples_ahead(&in))) {
			for (size_t i = 0; i < n; i++) {
				if (in.ahead[i].event != event)
					continue;
				samples_take(&in, &in.ahead[i]);
				if (samples_next(&in, &a) && !a.outside)
					add_sample(&c, &a);
			}
		}
		samples_close(&in);
	}
	samples_release(&in);
	idtable_free(&c.index);
	for (size_t i = 0; i < b->items.len; i++) {
		b->averages += b->items.items[i].cycles / b->items.items[i].n;
		if (!b->items.items[i].started)
			b->items.items[i].from = function_start(b, &b->items.items[i]);
	}
	if (b->items.len)
		qsort(b->items.items, b->items.len, sizeof(*b->items.items), block_compare);
	return b;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	vec_free(&b->items);
	free(b);
}

/* ---- text ---- */

/* Print "900", "2.2K", "1.5M". */
static void put_cycles(uint64_t cycles, struct out *o)
{
	static const char units[] = "KMGT";
	double n = (double)cycles;
	size_t unit = 0;

	if (cycles < 1000) {
		out_u64(o, cycles);
		return;
	}
	for (n /= 1000; n >= 1000 && unit + 1 < sizeof(units) - 1; unit++)
		n /= 1000;
	out_fmt(o, "%.1f%c", n, units[unit]);
}

static void put_end(const struct blocks *b, const struct block *block, uint64_t dso_off, bool full_paths, struct out *o)
{
	struct source_line line = { 0 };
	const char *slash;

	if (!dso_source_line(b->session->symbols, block->dso, dso_off, &line) || !line.file) {
		out_name(o, symbol_name(b->session->symbols, block->dso, block->symbol));
		out_fmt(o, "+%llu",
			(unsigned long long)symbol_offset(b->session->symbols, block->dso, block->symbol, dso_off));
		return;
	}
	slash = strrchr(line.file, '/');
	out_name(o, slash && !full_paths ? slash + 1 : line.file);
	out_fmt(o, ":%u", line.line);
}

void blocks_put_range(const struct blocks *b, const struct block *k, bool full_paths, struct out *o)
{
	out_char(o, '[');
	put_end(b, k, k->from, full_paths, o);
	out_str(o, " -> ");
	put_end(b, k, k->to, full_paths, o);
	out_char(o, ']');
}

static void put_right(struct out *o, struct out *cell, int width)
{
	out_str(o, "  ");
	out_pad(o, ' ', width - out_name_width(out_text(cell)));
	out_mem(o, cell->buf, cell->len);
	cell->len = 0;
}

static void put_share(struct out *o, struct out *cell, uint64_t part, uint64_t whole, int width)
{
	out_fmt(cell, "%.2f%%", whole ? 100.0 * (double)part / (double)whole : 0);
	put_right(o, cell, width);
}

static void put_block(const struct blocks *b, const struct block *k, bool full_paths, struct out *cell, struct out *o)
{
	put_share(o, cell, k->cycles, b->cycles, SHARE_WIDTH);
	put_cycles(k->cycles, cell);
	put_right(o, cell, CYCLES_WIDTH);
	put_share(o, cell, k->cycles / k->n, b->averages, AVERAGE_SHARE_WIDTH);
	put_cycles(k->cycles / k->n, cell);
	put_right(o, cell, AVERAGE_WIDTH);
	blocks_put_range(b, k, full_paths, cell);
	put_right(o, cell, RANGE_WIDTH);
	out_name(cell, dso_short_name(b->session->symbols, k->dso));
	put_right(o, cell, OBJECT_WIDTH);
	out_char(o, '\n');
}

static void put_headings(struct out *o)
{
	static const struct {
		const char *title;
		int width;
	} columns[] = {
		{ "Sampled Cycles%", SHARE_WIDTH },       { "Sampled Cycles", CYCLES_WIDTH },
		{ "Avg Cycles%", AVERAGE_SHARE_WIDTH },   { "Avg Cycles", AVERAGE_WIDTH },
		{ "[Program Block Range]", RANGE_WIDTH }, { "Shared Object", OBJECT_WIDTH },
	};

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		out_fmt(o, "%s%*s", i ? "  " : "# ", columns[i].width, columns[i].title);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		out_str(o, i ? "  " : "\n# ");
		out_pad(o, '.', columns[i].width);
	}
	out_str(o, "\n#\n");
}

void blocks_print(const struct blocks *b, double min_percent, bool headings, bool full_paths, struct out *o)
{
	struct out cell;

	out_init_mem(&cell);
	if (headings)
		put_headings(o);
	for (size_t i = 0; i < b->items.len; i++)
		if (100.0 * (double)b->items.items[i].cycles >= min_percent * (double)b->cycles)
			put_block(b, &b->items.items[i], full_paths, &cell, o);
	out_release(&cell);
}
