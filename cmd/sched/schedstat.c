/* strobe sched stats: what the scheduler counted, from the snapshots in recordings. */
#include "report/waits/schedstat.h"

#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/sched/schedstat.h"
#include "cmd/shared/analysis.h"

struct stats_opts {
	struct analysis_opts in;
	const char *cpus, *none;
	struct schedstat_opts stats;
};
#define AT(member) offsetof(struct stats_opts, member)
static const char no_recorder[] = "strobe only reads what 'perf sched stats record' wrote";
static const struct opt options[] = {
	{ 'C', "cpu", OPT_STR, AT(cpus), "list", "only these CPUs" },
	{ 'o', "output", OPT_STR, AT(none), "file", no_recorder, OPT_REFUSED },
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

/* Counters are taken by a program that runs before and after: strobe has none, and says which machines could. */
static int no_snapshots(struct err *e)
{
	err_set(e, "sched stats: strobe takes no snapshots of /proc/schedstat");
	if (access("/proc/schedstat", R_OK) < 0)
		err_why(e, "this kernel has no /proc/schedstat either: it lacks CONFIG_SCHEDSTATS");
	err_try(e, "stats report -i FILE, or stats diff FILE FILE, of what 'perf sched stats record' wrote");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int stats_run(void *opts, int argc, char **argv, struct err *e)
{
	struct stats_opts *s = opts;
	bool report = argc == 1 && !strcmp(argv[0], "report"), diff = argc == 3 && !strcmp(argv[0], "diff");
	struct cpuset cpus = { 0 };
	int status = -1;

	if (!argc || !strcmp(argv[0], "record"))
		return no_snapshots(e);
	if (!report && !diff) {
		err_set(e, "sched stats does not know '%s' with %d more words", argv[0], argc - 1);
		err_try(e, "stats report, or stats diff FILE FILE");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (s->in.dump)
		return analysis_dump(&s->in, e);
	if (!s->cpus || cpuset_parse(&cpus, s->cpus, e) == 0) {
		s->stats.cpus = s->cpus ? &cpus : NULL;
		s->stats.explain = s->in.v > 0;
		status = print(s, diff ? argv + 1 : NULL, e);
	}
	cpuset_free(&cpus);
	return status;
}

const struct command sched_stats_command = {
	.name = "sched stats",
	.summary = "what the scheduler counted between two snapshots",
	.run = stats_run,
	.pager = true,
	.usage = (const char *const[]){ "report [<options>]", "diff [<options>] <file> <file>", NULL },
	.options = options,
	.opts_size = sizeof(struct stats_opts),
	.words = "report diff @file",
};
