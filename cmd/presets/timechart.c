/* strobe timechart: a picture of what CPUs and tasks did over time. */
#include "base/new_file.h"
#include "cmd/commands.h"
#include "cmd/shared/analysis.h"
#include "report/presets/presets.h"

struct timechart_command_opts {
	struct analysis_opts in;
	struct timechart_opts chart;
	struct opt_list tasks;
	const char *output, *highlight, *io_least, *io_join, *none;
};
#define AT(member) offsetof(struct timechart_command_opts, member)
/* What the picture shows, and what to record for it. */
static const struct opt part_options[] = {
	{ 'P', "power-only", OPT_BOOL, 0, NULL, "only CPUs and their idle states" },
	{ 'T', "tasks-only", OPT_BOOL, 0, NULL, "only tasks" },
	{ 0 },
};
static const struct opt timechart_options[] = {
	{ 'o', "output", OPT_STR, AT(output), "file", "the picture (output.svg)" },
	{ 'w', "width", OPT_U64, AT(chart.width), "n", "width of the time line, in pixels (1000)" },
	{ 0, "highlight", OPT_STR, AT(highlight), "what",
	  "mark runs of at least this many ns, or of tasks with this name", .values = "" },
	{ 0, "power-only", OPT_INCLUDE, AT(chart.power_only), .rows = part_options },
	{ 0, "tasks-only", OPT_INCLUDE, AT(chart.tasks_only), .rows = part_options },
	{ 'p', "process", OPT_LIST, AT(tasks), "name", "only the tasks of this name or number; may be given again",
	  .values = "" },
	{ 'n', "proc-num", OPT_U64, AT(chart.tasks_least), "n", "draw at least n tasks, if there are that many (15)" },
	{ 't', "topology", OPT_BOOL, AT(chart.topology), NULL, "order CPUs by socket and core" },
	{ 0, "io-skip-eagain", OPT_BOOL, AT(chart.skip_eagain), NULL, "leave out calls that failed with EAGAIN" },
	{ 0, "io-min-time", OPT_STR, AT(io_least), "time", "draw calls as if they took at least this long",
	  .values = "" },
	{ 0, "io-merge-dist", OPT_STR, AT(io_join), "time", "draw calls with shorter pauses as one", .values = "" },
	{ 0, "symfs", OPT_STR, AT(none), "dir", "the picture names no functions", OPT_REFUSED },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};

struct timechart_record_opts {
	bool power, tasks, io, chains;
	const char *output;
};
#undef AT
#define AT(member) offsetof(struct timechart_record_opts, member)
static const struct opt record_options[] = {
	{ 0, "power-only", OPT_INCLUDE, AT(power), .rows = part_options },
	{ 0, "tasks-only", OPT_INCLUDE, AT(tasks), .rows = part_options },
	{ 'I', "io-only", OPT_BOOL, AT(io), NULL, "system calls that move data or wait for it" },
	{ 'g', "callchain", OPT_BOOL, AT(chains), NULL, "record call chains" },
	{ 'o', "output", OPT_STR, AT(output), "file", "the recording to write (perf.data)", OPT_OURS },
	{ 0 },
};
#undef AT
static const struct timechart_command_opts timechart_defaults = { .output = "output.svg",
								  .chart = { .width = 1000, .tasks_least = 15 } };

/* ---- record ---- */

static int record_io(const char *const *words, size_t n_words, int argc, char **argv, struct err *e)
{
	struct arena arena = { 0 };
	VEC(struct analysis_event) events = { 0 };
	int rc;

	for (size_t i = 0; i < n_timechart_calls; i++)
		for (int exit = 0; exit < 2; exit++) {
			const char *event = arena_printf(&arena, "syscalls:sys_%s_%s", exit ? "exit" : "enter",
							 timechart_calls[i].name);

			vec_push(&events, (struct analysis_event){ .event = event });
		}
	rc = analysis_record(words, n_words, events.items, events.len, argc, argv, e);
	vec_free(&events);
	arena_release(&arena);
	return rc;
}

