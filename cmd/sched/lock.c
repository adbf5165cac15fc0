/* strobe lock: the kernel's locks for which threads waited. */
#include "cmd/commands.h"
#include "cmd/sched/lock_user_priv.h"
#include "cmd/shared/analysis.h"
#include "report/waits/lock.h"

#include <fcntl.h>

#define AT(member) offsetof(struct lock_opts, member)
const struct opt lock_table_options[] = {
	{ 'k', "key", OPT_STR, AT(sort), "column", "sort by this column (wait_total)", .values = LOCK_COLUMNS },
	{ 'F', "field", OPT_STR, AT(fields), "column,...", "show these columns", .values = "," LOCK_COLUMNS },
	{ 'E', "entries", OPT_U64, AT(entries), "n", "show at most n rows" },
	{ 'x', "field-separator", OPT_INCLUDE, AT(separator), "separator", "lines of fields with this between them",
	  .rows = usual_options },
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), NULL, "print no notes", .rows = usual_options },
	{ 0 },
};
#undef AT

struct lock_command_opts {
	struct analysis_opts in;
	struct object_opts objects;
	struct lock_opts lock;
	struct record_opts record;
	bool live; /* -b: as perf with BPF, watch the running system */
	bool by_thread, by_address, by_cgroup, combine, threads, map;
	const char *output, *none;
};
#define AT(member) offsetof(struct lock_command_opts, member)
static const char no_owner[] = "tracepoints show which thread waits for a lock of the kernel, not which holds it";
static const char no_maps[] = "strobe follows locks by tracepoints; there are no maps of BPF with a size";
static const char no_delay[] = "only a BPF program in the kernel can hold a lock longer";

