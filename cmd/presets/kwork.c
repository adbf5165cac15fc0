/* strobe kwork: interrupts, softirqs and work items of the kernel. */
#include "cmd/commands.h"
#include "cmd/shared/analysis.h"
#include "report/presets/presets.h"

/* One struct for all words, so that options before the word hold for it. */
struct kwork_command_opts {
	struct analysis_opts in;
	struct object_opts objects;
	struct kwork_opts kwork;
	const char *cpus, *time;
};
#define AT(member) offsetof(struct kwork_command_opts, member)
#define CLASSES \
	{ \
		'k', "kwork", OPT_STR, AT(kwork.classes), "class,...", "look at these kinds of work", \
			.values = "," KWORK_CLASSES \
	}
#define SELECT \
	{ 0, "cpu", OPT_INCLUDE, AT(cpus), "list", "only these CPUs", .rows = target_options }, \
		{ 'n', "name", OPT_STR, AT(kwork.name), "name", "only work of this name", .values = "" }, \
		{ 0, "time", OPT_INCLUDE, AT(time), NULL, "only this time, in seconds", .rows = usual_options }, \
	{ \
		.kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options \
	}

static const struct opt kwork_options[] = {
	CLASSES,
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
static const struct opt report_options[] = {
	CLASSES,
	{ 's', "sort", OPT_STR, AT(kwork.sort), "key,...", "sort by runtime, max or count",
	  .values = ",runtime max count" },
	{ 'S', "with-summary", OPT_BOOL, AT(kwork.summary), NULL, "the sums below the table" },
	SELECT,
	{ 0 },
};
static const struct opt latency_options[] = {
	CLASSES,
	{ 's', "sort", OPT_STR, AT(kwork.sort), "key,...", "sort by avg, max or count", .values = ",avg max count" },
	SELECT,
	{ 0 },
};
static const struct opt timehist_options[] = {
	{ 0, "call-graph", OPT_INCLUDE, AT(kwork.chains), .rows = chain_options },
	{ 0, "max-stack", OPT_INCLUDE, AT(kwork.max_stack), .rows = chain_options },
	{ 0, "vmlinux kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	SELECT,
	{ 0 },
};
static const struct opt top_options[] = {
	CLASSES,
	{ 's', "sort", OPT_STR, AT(kwork.sort), "key,...", "sort by rate, runtime or tid",
	  .values = ",rate runtime tid" },
	SELECT,
	{ 0 },
};
#undef AT
static const struct kwork_command_opts kwork_defaults = { .objects = OBJECT_DEFAULTS, .kwork = { .max_stack = 5 } };

static int print(struct kwork_command_opts *k, enum kwork_view view, struct err *e)
{
	struct live *live = analysis_open(&k->in, &k->objects, e);
	struct time_ranges ranges = { 0 };
	struct out o;
	int status = -1;

	if (!live)
		return -1;
	if (analysis_window(live, k->time, &ranges, &k->kwork.window, e) == 0) {
		out_init_fd(&o, STDOUT_FILENO);
		status = analysis_finish(live, &o, kwork_report(live, &k->kwork, view, &o, e), e);
	}
	time_ranges_free(&ranges);
	live_close(live);
	return status;
}

static int print_top(struct kwork_command_opts *k, struct err *e)
{
	struct kwork_top_opts top = {
		.classes = k->kwork.classes, .sort = k->kwork.sort, .name = k->kwork.name, .cpus = k->kwork.cpus
	};
	struct live *live = kwork_top_check(&top, e) < 0 ? NULL : analysis_open(&k->in, NULL, e);
	struct time_ranges ranges = { 0 };
	struct out o;
	int status = -1;

	if (!live)
		return -1;
	if (analysis_window(live, k->time, &ranges, &top.window, e) == 0) {
		out_init_fd(&o, STDOUT_FILENO);
		status = analysis_finish(live, &o, kwork_top(live, &top, &o, e), e);
	}
	time_ranges_free(&ranges);
	live_close(live);
	return status;
}

/* `view`: of enum kwork_view, or TOP. */
enum { TOP = KWORK_TIMEHIST + 1 };
static int view_run(struct kwork_command_opts *k, int view, int argc, char **argv, struct err *e)
{
	struct cpuset cpus = { 0 };
	int status = -1;

	if (analysis_no_words(argc, argv, e) == 0 &&
	    (view == TOP || kwork_opts_check(&k->kwork, (enum kwork_view)view, e) == 0) &&
	    (!k->cpus || cpuset_parse(&cpus, k->cpus, e) == 0)) {
		k->kwork.cpus = k->cpus ? &cpus : NULL;
		status = k->in.dump    ? analysis_dump(&k->in, e)
			 : view == TOP ? print_top(k, e)
				       : print(k, (enum kwork_view)view, e);
	}
	cpuset_free(&cpus);
	return status;
}

static int report_run(void *opts, int argc, char **argv, struct err *e)
{
	return view_run(opts, KWORK_REPORT, argc, argv, e);
}

static int latency_run(void *opts, int argc, char **argv, struct err *e)
{
	return view_run(opts, KWORK_LATENCY, argc, argv, e);
}

static int timehist_run(void *opts, int argc, char **argv, struct err *e)
{
	return view_run(opts, KWORK_TIMEHIST, argc, argv, e);
}

static int top_run(void *opts, int argc, char **argv, struct err *e) { return view_run(opts, TOP, argc, argv, e); }

#define KWORK_COMMAND(word, text) \
	static const struct command word##_command = { \
		.name = "kwork " #word, \
		.summary = text, \
		.run = word##_run, \
		.pager = true, \
		.usage = (const char *const[]){ "[<options>]", NULL }, \
		.options = word##_options, \
		.defaults = &kwork_defaults, \
		.opts_size = sizeof(struct kwork_command_opts), \
	}
KWORK_COMMAND(report, "how long work ran");
KWORK_COMMAND(latency, "how long work waited for its start");
KWORK_COMMAND(timehist, "a line for each piece of work");
KWORK_COMMAND(top, "threads by their time, and interrupts");

/* What each kind of work needs; of the first word's events, one must exist. */
static const struct analysis_event irq[] = { { "irq:irq_handler_entry" }, { "irq:irq_handler_exit" } };
static const struct analysis_event softirq[] = { { "irq:softirq_raise" },
						 { "irq:softirq_entry" },
						 { "irq:softirq_exit" } };
static const struct analysis_event workqueue[] = { { "workqueue:workqueue_activate_work" },
						   { "workqueue:workqueue_execute_start" },
						   { "workqueue:workqueue_execute_end" } };
static const struct analysis_event sched[] = { { "sched:sched_switch" } };
static const struct {
	const char *name;
	const struct analysis_event *events;
	size_t n;
} classes[] = {
	{ "irq", irq, ARRAY_SIZE(irq) },
	{ "softirq", softirq, ARRAY_SIZE(softirq) },
	{ "workqueue", workqueue, ARRAY_SIZE(workqueue) },
	{ "sched", sched, ARRAY_SIZE(sched) },
};

static int record(const struct kwork_command_opts *k, int argc, char **argv, struct err *e)
{
	static const char *const words[] = { "-a", "-R", "-m", "1024", "-c", "1" };
	autofree char *list = xstrdup(k->kwork.classes ? k->kwork.classes : "irq,softirq,workqueue,sched");
	struct analysis_event events[16];
	size_t n = 0;
	char *rest = NULL;

	if (kwork_opts_check(&k->kwork, KWORK_REPORT, e) < 0)
		return -1;
	for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
			for (size_t j = 0; !strcmp(word, classes[i].name) && j < classes[i].n; j++)
				if (n < ARRAY_SIZE(events))
					events[n++] = classes[i].events[j];
	return analysis_record(words, ARRAY_SIZE(words), events, n, argc, argv, e);
}

static int kwork_run(void *opts, int argc, char **argv, struct err *e)
{
	if (argc && !strcmp(argv[0], "record"))
		return record(opts, argc - 1, argv + 1, e);
	return analysis_call_shared(&cmd_kwork, opts, argc, argv, e);
}

const struct command cmd_kwork = {
	.name = "kwork",
	.summary = "show interrupts, softirqs and work items of the kernel",
	.run = kwork_run,
	.usage = (const char *const[]){ "[<options>] record|report|latency|timehist|top [<options>]", NULL },
	.options = kwork_options,
	.defaults = &kwork_defaults,
	.opts_size = sizeof(struct kwork_command_opts),
	.stop_at_word = true,
	.words = "record report latency timehist top @program",
	.subcommands = (const struct command *const[]){ &report_command, &latency_command, &timehist_command,
							&top_command, NULL },
};
