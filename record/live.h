#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "format/live.h"
#include "record/record.h"

/*
 * A recording that goes nowhere but to a reader in this process, in pipe form. A thread of its own reads
 * the rings, so that nothing is lost while the reader works; what the reader does not take in time waits
 * in memory, up to `most` bytes. Then the rings fill up, and the kernel counts what it drops.
 *
 *	r = recording_start(&opts, &e);
 *	source = (struct live_bytes){ recording_read, r };	for perfdata_open_live
 *	...
 *	recording_stop(r, &result, &e);
 *
 * Of the options those about the output mean nothing. Signals are the caller's; stop_requested
 * (base/signal.h) ends the recording, as does the end of all threads that are recorded.
 */
struct recording;
/*
 * Returns when the events are open and count, or NULL with e. `look_ms`: the rings are read, and a round
 * ends, at least that often.
 */
struct recording *recording_start(const struct record_opts *opts, unsigned look_ms, size_t most, struct err *e);
/* The `read` of struct live_bytes. Failures of the recording are told here. */
ssize_t recording_read(void *recording, void *to, size_t room, int timeout_ms, struct err *e);
/* Ends and frees it. `result` may be NULL; its path and dump are. */
void recording_stop(struct recording *r, struct record_result *result);

#endif
