/* ftrace latency: a histogram of one function's durations, or of the time between two events. */
#include "base/say.h"
#include "cmd/ftrace/ftrace_priv.h"
#include "report/ftrace/calls.h"
#include "report/ftrace/histogram.h"

struct ftrace_latency {
	struct histogram histogram;
	struct ftrace_meta *m;
	struct ftrace_calls *calls;
	const char *function; /* of the option; with -i, leave out other functions; NULL: pairs of events */
	char *first, *second; /* system:name of a pair of events */
	struct u64map begun;  /* ftrace_task_key -> index in times + 1 */
	VEC(uint64_t) times;
	struct err *e;
	int rc;
};

static void begin(void *ctx, struct ftrace_meta *m, const char *header, int cpus, bool graph)
{
	struct ftrace_latency *l = ctx;

	l->m = m;
	l->calls = ftrace_calls_new(m);
}

static bool is_event(const struct ftrace_event *ev, const char *name)
{
	size_t len = ev->format ? strlen(ev->format->text.system) : 0;

	return ev->format && !strncmp(name, ev->format->text.system, len) && name[len] == ':' &&
	       !strcmp(name + len + 1, ev->format->text.name);
}

/* A task's latency is the time from its first event to its next second event. */
static void add_event(struct ftrace_latency *l, const struct ftrace_event *ev)
{
	uint32_t *at;

	if (ev->lost) { /* an end may be lost, and then the next one would be too late */
		u64map_free(&l->begun);
		vec_clear(&l->times);
	}
	if (is_event(ev, l->first)) {
		at = u64map_put(&l->begun, ftrace_task_key(ev), NULL);
		if (!*at) {
			vec_push(&l->times, 0);
			*at = (uint32_t)l->times.len;
		}
		l->times.items[*at - 1] = ev->time_ns;
	} else if (is_event(ev, l->second)) {
		at = u64map_find(&l->begun, ftrace_task_key(ev));
		if (!at || !l->times.items[*at - 1])
			return;
		histogram_add(&l->histogram, ev->time_ns - l->times.items[*at - 1]);
		l->times.items[*at - 1] = 0;
	}
}

/* Return true if the option names this function: "sys_read" also means __x64_sys_read. */
static bool is_function(const char *asked, const char *name)
{
	size_t n = strlen(name), len = strlen(asked);

	return !strcmp(asked, name) || (!strncmp(asked, "sys_", 4) && n > len && !strcmp(name + n - len, asked));
}

static void drain(void *ctx, struct ftrace_stream *s, unsigned most)
{
	struct ftrace_latency *l = ctx;
	struct ftrace_event ev;
	struct ftrace_call call;

	while (most-- && ftrace_stream_next(s, &ev)) {
		if (l->first)
			add_event(l, &ev);
		else if (ftrace_calls_add(l->calls, &ev, &call) &&
			 is_function(l->function,
				     ftrace_names_text(l->m->names, ftrace_names_id(l->m->names, call.func))))
			histogram_add(&l->histogram, call.total_ns);
	}
}

static void end(void *ctx)
{
	struct ftrace_latency *l = ctx;
	struct out out;

	if (!l->histogram.count) {
		say("No data found");
		return;
	}
	out_init_fd(&out, STDOUT_FILENO);
	histogram_print(&l->histogram, &out);
	l->rc = out_finish(&out, l->e);
}

static int refuse(struct err *e, const char *what)
{
	err_set(e, "%s", what);
	err_try(e, "latency -T FUNCTION, or latency -e EVENT,EVENT");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Check that the options give exactly one function or two events. */
static int choose(struct ftrace_latency *l, struct ftrace_opts *o, struct err *e)
{
	const struct opt_list *f = &o->set.functions, *events = &o->set.events;
	char *comma;

	if (!f->len == !events->len)
		return refuse(e, "latency needs one function or two events");
	if (f->len) {
		if (f->len > 1 || strpbrk(f->items[0], "*?[, "))
			return refuse(e, "latency measures one function, not several");
		l->function = f->items[0];
		o->tracer = "function_graph";
		return 0;
	}
	l->first = xstrdup(events->items[0]);
	comma = strchr(l->first, ',');
	if (comma)
		*comma++ = '\0';
	else if (events->len > 1)
		comma = (char *)events->items[1];
	if (!comma || events->len > 2 || strchr(comma, ',') || !strchr(l->first, ':') || !strchr(comma, ':'))
		return refuse(e, "-e needs two events of the form system:name: the first begins, the second ends");
	l->second = xstrdup(comma);
	o->tracer = "nop";
	return 0;
}

int ftrace_latency(struct ftrace_opts *o, int argc, char **argv, struct err *e)
{
	struct ftrace_latency l = { .e = e };
	struct ftrace_sink sink = { .ctx = &l, .begin = begin, .drain = drain, .end = end };
	struct histogram_opts opts = { o->nanoseconds, o->hide_empty, o->bucket_range, o->min_latency, o->max_latency };
	int rc = choose(&l, o, e);

	if (rc == 0 && !o->bucket_range && (o->min_latency || o->max_latency))
		rc = refuse(e, "--min-latency and --max-latency need buckets of equal width: --bucket-range");
	if (rc == 0)
		rc = histogram_init(&l.histogram, &opts, e);
	if (rc == 0)
		rc = ftrace_run(o, argc, argv, &sink, e);
	ftrace_calls_free(l.calls);
	histogram_release(&l.histogram);
	u64map_free(&l.begun);
	vec_free(&l.times);
	free(l.first);
	free(l.second);
	return l.rc < 0 ? -1 : rc;
}
