/* Measure how long runnable tasks waited for a CPU. */
#include "report/waits/sched.h"

#include "base/opt.h"
#include "base/sort/sort.h"

/* A task waits from its wakeup or preemption until it gets a CPU. OTHERWISE: it runs, or its state is unknown. */
enum latency_wait { WAIT_SLEEPS, WAIT_READY, WAIT_OTHERWISE };

struct latency_task {
	int32_t tid;
	enum latency_wait wait;
	uint64_t since; /* READY: since when; SLEEPS: when it left its CPU */
	uint64_t runtime, total, max, max_from, max_to;
	uint64_t count;  /* waits that have ended */
	uint32_t merged; /* number of tasks with this name in the sum */
	char comm[64];   /* foreign text */
};

struct latency {
	struct u64map index; /* tid -> tasks + 1 */
	VEC(struct latency_task) tasks;
	struct sched_names names;
	uint64_t n_switches, n_wakes;
	uint64_t wrong_switches; /* number of switches from another task than the one that came */
	uint64_t unordered;      /* wake-ups of tasks that had not yet left their CPU */
	struct u64map running;   /* CPU -> tid + 1 */
};

static struct latency_task *task_of(struct latency *l, int32_t tid, enum latency_wait wait, uint64_t time)
{
	bool is_new;
	uint32_t *at = u64map_put(&l->index, (uint32_t)tid, &is_new);

	if (is_new) {
		vec_push(&l->tasks, (struct latency_task){ .tid = tid, .wait = wait, .since = time, .merged = 1 });
		*at = (uint32_t)l->tasks.len;
	}
	return &l->tasks.items[*at - 1];
}

/* Give a task a CPU. If it is unknown, its wait has length 0. */
static void come(struct latency *l, const struct sched_side *side, uint64_t time)
{
	struct latency_task *t = task_of(l, side->tid, WAIT_READY, time);
	uint64_t waited;

	sched_names_tell(&l->names, side->tid, side->comm);
	if (t->wait != WAIT_READY)
		return;
	t->wait = WAIT_OTHERWISE;
	if (time < t->since)
		return;
	waited = time - t->since;
	t->total += waited;
	t->count++;
	if (waited > t->max) {
		t->max = waited;
		t->max_from = t->since;
		t->max_to = time;
	}
}

static void leave(struct latency *l, const struct sched_switch *s, uint64_t time)
{
	struct latency_task *t = task_of(l, s->prev.tid, WAIT_SLEEPS, time);

	sched_names_tell(&l->names, s->prev.tid, s->prev.comm);
	t->wait = sched_is_runnable(s->state) ? WAIT_READY : WAIT_SLEEPS;
	t->since = time;
}

static void take_switch(struct latency *l, const struct trace_event *event)
{
	struct sched_switch s;
	uint32_t *running = u64map_put(&l->running, event->cpu, NULL);

	sched_switch_read(event, &s);
	l->wrong_switches += *running && *running != (uint32_t)s.prev.tid + 1;
	*running = (uint32_t)s.next.tid + 1;
	l->n_switches++;
	leave(l, &s, event->time);
	come(l, &s.next, event->time);
}

static void take_wake(struct latency *l, const struct trace_event *event, bool one_cpu)
{
	struct latency_task *t;
	struct sched_side side;

	if (!sched_woke(event))
		return;
	sched_side_read(event, &side);
	sched_names_tell(&l->names, side.tid, side.comm);
	t = task_of(l, side.tid, WAIT_SLEEPS, event->time);
	/* The wakeup of a running task begins no wait. With events of only one CPU, we cannot know whether it runs. */
	if (t->wait != WAIT_SLEEPS && !one_cpu)
		return;
	l->n_wakes++;
	if (t->since > event->time) {
		l->unordered++;
		return;
	}
	t->wait = WAIT_READY;
	t->since = event->time;
}

/* Take a migration. With only one CPU, an arriving task starts to wait there, and a leaving task disappears. */
static void take_migration(struct latency *l, const struct trace_event *event, int32_t cpu)
{
	struct latency_task *t;
	struct sched_side side;

	sched_side_read(event, &side);
	t = task_of(l, side.tid, WAIT_OTHERWISE, event->time);
	if (sched_from_cpu(event) == cpu)
		t->wait = WAIT_OTHERWISE;
	if (sched_to_cpu(event) == cpu) {
		t->wait = WAIT_READY;
		t->since = event->time;
	}
}

