#include "format/cursor.h"

bool cursor_next(struct cursor *c, struct record *r)
{
	for (;;) {
		int got;

		if (!c->is_open) {
			if (c->stream == c->pd->n_streams)
				return false;
			perfdata_chunk(c->pd, c->stream, 0, stream_size(c->pd, c->stream), c->notes, &c->chunk);
			c->stream++;
			c->is_open = true;
		}
		got = chunk_next(&c->chunk, r, NULL);
		if (got > 0)
			return true;
		if (got < 0 && chunk_skip(&c->chunk))
			continue;
		cursor_release(c);
	}
}

void cursor_release(struct cursor *c)
{
	if (c->is_open)
		chunk_release(&c->chunk);
	c->is_open = false;
}
