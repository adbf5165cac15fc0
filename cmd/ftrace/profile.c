/* ftrace profile: time by function. */
#include "base/new_file.h"
#include "base/say.h"
#include "cmd/ftrace/ftrace_priv.h"
#include "report/ftrace/calls.h"
#include "report/stacks/export.h"

struct graph_profile {
	const struct ftrace_opts *o;
	struct ftrace_meta *m;
	struct ftrace_calls *calls;
	struct ftrace_sums sums;
	struct stacks *stacks; /* NULL: no option needs them */
	struct err *e;
	int rc;
};

static void begin(void *ctx, struct ftrace_meta *m, const char *header, int cpus, bool graph)
{
	struct graph_profile *p = ctx;

	p->m = m;
	p->calls = ftrace_calls_new(m);
}

static void drain(void *ctx, struct ftrace_stream *s, unsigned most)
{
	struct graph_profile *p = ctx;
	struct ftrace_event ev;
	struct ftrace_call call;

	while (most-- && ftrace_stream_next(s, &ev)) {
		if (!ftrace_calls_add(p->calls, &ev, &call))
			continue;
		ftrace_sums_add(&p->sums, p->m, &call);
		if (p->stacks)
			ftrace_stacks_add(p->stacks, p->m, &call);
	}
}

static int write_folded(struct stacks *st, const char *path, struct err *e)
{
	struct new_file f;

	if (new_file_open(&f, path, e) < 0)
		return -1;
	export_collapsed(st, false, &f.out);
	return new_file_finish(&f, e);
}

static int write_flamegraph(struct stacks *st, const char *path, struct err *e)
{
	struct flamegraph_opts opts = { .title = "Kernel functions", .unit = "ns", .width = 1200, .min_width = 0.1 };
	struct flame *f = flame_new(st, flamegraph_least(st, &opts));
	struct new_file file;
	int rc = new_file_open(&file, path, e);

	if (!rc) {
		export_flamegraph(f, &opts, &file.out);
		rc = new_file_finish(&file, e);
	}
	flame_free(f);
	return rc;
}

static int print(struct graph_profile *p, struct err *e)
{
	const char *key = p->o->sort ? p->o->sort : "total";
	struct out out;

	if (!p->sums.items.len) {
		say("No data found");
		return 0;
	}
	if (ftrace_sums_sort(&p->sums, p->m, key, e) < 0)
		return -1;
	out_init_fd(&out, STDOUT_FILENO);
	ftrace_sums_print(&p->sums, p->m, p->o->self || !strcmp(key, "self"), &out);
	return out_finish(&out, e);
}

/* Write all output now, because the names of functions live only as long as the run. */
static void end(void *ctx)
{
	struct graph_profile *p = ctx;

	if (p->stacks)
		stacks_sort(p->stacks, 0);
	if (p->rc == 0 && p->o->folded)
		p->rc = write_folded(p->stacks, p->o->folded, p->e);
	if (p->rc == 0 && p->o->flamegraph)
		p->rc = write_flamegraph(p->stacks, p->o->flamegraph, p->e);
	if (p->rc == 0)
		p->rc = print(p, p->e);
}

int ftrace_profile(struct ftrace_opts *o, int argc, char **argv, struct err *e)
{
	struct graph_profile p = { .o = o, .e = e };
	struct ftrace_sink sink = { .ctx = &p, .begin = begin, .drain = drain, .end = end };
	int rc;

	/* report a bad sort key before tracing starts */
	if (o->sort && ftrace_sums_sort(&p.sums, NULL, o->sort, e) < 0)
		return -1;
	if (o->folded || o->flamegraph)
		p.stacks = stacks_new(&(struct stacks_opts){ 0 });
	o->tracer = "function_graph";
	rc = ftrace_run(o, argc, argv, &sink, e);
	ftrace_calls_free(p.calls);
	ftrace_sums_release(&p.sums);
	if (p.stacks)
		stacks_free(p.stacks);
	return p.rc < 0 ? -1 : rc;
}
