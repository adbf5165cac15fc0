#ifndef SYMBOLS_NAME_KALLSYMS_NEAR_PRIV_H
#define SYMBOLS_NAME_KALLSYMS_NEAR_PRIV_H

#include "symbols/name/kallsyms.h"

/*
 * Find the lines of a kallsyms file that matter for some addresses: for each address the lines of the symbols that
 * cover it, and those of the next symbols, where the former end. Other lines are only compared, digit by digit, not
 * parsed. This works for a list of the kernel's own symbols in ascending order, 16 digits each: the kernel writes them
 * so. Any other list makes it give up.
 *
 *	struct kallsyms_near near = { .asked = addresses, .n = n, .take = take };
 *	while (read more text behind the rest of the last)
 *		done = kallsyms_near_lines(&near, text, len, pos);
 *	if (!kallsyms_near_end(&near, text + done, len - done, pos + done))
 *		read the whole list instead;
 */
struct kallsyms_near {
	const uint64_t *asked; /* ascending */
	size_t n;
	/* Called for each line that matters, in file order. `pos`: offset of its name in the file. */
	void (*take)(struct kallsyms_near *near, const struct kallsyms_line *l, uint64_t pos);

	/* private */
	size_t next;  /* the first address that no line has passed yet */
	bool open;    /* a group of lines with one address has begun */
	bool follows; /* it shows where wanted symbols end */
	bool gave_up;
	struct kallsyms_digits {
		uint64_t high, low; /* the text, big-endian: it compares as the address does */
	} group, due;               /* of the open group; of asked[next], once a group has begun */
};

/*
 * Take whole lines. Return how many bytes are done; the text from there on must come again. `pos` is the offset of the
 * text in the file.
 */
size_t kallsyms_near_lines(struct kallsyms_near *near, const char *text, size_t len, uint64_t pos);
/* Take the rest of the file; its last line may lack the newline. Return false if the list is not of the usual form. */
bool kallsyms_near_end(struct kallsyms_near *near, const char *text, size_t len, uint64_t pos);

#endif