static void take(struct latency *l, const struct trace_event *event, int32_t cpu)
{
	struct sched_side side;

	if (event->want == SCHED_MIGRATE) {
		if (cpu >= 0)
			take_migration(l, event, cpu);
		return;
	}
	if (cpu >= 0 && event->cpu != (uint32_t)cpu)
		return;
	switch (event->want) {
	case SCHED_SWITCH: take_switch(l, event); break;
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW: take_wake(l, event, cpu >= 0); break;
	case SCHED_RUNTIME:
		sched_side_read(event, &side);
		sched_names_tell(&l->names, side.tid, side.comm);
		task_of(l, side.tid, WAIT_READY, event->time)->runtime += sched_runtime_ns(event);
		break;
	}
}

/* ---- rows ---- */

static void name_tasks(struct latency *l)
{
	char buf[SCHED_COMM];

	for (size_t i = 0; i < l->tasks.len; i++) {
		struct latency_task *t = &l->tasks.items[i];

		snprintf(t->comm, sizeof(t->comm), "%s", sched_names_last(&l->names, t->tid, buf));
	}
}

static int by_name(const void *a, const void *b)
{
	const struct latency_task *x = a, *y = b;
	int c = strcmp(x->comm, y->comm);

	return c ? c : (x->tid > y->tid) - (x->tid < y->tid);
}

static void merge_names(struct latency *l)
{
	size_t n = 0;

	vec_sort(&l->tasks, by_name);
	for (size_t i = 0; i < l->tasks.len; i++) {
		const struct latency_task *t = &l->tasks.items[i];
		struct latency_task *to = n ? &l->tasks.items[n - 1] : NULL;

		if (!to || strcmp(to->comm, t->comm)) {
			l->tasks.items[n++] = *t;
			continue;
		}
		to->runtime += t->runtime;
		to->total += t->total;
		to->count += t->count;
		to->merged++;
		to->tid = MAX(to->tid, t->tid);
		if (t->max > to->max) {
			to->max = t->max;
			to->max_from = t->max_from;
			to->max_to = t->max_to;
		}
	}
	l->tasks.len = n;
}

static uint64_t average(const struct latency_task *t) { return t->count ? t->total / t->count : 0; }

static uint64_t value_average(const struct latency_task *t) { return average(t); }
static uint64_t value_max(const struct latency_task *t) { return t->max; }
static uint64_t value_count(const struct latency_task *t) { return t->count; }
static uint64_t value_runtime(const struct latency_task *t) { return t->runtime; }
static uint64_t value_tid(const struct latency_task *t) { return (uint32_t)t->tid; }

/* Keys of -s; large values come first. */
static const struct latency_order {
	const char *name;
	uint64_t (*value)(const struct latency_task *t);
} orders[] = {
	{ "avg", value_average },     { "max", value_max }, { "switch", value_count },
	{ "runtime", value_runtime }, { "pid", value_tid },
};
static const char usual_order[] = "avg,max,switch,runtime";

struct ordering {
	const struct latency_order *by[16];
	size_t n;
};

static int ordering_parse(struct ordering *ordering, const char *text, struct err *e)
{
	static const char *const names[] = { "avg", "max", "switch", "runtime", "pid", NULL };
	autofree char *list = xstrdup(text);
	char *rest = NULL;

	ordering->n = 0;
	for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (opt_word("--sort", word, names, e) < 0)
			return -1;
		for (size_t i = 0; i < ARRAY_SIZE(orders) && ordering->n < ARRAY_SIZE(ordering->by); i++)
			if (!strcmp(orders[i].name, word))
				ordering->by[ordering->n++] = &orders[i];
	}
	return 0;
}

int sched_latency_check(const struct sched_latency_opts *opts, struct err *e)
{
	struct ordering ordering;

	return opts->sort ? ordering_parse(&ordering, opts->sort, e) : 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct ordering *ordering = ctx;

	for (size_t i = 0; i < ordering->n; i++) {
		uint64_t x = ordering->by[i]->value(a), y = ordering->by[i]->value(b);

		if (x != y)
			return x < y ? 1 : -1;
	}
	return by_name(a, b);
}

