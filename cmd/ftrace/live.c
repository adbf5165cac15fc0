/* Trace the running kernel: set up an instance, read its buffers, restore all settings. */
#include <sys/wait.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/say.h"
#include "base/signal.h"
#include "cmd/ftrace/ftrace_priv.h"
#include "events/caller.h"
#include "events/events.h"
#include "events/workload.h"
#include "record/machine/collect.h"

enum {
	TICK_MS = 100,      /* longest time until strobe reads an entry */
	PAGES_A_TURN = 256, /* pages of one CPU, before reading the next CPU */
	EVENTS_A_TURN = 1 << 17,
	WAITING_MAX = 1 << 30, /* bytes of pages that strobe keeps; if more wait, the rest stays in the kernel */
	MAX_TEXT = 64 << 20,
};

struct ftrace_live {
	const struct ftrace_opts *o;
	const struct ftrace_sink *sink;
	struct instance in;
	struct trace_reader reader;
	struct workload workload;
	struct target target;
	struct cpuset cpus;
	struct ftrace_meta *meta;
	struct ftrace_stream *stream;
	uint64_t began_ms;
	bool tracing;
};

/* ---- targets ---- */

static int find_tasks(struct ftrace_live *l, struct err *e)
{
	const struct ftrace_opts *o = l->o;

	if (o->cpus && cpuset_parse(&l->cpus, o->cpus, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	if (!o->pids && !o->tids)
		return 0;
	l->target = (struct target){ .pids = o->pids, .tids = o->tids };
	return target_resolve(&l->target, e);
}

static int set_tasks(struct ftrace_live *l, struct err *e)
{
	const struct ftrace_settings *s = &l->o->set;

	if (l->workload.pid && !s->all_tasks)
		return ftrace_settings_task(&l->in, s, l->workload.pid, e);
	for (size_t i = 0; (l->o->pids || l->o->tids) && i < l->target.threads.len; i++)
		if (ftrace_settings_task(&l->in, s, l->target.threads.items[i], e) < 0)
			return -1;
	return 0;
}

/* Has a task ended? A zombie has, though it keeps its number. Source: the third field of /proc/PID/stat, proc(5). */
static bool has_ended(int32_t tid)
{
	autofree char *path = xasprintf("/proc/%d/stat", tid), *text = file_read(path, 4096, NULL, NULL);
	const char *state = text ? strrchr(text, ')') : NULL;

	return !state || !strncmp(state, ") Z", 3) || !strncmp(state, ") X", 3);
}

static bool tasks_are_gone(const struct ftrace_live *l)
{
	for (size_t i = 0; i < l->target.threads.len; i++)
		if (!has_ended(l->target.threads.items[i]))
			return false;
	return l->target.threads.len;
}

/* ---- formats and names of the entries ---- */

struct points {
	VEC(struct collect_tracepoint);
};

/* List the enabled events from `text`, with one "system:event" per line; this changes `text`. */
static void events_that_are_on(struct points *points, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		vec_push(points, (struct collect_tracepoint){ line, colon + 1 });
	}
}

int ftrace_live_head(const struct instance *in, bool kallsyms, struct out *o, struct err *e)
{
	autofree char *text = instance_read(in, "set_event", NULL);
	struct points points = { 0 };
	int rc;

	if (text)
		events_that_are_on(&points, text);
	rc = tracing_data_encode_parts(
		o, points.items, points.len,
		&(struct tracing_parts){ .version = "6", .own_formats = true, .kallsyms = kallsyms }, e);
	vec_free(&points);
	return rc;
}

static int learn_meaning(struct ftrace_live *l, struct err *e)
{
	autofree char *modules = file_read("/proc/modules", MAX_TEXT, NULL, NULL);
	struct tracing_data td;
	struct out o;
	int rc;

	out_init_mem(&o);
	rc = ftrace_live_head(&l->in, false, &o, e);
	if (rc == 0)
		rc = tracing_data_decode(&td, (const uint8_t *)o.buf, o.len, e);
	if (rc == 0) {
		l->meta = ftrace_meta_new(&td, (uint32_t)l->reader.page_size,
					  ftrace_names_new(kallsyms_read("/proc/kallsyms"), modules), e);
		rc = l->meta ? 0 : -1;
		tracing_data_release(&td);
	}
	out_release(&o);
	if (rc == 0)
		l->meta->is_live = true;
	return rc;
}

static void learn_comms(struct ftrace_live *l)
{
	autofree char *path = xasprintf("%s/saved_cmdlines", l->in.tracefs);
	size_t len;
	autofree char *text = file_read(path, MAX_TEXT, &len, NULL);

	if (text)
		ftrace_meta_comms(l->meta, text, len);
}

/* Return the lines that begin with '#'. */
static char *heading(const struct instance *in)
{
	autofree char *text = instance_read(in, "trace", NULL);
	const char *at = text ? text : "";

	while (*at == '#') {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return xstrndup(text ? text : "", text ? (size_t)(at - text) : 0);
}

/* ---- reading ---- */

static int sweep_ring(struct ftrace_live *l, struct trace_ring *ring, bool *any, struct err *e)
{
	int got = 0;

	for (int n = 0; n < PAGES_A_TURN && (got = trace_ring_read(&l->reader, ring, e)) > 0; n++) {
		*any = true;
		if (!l->sink->page)
			ftrace_stream_add(l->stream, ring->cpu, l->reader.page, l->reader.page_size, false);
		else if (l->sink->page(l->sink->ctx, ring->cpu, l->reader.page, l->reader.page_size, e) < 0)
			return -1;
	}
	ring->more = got > 0;
	if (ring->more && l->stream)
		ftrace_stream_behind(l->stream, ring->cpu);
	return MIN(got, 0);
}

/* Read every CPU in turn. *any: there were pages. */
static int sweep(struct ftrace_live *l, bool *any, struct err *e)
{
	*any = false;
	for (size_t i = 0; i < l->reader.rings.len; i++)
		if (sweep_ring(l, &l->reader.rings.items[i], any, e) < 0)
			return -1;
	if (*any && l->stream)
		learn_comms(l);
	if (l->stream)
		ftrace_stream_round(l->stream);
	return 0;
}

static void drain(struct ftrace_live *l)
{
	if (l->stream)
		l->sink->drain(l->sink->ctx, l->stream, EVENTS_A_TURN);
}

static bool is_over(struct ftrace_live *l)
{
	bool over = stop_requested || (l->workload.pid && workload_ended(&l->workload));

	if (l->sink->done && l->sink->done(l->sink->ctx))
		over = true;
	return over || tasks_are_gone(l);
}

static int start_tracing(struct ftrace_live *l, struct err *e)
{
	l->tracing = true;
	return instance_set(&l->in, "tracing_on", "1", e);
}

static int watch(struct ftrace_live *l, struct err *e)
{
	bool any = false;
	int rc = 0;

	while (rc == 0 && !is_over(l)) {
		if (!l->tracing && now_ms() - l->began_ms >= l->o->delay_ms)
			rc = start_tracing(l, e);
		trace_reader_wait(&l->reader, TICK_MS);
		if (rc == 0 && (!l->stream || ftrace_stream_waiting(l->stream) < WAITING_MAX))
			rc = sweep(l, &any, e);
		drain(l);
	}
	instance_set(&l->in, "tracing_on", "0", NULL);
	do
		if (rc == 0)
			rc = sweep(l, &any, e);
	while (rc == 0 && any);
	if (rc == 0 && l->stream) {
		ftrace_stream_end(l->stream);
		l->sink->drain(l->sink->ctx, l->stream, UINT32_MAX);
		if (l->sink->end)
			l->sink->end(l->sink->ctx);
	}
	return rc;
}

static void tell_losses(const struct ftrace_live *l)
{
	struct trace_losses lost;

	trace_losses_read(&l->in, &lost);
	if (lost.overrun || lost.dropped)
		say("Warning: %llu entries were lost: the buffers were full. Larger ones: -m SIZE",
		    (unsigned long long)(lost.overrun + lost.dropped));
	if (l->in.dropped)
		say("Warning: this kernel runs the tracer in the top instance only; %llu entries in its buffers "
		    "are lost",
		    (unsigned long long)l->in.dropped);
	if (l->meta && l->meta->n_bad_pages)
		say("Warning: %llu pages could not be read", (unsigned long long)l->meta->n_bad_pages);
}

/* ---- the run ---- */

static int set_up(struct ftrace_live *l, char **argv, struct err *e)
{
	const struct ftrace_opts *o = l->o;

	instance_prune(NULL);
	if (find_tasks(l, e) < 0 || workload_fork(&l->workload, argv, &(struct caller){ 0 }, false, e) < 0 ||
	    instance_open(&l->in, o->set.tracer, o->set.call_graph, e) < 0 ||
	    ftrace_settings_apply(&l->in, &o->set, e) < 0 || set_tasks(l, e) < 0 ||
	    trace_reader_open(&l->reader, &l->in, o->cpus ? &l->cpus : NULL, e) < 0)
		return -1;
	return l->sink->page ? 0 : learn_meaning(l, e);
}

static int run(struct ftrace_live *l, char **argv, struct err *e)
{
	autofree char *header = NULL;
	size_t n = l->reader.rings.len;

	say_verbose(1, "%s runs in %s, %zu buffers with pages of %zu bytes", l->o->set.tracer, l->in.dir, n,
		    l->reader.page_size);
	if (l->meta) {
		header = heading(&l->in);
		l->sink->begin(l->sink->ctx, l->meta, header, n ? l->reader.rings.items[n - 1].cpu + 1 : 1,
			       !strcmp(l->o->set.tracer, "function_graph"));
		l->stream = ftrace_stream_new(l->meta);
	}
	l->began_ms = now_ms();
	if (!l->o->delay_ms && start_tracing(l, e) < 0)
		return -1;
	if (l->workload.pid && workload_start(&l->workload, argv[0], e) < 0)
		return -1;
	if (watch(l, e) < 0)
		return -1;
	return l->sink->finish ? l->sink->finish(l->sink->ctx, &l->in, e) : 0;
}

static void tear_down(struct ftrace_live *l)
{
	trace_reader_close(&l->reader);
	ftrace_stream_free(l->stream);
	ftrace_meta_free(l->meta);
	instance_close(&l->in);
	target_release(&l->target);
	cpuset_free(&l->cpus);
}

int ftrace_live(struct ftrace_opts *o, int argc, char **argv, const struct ftrace_sink *sink, struct err *e)
{
	struct ftrace_live l = { .o = o, .sink = sink, .workload = { .cork = -1, .report = -1 } };
	bool has_workload = argc > 0, killed;
	int rc;

	stop_on_signals();
	raise_verbosity(o->verbose);
	if (o->cpus)
		o->set.cpus = &l.cpus;
	rc = set_up(&l, argv, e);
	if (rc == 0)
		rc = run(&l, argv, e);
	if (rc == 0)
		tell_losses(&l);
	killed = workload_finish(&l.workload);
	tear_down(&l);
	if (rc < 0)
		return -1;
	if (!has_workload || killed)
		return 0;
	return WIFSIGNALED(l.workload.status) ? 128 + WTERMSIG(l.workload.status) : WEXITSTATUS(l.workload.status);
}
