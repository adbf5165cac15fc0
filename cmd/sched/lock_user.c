/* strobe lock user: the locks of programs for which threads waited, and the threads that held them. */
#include "cmd/commands.h"
#include "cmd/sched/lock_user_priv.h"
#include "report/waits/futex.h"

struct lock_user_opts {
	struct analysis_opts in;
	struct object_opts objects;
	struct futex_opts futex;
	struct record_opts record;
	bool by_waiter, by_owner;
};
#define AT(member) offsetof(struct lock_user_opts, member)
static const struct opt options[] = {
	{ 't', "threads", OPT_BOOL, AT(by_waiter), NULL, "a row for each thread that waited" },
	{ 'o', "lock-owner", OPT_BOOL, AT(by_owner), NULL, "a row for each thread that made others wait" },
	{ 0, NULL, OPT_INCLUDE, AT(futex.lock), .rows = lock_table_options },
	{ 0, "pid", OPT_INCLUDE, AT(record.pids), NULL, "waits in these processes", .rows = target_options },
	{ OPT_NO_LETTER, "tid", OPT_INCLUDE, AT(record.tids), NULL, "waits of these threads", .rows = target_options },
	{ 0, "all-cpus", OPT_INCLUDE, AT(record.system_wide), NULL, "watch the whole system", .rows = target_options },
	{ OPT_NO_LETTER, "vmlinux kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT
static const struct lock_user_opts defaults = { .objects = OBJECT_DEFAULTS, .record = RECORD_DEFAULTS };

static const struct analysis_event recorded[] = {
	{ "syscalls:sys_enter_futex" },         { "syscalls:sys_exit_futex" },
	{ "syscalls:sys_enter_futex_wait" },    { "syscalls:sys_exit_futex_wait" },
	{ "syscalls:sys_enter_futex_wake" },    { "syscalls:sys_exit_futex_wake" },
	{ "syscalls:sys_enter_futex_waitv" },   { "syscalls:sys_exit_futex_waitv" },
	{ "syscalls:sys_enter_futex_requeue" }, { "syscalls:sys_exit_futex_requeue" },
};

enum { TIDY_MS = 1000 }; /* interval for releasing old memory */

int lock_watch(struct live_input *in, const struct analysis_event *events, size_t n, struct record_opts *o,
	       struct live_opts *opts, struct err *e)
{
	int rc;

	for (size_t i = 0; i < n; i++)
		if (!i || analysis_has_event(events[i].event))
			vec_push(&o->events, events[i].event);
	o->period = 1;
	o->raw = o->sample_cpu = true;
	o->timestamp = TRI_ON;
	opts->tick_ms = TIDY_MS;
	rc = live_input_open(in, NULL, o, opts, e);
	vec_free(&o->events);
	return rc;
}

static int open_rings(struct lock_user_opts *c, struct live_input *in, struct live_opts *opts, struct err *e)
{
	c->record.chain = c->futex.lock.stacks ? CHAIN_MODE_LIVE : CHAIN_MODE_NONE;
	return lock_watch(in, recorded, ARRAY_SIZE(recorded), &c->record, opts, e);
}

/* Use the options that select live threads to filter a recording. */
static int open_recording(struct lock_user_opts *c, struct sample_filter *filter, struct live_input *in,
			  const struct live_opts *opts, struct err *e)
{
	if ((c->record.pids && sample_filter_add(filter, FILTER_PIDS, c->record.pids, e) < 0) ||
	    (c->record.tids && sample_filter_add(filter, FILTER_TIDS, c->record.tids, e) < 0))
		return -1;
	c->futex.filter = filter;
	return live_input_open(in, c->in.input ? c->in.input : usual_input(), NULL, opts, e);
}

static int show(struct lock_user_opts *c, bool live, struct sample_filter *filter, struct err *e)
{
	struct live_opts opts = { .session.force = c->in.force };
	struct live_input in = { 0 };
	struct futexes *f = NULL;
	struct out o;
	int rc;

	opts.session.symbols = object_symbols(&c->objects, c->in.force);
	rc = live ? open_rings(c, &in, &opts, e) : open_recording(c, filter, &in, &opts, e);
	if (rc == 0) {
		f = futexes_new(in.live, &c->futex);
		rc = futexes_read(f, e);
	}
	if (f) {
		out_init_fd(&o, STDOUT_FILENO);
		rc = analysis_finish(in.live, &o, rc < 0 ? rc : futexes_print(f, &o, e), e);
	}
	futexes_free(f);
	live_input_close(&in);
	return rc;
}

static int lock_user_run(void *opts, int argc, char **argv, struct err *e)
{
	static const char *const words[] = { "-R", "-m", "1024", "-c", "1", "--call-graph", "live" };
	struct lock_user_opts *c = opts;
	struct sample_filter filter = { 0 };
	bool live;
	int rc;

	if (argc && !strcmp(argv[0], "record"))
		return analysis_record(words, ARRAY_SIZE(words), recorded, ARRAY_SIZE(recorded), argc - 1, argv + 1, e);
	c->futex.by = c->by_owner ? FUTEX_BY_OWNER : c->by_waiter ? FUTEX_BY_WAITER : FUTEX_BY_LOCK;
	c->futex.lock.stacks = c->in.v > 0;
	c->record.command = argc ? argv : NULL;
	live = argc || c->record.system_wide || (!c->in.input && (c->record.pids || c->record.tids));
	if (live && (c->in.input || c->in.dump)) {
		err_set(e, "-i reads a recording, and cannot watch %s", argc ? "a command" : "CPUs");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (c->in.dump)
		return analysis_dump(&c->in, e);
	c->in.v = 0; /* -v changes the table here */
	rc = show(c, live, &filter, e);
	sample_filter_free(&filter);
	return rc;
}

const struct command lock_user_command = {
	.name = "lock user",
	.summary = "show locks of programs, and the threads that held them",
	.run = lock_user_run,
	.usage = (const char *const[]){ "[<options>] [<command>]", "record [<options>] [<command>]", NULL },
	.options = options,
	.defaults = &defaults,
	.opts_size = sizeof(struct lock_user_opts),
	.stop_at_word = true,
	.words = "record @program",
};