/* ---- text ---- */

static void line(struct out *o, int width)
{
	out_char(o, ' ');
	out_pad(o, '-', width);
	out_char(o, '\n');
}

static double ms(uint64_t ns) { return (double)ns / 1e6; }

static void print_time(struct out *o, const char *what, uint64_t ns)
{
	out_fmt(o, " | max %s: %5llu.%06llu s", what, (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns / 1000 % 1000000));
}

static void print_row(const struct latency_task *t, struct out *o)
{
	char id[16];

	if (t->merged > 1)
		snprintf(id, sizeof(id), "(%u)", t->merged);
	else
		snprintf(id, sizeof(id), "%d", t->tid);
	out_str(o, "  ");
	out_name(o, t->comm);
	out_fmt(o, ":%s ", id);
	out_pad(o, ' ', 24 - 4 - out_name_width(t->comm) - (int)strlen(id));
	out_fmt(o, "|%11.3f ms |%9llu | avg:%8.3f ms | max:%8.3f ms", ms(t->runtime), (unsigned long long)t->count,
		ms(average(t)), ms(t->max));
	print_time(o, "start", t->max_from);
	print_time(o, "end", t->max_to);
	out_char(o, '\n');
}

static void print_rows(const struct latency *l, struct out *o)
{
	uint64_t runtime = 0, count = 0;

	out_char(o, '\n');
	line(o, 139);
	out_str(o, "  Task                  |   Runtime ms  |  Count   | Avg delay ms    | Max delay ms    | Max delay "
		   "start           | Max delay end          |\n");
	line(o, 139);
	for (size_t i = 0; i < l->tasks.len; i++) {
		const struct latency_task *t = &l->tasks.items[i];

		if (!t->count || !strcmp(t->comm, "swapper"))
			continue;
		print_row(t, o);
		runtime += t->runtime;
		count += t->count;
	}
	line(o, 113);
	out_fmt(o, "  TOTAL:                |%11.3f ms |%9llu |\n", ms(runtime), (unsigned long long)count);
	line(o, 51);
}

static void print_doubt(struct out *o, const char *what, uint64_t n, uint64_t of, bool lost)
{
	if (n && of)
		out_fmt(o, "  INFO: %.3f%% %s (%llu out of %llu)%s\n", (double)n * 100 / (double)of, what,
			(unsigned long long)n, (unsigned long long)of, lost ? " (due to lost events?)" : "");
}

static void print_doubts(const struct latency *l, const struct session_notes *notes, struct out *o)
{
	print_doubt(o, "unordered timestamps", l->unordered, l->n_wakes, false);
	if (notes->lost)
		out_fmt(o, "  INFO: %llu events were lost, in %llu places\n", (unsigned long long)notes->lost,
			(unsigned long long)notes->lost_chunks);
	print_doubt(o, "context switch bugs", l->wrong_switches, l->n_switches, notes->lost);
	out_char(o, '\n');
}

int sched_latency(struct live *live, const struct sched_latency_opts *opts, struct out *o, struct err *e)
{
	struct live_events events = { .live = live, .rows = sched_wants, .n_rows = SCHED_KINDS };
	struct latency l = { 0 };
	struct ordering ordering = { .n = 0 };
	struct trace_event event;
	int rc;

	sched_names_init(&l.names, live_session(live));
	while ((rc = live_events_next(&events, &event, e)) > LIVE_END)
		if (rc == LIVE_EVENT)
			take(&l, &event, opts->cpu);
	if (!rc)
		rc = sched_events_check(&events, e);
	if (!rc) {
		name_tasks(&l);
		if (!opts->by_tid)
			merge_names(&l);
		ordering_parse(&ordering, opts->sort ? opts->sort : usual_order, NULL);
		vec_sort_r(&l.tasks, compare, &ordering);
		print_rows(&l, o);
		print_doubts(&l, &live_session(live)->notes, o);
	}
	sched_names_release(&l.names);
	live_events_release(&events);
	u64map_free(&l.index);
	u64map_free(&l.running);
	vec_free(&l.tasks);
	return rc;
}
