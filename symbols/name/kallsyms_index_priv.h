#ifndef SYMBOLS_NAME_KALLSYMS_INDEX_PRIV_H
#define SYMBOLS_NAME_KALLSYMS_INDEX_PRIV_H

#include "symbols/name/kallsyms.h"

enum { BLOCK_SYMBOLS = 32 };

/* A run of lines of a kallsyms file, with at most BLOCK_SYMBOLS distinct addresses. */
struct kallsyms_block {
	uint64_t start;    /* address of its first symbol */
	uint32_t pos, len; /* bytes of the file; `len` counts a newline that the last line may lack */
};

/*
 * Where a kallsyms file has which addresses, so that a lookup parses one block instead of the whole list. Lines of
 * one address lie in one block. To make the index, the digits of the lines are compared, but not converted.
 *
 * The list must hold the kernel's own symbols in ascending order, with 16 digits each, as the
 * kernel writes them. Give up for any other list.
 *
 *  struct kallsyms_index index = { 0 };
 *  while (read more text behind the rest of the last)
 *          done = kallsyms_index_lines(&index, text, len, pos);
 *  if (!kallsyms_index_end(&index, text + done, len - done, pos + done))
 *          read the whole list instead;
 */
struct kallsyms_index {
	VEC(struct kallsyms_block) blocks; /* ascending; free it with vec_free() */

	/* private */
	bool gave_up;
	unsigned n; /* distinct addresses in the last block */
	struct kallsyms_digits {
		uint64_t high, low; /* the text, big-endian: it sorts as the addresses do */
	} last;                     /* of the last symbol */
};

/*
 * Take whole lines. Return how many bytes are done: pass the text behind them again with the next
 * call. `pos` is the offset of the text in the file.
 */
size_t kallsyms_index_lines(struct kallsyms_index *x, const char *text, size_t len, uint64_t pos);
/*
 * Take the rest of the file; its last line may lack the newline. Return false if the list does not
 * have the usual form.
 */
bool kallsyms_index_end(struct kallsyms_index *x, const char *text, size_t len, uint64_t pos);

#endif
