#ifndef FORMAT_CURSOR_H
#define FORMAT_CURSOR_H

#include "format/reader.h"

/*
 * All records of an input, stream by stream in file order. Bytes that make no record are skipped, and counted in
 * `notes` unless that is NULL.
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
	size_t stream; /* the next one to open */
	bool is_open;
	struct chunk chunk;
};
/* `r` is a view as chunk_next() gives it. false at the end; the cursor is released then. */
bool cursor_next(struct cursor *c, struct record *r);
void cursor_release(struct cursor *c);

#endif
