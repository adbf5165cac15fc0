#ifndef FORMAT_LIVE_H
#define FORMAT_LIVE_H

#include <sys/types.h>

#include "format/reader.h"

/*
 * A recording in pipe form that is still being written: from a pipe, or from a recorder in this process. Its perfdata
 * has one stream which gets new records at its end and drops unneeded ones at its start, so that memory does not grow
 * with the recording.
 *
 *	pd = perfdata_open_live(name, source, e);	until the events are known
 *	while ((n = perfdata_more(pd, 100, e)) > 0 || n == LIVE_LATER) {
 *		... perfdata_chunk(pd, 0, from, stream_size(pd, 0), ...) ...
 *		perfdata_drop(pd, from);
 *	}
 *	perfdata_close(pd);
 *
 * Chunks hold until the next perfdata_more or perfdata_drop.
 */

/* Where the bytes come from. */
struct live_bytes {
	/*
	 * Put up to `room` bytes into `to`. Wait at most timeout_ms for the first one (-1: as long as
	 * it takes). Return their number, 0 at the end, LIVE_LATER when none came in time or a signal
	 * did, -1 with e on failure.
	 */
	ssize_t (*read)(void *of, void *to, size_t room, int timeout_ms, struct err *e);
	void *of;
};
enum { LIVE_LATER = -2 };
/* The `read` of a descriptor; `of` points at it. */
ssize_t live_read_fd(void *of, void *to, size_t room, int timeout_ms, struct err *e);

/*
 * Read until the events are known. COMPRESSED records are expanded on the way. The file form has
 * its events at the end: it is read as a whole, and perfdata_is_live is then false. `source` must
 * outlive the perfdata; `name` is for messages.
 */
struct perfdata *perfdata_open_live(const char *name, const struct live_bytes *source, struct err *e);
bool perfdata_is_live(const struct perfdata *pd);
/*
 * Read the data that has arrived; return values are those of live_bytes.read. After -1 the records until then
 * can still be read.
 */
ssize_t perfdata_more(struct perfdata *pd, int timeout_ms, struct err *e);
/* Forget the records before `pos`. */
void perfdata_drop(struct perfdata *pd, uint64_t pos);
/*
 * The bytes that describe the recording (header, events, features): followed by any whole records of
 * it they make a recording again. Valid as long as the perfdata.
 */
const uint8_t *perfdata_preamble(const struct perfdata *pd, size_t *len);

#endif
