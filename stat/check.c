/*
 * Check for options that exclude each other. The errors use perf's words, which scripts and people
 * know.
 */
#include "base/out.h"
#include "stat/stat_priv.h"

static int refuse(struct err *e, const char *what, const char *fix)
{
	err_set(e, "%s", what);
	if (fix)
		err_try(e, "%s", fix);
	return err_exit(e, EXIT_INVALID);
}

static int check_output(const struct stat_opts *o, struct err *e)
{
	if (o->output && o->log_fd >= 0)
		return refuse(e, "cannot use both --output and --log-fd", "one of them");
	if (o->print.csv_asked && o->print.json_asked)
		return refuse(e, "cannot use both --field-separator and --json-output", "-x or -j");
	if (o->print.csv_asked && o->big_num_asked)
		return refuse(e, "-B option not supported with -x", "without -B");
	if (o->print.csv_asked && !*o->print.separator) {
		err_set(e, "no separator is given");
		err_why(e, "nothing would separate the fields");
		err_try(e, "-x, or -x\\t for tabs");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (strpbrk(o->print.separator, "\"\n\r")) {
		err_set(e, "bad separator '%s'", o->print.separator);
		err_why(e, "quotes and line ends have a special meaning in the output");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

static int check_runs(const struct stat_opts *o, struct err *e)
{
	if (o->runs < 0)
		return refuse(e, "Run count must be a positive number", "-r 5, or -r 0 for ever");
	if (o->run_table && o->runs <= 1)
		return refuse(e, "--table is only supported with -r", "-r 5 --table");
	if (o->print.metric_only && o->table.per == PER_THREAD)
		return refuse(e, "--metric-only is not supported with --per-thread", "without one of them");
	if (o->print.metric_only && o->runs != 1)
		return refuse(e, "--metric-only is not supported with -r", "without -r");
	if (o->interval_count && !o->interval_ms)
		return refuse(e, "interval-count option should be used together with interval-print.", "-I 1000");
	if (o->timeout_ms && o->timeout_ms < 10)
		return refuse(e, "timeout must be >= 10ms.", "--timeout 1000 for a second");
	if (o->timeout_ms && o->interval_ms)
		return refuse(e, "timeout option is not supported with interval-print.", "--interval-count");
	if (o->timeout_ms && o->timeout_ms < 100)
		tell(&o->tell,
		     "timeout < 100ms. The overhead percentage could be high in some cases. Please proceed with "
		     "caution.");
	return 0;
}

/* Drop options that name CPUs or the system if others name threads. */
static void drop_overridden(struct stat_opts *o)
{
	bool tasks = o->pids || o->tids;

	if (o->pids && o->tids) {
		tell(&o->tell, "PID switch overriding TID");
		o->tids = NULL;
	}
	if (tasks && o->cpus) {
		tell(&o->tell, "PID/TID switch overriding CPU");
		o->cpus = NULL;
	}
	if (tasks && o->system_wide) {
		tell(&o->tell, "PID/TID switch overriding SYSTEM");
		o->system_wide = false;
	}
}

static int check_target(struct stat_opts *o, bool has_command, struct err *e)
{
	bool tasks = o->pids || o->tids;

	if (!has_command && !tasks && !o->cpus)
		o->system_wide = true;
	if (o->table.per == PER_THREAD && has_command && !tasks && !o->system_wide && !o->cpus)
		return refuse(e,
			      "The --per-thread option is only available when monitoring via -p -t -a options or only "
			      "--per-thread.",
			      "-p PID");
	if (o->words.len && o->words.items[0].kind == WORD_CGROUP) {
		err_set(e, "must define events before cgroups");
		err_try(e, "-e EVENT -G CGROUP");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	for (size_t i = 0; i < o->words.len; i++)
		if (o->words.items[i].kind == WORD_CGROUP && o->each_cgroup)
			return refuse(e, "--cgroup and --for-each-cgroup cannot be used together", "one of them");
	for (size_t i = 0; i <= o->words.len; i++) {
		bool cgroups = i < o->words.len ? o->words.items[i].kind == WORD_CGROUP : o->each_cgroup != NULL;

		if (cgroups && !o->system_wide && !o->cpus)
			return refuse(e, "both cgroup and no-aggregation modes only available in system-wide mode",
				      "-a");
	}
	if (o->table.per != PER_ALL && o->table.per != PER_THREAD && !o->system_wide && !o->cpus)
		return refuse(e, "both cgroup and no-aggregation modes only available in system-wide mode", "-a");
	return 0;
}

int stat_check(struct stat_opts *o, bool has_command, struct err *e)
{
	if (check_output(o, e) < 0 || check_runs(o, e) < 0)
		return -1;
	drop_overridden(o);
	return check_target(o, has_command, e);
}
