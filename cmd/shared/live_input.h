#ifndef CMD_SHARED_LIVE_INPUT_H
#define CMD_SHARED_LIVE_INPUT_H

#include "base/new_file.h"
#include "record/live.h"
#include "report/live/live.h"

/*
 * The input of a live command: a recording, a pipe, or rings of events that it opens. Zeroed memory
 * is not open.
 */
struct live_input {
	struct live *live;
	struct recording *recording; /* NULL: no rings */
	struct live_bytes source;
	/* Set before opening: keep what the rings bring in this file, as a recording; NULL: do not. */
	const char *copy_to;
	struct new_file copy;
	bool copies;
	unsigned look_ms; /* set before opening: the longest time between two reads of the rings; 0 = as usual */
};

/*
 * `path`: a recording, "-" for a pipe; NULL: rings, for which `record` has events and targets.
 * SIGINT and SIGTERM end the rings; everything recorded before is still delivered. -1 with e on
 * failure.
 */
int live_input_open(struct live_input *in, const char *path, const struct record_opts *record,
		    const struct live_opts *opts, struct err *e);
void live_input_close(struct live_input *in);
/* The same, and finish the copy. -1 with e if it could not be written. */
int live_input_finish(struct live_input *in, struct err *e);
/* The same; `result` is that of the recording, zeroed where there was none. */
void live_input_end(struct live_input *in, struct record_result *result);

#endif
