#ifndef REPORT_STACKS_WORD_BLOCKS_PRIV_H
#define REPORT_STACKS_WORD_BLOCKS_PRIV_H

#include "base/mem.h"

/*
 * Many short arrays of numbers, which are all freed together. They do not move: a vec of millions would be copied again
 * and again. Zeroed memory is empty; release frees all blocks.
 */
struct word_blocks {
	VEC(uint32_t *) blocks;
	uint32_t *next, *end; /* what is left of the last block */
	size_t size;          /* of the last block */
};
uint32_t *word_blocks_grow(struct word_blocks *w, size_t n);
/* Return room for n numbers. */
static inline uint32_t *word_blocks_add(struct word_blocks *w, size_t n)
{
	uint32_t *at = w->next;

	if ((size_t)(w->end - at) < n)
		return word_blocks_grow(w, n);
	w->next = at + n;
	return at;
}
void word_blocks_release(struct word_blocks *w);

#endif
