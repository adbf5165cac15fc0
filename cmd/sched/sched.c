/* strobe sched: what the scheduler did, from its tracepoints. */
#include "cmd/commands.h"
#include "cmd/sched/schedstat_priv.h"
#include "cmd/shared/analysis.h"
#include "report/waits/sched.h"

/* ---- sched latency ---- */

struct latency_opts {
	struct analysis_opts in;
	struct sched_latency_opts latency;
};
#define AT(member) offsetof(struct latency_opts, member)
static const struct opt latency_options[] = {
	{ 's', "sort", OPT_STR, AT(latency.sort), "key,...", "sort by avg, max, switch, runtime or pid",
	  .values = ",avg max switch runtime pid" },
	{ 'C', "CPU", OPT_INT, AT(latency.cpu), "cpu", "show only this CPU" },
	{ 'p', "pids", OPT_BOOL, AT(latency.by_tid), NULL, "a row for each thread instead of each name" },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT
static const struct latency_opts latency_defaults = { .latency = { .cpu = -1 } };

static int latency_run(void *opts, int argc, char **argv, struct err *e)
{
	struct latency_opts *l = opts;
	struct live *live;
	struct out o;
	int status;

	if (analysis_no_words(argc, argv, e) < 0 || sched_latency_check(&l->latency, e) < 0)
		return -1;
	if (l->in.dump)
		return analysis_dump(&l->in, e);
	live = analysis_open(&l->in, NULL, e);
	if (!live)
		return -1;
	out_init_fd(&o, STDOUT_FILENO);
	status = analysis_finish(live, &o, sched_latency(live, &l->latency, &o, e), e);
	live_close(live);
	return status;
}

static const struct command latency_command = {
	.name = "sched latency",
	.summary = "show how long tasks waited for a CPU",
	.run = latency_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = latency_options,
	.defaults = &latency_defaults,
	.opts_size = sizeof(struct latency_opts),
};

/* ---- sched map ---- */

struct map_opts {
	struct analysis_opts in;
	const char *cpus;
	struct sched_map_opts map;
};
#define AT(member) offsetof(struct map_opts, member)
static const struct opt map_options[] = {
	{ 0, "compact", OPT_BOOL, AT(map.compact), NULL, "columns only for CPUs that switched" },
	{ 0, "cpus", OPT_STR, AT(cpus), "list", "show only switches of these CPUs" },
	{ 0, "task-name", OPT_STR, AT(map.tasks), "name,...", "give letters only to tasks with these names" },
	{ 0, "fuzzy-name", OPT_BOOL, AT(map.fuzzy), NULL, "--task-name matches parts of names" },
	{ 0, "color-cpus", OPT_STR, AT(cpus), "list", "the map has no colours; --cpus shows only some CPUs",
	  OPT_REFUSED },
	{ 0, "color-pids", OPT_STR, AT(cpus), "list", "the map has no colours; --task-name marks some tasks",
	  OPT_REFUSED },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT

static int map_print(struct map_opts *m, struct err *e)
{
	struct live *live = analysis_open(&m->in, NULL, e);
	struct out o;
	int status;

	if (!live)
		return -1;
	out_init_fd(&o, STDOUT_FILENO);
	status = analysis_finish(live, &o, sched_map(live, &m->map, &o, e), e);
	live_close(live);
	return status;
}

static int map_run(void *opts, int argc, char **argv, struct err *e)
{
	struct map_opts *m = opts;
	struct cpuset cpus = { 0 };
	int status = -1;

	if (analysis_no_words(argc, argv, e) == 0 && (!m->cpus || cpuset_parse(&cpus, m->cpus, e) == 0)) {
		m->map.cpus = m->cpus ? &cpus : NULL;
		status = m->in.dump ? analysis_dump(&m->in, e) : map_print(m, e);
	}
	cpuset_free(&cpus);
	return status;
}

static const struct command map_command = {
	.name = "sched map",
	.summary = "show which task ran on which CPU, a line for each switch",
	.run = map_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = map_options,
	.opts_size = sizeof(struct map_opts),
};

/* ---- sched timehist ---- */

struct timehist_opts {
	struct analysis_opts in;
	struct object_opts objects;
	struct sample_filter filter;
	const char *prios, *time;
	struct sched_timehist_opts hist;
};
#define AT(member) offsetof(struct timehist_opts, member)
static const struct opt timehist_options[] = {
	{ 0, "call-graph", OPT_INCLUDE, AT(hist.chains), .rows = chain_options },
	{ 0, "max-stack", OPT_INCLUDE, AT(hist.max_stack), .rows = chain_options },
	{ 's', "summary", OPT_BOOL, AT(hist.summary_only), NULL, "a row for each task, without lines for switches" },
	{ 'S', "with-summary", OPT_BOOL, AT(hist.summary), NULL, "also print these rows below the lines of switches" },
	{ 'w', "wakeups", OPT_BOOL, AT(hist.wakeups), NULL, "show which task woke which" },
	{ 'n', "next", OPT_BOOL, AT(hist.next), NULL, "show the next task" },
	{ 'M', "migrations", OPT_BOOL, AT(hist.migrations), NULL, "show moves to other CPUs" },
	{ 'P', "pre-migrations", OPT_BOOL, AT(hist.pre_migrations), NULL, "show how long tasks waited before a move" },
	{ 'V', "cpu-visual", OPT_BOOL, AT(hist.cpu_visual), NULL, "a column for each CPU" },
	{ 'I', "idle-hist", OPT_BOOL, AT(hist.idle), NULL, "show only idle time" },
	{ 0, "state", OPT_BOOL, AT(hist.state), NULL, "show in which state a task left its CPU" },
	{ 0, "show-prio", OPT_BOOL, AT(hist.show_prio), NULL, "show priorities" },
	{ 0, "prio", OPT_STR, AT(prios), "list", "only tasks with these priorities" },
	{ 'p', "pid", OPT_INCLUDE, AT(filter), NULL, "only these processes", .rows = filter_options },
	{ 't', "tid", OPT_INCLUDE, AT(filter), NULL, "only these threads", .rows = filter_options },
	{ 0, "cpu", OPT_INCLUDE, AT(filter), NULL, "only these CPUs", .rows = filter_options },
	{ 0, "time", OPT_INCLUDE, AT(time), NULL, "only this time: START,STOP in seconds", .rows = usual_options },
	{ 0, "vmlinux kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT
static const struct timehist_opts timehist_defaults = { .objects = OBJECT_DEFAULTS,
							.hist = { .chains = true, .max_stack = 5 } };

static bool has_chains(const struct session *s)
{
	for (size_t i = 0; i < s->pd->n_events; i++)
		if (s->pd->events[i].attr.sample_type & SAMPLE_CALLCHAIN)
			return true;
	return false;
}

static int timehist_print(struct timehist_opts *t, struct err *e)
{
	struct live *live = analysis_open(&t->in, &t->objects, e);
	struct time_ranges ranges = { 0 };
	struct out o;
	int status = -1;

	if (!live)
		return -1;
	if (analysis_window(live, t->time, &ranges, &t->hist.window, e) == 0) {
		t->hist.summary |= t->hist.summary_only;
		if (t->hist.chains && !has_chains(live_session(live)))
			say("Samples of sched_switch event do not have callchains.");
		out_init_fd(&o, STDOUT_FILENO);
		status = analysis_finish(live, &o, sched_timehist(live, &t->hist, &o, e), e);
	}
	time_ranges_free(&ranges);
	live_close(live);
	return status;
}

/* A list of priorities looks like a list of CPUs. */
static int parse_prios(struct cpuset *prios, const char *list, struct err *e)
{
	if (!list || cpuset_parse(prios, list, e) == 0)
		return 0;
	err_set(e, "--prio: bad list of priorities '%s'", list);
	err_try(e, "numbers and ranges with commas between them: 0,100-120");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int timehist_run(void *opts, int argc, char **argv, struct err *e)
{
	struct timehist_opts *t = opts;
	struct cpuset prios = { 0 };
	int status = -1;

	if (analysis_no_words(argc, argv, e) == 0 && parse_prios(&prios, t->prios, e) == 0) {
		t->hist.filter = &t->filter;
		t->hist.prios = t->prios ? &prios : NULL;
		status = t->in.dump ? analysis_dump(&t->in, e) : timehist_print(t, e);
	}
	sample_filter_free(&t->filter);
	cpuset_free(&prios);
	return status;
}

static const struct command timehist_command = {
	.name = "sched timehist",
	.summary = "print a line for each time a task left its CPU",
	.run = timehist_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = timehist_options,
	.defaults = &timehist_defaults,
	.opts_size = sizeof(struct timehist_opts),
};

/* ---- sched replay ---- */

struct replay_opts {
	struct analysis_opts in;
	int times;
};
#define AT(member) offsetof(struct replay_opts, member)
static const struct opt replay_options[] = {
	{ 'r', "repeat", OPT_INT, AT(times), "n", "replay n times; -1: until you interrupt it" },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT
static const struct replay_opts replay_defaults = { .times = 10 };

static int replay_run(void *opts, int argc, char **argv, struct err *e)
{
	struct replay_opts *r = opts;
	struct live *live;
	struct out o;
	int status;

	if (analysis_no_words(argc, argv, e) < 0)
		return -1;
	if (r->in.dump)
		return analysis_dump(&r->in, e);
	live = analysis_open(&r->in, NULL, e);
	if (!live)
		return -1;
	out_init_fd(&o, STDOUT_FILENO);
	status = analysis_finish(live, &o, sched_replay(live, r->times, &o, e), e);
	live_close(live);
	return status;
}

static const struct command replay_command = {
	.name = "sched replay",
	.summary = "repeat what tasks did: run, sleep, wake each other",
	.run = replay_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = replay_options,
	.defaults = &replay_defaults,
	.opts_size = sizeof(struct replay_opts),
};

/* ---- sched ---- */

/* The events that perf records; the last three exist if the kernel keeps scheduler statistics. */
static const struct analysis_event recorded[] = {
	{ "sched:sched_switch" },
	{ "sched:sched_stat_runtime" },
	{ "sched:sched_process_fork" },
	{ "sched:sched_wakeup_new" },
	{ "sched:sched_migrate_task" },
	{ "sched:sched_waking" },
	{ "sched:sched_wakeup", "sched:sched_waking" },
	{ "sched:sched_stat_wait" },
	{ "sched:sched_stat_sleep" },
	{ "sched:sched_stat_iowait" },
};

static int sched_run(void *opts, int argc, char **argv, struct err *e)
{
	static const char *const words[] = { "-a", "-R", "-m", "1024", "-c", "1" };

	if (argc && !strcmp(argv[0], "record"))
		return analysis_record(words, ARRAY_SIZE(words), recorded, ARRAY_SIZE(recorded), argc - 1, argv + 1, e);
	return analysis_call_word(&cmd_sched, opts, argc, argv, e);
}

const struct command cmd_sched = {
	.name = "sched",
	.summary = "show what the scheduler did: delays, switches, wakeups",
	.run = sched_run,
	.usage = (const char *const[]){ "[<options>] record|latency|map|replay|stats|timehist|script [<options>]",
					NULL },
	.options = analysis_options,
	.opts_size = sizeof(struct analysis_opts),
	.stop_at_word = true,
	.words = "record latency map replay stats timehist script @program",
	.subcommands = (const struct command *const[]){ &latency_command, &map_command, &replay_command,
							&sched_stats_command, &timehist_command, NULL },
};
