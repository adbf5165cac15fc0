/* Look up kernel addresses in an indexed list, and parse only the blocks that have them. */
#include "symbols/name/kernel_blocks_priv.h"

#include "base/search.h"

/*
 * The symbols of a block, sorted by start. They do not overlap: each ends where the next one of the list begins. Among
 * several at one address only the last has a size, so no symbol has a second name.
 */
struct kernel_block {
	uint32_t n;
	struct symbol symbols[BLOCK_SYMBOLS];
	_Atomic(const char *) names[BLOCK_SYMBOLS];
};

struct kernel_blocks {
	struct kernel_list *list;
	struct dso *kernel; /* its lock guards reading blocks */
	uint64_t delta;
	int strings; /* of the names */
	struct kallsyms_index index;
	_Atomic(struct kernel_block *) *blocks; /* in the kernel's arena; NULL: not read yet */
};

void kernel_blocks_free(struct kernel_blocks *b)
{
	if (!b)
		return;
	vec_free(&b->index.blocks);
	free(b->blocks);
	free(b);
}

static struct kernel_block *read_block(struct kernel_blocks *b, size_t at)
{
	struct kernel_block *block = arena_alloc(&b->kernel->arena, sizeof(*block));
	struct symbol_table t = { 0 };
	bool is_last = at + 1 == b->index.blocks.len;

	kernel_list_block(b->list, &b->index.blocks.items[at], b->delta, b->strings, &t);
	kernel_list_touched(b->list);
	if (!is_last) { /* the last symbol of the block ends where the next block begins */
		uint64_t next = b->index.blocks.items[at + 1].start + b->delta;

		vec_push(&t, (struct symbol){ .start = next, .end = next });
	}
	table_settle(&t, b->kernel, TABLE_KALLSYMS);
	*block = (struct kernel_block){ .n = (uint32_t)MIN(t.len - !is_last, (size_t)BLOCK_SYMBOLS) };
	if (block->n) /* the file may have lost these lines since */
		memcpy(block->symbols, t.items, block->n * sizeof(*t.items));
	vec_free(&t);
	return block;
}

/*
 * Return whether the recorded addresses have the order of the list. They do not if delta moves a part of them past
 * 2^64.
 */
static bool is_ordered(struct kernel_blocks *b)
{
	size_t last = b->index.blocks.len - 1;
	uint64_t first_start = b->index.blocks.items[0].start + b->delta;
	uint64_t last_start = b->index.blocks.items[last].start + b->delta;
	struct kernel_block *block = read_block(b, last);

	atomic_init(&b->blocks[last], block);
	return first_start <= last_start && block->n && block->symbols[0].start == last_start;
}

struct kernel_blocks *kernel_blocks_new(struct kernel_list *k, struct dso *kernel, uint64_t delta)
{
	struct kernel_blocks *b = xcalloc(1, sizeof(*b));

	*b = (struct kernel_blocks){ .list = k, .kernel = kernel, .delta = delta };
	if (kernel_list_index(k, &b->index) && (b->strings = kernel_list_names(k, kernel)) >= 0) {
		b->blocks = xcalloc(b->index.blocks.len, sizeof(*b->blocks));
		if (is_ordered(b))
			return b;
	}
	kernel_blocks_free(b);
	return NULL;
}

static const struct kernel_block *get_block(struct kernel_blocks *b, size_t at)
{
	struct kernel_block *block = atomic_load_explicit(&b->blocks[at], memory_order_acquire);

	if (block)
		return block;
	pthread_mutex_lock(&b->kernel->lock);
	block = atomic_load_explicit(&b->blocks[at], memory_order_relaxed);
	if (!block) {
		block = read_block(b, at);
		atomic_store_explicit(&b->blocks[at], block, memory_order_release);
	}
	pthread_mutex_unlock(&b->kernel->lock);
	return block;
}

/* Return how many blocks begin at or before a recorded address. */
static size_t blocks_before(const struct kernel_blocks *b, uint64_t address)
{
	const struct kallsyms_block *blocks = b->index.blocks.items;

	return search_count(i, b->index.blocks.len, blocks[i].start + b->delta <= address);
}

/* Return how many of the block's symbols begin at or before a recorded address. */
static uint32_t symbols_before(const struct kernel_block *block, uint64_t address)
{
	return (uint32_t)search_count(i, block->n, block->symbols[i].start <= address);
}

uint32_t kernel_blocks_find(struct kernel_blocks *b, uint64_t address)
{
	size_t at = blocks_before(b, address);
	const struct kernel_block *block = at ? get_block(b, at - 1) : NULL;
	uint32_t n = block ? symbols_before(block, address) : 0;

	return n && address < block->symbols[n - 1].end ? (uint32_t)(at - 1) * BLOCK_SYMBOLS + n : 0;
}

uint32_t kernel_blocks_find_after(struct kernel_blocks *b, uint64_t address)
{
	size_t at = blocks_before(b, address);
	const struct kernel_block *block = at ? get_block(b, at - 1) : NULL;
	uint32_t n = block ? symbols_before(block, address) : 0;

	if (block && n < block->n)
		return (uint32_t)(at - 1) * BLOCK_SYMBOLS + n + 1;
	if (at == b->index.blocks.len)
		return 0;
	get_block(b, at);
	return (uint32_t)at * BLOCK_SYMBOLS + 1;
}

void kernel_blocks_span(struct kernel_blocks *b, uint64_t *start, uint64_t *end)
{
	const struct kernel_block *last = get_block(b, b->index.blocks.len - 1);

	*start = b->index.blocks.items[0].start + b->delta;
	*end = last->n ? last->symbols[last->n - 1].end : *start;
}

static struct kernel_block *block_of(const struct kernel_blocks *b, uint32_t number)
{
	return atomic_load_explicit(&b->blocks[(number - 1) / BLOCK_SYMBOLS], memory_order_acquire);
}

const struct symbol *kernel_blocks_symbol(const struct kernel_blocks *b, uint32_t number)
{
	return &block_of(b, number)->symbols[(number - 1) % BLOCK_SYMBOLS];
}

_Atomic(const char *) *kernel_blocks_name(const struct kernel_blocks *b, uint32_t number)
{
	return &block_of(b, number)->names[(number - 1) % BLOCK_SYMBOLS];
}
