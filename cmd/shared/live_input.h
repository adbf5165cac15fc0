#ifndef CMD_SHARED_LIVE_INPUT_H
#define CMD_SHARED_LIVE_INPUT_H

#include "record/live.h"
#include "report/live/live.h"

/* What a live command reads: a recording, a pipe, or the rings of events that it opens. Zeroed memory is not open. */
struct live_input {
	struct live *live;
	struct recording *recording; /* NULL: no rings */
	struct live_bytes source;
};

/*
 * `path`: of a recording, "-" for a pipe; NULL: rings, for which `record` says what to open on whom. SIGINT and SIGTERM
 * then end the input, and what was watched until then is delivered. -1 with e on failure.
 */
int live_input_open(struct live_input *in, const char *path, const struct record_opts *record,
		    const struct live_opts *opts, struct err *e);
void live_input_close(struct live_input *in);

#endif
