#ifndef FORMAT_SPOOL_H
#define FORMAT_SPOOL_H

#include "base/err.h"
#include "base/mem.h"
#include "base/progress.h"

/*
 * A growing, contiguous buffer for data of unknown length. It starts in memory. From 16 MB on it is
 * an unlinked, mapped file in $TMPDIR (or /tmp), so that the kernel can write its pages out. The
 * file leaves a quarter of the free space to others. If no file can be made, up to 256 MB stay in
 * memory. A zeroed struct is an empty spool.
 */
struct spool {
	uint8_t *data; /* may move at spool_room */
	size_t len, cap;
	int fd;           /* of the file, 0 = in memory */
	bool memory_only; /* no file could be made */
	bool full;        /* there was no room for more */
};
/* Release pages only in steps of this size. */
enum { REST_SIZE = 16 << 20 };
/*
 * Return room for the next n bytes; then add the bytes used to spool->len. When there is no room,
 * return NULL and set `full`; the contents stay.
 */
uint8_t *spool_room(struct spool *s, size_t n);
/*
 * Add n bytes. Into a file they are written, which is faster than to store them in its mapping: no page of it has to
 * fault in. False when there is no room.
 */
bool spool_add(struct spool *s, const void *bytes, size_t n);
/* Release the pages of this part of the file; they fault in again on demand. */
void spool_rest(const struct spool *s, size_t from, size_t to);
/* Return the directory of the files, for messages. */
const char *spool_place(void);
/*
 * Read all data from `fd`, or until the spool is full. Return -1 with e when reading fails or after
 * progress_stop on `progress` (may be NULL).
 */
int spool_read(struct spool *s, int fd, struct progress *progress, struct err *e);
void spool_release(struct spool *s);

#endif
