#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "format/live.h"
#include "record/record.h"

/*
 * A recording in pipe form for a reader in this process. A separate thread reads the rings, so nothing is lost while
 * the reader works. Data that the reader does not take in time waits in memory, up to `most` bytes. After that the
 * rings fill up, and the kernel counts what it drops.
 *
 *	r = recording_start(&opts, 100, 64 << 20, &e);
 *	source = (struct live_bytes){ recording_read, r };	for perfdata_open_live
 *	...
 *	recording_stop(r, &result);
 *
 * Options about the output have no effect. Signals belong to the caller; stop_requested (base/signal.h) ends the
 * recording, and so does the end of all recorded threads, or of opts->command.
 */
struct recording;
/*
 * Return when the events are open and count; NULL with e on failure. `look_ms`: read the rings, and
 * end a round, at least this often.
 */
struct recording *recording_start(const struct record_opts *opts, unsigned look_ms, size_t most, struct err *e);
/* The `read` of struct live_bytes. It also reports failures of the recording. */
ssize_t recording_read(void *recording, void *to, size_t room, int timeout_ms, struct err *e);
/*
 * The control group that an event of the stream is limited to, by number; NULL: none, or no such event. Lives as long
 * as the recording.
 */
const char *recording_cgroup(const struct recording *r, size_t event);
/* Stop and free it. `result` may be NULL; its path and dump are NULL. */
void recording_stop(struct recording *r, struct record_result *result);

#endif
