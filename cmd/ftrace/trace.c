/* ftrace trace: the entries as text. */
#include "base/out.h"
#include "base/signal.h"
#include "cmd/ftrace/ftrace_priv.h"

struct ftrace_tracing {
	const struct ftrace_opts *o;
	struct ftrace_text *text;
	struct out out;
};

static void begin(void *ctx, struct ftrace_meta *m, const char *header, int cpus, bool graph)
{
	struct ftrace_tracing *t = ctx;
	const struct ftrace_settings *s = &t->o->set;
	struct ftrace_text_opts opts = {
		.graph = graph,
		.irq_info = s->irq_info,
		.verbose = s->verbose,
		.tail = s->tail,
		.retval = s->retval,
		.retval_hex = s->retval_hex,
		.retaddr = s->retaddr,
		.hide_irqs = s->no_irqs,
	};

	t->text = ftrace_text_new(m, &opts, cpus);
	out_str(&t->out, header);
}

static void drain(void *ctx, struct ftrace_stream *s, unsigned most)
{
	struct ftrace_tracing *t = ctx;
	struct ftrace_event ev;

	while (most-- && ftrace_stream_next(s, &ev))
		ftrace_text_print(t->text, s, &ev, &t->out);
	out_flush(&t->out);
}

static bool reader_is_gone(void *ctx) { return ((struct ftrace_tracing *)ctx)->out.error != 0; }

int ftrace_trace(struct ftrace_opts *o, int argc, char **argv, struct err *e)
{
	struct ftrace_tracing t = { .o = o };
	struct ftrace_sink sink = { .ctx = &t, .begin = begin, .drain = drain, .done = reader_is_gone };
	int rc;

	out_init_fd(&t.out, STDOUT_FILENO);
	rc = ftrace_run(o, argc, argv, &sink, e);
	ftrace_text_free(t.text);
	if (rc < 0)
		out_release(&t.out);
	else if (out_finish(&t.out, e) < 0)
		return -1;
	return rc;
}
