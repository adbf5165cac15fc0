/* strobe sched stats: what the scheduler counted between two snapshots, of a recording or around a command. */
#include "report/waits/schedstat.h"

#include "cmd/commands.h"
#include "cmd/sched/schedstat_priv.h"
#include "cmd/shared/analysis.h"
#include "cmd/shared/rewritten.h"

struct stats_opts {
	struct analysis_opts in;
	const char *cpu_list, *output;
	struct cpuset cpus;
	struct schedstat_opts stats;
};
#define AT(member) offsetof(struct stats_opts, member)
static const struct opt options[] = {
	{ 0, "cpu", OPT_INCLUDE, AT(cpu_list), "list", "only these CPUs", .rows = target_options },
	{ 'o', "output", OPT_STR, AT(output), "file", "record: write this file", .values = "@file" },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT

static struct live *open_input(const struct stats_opts *s, const char *path, struct err *e)
{
	struct analysis_opts in = s->in;

	in.input = path ? path : in.input;
	in.v = 0; /* -v explains the counters here */
	return analysis_open(&in, NULL, e);
}

static int print(const struct stats_opts *s, char **paths, struct err *e)
{
	struct live *first = open_input(s, paths ? paths[0] : NULL, e), *second = NULL;
	int status = -1;
	struct out o;

	if (first && paths)
		second = open_input(s, paths[1], e);
	if (first && (second || !paths)) {
		out_init_fd(&o, STDOUT_FILENO);
		status = second ? schedstat_diff(first, second, &s->stats, &o, e)
				: schedstat_report(first, &s->stats, &o, e);
		status = analysis_finish(first, &o, status, e);
	}
	live_close(second);
	live_close(first);
	return status;
}

/* Apply the options. */
static int prepare(struct stats_opts *s, struct err *e)
{
	s->stats.cpus = s->cpu_list ? &s->cpus : NULL;
	s->stats.explain = s->in.v > 0;
	return s->cpu_list ? cpuset_parse(&s->cpus, s->cpu_list, e) : 0;
}

static int record_to(struct stats_opts *s, const char *path, int argc, char **argv, struct err *e)
{
	struct schedstat_recording what = { path, s->stats.cpus, argc, argv };

	return schedstat_record(&what, e);
}

static int record_run(void *opts, int argc, char **argv, struct err *e)
{
	struct stats_opts *s = opts;
	const char *path = s->output ? s->output : "perf.data";
	int status = prepare(s, e);

	if (!status)
		status = record_to(s, path, argc, argv, e);
	if (!status && strcmp(path, "-") != 0)
		say("[ %s sched stats: Wrote samples to %s ]", tool_name(), path);
	cpuset_free(&s->cpus);
	return status;
}

/* ---- a recording that is not kept ---- */

struct stats_live {
	struct stats_opts *opts;
	int argc;
	char **argv;
};

static int write_live(void *of, const char *path, struct err *e)
{
	struct stats_live *l = of;

	return record_to(l->opts, path, l->argc, l->argv, e);
}

static int print_live(struct stats_opts *s, int argc, char **argv, struct err *e)
{
	struct stats_live l = { s, argc, argv };
	int status = prepare(s, e);

	if (!status) {
		s->in.input = rewritten_input("stats", write_live, &l, e);
		status = s->in.input ? print(s, NULL, e) : -1;
	}
	cpuset_free(&s->cpus);
	return status;
}

/* ---- words ---- */

static int read_recordings(struct stats_opts *s, char **paths, struct err *e)
{
	int status = -1;

	if (s->in.dump)
		return analysis_dump(&s->in, e);
	if (prepare(s, e) == 0)
		status = print(s, paths, e);
	cpuset_free(&s->cpus);
	return status;
}

static int report_run(void *opts, int argc, char **argv, struct err *e)
{
	return analysis_no_words(argc, argv, e) < 0 ? -1 : read_recordings(opts, NULL, e);
}

static int diff_run(void *opts, int argc, char **argv, struct err *e)
{
	if (argc == 2)
		return read_recordings(opts, argv, e);
	err_set(e, "sched stats diff compares two recordings, and got %d", argc);
	return err_exit(e, EXIT_BAD_USAGE);
}

#define WORD(word, what, text) \
	static const struct command word##_command = { \
		.name = "sched stats " #word, \
		.summary = what, \
		.run = word##_run, \
		.pager = true, \
		.usage = (const char *const[]){ text, NULL }, \
		.options = options, \
		.opts_size = sizeof(struct stats_opts), \
		.words = "@file", \
	}
WORD(report, "what the scheduler counted between two snapshots", "[<options>]");
WORD(diff, "the counters of two recordings side by side", "[<options>] <file> <file>");
#undef WORD

static const struct command record_command = {
	.name = "sched stats record",
	.summary = "take a snapshot of the scheduler's counters before and after a command",
	.run = record_run,
	.usage = (const char *const[]){ "[<options>] [<command>]", NULL },
	.options = options,
	.opts_size = sizeof(struct stats_opts),
	.stop_at_word = true,
	.words = "@program",
};

static int stats_run(void *opts, int argc, char **argv, struct err *e)
{
	if (argc && command_find_word(&sched_stats_command, argv[0]))
		return analysis_call_shared(&sched_stats_command, opts, argc, argv, e);
	return print_live(opts, argc, argv, e);
}

const struct command sched_stats_command = {
	.name = "sched stats",
	.summary = "show the scheduler's counters: live, recorded or compared",
	.run = stats_run,
	.usage = (const char *const[]){ "[<options>] [record|report|diff] [<options>]", "[<options>] [<command>]",
					NULL },
	.options = options,
	.opts_size = sizeof(struct stats_opts),
	.stop_at_word = true,
	.words = "record report diff @program",
	.subcommands = (const struct command *const[]){ &record_command, &report_command, &diff_command, NULL },
};
