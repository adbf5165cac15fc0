#include "cmd/shared/live_input.h"

#include "base/signal.h"
#include "cmd/commands.h"

/* How often to read the rings at least, and how many bytes may wait in memory for the reader. */
enum { LOOK_MS = 100, WAITING_MOST = 64 << 20 };

/* Pass on the bytes of a recording in pipe form, and keep them: together they make a file. */
static ssize_t read_and_keep(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct live_input *in = of;
	ssize_t n = recording_read(in->recording, to, room, timeout_ms, e);

	if (n > 0)
		out_mem(&in->copy.out, to, (size_t)n);
	return n;
}

static int open_rings(struct live_input *in, const struct record_opts *record, const struct live_opts *opts,
		      struct err *e)
{
	struct record_opts told = *record;

	told.tell = usual_teller();
	stop_on_signals();
	if (in->copy_to && new_file_open_private(&in->copy, in->copy_to, e) < 0)
		return -1;
	in->copies = in->copy_to;
	in->recording = recording_start(&told, in->look_ms ? in->look_ms : LOOK_MS, WAITING_MOST, e);
	if (!in->recording)
		return -1;
	in->source = (struct live_bytes){ recording_read, in->recording };
	if (in->copies)
		in->source = (struct live_bytes){ read_and_keep, in };
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
	if (in->copies)
		new_file_drop(&in->copy);
	*in = (struct live_input){ 0 };
}

void live_input_close(struct live_input *in)
{
	struct record_result ignored;

	live_input_end(in, &ignored);
}

int live_input_finish(struct live_input *in, struct err *e)
{
	int rc = in->copies ? new_file_finish(&in->copy, e) : 0;

	in->copies = false;
	live_input_close(in);
	return rc;
}
