/* Choose the events and the target. */
#include <errno.h>

#include "base/file.h"
#include "base/say.h"
#include "stat/stat_priv.h"

/* ---- events ---- */

static bool kernel_has(const char *name)
{
	static const char *const pmus[] = { "cpu", "cpu_core" };

	for (size_t i = 0; i < ARRAY_SIZE(pmus); i++) {
		autofree char *path = xasprintf("/sys/bus/event_source/devices/%s/events/%s", pmus[i], name);

		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static int add(struct counting *s, const char *const *names, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (event_list_parse(&s->events, names[i], e) < 0)
			return -1;
	return 0;
}

/* Add the default events. Source: perf-stat(1), -d; the order is perf 6.1's. */
static int add_default(struct counting *s, struct err *e)
{
	bool tasks = s->o->pids || s->o->tids || (s->by_command && !s->o->system_wide && !s->o->cpus);
	const char *const first[] = { tasks ? "task-clock" : "cpu-clock", "context-switches", "cpu-migrations",
				      "page-faults", "cycles" };
	static const char *const stalled[] = { "stalled-cycles-frontend", "stalled-cycles-backend" };
	static const char *const last[] = { "instructions", "branches", "branch-misses" };

	if (add(s, first, ARRAY_SIZE(first), e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(stalled); i++)
		if (kernel_has(stalled[i]) && add(s, &stalled[i], 1, e) < 0)
			return -1;
	return add(s, last, ARRAY_SIZE(last), e);
}

static int add_detailed(struct counting *s, struct err *e)
{
	static const char *const caches[] = { "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads",
					      "LLC-load-misses" };
	static const char *const tlbs[] = { "L1-icache-loads", "L1-icache-load-misses",
					    "dTLB-loads",      "dTLB-load-misses",
					    "iTLB-loads",      "iTLB-load-misses" };
	static const char *const prefetches[] = { "L1-dcache-prefetches", "L1-dcache-prefetch-misses" };
	int level = s->o->detailed;

	if (level > 0 && add(s, caches, ARRAY_SIZE(caches), e) < 0)
		return -1;
	if (level > 1 && add(s, tlbs, ARRAY_SIZE(tlbs), e) < 0)
		return -1;
	return level > 2 ? add(s, prefetches, ARRAY_SIZE(prefetches), e) : 0;
}

/* Add the events of -T, if the PMU has events for transactions. Source: perf-stat(1), -T. */
static int add_transaction(struct counting *s, struct err *e)
{
	if (!kernel_has("tx-start")) {
		err_set(e, "Cannot set up transaction events");
		err_why(e, "the PMU of this machine has no events for hardware transactions");
		return err_exit(e, EXIT_INVALID);
	}
	return event_list_parse(
		&s->events,
		kernel_has("el-start")
			? "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/,cpu/el-start/,cpu/cycles-ct/}"
			: "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}",
		e);
}

static int parse_words(struct counting *s, struct err *e)
{
	for (size_t i = 0; i < s->o->words.len; i++) {
		const struct stat_word *w = &s->o->words.items[i];
		int bad = 0;

		switch (w->kind) {
		case WORD_EVENT: bad = event_list_parse(&s->events, w->text, e); break;
		case WORD_FILTER: bad = event_list_filter(&s->events, w->text, e); break;
		case WORD_PFM: bad = event_list_parse_pfm(&s->events, w->text, e); break;
		case WORD_CGROUP: bad = event_list_cgroups(&s->events, w->text, e); break;
		}
		if (bad < 0)
			return -1;
	}
	return 0;
}

/*
 * Return true if all events are of devices outside the cores: these count for the whole system,
 * whatever the options say.
 */
static bool outside_cores_only(const struct counting *s)
{
	struct pmu_list pmus = { 0 };
	bool all = s->events.events.len > 0;

	pmu_list_read(&pmus);
	for (size_t i = 0; i < s->events.events.len && all; i++) {
		const struct event *event = &s->events.events.items[i];
		bool uncore = false;

		for (size_t j = 0; event->pmu && j < pmus.pmus.len; j++)
			uncore |= pmus.pmus.items[j].is_uncore && !strcmp(pmus.pmus.items[j].name, event->pmu);
		all = uncore;
	}
	pmu_list_release(&pmus);
	return all;
}

int counting_events(struct counting *s, struct err *e)
{
	struct stat_opts *o = s->o;
	struct metric_opts metric = { .no_group = o->metric_no_group, .no_merge = o->metric_no_merge };
	bool chosen;
	size_t n;

	if (o->null_run)
		return 0;
	if (choose_pmu(s, e) < 0 || parse_words(s, e) < 0)
		return -1;
	for (size_t i = 0; i < o->metrics.len; i++)
		if (metrics_choose(&s->metrics, &s->events, o->metrics.items[i], &metric, e) < 0)
			return -1;
	if (o->topdown && metrics_choose(&s->metrics, &s->events,
					 o->topdown_level > 1 ? "TopdownL1,TopdownL2" : "TopdownL1", &metric, e) < 0)
		return -1;
	if (o->transaction && add_transaction(s, e) < 0)
		return -1;
	chosen = s->events.events.len;
	if (!chosen && add_default(s, e) < 0)
		return -1;
	if (add_detailed(s, e) < 0)
		return -1;
	name_devices(s);
	if (!o->system_wide && !o->cpus && !o->pids && !o->tids && outside_cores_only(s)) {
		o->system_wide = true;
		s->by_command = false;
	}
	if (o->system_wide || o->cpus)
		part_groups(s);
	n = s->events.events.len;
	if (o->each_cgroup && event_list_each_cgroup(&s->events, o->each_cgroup, e) < 0)
		return -1;
	metrics_repeat(&s->metrics, (uint32_t)n, (uint32_t)s->events.events.len);
	return 0;
}

/* ---- attrs ---- */

static void set_attrs(struct counting *s)
{
	const struct stat_opts *o = s->o;
	bool on_exec = s->by_command && !o->delay_ms && s->target.is_task;

	for (size_t i = 0; i < s->events.events.len; i++) {
		struct event *event = &s->events.events.items[i];
		struct perf_event_attr *attr = &event->attr;
		bool leads = event->leader == i;

		attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
				    (o->record_to ? PERF_FORMAT_ID : 0);
		/* as in perf; harmless for a counter without samples */
		attr->sample_type = PERF_SAMPLE_IDENTIFIER;
		attr->sample_period = attr->freq = 0;
		attr->precise_ip = event->precise_max ? 0 : attr->precise_ip;
		attr->inherit = s->target.is_task && !o->no_inherit;
		attr->disabled = leads;
		attr->enable_on_exec = leads && on_exec;
		if (o->all_user)
			attr->exclude_kernel = attr->exclude_hv = 1;
		if (o->all_kernel)
			attr->exclude_user = 1;
		event->open_failed = false;
	}
}

/* ---- readings ---- */

static enum counter_kind kind_of(const struct event *event)
{
	return event->tool ? KIND_TOOL_TIME : counter_kind_of(event->attr.type, event->attr.config);
}

static unsigned left_out(const struct perf_event_attr *attr)
{
	return (attr->exclude_user ? LEFT_OUT_USER : 0) | (attr->exclude_kernel ? LEFT_OUT_KERNEL : 0) |
	       (attr->exclude_host ? LEFT_OUT_HOST : 0) | (attr->exclude_guest ? LEFT_OUT_GUEST : 0) |
	       (attr->exclude_idle ? LEFT_OUT_IDLE : 0);
}

/* Set the number that distinguishes kinds of cores. */
static void mark_cores(struct counting *s)
{
	struct pmu_list pmus = { 0 };
	size_t n_core = 0;

	pmu_list_read(&pmus);
	while (n_core < pmus.pmus.len && pmus.pmus.items[n_core].is_core)
		n_core++;
	for (size_t i = 0; i < s->measured.len; i++) {
		struct measured *m = &s->measured.items[i];

		for (size_t j = 0; m->pmu && j < pmus.pmus.len; j++) {
			if (strcmp(pmus.pmus.items[j].name, m->pmu))
				continue;
			m->uncore = !pmus.pmus.items[j].is_core && strcmp(m->pmu, "software");
			m->core_type = n_core > 1 && j < n_core ? pmus.pmus.items[j].type : 0;
		}
	}
	pmu_list_release(&pmus);
}

void counting_describe(struct counting *s)
{
	for (size_t i = 0; i < s->events.events.len; i++) {
		const struct event *event = &s->events.events.items[i];
		struct measured m = {
			.name = event->name,
			.cgroup = event->cgroup,
			.pmu = event->pmu,
			.kind = kind_of(event),
			.left_out = left_out(&event->attr),
			.per_package = event->per_package,
			.snapshot = event->snapshot,
			.percore = event->percore,
			.unit = event->unit ? event->unit : "",
			.scale = event->scale,
		};

		if (m.kind == KIND_CLOCK && !event->pmu) {
			m.unit = "msec";
			m.scale = 1e-6;
		} else if (event->tool) {
			m.unit = "ns";
		}
		vec_push(&s->measured, m);
	}
	mark_cores(s);
}

static const int any_cpu[] = { -1 };

/*
 * Allocate readings in the shape in which the event was opened. An event that is not open has one
 * place everywhere.
 */
static void shape_readings(struct counting *s)
{
	for (size_t i = 0; i < s->measured.len; i++) {
		const struct event *event = &s->events.events.items[i];
		struct measured *m = &s->measured.items[i];
		bool opened = event->fds;
		bool *open;
		size_t n;

		m->name = event->name; /* the opened event may measure less than requested: "cs:u" */
		m->left_out = left_out(&event->attr);
		m->supported = event->tool || !event->open_failed;
		m->n_cpus = opened ? event->n_cpus : 1;
		m->n_threads = opened ? event->n_threads : 1;
		m->cpus = opened ? event->open_cpus : any_cpu;
		n = m->n_cpus * m->n_threads;
		m->now = arena_alloc(&s->arena, n * sizeof(*m->now));
		m->before = arena_alloc(&s->arena, n * sizeof(*m->before));
		m->open = open = arena_alloc(&s->arena, n * sizeof(*open));
		for (size_t k = 0; k < n; k++)
			open[k] = opened ? event->fds[k] >= 0 : true;
	}
}

/* ---- on whom ---- */

static void name_threads(struct counting *s)
{
	struct table_opts *o = &s->o->table;

	s->comms = arena_alloc(&s->arena, (s->target.threads.len + 1) * sizeof(*s->comms));
	for (size_t i = 0; i < s->target.threads.len; i++) {
		autofree char *path = xasprintf("/proc/%d/comm", s->target.threads.items[i]);
		char comm[64] = "";

		file_read_line(path, comm, sizeof(comm));
		s->comms[i] = arena_strdup(&s->arena, *comm ? comm : "<unknown>");
	}
	o->comms = s->comms;
	o->tids = arena_memdup(&s->arena, s->target.threads.items, s->target.threads.len * sizeof(int32_t));
	o->n_threads = s->target.threads.len;
}

static int resolve(struct counting *s, struct err *e)
{
	const struct stat_opts *o = s->o;
	bool every_thread = o->table.per == PER_THREAD && o->system_wide;

	target_release(&s->target);
	s->target = (struct target){
		.pids = o->pids,
		.tids = o->tids,
		.cpus = o->cpus,
		.system_wide = o->system_wide && !every_thread,
		.per_thread = true,
		.every_thread = every_thread,
		.workload = s->by_command ? s->workload.pid : 0,
	};
	if (!target_resolve(&s->target, e))
		return 0;
	if (e->exit_code == EXIT_NO_SUCH_TASK) {
		e->exit_code = EXIT_INVALID;
		snprintf(e->what, sizeof(e->what), "Problems finding threads of monitor");
	} else if (o->cpus && e->exit_code != EXIT_BAD_USAGE) {
		err_in(e, "No supported events found"); /* perf's words for CPUs that do not exist */
	}
	return -1;
}

static void lay_out(struct counting *s)
{
	shape_readings(s);
	if (s->o->table.per == PER_THREAD)
		name_threads(s);
	if (s->o->table.per != PER_ALL && s->o->table.per != PER_THREAD)
		topology_read(&s->topology, &s->target.cpu_list, "");
	table_layout(&s->table, s->measured.items, s->measured.len, &s->topology, &s->o->table);
	metrics_bind(&s->metrics, s->table.counter_of, &s->table);
	s->laid_out = true;
}

/*
 * Prepare another run, which has the same shape: a command has one thread, and threads of others
 * were listed once.
 */
static void refresh(struct counting *s)
{
	for (size_t i = 0; i < s->measured.len; i++) {
		struct measured *m = &s->measured.items[i];
		size_t n = m->n_cpus * m->n_threads;

		memset(m->now, 0, n * sizeof(*m->now));
		memset(m->before, 0, n * sizeof(*m->before));
	}
}

int counting_open(struct counting *s, struct err *e)
{
	struct open_notes notes = { 0 };
	struct open_opts opts = { .keep_going = true, .counting = true, .tell = say_progress };
	int result;

	/* Named targets stay the same; only the command is a new process in each run. */
	if ((!s->laid_out || s->by_command) && resolve(s, e) < 0)
		return -1;
	set_attrs(s);
	result = s->events.events.len ? event_list_open(&s->events, &s->target, &opts, &notes, e) : 0;
	for (size_t i = 0; !result && !s->laid_out && i < notes.texts.len; i++)
		tell_more(&s->o->tell, 1, "%s", notes.texts.items[i]);
	vec_free(&notes.texts);
	if (result < 0)
		return -1;
	counting_talk(s);
	if (!s->laid_out)
		lay_out(s);
	else
		refresh(s);
	return 0;
}
