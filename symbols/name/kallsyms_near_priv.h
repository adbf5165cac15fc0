#ifndef SYMBOLS_NAME_KALLSYMS_NEAR_PRIV_H
#define SYMBOLS_NAME_KALLSYMS_NEAR_PRIV_H

#include "symbols/name/kallsyms.h"

/*
 * Find the lines of a kallsyms file that matter for some addresses: for each address, the lines of
 * the symbols that cover it, and those of the next symbols, where the former end. All other lines
 * are not parsed; only their digits are compared.
 *
 * The list must hold the kernel's own symbols in ascending order, with 16 digits each, as the
 * kernel writes them. Give up for any other list.
 *
 *  struct kallsyms_near near = { .asked = addresses, .n = n, .take = take };
 *  while (read more text behind the rest of the last)
 *          done = kallsyms_near_lines(&near, text, len, pos);
 *  if (!kallsyms_near_end(&near, text + done, len - done, pos + done))
 *          read the whole list instead;
 */
struct kallsyms_near {
	const uint64_t *asked; /* ascending */
	size_t n;
	/* Called for each line that matters, in file order. `pos`: offset of its name in the file. */
	void (*take)(struct kallsyms_near *near, const struct kallsyms_line *l, uint64_t pos);

	/* private */
	size_t next;  /* the first address that the lines have not passed yet */
	bool open;    /* a group of lines with one address has begun */
	bool follows; /* the open group shows where the wanted symbols end */
	bool gave_up;
	struct kallsyms_digits {
		uint64_t high, low; /* the text, big-endian: it sorts as the addresses do */
	} group, due;               /* of the open group; of asked[next], once a group has begun */
};

/*
 * Take whole lines. Return how many bytes are done: pass the text behind them again with the next
 * call. `pos` is the offset of the text in the file.
 */
size_t kallsyms_near_lines(struct kallsyms_near *near, const char *text, size_t len, uint64_t pos);
/*
 * Take the rest of the file; its last line may lack the newline. Return false if the list does not
 * have the usual form.
 */
bool kallsyms_near_end(struct kallsyms_near *near, const char *text, size_t len, uint64_t pos);

#endif
