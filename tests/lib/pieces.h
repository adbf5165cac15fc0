#ifndef TESTS_LIB_PIECES_H
#define TESTS_LIB_PIECES_H

#include <string.h>
#include <sys/types.h>

#include "base/mem.h"

/* An input that arrives in pieces of this many bytes, for struct live_bytes. */
struct pieces {
	const uint8_t *data;
	size_t left, piece;
};

static inline ssize_t read_piece(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct pieces *p = of;
	size_t n = MIN(MIN(p->piece, room), p->left);

	memcpy(to, p->data, n);
	p->data += n;
	p->left -= n;
	return (ssize_t)n;
}

#endif
