#include "cmd/shared/live_input.h"

#include "base/signal.h"

/* How often to read the rings at least, and how many bytes may wait in memory for the reader. */
enum { LOOK_MS = 100, WAITING_MOST = 64 << 20 };

static int open_rings(struct live_input *in, const struct record_opts *record, const struct live_opts *opts,
		      struct err *e)
{
	stop_on_signals();
	in->recording = recording_start(record, in->look_ms ? in->look_ms : LOOK_MS, WAITING_MOST, e);
	if (!in->recording)
		return -1;
	in->source = (struct live_bytes){ recording_read, in->recording };
	in->live = live_open_source("this system", &in->source, opts, e);
	return in->live ? 0 : -1;
}

int live_input_open(struct live_input *in, const char *path, const struct record_opts *record,
		    const struct live_opts *opts, struct err *e)
{
	if (!path)
		return open_rings(in, record, opts, e);
	in->live = strcmp(path, "-") ? live_open_file(path, opts, e) : live_open_pipe(STDIN_FILENO, opts, e);
	return in->live ? 0 : -1;
}

void live_input_end(struct live_input *in, struct record_result *result)
{
	*result = (struct record_result){ 0 };
	live_close(in->live);
	if (in->recording)
		recording_stop(in->recording, result);
	*in = (struct live_input){ 0 };
}

void live_input_close(struct live_input *in)
{
	struct record_result ignored;

	live_input_end(in, &ignored);
}