static int record_run(void *opts, int argc, char **argv, struct err *e)
{
	static const struct analysis_event tasks[] = { { "sched:sched_switch" }, { "sched:sched_wakeup" } };
	static const struct analysis_event power[] = { { "power:cpu_idle" }, { "power:cpu_frequency" } };
	const struct timechart_record_opts *r = opts;
	const char *const words[] = { "-a", "-R", "-c", "1", "-o", r->output ? r->output : "perf.data", "-g" };
	size_t n_words = ARRAY_SIZE(words) - !r->chains;
	struct analysis_event events[ARRAY_SIZE(tasks) + ARRAY_SIZE(power)];
	size_t n = 0;

	if (r->power + r->tasks + r->io > 1) {
		err_set(e, "--power-only, --tasks-only and --io-only exclude each other");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (r->io)
		return record_io(words, n_words, argc, argv, e);
	for (size_t i = 0; !r->power && i < ARRAY_SIZE(tasks); i++)
		events[n++] = tasks[i];
	for (size_t i = 0; !r->tasks && i < ARRAY_SIZE(power); i++)
		events[n++] = power[i];
	return analysis_record(words, n_words, events, n, argc, argv, e);
}

static const struct command record_command = {
	.name = "timechart record",
	.summary = "record the events that the picture needs",
	.run = record_run,
	.usage = (const char *const[]){ "[<options>] [<command>]", NULL },
	.options = record_options,
	.opts_size = sizeof(struct timechart_record_opts),
	.stop_at_word = true,
	.words = "@program",
};

/* ---- the picture ---- */

/*
 * Parse a time as perf does: seconds, or with s, ms, us or ns; a plain number of these options is
 * in us.
 */
static int parse_time(const char *option, const char *text, uint64_t *ns, struct err *e)
{
	if (!text)
		return 0;
	if (text[strspn(text, "0123456789")] == '\0' && *text)
		return parse_u64(text, ns, e) < 0 ? -1 : (*ns *= 1000, 0);
	if (parse_duration(text, ns, e) < 0) {
		err_set(e, "%s does not take '%s'", option, text);
		err_try(e, "a number with s, ms, us or ns");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int parse(struct timechart_command_opts *t, struct err *e)
{
	if (t->chart.power_only && t->chart.tasks_only) {
		err_set(e, "--power-only and --tasks-only exclude each other");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (t->chart.width < 100 || t->chart.width > 1000000) {
		err_set(e, "--width is 100 to 1000000 pixels");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	t->chart.tasks = &t->tasks;
	if (t->highlight && t->highlight[strspn(t->highlight, "0123456789")] == '\0') {
		if (parse_u64(t->highlight, &t->chart.high_ns, e) < 0) {
			err_set(e, "--highlight does not take '%s'", t->highlight);
			err_try(e, "a number of nanoseconds, or the name of a task");
			return err_exit(e, EXIT_BAD_USAGE);
		}
	} else {
		t->chart.high_name = t->highlight;
	}
	if (parse_time("--io-min-time", t->io_least, &t->chart.io_least_ns, e) < 0)
		return -1;
	return parse_time("--io-merge-dist", t->io_join, &t->chart.io_join_ns, e);
}

static int draw(struct timechart_command_opts *t, struct live *live, struct err *e)
{
	struct new_file file;
	uint64_t ns;

	if (new_file_open(&file, t->output, e) < 0)
		return -1;
	if (timechart(live, &t->chart, &file.out, &ns, e) < 0) { /* a picture without an end helps nobody */
		new_file_drop(&file);
		return -1;
	}
	if (new_file_finish(&file, e) < 0)
		return -1;
	say("Written %.1f seconds of trace to %s.", (double)ns / 1e9, t->output);
	return 0;
}

static int timechart_run(void *opts, int argc, char **argv, struct err *e)
{
	struct timechart_command_opts *t = opts;
	struct live *live;
	int rc, damaged;

	if (argc && !strcmp(argv[0], "record"))
		return command_call_word(&cmd_timechart, argc, argv, e);
	if (analysis_no_words(argc, argv, e) < 0 || parse(t, e) < 0)
		return -1;
	if (t->in.dump)
		return analysis_dump(&t->in, e);
	live = analysis_open(&t->in, NULL, e);
	if (!live)
		return -1;
	rc = draw(t, live, e);
	damaged = session_notes_say(live_session(live)); /* also on failure: a cut recording may lack the events */
	live_close(live);
	return rc < 0 ? -1 : damaged;
}

const struct command cmd_timechart = {
	.name = "timechart",
	.summary = "draw what CPUs and tasks did over time",
	.run = timechart_run,
	.usage = (const char *const[]){ "[<options>] {record}", NULL },
	.options = timechart_options,
	.defaults = &timechart_defaults,
	.opts_size = sizeof(struct timechart_command_opts),
	.stop_at_word = true,
	.words = "record",
	.subcommands = (const struct command *const[]){ &record_command, NULL },
};
