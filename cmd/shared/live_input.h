#ifndef CMD_SHARED_LIVE_INPUT_H
#define CMD_SHARED_LIVE_INPUT_H

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
	unsigned look_ms; /* set before opening: how often rings are read at least; 0 = as usual */
};

/*
 * `path`: a recording, "-" for a pipe; NULL: rings, for which `record` has events and targets.
 * SIGINT and SIGTERM end the rings; everything recorded before is still delivered. -1 with e on
 * failure.
 */
int live_input_open(struct live_input *in, const char *path, const struct record_opts *record,
		    const struct live_opts *opts, struct err *e);
void live_input_close(struct live_input *in);
/* The same; `result` is that of the recording, zeroed where there was none. */
void live_input_end(struct live_input *in, struct record_result *result);

#endif
