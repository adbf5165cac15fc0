#ifndef FORMAT_CURSOR_H
#define FORMAT_CURSOR_H

#include "format/reader.h"

/*
 * Iterate over all records of an input, stream by stream in file order. Skip bytes that make no
 * record, and count them in `notes` unless it is NULL.
 *
 *	struct cursor c = { .pd = pd };
 *	while (cursor_next(&c, &r))
 *		...
 *
 * A loop that ends early calls cursor_release().
 */
struct cursor {
	const struct perfdata *pd;
	struct format_notes *notes;
	size_t stream; /* the next stream to open */
	bool is_open;
	struct chunk chunk;
};
/*
 * Return the next record as a view, like chunk_next(). Return false at the end, after releasing the
 * cursor.
 */
bool cursor_next(struct cursor *c, struct record *r);
void cursor_release(struct cursor *c);

#endif
