/* Print which task ran on which CPU: a line per switch, two letters per task. */
#include "report/waits/sched.h"

enum { NAMES = 26 * 10 };

struct map_task {
	int32_t tid;
	bool announced;
	char comm[SCHED_COMM]; /* as announced; foreign text */
	char name[3];          /* "A0", "-" for a task without a mark; "" = not seen yet */
};

struct map_cpu {
	uint32_t task; /* tasks + 1 of the running task; 0: not seen yet */
};

struct map {
	const struct sched_map_opts *opts;
	struct sched_names names;
	struct u64map index; /* tid -> tasks + 1 */
	VEC(struct map_task) tasks;
	VEC(struct map_cpu) cpus; /* by number */
	VEC(uint32_t) columns;    /* numbers of CPUs, from left to right */
	uint32_t n_names;
};

static bool is_marked(const struct map *m, const char *comm)
{
	autofree char *list = m->opts->tasks ? xstrdup(m->opts->tasks) : NULL;
	char *rest = NULL;

	if (!list)
		return true;
	for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (m->opts->fuzzy ? !!strstr(comm, word) : !strcmp(comm, word))
			return true;
	return false;
}

static uint32_t task_of(struct map *m, const struct sched_side *side)
{
	bool is_new;
	uint32_t *at = u64map_put(&m->index, (uint32_t)side->tid, &is_new);

	if (is_new) {
		vec_push(&m->tasks, (struct map_task){ .tid = side->tid });
		*at = (uint32_t)m->tasks.len;
	}
	return *at;
}

/* Give the task the next name: A0 to Z0, A1 ...; after Z9, start again with A0. */
static void name_task(struct map *m, struct map_task *t, const char *comm)
{
	if (!t->tid || !is_marked(m, comm)) {
		strcpy(t->name, t->tid ? "-" : ".");
		return;
	}
	t->name[0] = (char)('A' + m->n_names % 26);
	t->name[1] = (char)('0' + m->n_names / 26);
	m->n_names = (m->n_names + 1) % NAMES;
}

/* Give a CPU its column: by number, or in the order in which CPUs switch first. Return whether it switches first. */
static bool add_cpu(struct map *m, uint32_t cpu)
{
	bool is_new;

	while (m->cpus.len <= cpu) {
		if (!m->opts->compact)
			vec_push(&m->columns, (uint32_t)m->cpus.len);
		vec_push(&m->cpus, (struct map_cpu){ 0 });
	}
	is_new = !m->cpus.items[cpu].task;
	if (is_new && m->opts->compact)
		vec_push(&m->columns, cpu);
	return is_new;
}

static void print_cpus(const struct map *m, uint32_t now, struct out *o)
{
	for (size_t i = 0; i < m->columns.len; i++) {
		const struct map_cpu *c = &m->cpus.items[m->columns.items[i]];

		out_char(o, m->columns.items[i] == now ? '*' : ' ');
		out_fmt(o, "%-2s ", c->task ? m->tasks.items[c->task - 1].name : "  ");
	}
}

static void announce(struct map_task *t, const char *comm, struct out *o)
{
	t->announced = true;
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	out_fmt(o, "%-2s => ", t->name);
	out_name(o, t->comm);
	out_fmt(o, ":%d", t->tid);
}

static void take_switch(struct map *m, const struct trace_event *event, struct out *o)
{
	struct sched_switch s;
	struct map_task *next;
	char buf[SCHED_COMM];
	const char *comm;
	uint32_t task;
	bool new_cpu;

	sched_switch_read(event, &s);
	sched_names_tell(&m->names, s.next.tid, s.next.comm);
	comm = sched_names_now(&m->names, event, s.next.tid, buf);
	new_cpu = add_cpu(m, event->cpu);
	task = m->cpus.items[event->cpu].task = task_of(m, &s.next);
	next = &m->tasks.items[task - 1];
	if (!next->name[0] || *next->name == '-')
		name_task(m, next, comm);
	if ((m->opts->cpus && !cpuset_has(m->opts->cpus, (int)event->cpu)) ||
	    (m->opts->tasks && !is_marked(m, comm) && !is_marked(m, s.prev.comm)))
		return;
	out_str(o, "  ");
	print_cpus(m, event->cpu, o);
	out_fmt(o, "  %5llu.%06llu secs ", (unsigned long long)(event->time / 1000000000),
		(unsigned long long)(event->time / 1000 % 1000000));
	if ((!next->announced || strcmp(next->comm, comm) != 0) && is_marked(m, comm))
		announce(next, comm, o);
	if (m->opts->compact && new_cpu)
		out_fmt(o, " (CPU %u)", event->cpu);
	out_char(o, '\n');
}

int sched_map(struct live *live, const struct sched_map_opts *opts, struct out *o, struct err *e)
{
	struct live_events events = { .live = live, .rows = sched_wants, .n_rows = SCHED_KINDS };
	struct map m = { .opts = opts };
	struct trace_event event;
	uint64_t left_out = 0;
	int rc;

	sched_names_init(&m.names, live_session(live));
	while ((rc = live_events_next(&events, &event, e)) > LIVE_END && !o->error) {
		if (rc != LIVE_EVENT || event.want != SCHED_SWITCH)
			continue;
		if (event.cpu < SCHED_CPUS_MOST)
			take_switch(&m, &event, o);
		else
			left_out++;
	}
	if (!rc)
		rc = sched_cpus_check(&events, left_out, e);
	live_events_release(&events);
	sched_names_release(&m.names);
	u64map_free(&m.index);
	vec_free(&m.tasks);
	vec_free(&m.cpus);
	vec_free(&m.columns);
	return MIN(rc, 0);
}
