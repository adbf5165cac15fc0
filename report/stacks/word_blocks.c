#include "report/stacks/word_blocks_priv.h"

enum { LEAST = 1 << 10, MOST = 1 << 19 }; /* size of a block, in numbers; the largest is a huge page */

uint32_t *word_blocks_grow(struct word_blocks *w, size_t n)
{
	uint32_t *block;

	w->size = MAX(MIN(MAX(w->size * 2, (size_t)LEAST), (size_t)MOST), n);
	block = xlarge(w->size * sizeof(*block));
	vec_push(&w->blocks, block);
	w->next = block + n;
	w->end = block + w->size;
	return block;
}

void word_blocks_release(struct word_blocks *w)
{
	for (size_t i = 0; i < w->blocks.len; i++)
		free(w->blocks.items[i]);
	vec_free(&w->blocks);
	*w = (struct word_blocks){ 0 };
}