/* Options of all tables, then those of the two tables of sums. */
static const struct opt every_table[] = {
	{ 0, "quiet", OPT_INCLUDE, AT(lock), .rows = lock_table_options },
	{ OPT_NO_LETTER, "output", OPT_INCLUDE, AT(output), .rows = usual_options },
	{ OPT_NO_LETTER, "vmlinux kallsyms", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
static const struct opt sums[] = {
	{ 't', "threads", OPT_BOOL, AT(by_thread), NULL, "a row for each thread" },
	{ 0, "entries", OPT_INCLUDE, AT(lock), .rows = lock_table_options },
	{ 0 },
};

static const struct opt contention_options[] = {
	{ 0, "key field", OPT_INCLUDE, AT(lock), .rows = lock_table_options },
	{ .kind = OPT_INCLUDE, .rows = sums },
	{ 'l', "lock-addr", OPT_BOOL, AT(by_address), NULL, "a row for each lock" },
	{ 0, "max-stack", OPT_INCLUDE, AT(lock.max_stack), NULL, "use at most n functions of a chain (8)",
	  .rows = chain_options },
	{ 0, "stack-skip", OPT_U64, AT(lock.skip), "n", "skip the n innermost functions (0)" },
	{ 'Y', "type-filter", OPT_STR, AT(lock.types), "kind,...", "only locks of these kinds",
	  .values = ",semaphore spinlock rwlock rwsem rt-mutex rwlock-rt pcpu-sem mutex" },
	{ 'L', "lock-filter", OPT_STR, AT(lock.addresses), "address,...", "only locks at these addresses",
	  .values = "" },
	{ 'S', "callstack-filter", OPT_STR, AT(lock.callers), "name,...",
	  "only waits with a function in their chain whose name contains this", .values = "" },
	{ 0, "field-separator", OPT_INCLUDE, AT(lock), .rows = lock_table_options },
	{ 'b', "use-bpf", OPT_BOOL, AT(live), NULL,
	  "watch the running system with tracepoints instead of a recording" },
	{ 0, "all-cpus", OPT_INCLUDE, AT(record.system_wide), NULL, "watch the whole system", .rows = target_options },
	{ 0, "cpu", OPT_INCLUDE, AT(record.cpus), NULL, "watch these CPUs", .rows = target_options },
	{ 0, "pid", OPT_INCLUDE, AT(record.pids), NULL, "watch these processes", .rows = target_options },
	{ OPT_NO_LETTER, "tid", OPT_INCLUDE, AT(record.tids), "tid,...", "watch these threads",
	  .rows = target_options },
	{ 'G', "cgroup-filter", OPT_STR, AT(lock.cgroups), "cgroup,...", "only waits in these cgroups", .values = "" },
	{ 0, "lock-cgroup", OPT_BOOL, AT(by_cgroup), NULL, "a row for each cgroup" },
	{ 'o', "lock-owner", OPT_BOOL, AT(none), NULL, no_owner, OPT_REFUSED },
	{ 'M', "map-nr-entries", OPT_STR, AT(none), "n", no_maps, OPT_REFUSED },
	{ 'J', "inject-delay", OPT_STR, AT(none), "time@lock", no_delay, OPT_REFUSED },
	{ .kind = OPT_INCLUDE, .rows = every_table },
	{ 0 },
};

static const struct opt report_options[] = {
	{ 'k', "key", OPT_STR, AT(lock.sort), "column", "sort by this column (acquired)",
	  .values = "acquired " LOCK_COLUMNS },
	{ 'F', "field", OPT_STR, AT(lock.fields), "column,...", "show these columns",
	  .values = ",acquired " LOCK_COLUMNS },
	{ .kind = OPT_INCLUDE, .rows = sums },
	{ 'c', "combine-locks", OPT_BOOL, AT(combine), NULL, "one row for all locks that have no name" },
	{ .kind = OPT_INCLUDE, .rows = every_table },
	{ 0 },
};

static const struct opt info_options[] = {
	{ 't', "threads", OPT_BOOL, AT(threads), NULL, "list the threads that waited" },
	{ 'm', "map", OPT_BOOL, AT(map), NULL, "list the locks: the address, and the first caller that waited" },
	{ .kind = OPT_INCLUDE, .rows = every_table },
	{ 0 },
};
#undef AT
static const struct lock_command_opts lock_defaults = { .objects = OBJECT_DEFAULTS,
							.lock = { .max_stack = 8 },
							.record = RECORD_DEFAULTS };
/* Record call chains: only they show the caller of the lock. */
static const struct analysis_event recorded[] = { { "lock:contention_begin" }, { "lock:contention_end" } };

enum lock_table { TABLE_CONTENTION, TABLE_REPORT, TABLE_INFO };

static int print_table(struct lock_command_opts *c, enum lock_table table, struct live *live, struct out *o,
		       struct err *e)
{
	switch (table) {
	case TABLE_CONTENTION: return lock_contention(live, &c->lock, o, e);
	case TABLE_REPORT: return lock_report(live, &c->lock, o, e);
	case TABLE_INFO: break;
	}
	return lock_info(live, c->threads || !c->map, c->map || !c->threads, o, e);
}

/* Return true if we watch the running system: for a command, -b or a target. */
static bool is_live(const struct lock_command_opts *c)
{
	const struct record_opts *o = &c->record;

	return c->live || o->command || o->system_wide || o->cpus || o->pids || o->tids;
}

/* Watch all CPUs until SIGINT if there is no command and no target. */
static int watch(struct lock_command_opts *c, struct live_input *in, struct err *e)
{
	struct live_opts opts = { .session.force = c->in.force };
	struct record_opts *o = &c->record;

	opts.session.symbols = object_symbols(&c->objects, c->in.force);
	o->system_wide |= !o->command && !o->pids && !o->tids;
	o->chain = CHAIN_MODE_FP;
	o->cgroups = c->by_cgroup || c->lock.cgroups;
	o->chain_depth = (uint32_t)MIN(c->lock.max_stack, 127);
	return lock_watch(in, recorded, ARRAY_SIZE(recorded), o, &opts, e);
}

static int open_source(struct lock_command_opts *c, struct live_input *in, struct err *e)
{
	if (is_live(c))
		return watch(c, in, e);
	in->live = analysis_open(&c->in, &c->objects, e);
	return in->live ? 0 : -1;
}

static int show(struct lock_command_opts *c, enum lock_table table, struct err *e)
{
	autoclose int fd = -1;
	struct live_input in = { 0 };
	struct out o;
	int status = open_source(c, &in, e);

	if (status == 0 && c->output && (fd = open(c->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		status = err_sys(e, "cannot write '%s'", c->output);
	if (status == 0) {
		out_init_fd(&o, c->output ? fd : STDOUT_FILENO);
		status = analysis_finish(in.live, &o, print_table(c, table, in.live, &o, e), e);
	}
	live_input_close(&in);
	return status;
}

static int table_run(struct lock_command_opts *c, enum lock_table table, int argc, char **argv, struct err *e)
{
	c->lock.stacks = c->in.v > 0 && table == TABLE_CONTENTION;
	if (table == TABLE_CONTENTION && argc)
		c->record.command = argv;
	else if (analysis_no_words(argc, argv, e) < 0)
		return -1;
	if (lock_opts_check(&c->lock, table == TABLE_REPORT, e) < 0)
		return -1;
	if (is_live(c) && (c->in.input || c->in.dump)) {
		err_set(e, "-i reads a recording, and cannot watch %s", argc ? "a command" : "CPUs");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (c->in.dump)
		return analysis_dump(&c->in, e);
	c->in.v = 0; /* -v changes the table here */
	return show(c, table, e);
}

static int contention_run(void *opts, int argc, char **argv, struct err *e)
{
	struct lock_command_opts *c = opts;

	c->lock.by = c->by_cgroup    ? LOCK_BY_CGROUP
		     : c->by_thread  ? LOCK_BY_THREAD
		     : c->by_address ? LOCK_BY_ADDRESS
				     : LOCK_BY_CALLER;
	return table_run(c, TABLE_CONTENTION, argc, argv, e);
}

static int report_run(void *opts, int argc, char **argv, struct err *e)
{
	struct lock_command_opts *c = opts;

	c->lock.by = c->by_thread ? LOCK_BY_THREAD : c->combine ? LOCK_BY_ALL : LOCK_BY_ADDRESS;
	return table_run(c, TABLE_REPORT, argc, argv, e);
}

static int info_run(void *opts, int argc, char **argv, struct err *e)
{
	return table_run(opts, TABLE_INFO, argc, argv, e);
}

#define LOCK_COMMAND(id, word, text) \
	static const struct command id##_command = { \
		.name = "lock " word, \
		.summary = text, \
		.run = id##_run, \
		.pager = true, \
		.usage = (const char *const[]){ "[<options>]", NULL }, \
		.options = id##_options, \
		.defaults = &lock_defaults, \
		.opts_size = sizeof(struct lock_command_opts), \
	}
LOCK_COMMAND(contention, "contention", "waits for locks, by caller");
LOCK_COMMAND(report, "report", "waits for locks, by lock");
LOCK_COMMAND(info, "info", "threads and locks of a recording");

static int lock_run(void *opts, int argc, char **argv, struct err *e)
{
	static const char *const words[] = { "-R", "-m", "1024", "-c", "1", "--synth", "task", "--call-graph", "fp,8" };

	if (argc && !strcmp(argv[0], "record"))
		return analysis_record(words, ARRAY_SIZE(words), recorded, ARRAY_SIZE(recorded), argc - 1, argv + 1, e);
	return analysis_call_word(&cmd_lock, opts, argc, argv, e);
}

const struct command cmd_lock = {
	.name = "lock",
	.summary = "show which locks threads waited for",
	.run = lock_run,
	.usage = (const char *const[]){ "[<options>] record|contention|report|info|user|script [<options>]", NULL },
	.options = analysis_options,
	.opts_size = sizeof(struct analysis_opts),
	.stop_at_word = true,
	.words = "record contention report info user script @program",
	.subcommands = (const struct command *const[]){ &contention_command, &report_command, &info_command,
							&lock_user_command, NULL },
};
