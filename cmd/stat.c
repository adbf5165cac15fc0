#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/units.h"
#include "record/machine/collect.h"
#include "stat/stat.h"

#define AT(member) offsetof(struct stat_opts, member)

static int add_word(void *opts, enum stat_word_kind kind, const char *text)
{
	struct stat_opts *o = opts;

	vec_push(&o->words, (struct stat_word){ kind, text });
	return 0;
}

static int set_event(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return add_word(opts, WORD_EVENT, value);
}

static int set_filter(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return add_word(opts, WORD_FILTER, value);
}

static int set_pfm(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return add_word(opts, WORD_PFM, value);
}

static int set_cgroup(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return add_word(opts, WORD_CGROUP, value);
}

/* Set how counts are summed; the last option wins. The group's struct is struct table_opts. */
static int set_aggregation(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const struct {
		const char *option;
		enum aggregation per;
	} aggregations[] = {
		{ "no-aggr", PER_CPU },         { "per-socket", PER_SOCKET }, { "per-die", PER_DIE },
		{ "per-cluster", PER_CLUSTER }, { "per-cache", PER_CACHE },   { "per-core", PER_CORE },
		{ "per-node", PER_NODE },       { "per-thread", PER_THREAD },
	};
	struct table_opts *t = opts;

	t->per_given = !unset;
	t->per = PER_ALL;
	for (size_t i = 0; i < ARRAY_SIZE(aggregations) && !unset; i++)
		if (!strcmp(aggregations[i].option, opt->name))
			t->per = aggregations[i].per;
	if (!value)
		return 0;
	/* --per-cache=L2 */
	if ((value[0] != 'L' && value[0] != 'l') || value[1] < '1' || value[1] > '4' || value[2]) {
		err_set(e, "no such level of caches: '%s'", value);
		err_try(e, "--per-cache=L1 to --per-cache=L4, or --per-cache for the last there is");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	t->cache_level = (unsigned)(value[1] - '0');
	return 0;
}

static const struct opt aggregation_options[] = {
	{ 'A', "no-aggr", OPT_CALL_FLAG, 0, NULL, "show each CPU separately", 0, set_aggregation },
	{ 0, "per-socket", OPT_CALL_FLAG, 0, NULL, "sums for each socket", 0, set_aggregation },
	{ 0, "per-die", OPT_CALL_FLAG, 0, NULL, "sums for each die", 0, set_aggregation },
	{ 0, "per-cluster", OPT_CALL_FLAG, 0, NULL, "sums for each cluster of cores", 0, set_aggregation },
	{ 0, "per-cache", OPT_CALL_OPT, 0, "level",
	  "sums for the CPUs that share a cache: L2, L3; default: the last level", 0, set_aggregation,
	  .values = "L1d L1i L2 L3" },
	{ 0, "per-core", OPT_CALL_FLAG, 0, NULL, "sums for each core", 0, set_aggregation },
	{ 0, "per-thread", OPT_CALL_FLAG, 0, NULL, "show each thread separately", 0, set_aggregation },
	{ 0, "per-node", OPT_CALL_FLAG, 0, NULL, "sums for each memory node", 0, set_aggregation },
	{ 0 },
};

/* A user who cannot type a tab into a shell writes "\t" as two characters. */
static const char *separator(const char *value) { return !strcmp(value, "\\t") ? "\t" : value; }

static int set_separator(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct stat_print_opts *p = opts;

	p->csv_asked = !unset;
	p->separator = unset ? "" : separator(value);
	if (!unset)
		p->form = STAT_CSV;
	else if (p->form == STAT_CSV)
		p->form = STAT_TEXT;
	return 0;
}

static int set_json(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct stat_print_opts *p = opts;

	p->json_asked = !unset;
	p->form = unset ? STAT_TEXT : STAT_JSON;
	return 0;
}

/* How to print, of `stat` and `stat report`. */
static const struct opt form_options[] = {
	{ 'x', "field-separator", OPT_CALL, 0, "separator", "print fields with this separator", 0, set_separator },
	{ 'j', "json-output", OPT_CALL_FLAG, 0, NULL, "a JSON object for each line", 0, set_json },
	{ 0 },
};

static int set_big_num(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct stat_opts *o = opts;

	o->big_num_asked = !unset;
	o->print.no_big_num = unset;
	return 0;
}

static int number_of(uint32_t *n, const char *value, const char *what, struct err *e)
{
	uint64_t v;

	if (!parse_u64(value, &v, NULL) && v <= INT32_MAX) {
		*n = (uint32_t)v;
		return 0;
	}
	err_set(e, "bad %s '%s'", what, value);
	err_try(e, "a number");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int set_number(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	return number_of((uint32_t *)((char *)opts + opt->offset), value, opt->name, e);
}

/* 0 is not an interval, and it does not mean "no interval" either: leave the option out for that. */
static int set_interval(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct stat_opts *o = opts;

	if (number_of(&o->interval_ms, value, opt->name, e) < 0)
		return -1;
	if (o->interval_ms)
		return 0;
	err_set(e, "there is no interval of 0 ms");
	err_try(e, "-I 1000 for each second, or without -I for the whole run");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int set_td_level(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct stat_opts *o = opts;
	uint32_t level = 0;

	if (number_of(&level, value, opt->name, e) < 0)
		return -1;
	if (level > 2) {
		err_set(e, "Top-down metrics level must be 1 or 2, not %u", level);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	o->topdown_level = level;
	return 0;
}

/*
 * Rows are in the order of perf's help. An option that sets more than one member has a setter
 * above.
 */
static const struct opt stat_options[] = {
	{ 'T', "transaction", OPT_BOOL, AT(transaction), NULL, "count hardware transactions" },
	{ 'e', "event", OPT_CALL, 0, "event", "event selector; 'strobe list' lists them", OPT_NONEG, set_event },
	{ 0, "filter", OPT_CALL, 0, "filter",
	  "count only events that match this expression; follows the -e of a tracepoint", OPT_NONEG, set_filter },
	{ 0, "event-files", OPT_INCLUDE, AT(event_files), .rows = event_file_options },
	{ 0, "pfm-events", OPT_CALL, 0, "event", "event by its libpfm4 name", OPT_NONEG, set_pfm,
	  .values = ",@pfm-event" },
	{ 0, "no-inherit", OPT_INCLUDE, AT(no_inherit), .rows = target_options },
	{ 0, "pid", OPT_INCLUDE, AT(pids), NULL, "count in existing processes", .rows = target_options },
	{ 0, "tid", OPT_INCLUDE, AT(tids), NULL, "count in existing threads", .rows = target_options },
	{ 0, "all-cpus", OPT_INCLUDE, AT(system_wide), NULL, "count in the whole system", .rows = target_options },
	{ 0, "cpu", OPT_INCLUDE, AT(cpus), NULL, "count on these CPUs: numbers and ranges", .rows = target_options },
	{ 0, "as-caller", OPT_INCLUDE, AT(caller), NULL, "under sudo: run the command as the calling user",
	  .rows = target_options },
	{ 0, "no-scale", OPT_BOOL, AT(table.no_scale), NULL,
	  "do not scale the counts of events that shared a counter" },
	{ 0, "verbose", OPT_INCLUDE, 0, NULL,
	  "print more messages: why an event is not supported, and the value of each counter", .rows = talk_options },
	{ 'r', "repeat", OPT_INT, AT(runs), "n",
	  "run the command n times, show mean and deviation; 0: until you interrupt it" },
	{ 0, "table", OPT_BOOL, AT(run_table), NULL, "with -r: show the time of each run" },
	{ 'n', "null", OPT_BOOL, AT(null_run), NULL, "count no events, only measure the time" },
	{ 'd', "detailed", OPT_COUNT, AT(detailed), NULL,
	  "also count caches; -d -d: also TLBs; -d -d -d: also prefetches" },
	{ 'S', "sync", OPT_BOOL, AT(sync), NULL, "call sync before each run" },
	{ 'B', "big-num", OPT_CALL_FLAG, 0, NULL, "separate thousands as the locale does (default)", 0, set_big_num },
	{ 0, "no-aggr", OPT_INCLUDE, AT(table), .rows = aggregation_options },
	{ 0, "no-merge", OPT_BOOL, AT(table.no_merge), NULL, "show each of several devices of one kind separately" },
	{ 0, "hybrid-merge", OPT_BOOL, AT(table.hybrid_merge), NULL, "add up the counts of several kinds of cores" },
	{ 0, "field-separator json-output", OPT_INCLUDE, AT(print), .rows = form_options },
	{ 'G', "cgroup", OPT_CALL, 0, "name,...",
	  "count only tasks of these control groups, one for each event or one for all (with -a)", OPT_NONEG,
	  set_cgroup, .values = ",@cgroup" },
	{ 0, "for-each-cgroup", OPT_STR, AT(each_cgroup), "name,...",
	  "count every event in each of these control groups", .values = ",@cgroup" },
	{ 0, "output", OPT_INCLUDE, AT(output), NULL, "write to this file instead of standard error",
	  .rows = usual_options },
	{ 0, "append", OPT_BOOL, AT(append), NULL, "add to the end of the file of -o" },
	{ 0, "log-fd", OPT_INT, AT(log_fd), "fd", "write to this descriptor" },
	{ 0, "pre", OPT_STR, AT(pre), "command", "run this before each run" },
	{ 0, "post", OPT_STR, AT(post), "command", "run this after each run" },
	{ 'I', "interval-print", OPT_CALL, AT(interval_ms), "ms",
	  "print the counts of each interval of this many milliseconds", OPT_NONEG, set_interval },
	{ 0, "interval-count", OPT_CALL, AT(interval_count), "n", "with -I: end after this many intervals", OPT_NONEG,
	  set_number },
	{ 0, "interval-clear", OPT_BOOL, AT(print.interval_clear), NULL,
	  "with -I: clear the screen before each interval" },
	{ 0, "timeout", OPT_CALL, AT(timeout_ms), "ms", "end after this many milliseconds (at least 10)", OPT_NONEG,
	  set_number },
	{ 0, "per-socket per-die per-cluster per-cache per-core per-thread per-node", OPT_INCLUDE, AT(table),
	  .rows = aggregation_options },
	{ 'D', "delay", OPT_INT, AT(delay_ms), "ms", "start after this many milliseconds; -1: when --control says so" },
	{ 0, "metric-only", OPT_BOOL, AT(print.metric_only), NULL, "show only values computed from counts" },
	{ 0, "metric-no-group", OPT_BOOL, AT(metric_no_group), NULL, "do not keep the events of a metric together" },
	{ 0, "metric-no-merge", OPT_BOOL, AT(metric_no_merge), NULL, "do not share events between metrics" },
	{ 0, "metric-no-threshold", OPT_BOOL, AT(no_thresholds), NULL, "do not colour values beyond their threshold" },
	{ 0, "topdown", OPT_BOOL, AT(topdown), NULL, "show how the slots of the pipeline were used" },
	{ 0, "td-level", OPT_CALL, 0, "n", "with --topdown: level 1, or 2", OPT_NONEG, set_td_level },
	{ 'M', "metrics", OPT_LIST, AT(metrics), "metric,...", "count these metrics or groups of metrics" },
	{ 0, "all-kernel", OPT_INCLUDE, AT(all_kernel), .rows = target_options },
	{ 0, "all-user", OPT_INCLUDE, AT(all_user), .rows = target_options },
	{ 0, "percore-show-thread", OPT_BOOL, AT(table.show_threads), NULL,
	  "with -A: show a core's count (percore) at each of its CPUs" },
	{ 0, "summary", OPT_BOOL, AT(summary), NULL, "with -I: print the sums at the end" },
	{ 0, "no-csv-summary", OPT_BOOL, AT(print.no_csv_summary), NULL,
	  "with -I, -x and --summary: leave out the word 'summary'" },
	{ 0, "quiet", OPT_INCLUDE, 0, NULL, "print only errors", .rows = talk_options },
	{ 0, "cputype", OPT_INCLUDE, AT(cpu_type), .rows = event_file_options },
	{ 0, "pmu-filter", OPT_STR, AT(pmu_filter), "pmu",
	  "if an event's name stands for several devices, use only this one" },
	{ 0, "control", OPT_STR, AT(control), "fd:ctl[,ack] or fifo:ctl[,ack]",
	  "take commands while counting: enable, disable, evlist, stop, ping" },
	{ 'b', "bpf-prog", OPT_STR, 0, "id",
	  "strobe does not count in BPF programs: measure the tasks that run them, or use the run statistics of "
	  "bpftool",
	  OPT_REFUSED },
	{ 0, "bpf-counters", OPT_BOOL, 0, NULL, "strobe does not share counters through BPF: each event has its own",
	  OPT_REFUSED },
	{ 0, "bpf-attr-map", OPT_STR, 0, "path", "strobe does not share counters through BPF, so there is no map",
	  OPT_REFUSED },
	{ 0, "smi-cost", OPT_BOOL, 0, NULL,
	  "this would set freeze_on_smi for the whole machine; count msr/smi/ and msr/aperf/ instead", OPT_REFUSED },
	{ 0, "affinity", OPT_BOOL, 0, NULL, "strobe never changes the CPU mask to read counters", OPT_REFUSED },
	{ 0, "iostat", OPT_STR_OPT, 0, "ports",
	  "PCIe bandwidth needs the addresses of one vendor's server chips: count their uncore_iio events",
	  OPT_REFUSED },
	{ 0, "record-tpebs", OPT_BOOL, 0, NULL, "stat does not sample, and retirement latencies are samples",
	  OPT_REFUSED },
	{ 0, "tpebs-mode", OPT_STR, 0, "mode", "stat does not sample, and retirement latencies are samples",
	  OPT_REFUSED },
	{ 0 },
};

static const struct stat_opts stat_defaults = STAT_DEFAULTS;

/* Return the exit status. A command that a signal ended is reported as a shell does. */
static int exit_status(const struct stat_result *r, const char *name)
{
	int status = r->wait_status;

	if (r->stopped_by)
		die_by(r->stopped_by);
	if (!r->has_workload || r->workload_killed)
		return 0;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	say("%s: %s", name, strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

/* ---- stat record ---- */

/*
 * Return the command line as typed, because parsing may have reordered argv. Array and strings are
 * in the arena.
 */
static char *const *command_line(struct arena *a, int *n)
{
	size_t len = 0;
	autofree char *text = file_read("/proc/self/cmdline", 8 << 20, &len, NULL);
	char *copy = text ? arena_memdup(a, text, len + 1) : NULL;
	VEC(char *) words = { 0 };

	for (size_t at = 0; at < len; at += strlen(copy + at) + 1)
		vec_push(&words, copy + at);
	*n = (int)words.len;
	return vec_to_arena(&words, a);
}

/* `stat [options] record [options] command`: both places take the same options. */
static int stat_record(struct stat_opts *o, int argc, char **argv, struct stat_result *result, struct err *e)
{
	struct arena arena = { 0 };
	struct features features = { 0 };
	struct collect_opts collect = { 0 };
	int status;

	if (o->runs != 1) {
		err_set(e, "cannot use -r option with perf stat record.");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	collect.argv = command_line(&arena, &collect.argc);
	collect_features(&features, &arena, &collect);
	o->features = &features;
	o->record_to = o->output ? o->output : "perf.data";
	status = stat_run(o, argv, result, e);
	arena_release(&arena);
	return status;
}

/* ---- stat report ---- */

#undef AT
#define AT(member) offsetof(struct stat_report_opts, member)

static const struct opt report_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "recording to read, '-' for a pipe (perf.data)",
	  .rows = usual_options },
	{ 0, "no-aggr per-socket per-die", OPT_INCLUDE, AT(table), .rows = aggregation_options },
	{ 0, "per-cluster", OPT_BOOL, 0, NULL,
	  "recordings do not say which CPUs form a cluster: use --per-cache or --per-die", OPT_REFUSED },
	{ 0, "per-cache per-core per-node per-thread", OPT_INCLUDE, AT(table), .rows = aggregation_options },
	{ 0, "field-separator json-output", OPT_INCLUDE, AT(print), .flags = OPT_OURS, .rows = form_options },
	{ 0, "output", OPT_INCLUDE, AT(output), NULL, "write to this file instead of standard error", OPT_OURS,
	  .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .flags = OPT_OURS, .rows = force_options },
	{ 0 },
};

static const struct command report_command = {
	.name = "stat report",
	.summary = "print the counts of a recording",
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = report_options,
};

static const struct command record_command = {
	.name = "stat record",
	.summary = "write the counts into a recording",
	.options = stat_options,
	.stop_at_word = true,
	.words = "@program",
};

/* Print the help of a command with two words. */
static int help_of(const struct command *c, struct err *e)
{
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	command_help(c, &o);
	return out_finish(&o, e) < 0 ? -1 : EXIT_BAD_USAGE;
}

static int run_report(int argc, char **argv, struct err *e)
{
	struct stat_report_opts o = { .print = { .separator = "" }, .tell = notes_say };
	int n;
	int status = opt_parse(report_options, &o, argc, argv, false, &argv, &n, e);

	if (status > 0)
		return help_of(&report_command, e);
	if (!status && n) {
		err_set(e, "unexpected '%s'", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!status && !o.input)
		o.input = usual_input();
	return status < 0 ? -1 : stat_report(&o, e);
}

static int read_event_files(const struct stat_opts *o, struct err *e)
{
	struct config settings = { 0 };
	int status;

	settings_load(&settings);
	status = event_files_use(o->event_files, &settings, e);
	config_release(&settings);
	return status;
}

static int stat_run_command(void *opts, int argc, char **argv, struct err *e)
{
	struct stat_opts *o = opts;
	struct stat_result result = { 0 };
	bool record = argc && !strcmp(argv[0], "record");
	int status = 0;

	if (argc && !strcmp(argv[0], "report"))
		return run_report(argc, argv, e);
	if (record)
		status = opt_parse(stat_options, o, argc, argv, true, &argv, &argc, e);
	if (status > 0)
		return help_of(&cmd_stat, e);
	o->tell = usual_teller();
	if (!status)
		status = read_event_files(o, e);
	if (!status)
		status = record ? stat_record(o, argc, argv, &result, e) : stat_run(o, argv, &result, e);
	vec_free(&o->words);
	return status < 0 ? -1 : exit_status(&result, argc ? argv[0] : "");
}

const struct command cmd_stat = {
	.name = "stat",
	.summary = "run a command and count events",
	.run = stat_run_command,
	.usage = (const char *const[]){ "[<options>] [<command>]", "[<options>] -- <command> [<options>]", NULL },
	.options = stat_options,
	.defaults = &stat_defaults,
	.opts_size = sizeof(struct stat_opts),
	.stop_at_word = true,
	.words = "record report @program",
	.subcommands = (const struct command *const[]){ &record_command, &report_command, NULL },
};
