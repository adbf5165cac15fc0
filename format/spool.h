#ifndef FORMAT_SPOOL_H
#define FORMAT_SPOOL_H

#include "base/err.h"
#include "base/mem.h"
#include "base/progress.h"

/*
 * Bytes of unknown length, kept contiguous while they grow: first in memory, from 16 MB on in an unlinked file in
 * $TMPDIR (or /tmp) that is mapped, so that the kernel may write them out. The file leaves a quarter of the free space
 * to others. If there is no room for a file, up to 256 MB stay in memory. A zeroed struct is an empty spool.
 */
struct spool {
	uint8_t *data; /* moves at spool_room */
	size_t len, cap;
	int fd;           /* of the file, 0 = in memory */
	bool memory_only; /* no file could be made */
	bool full;        /* there was no room for more */
};
/* So many bytes are worth telling that their pages may leave our memory: of a file they come back. */
enum { REST_SIZE = 16 << 20 };
/* Where the next n bytes go; then spool->len += used. NULL: no room for them, which makes it `full`; what is there
 * stays. */
uint8_t *spool_room(struct spool *s, size_t n);
/* Forget which pages of the file are in our memory; they come back when read. */
void spool_rest(const struct spool *s, size_t from, size_t to);
/* Where the files lie, for messages. */
const char *spool_place(void);
/* Read everything that `fd` has to give, or until the spool is full. -1 and e when reading fails or `progress` (may be
 * NULL) says to stop. */
int spool_read(struct spool *s, int fd, struct progress *progress, struct err *e);
void spool_release(struct spool *s);

#endif
