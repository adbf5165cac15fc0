/* Compare blocks of code that several recordings have by their average cycles. */
#include "report/rows/diff.h"

#include <math.h>

#include "base/search.h"

/* A block of one file, by function and offsets from the function's start: functions may have moved. */
struct placed_block {
	const struct block *block;
	uint64_t from, to;
};
struct block_index {
	VEC(struct placed_block);
};

static int compare_function(const struct placed_block *p, uint32_t dso, uint32_t symbol)
{
	if (p->block->dso != dso)
		return p->block->dso < dso ? -1 : 1;
	return (p->block->symbol > symbol) - (p->block->symbol < symbol);
}

static int compare_place(const struct placed_block *a, const struct placed_block *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static int index_order(const void *x, const void *y)
{
	const struct placed_block *a = x, *b = y;
	int order = compare_function(a, b->block->dso, b->block->symbol);

	return order ? order : compare_place(a, b);
}

static void index_blocks(struct block_index *index, const struct blocks *b)
{
	for (size_t i = 0; b && i < b->items.len; i++) {
		const struct block *k = &b->items.items[i];
		struct symbols *s = b->session->symbols;

		vec_push(index, (struct placed_block){ k, symbol_offset(s, k->dso, k->symbol, k->from),
						       symbol_offset(s, k->dso, k->symbol, k->to) });
	}
	if (index->len)
		qsort(index->items, index->len, sizeof(*index->items), index_order);
}

/* Return the first block of a function, and the end of its blocks. */
static const struct placed_block *function_blocks(const struct block_index *index, const struct diff_cell *cell,
						  const struct placed_block **end)
{
	const struct placed_block *blocks = index->items;
	size_t first = search_count(i, index->len, compare_function(&blocks[i], cell->dso, cell->symbol) < 0);
	size_t behind = search_count(i, index->len, compare_function(&blocks[i], cell->dso, cell->symbol) <= 0);

	*end = blocks + behind;
	return blocks + first;
}

static int block_order(const void *x, const void *y)
{
	const struct diff_block *a = x, *b = y;
	uint64_t da = (uint64_t)llabs(a->change), db = (uint64_t)llabs(b->change);

	if (da != db)
		return da > db ? -1 : 1;
	if (a->old->from != b->old->from)
		return a->old->from < b->old->from ? -1 : 1;
	return (a->old->to > b->old->to) - (a->old->to < b->old->to);
}

/* Pair the blocks of a function in two files. Both lists are sorted: walk them side by side. */
static void join_cell(const struct block_index *olds, const struct block_index *news, const struct diff_cell *base,
		      struct diff_cell *cell)
{
	const struct placed_block *old_end, *new_end, *old = function_blocks(olds, base, &old_end),
						      *new = function_blocks(news, cell, &new_end);

	while (old < old_end && new < new_end) {
		int order = compare_place(old, new);

		if (!order)
			vec_push(&cell->blocks,
				 (struct diff_block){ old->block, new->block,
						      (int64_t)(new->block->cycles / new->block->n) -
							      (int64_t)(old->block->cycles / old->block->n) });
		old += order <= 0;
		new += order >= 0;
	}
	if (cell->blocks.len)
		qsort(cell->blocks.items, cell->blocks.len, sizeof(*cell->blocks.items), block_order);
}

void diff_join_blocks(struct diff *d)
{
	struct block_index *indexes = xcalloc(d->n_files, sizeof(*indexes));

	for (size_t f = 0; f < d->n_files; f++)
		index_blocks(&indexes[f], d->opts->blocks[f]);
	for (size_t i = 0; i < d->rows.len; i++) {
		struct diff_cell *cells = d->rows.items[i].cells;

		for (size_t f = 1; f < d->n_files; f++)
			if (cells[0].there && cells[f].there && cells[0].symbol && cells[f].symbol)
				join_cell(&indexes[0], &indexes[f], &cells[0], &cells[f]);
	}
	for (size_t f = 0; f < d->n_files; f++)
		vec_free(&indexes[f]);
	free(indexes);
}

void diff_blocks_free(struct diff_row *r, size_t n_files)
{
	for (size_t f = 0; f < n_files; f++)
		vec_free(&r->cells[f].blocks);
}

int diff_block_histogram(const struct diff_block *b, struct out *o)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	size_t n = MIN(b->old->n_seen, b->new->n_seen), len = o->len;
	uint64_t least = UINT64_MAX, most = 0, step;
	double mean = 0, squares = 0, deviation;
	uint64_t changes[BLOCK_SEEN];
	int width;

	for (size_t i = 0; i < n; i++) {
		changes[i] = (uint64_t)abs((int)b->new->seen[i] - (int)b->old->seen[i]);
		least = MIN(least, changes[i]);
		most = MAX(most, changes[i]);
		mean += (double)changes[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		squares += ((double)changes[i] - mean) * ((double)changes[i] - mean);
	deviation = n > 1 && mean > 0 ? 100 * sqrt(squares / (double)(n - 1) / (double)n) / mean : 0;
	if (!(deviation > 0))
		return 0;
	out_fmt(o, "±%5.1f%% ", deviation);
	width = (int)(o->len - len) - 1; /* the sign has two bytes */
	step = MAX(((most - least) << 8) / (ARRAY_SIZE(bars) - 1), (uint64_t)1);
	for (size_t i = 0; i < n; i++)
		out_str(o, bars[MIN(((changes[i] - least) << 8) / step, (uint64_t)ARRAY_SIZE(bars) - 1)]);
	return width + (int)n;
}
