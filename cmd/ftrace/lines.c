/* script -i trace.dat: print a line per entry, like trace-cmd report. */
#include "cmd/ftrace/ftrace_priv.h"

#include <fcntl.h>

#include "base/out.h"
#include "cmd/commands.h"
#include "format/trace/dat.h"

struct lines {
	struct ftrace_text *text;
	struct out out;
};

static void begin(void *ctx, struct ftrace_meta *m, const char *header, int cpus, bool graph)
{
	struct lines *l = ctx;

	l->text = ftrace_text_new(m, &(struct ftrace_text_opts){ .lines = true, .indent = true }, cpus);
	out_fmt(&l->out, "cpus=%d\n", cpus);
}

static void drain(void *ctx, struct ftrace_stream *s, unsigned most)
{
	struct lines *l = ctx;
	struct ftrace_event ev;

	while (most-- && !l->out.error && ftrace_stream_next(s, &ev))
		ftrace_text_print(l->text, s, &ev, &l->out);
}

bool is_trace_dat(const char *path)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t head[16];

	return fd >= 0 && pread(fd, head, sizeof(head), 0) == sizeof(head) && trace_dat_is(head, sizeof(head));
}

int script_trace_dat(const char *path, struct err *e)
{
	struct lines l = { 0 };
	int rc;

	out_init_fd(&l.out, STDOUT_FILENO);
	rc = ftrace_input(path, &(struct ftrace_sink){ .ctx = &l, .begin = begin, .drain = drain }, e);
	ftrace_text_free(l.text);
	if (rc < 0) {
		out_release(&l.out);
		return -1;
	}
	return out_finish(&l.out, e);
}
