/* Count events by CPU: with counters on the running system, or by the samples of a recording. */
#include <assert.h>
#include <unistd.h>

#include "report/monitors/monitor.h"

/* Do we count samples? A recording has only samples, and --record needs them. */
static bool by_samples(const struct monitor_run *run) { return run->opts->input || run->opts->record; }

bool monitor_event_exists(const char *event)
{
	struct event_list list = { 0 };
	struct err why = { 0 };
	bool found = event_list_parse(&list, event, &why) == 0;

	event_list_release(&list);
	return found;
}

void monitor_count(struct monitor_run *run, const char *event)
{
	struct monitor_counts *c = &run->counts;

	assert(c->n < MONITOR_COUNTS_MOST);
	c->names[c->n++] = event;
	if (!by_samples(run))
		return;
	c->missing[c->n - 1] = run->opts->record && !monitor_event_exists(event);
	if (c->missing[c->n - 1])
		return;
	c->by_want[c->n_wanted++] = (uint32_t)c->n - 1;
	monitor_want(run, &(struct trace_want){ event }, NULL, NULL);
}

void monitor_count_samples(struct monitor_run *run, const char *name) { run->counts.names[run->counts.n++] = name; }

static uint64_t *cell(struct monitor_counts *c, size_t cpu, size_t column)
{
	while (c->n_cpus <= cpu) {
		for (size_t i = 0; i < c->n; i++) {
			vec_push(&c->values, 0);
			vec_push(&c->before, 0);
		}
		c->n_cpus++;
	}
	return &c->values.items[cpu * c->n + column];
}

uint64_t monitor_counted(const struct monitor_run *run, size_t cpu, size_t column)
{
	const struct monitor_counts *c = &run->counts;

	return cpu < c->n_cpus ? c->values.items[cpu * c->n + column] : 0;
}

void monitor_counts_add(struct monitor_run *run, const struct trace_event *t)
{
	enum { CPUS_MOST = 1 << 16 }; /* more CPUs than any kernel supports: the number is foreign */

	if (t->cpu < CPUS_MOST)
		*cell(&run->counts, t->cpu, run->counts.by_want[t->want]) += MAX(t->sample.period, (uint64_t)1);
}

/* ---- counters ---- */

/* Parse the events. Note which ones the kernel does not have; the others still work. */
static void parse(struct monitor_counts *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct err why = { 0 };

		c->missing[i] = event_list_parse(&c->events, c->names[i], &why) < 0;
		if (!c->missing[i])
			c->column[c->events.events.len - 1] = (uint32_t)i;
	}
	for (size_t i = 0; i < c->events.events.len; i++) {
		struct perf_event_attr *attr = &c->events.events.items[i].attr;

		attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		attr->sample_type = 0;
		attr->sample_period = attr->freq = 0;
		attr->disabled = 1;
		attr->inherit = 1;
	}
}

int monitor_counts_open(struct monitor_run *run, struct err *e)
{
	struct monitor_counts *c = &run->counts;
	const struct monitor_opts *o = run->opts;
	struct open_opts opts = { .keep_going = true, .counting = true };
	struct open_notes notes = { 0 };
	int rc;

	if (!c->n || by_samples(run))
		return 0;
	parse(c);
	c->target = (struct target){ .pids = o->pids, .tids = o->tids, .cpus = o->cpus };
	c->target.system_wide = !o->pids && !o->tids;
	if (target_resolve(&c->target, e) < 0)
		return -1;
	rc = event_list_open(&c->events, &c->target, &opts, &notes, e);
	vec_free(&notes.texts);
	if (rc < 0 || event_list_enable(&c->events, e) < 0)
		return -1;
	for (size_t i = 0; i < c->events.events.len; i++)
		c->missing[c->column[i]] |= c->events.events.items[i].open_failed;
	/* We do not know how long the counters have run, so the first interval starts here. */
	monitor_counts_read(run);
	monitor_counts_clear(run);
	return 0;
}

static void read_event(struct monitor_counts *c, size_t i)
{
	const struct event *event = &c->events.events.items[i];

	for (size_t row = 0; row < event->n_cpus; row++) {
		int cpu = event->open_cpus[row];
		uint64_t sum = 0;

		for (size_t thread = 0; thread < event->n_threads; thread++) {
			struct {
				uint64_t value, enabled, running;
			} now;
			int fd = event_fd(event, row, thread);

			if (fd >= 0 && read(fd, &now, sizeof(now)) == sizeof(now))
				sum += now.value;
		}
		if (cpu >= 0)
			*cell(c, (size_t)cpu, c->column[i]) = sum;
	}
}

void monitor_counts_read(struct monitor_run *run)
{
	struct monitor_counts *c = &run->counts;

	if (by_samples(run))
		return;
	for (size_t i = 0; i < c->events.events.len; i++)
		if (c->events.events.items[i].fds)
			read_event(c, i);
	for (size_t i = 0; i < c->values.len; i++) {
		uint64_t now = c->values.items[i];

		c->values.items[i] = now - MIN(c->before.items[i], now);
		c->before.items[i] = now;
	}
}

void monitor_counts_clear(struct monitor_run *run)
{
	struct monitor_counts *c = &run->counts;

	if (c->values.len)
		memset(c->values.items, 0, c->values.len * sizeof(*c->values.items));
}

void monitor_counts_release(struct monitor_counts *c)
{
	event_list_release(&c->events);
	target_release(&c->target);
	vec_free(&c->values);
	vec_free(&c->before);
}
