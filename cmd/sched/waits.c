/* strobe waits: how threads spend their time, and which threads make them wait. */
#include "report/waits/waits.h"

#include <errno.h>
#include <signal.h>

#include "cmd/commands.h"
#include "cmd/shared/analysis.h"
#include "cmd/shared/live_input.h"

struct waits_command_opts {
	struct analysis_opts in;
	struct object_opts objects;
	struct waits_opts waits;
	struct sample_filter filter;
	const char *pages;
	char *pids, *tids; /* of the filter, as the recorder takes them */
	bool system, target_only;
};
#define AT(member) offsetof(struct waits_command_opts, member)
static const struct opt waits_options[] = {
	{ 0, "all-cpus", OPT_INCLUDE, AT(system), NULL, "watch the running system until SIGINT instead of a recording",
	  .rows = target_options },
	{ 'p', "pid", OPT_INCLUDE, AT(filter), NULL, "waits of these processes", .rows = filter_options },
	{ 't', "tid", OPT_INCLUDE, AT(filter), NULL, "waits of these threads", .rows = filter_options },
	{ 0, "comms", OPT_INCLUDE, AT(filter), NULL, "waits of threads of these names", .rows = filter_options },
	{ 0, "everybody", OPT_BOOL, AT(waits.everybody), NULL,
	  "waits of all threads, not only of the recorded command or threads" },
	{ 0, "target-only", OPT_BOOL, AT(target_only), NULL,
	  "when watching, let the kernel pick the switches and wakeups of the target" },
	{ 0, "chain", OPT_BOOL, AT(waits.follow), NULL, "follow wakers that waited themselves" },
	{ 0, "kinds", OPT_STR, AT(waits.kinds_file), "file",
	  "lines 'FUNCTION KIND': the kind of a wait in a function" },
	{ 'E', "entries", OPT_U64, AT(waits.rows), "n", "show at most n rows of the second table (0 = all)" },
	{ 0, "max-stack", OPT_INCLUDE, AT(waits.max_stack), .rows = chain_options },
	{ 0, "json", OPT_INCLUDE, AT(waits.json), NULL, "an object of JSON for each line, times in ns",
	  .rows = usual_options },
	{ 0, "mmap-pages", OPT_INCLUDE, AT(pages), NULL, "size of each ring, with -a", .rows = target_options },
	{ 0, "vmlinux kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ .kind = OPT_INCLUDE, .offset = AT(in), .rows = analysis_options },
	{ 0 },
};
#undef AT
static const struct waits_command_opts waits_defaults = { .objects = OBJECT_DEFAULTS,
							  .waits = { .rows = 20, .max_stack = 8 } };

/* Refuse threads that do not exist: watching them would never end. */
static int check_exist(const int32_t *ids, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (kill(ids[i], 0) < 0 && errno == ESRCH) {
			err_set(e, "there is no process or thread %d", ids[i]);
			return err_try(e, "read a recording of it: -i FILE");
		}
	return 0;
}

/* Return "1,2,3" for `ids`, or NULL if there are none. The caller frees it. */
static char *ids_text(const int32_t *ids, size_t n)
{
	char *text = NULL;

	for (size_t i = 0; i < n; i++) {
		autofree char *before = text;

		text = before ? xasprintf("%s,%d", before, ids[i]) : xasprintf("%d", ids[i]);
	}
	return text;
}

static int pick_target(struct waits_command_opts *c, bool live, struct record_opts *o, struct err *e)
{
	if (!live || c->system) {
		err_set(e, live ? "--target-only goes with a command, -p or -t, not with the whole system"
				: "--target-only goes with what is watched, not with a recording");
		if (!live)
			err_try(e, "strobe record --waits --target-only");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	o->target_only = true;
	o->subject_pids = c->pids = ids_text(c->filter.pids.items, c->filter.pids.len);
	o->subject_tids = c->tids = ids_text(c->filter.tids.items, c->filter.tids.len);
	return 0;
}

/* Set up the events of `record --waits`. */
static int record_options(struct waits_command_opts *c, bool live, char **argv, struct record_opts *o, struct err *e)
{
	struct teller teller = usual_teller();

	record_add_waits(o);
	o->system_wide = true;
	o->command = argv[0] ? argv : NULL;
	o->subject_is_command = o->command && !c->system;
	if (c->target_only && pick_target(c, live, o, e) < 0)
		return -1;
	return c->pages ? record_parse_pages(&o->ring_pages, &o->aux_pages, c->pages, &teller, e) : 0;
}

enum { TIDY_MS = 1000 }; /* interval for releasing old memory */

/* Watch a command or a target, unless -i names a recording. */
static bool is_live(const struct waits_command_opts *c, char **argv)
{
	return c->system || argv[0] || (!c->in.input && (c->filter.pids.len || c->filter.tids.len));
}

static int watch(struct waits_command_opts *c, char **argv, struct err *e)
{
	bool live = is_live(c, argv);
	struct live_opts opts = { .session.force = c->in.force, .tick_ms = live ? TIDY_MS : 0 };
	struct record_opts record = RECORD_DEFAULTS;
	struct live_input in = { 0 };
	struct waits *w = NULL;
	struct out o;
	int rc = -1;

	opts.session.symbols = object_symbols(&c->objects, c->in.force);
	if (live && (check_exist(c->filter.pids.items, c->filter.pids.len, e) < 0 ||
		     check_exist(c->filter.tids.items, c->filter.tids.len, e) < 0))
		return -1;
	if (record_options(c, live, argv, &record, e) == 0 && live_input_open(&in,
									      live          ? NULL
									      : c->in.input ? c->in.input
											    : usual_input(),
									      &record, &opts, e) == 0) {
		w = waits_new(in.live, &c->waits);
		rc = waits_read(w, e);
	}
	if (w) {
		out_init_fd(&o, STDOUT_FILENO);
		if (rc == 0)
			waits_print(w, &o);
		rc = analysis_finish(in.live, &o, rc, e);
	}
	waits_free(w);
	live_input_close(&in);
	vec_free(&record.events);
	return rc;
}

static int waits_run(void *opts, int argc, char **argv, struct err *e)
{
	struct waits_command_opts *c = opts;
	int status = -1;

	raise_verbosity(c->in.v);
	c->waits.filter = &c->filter;
	if (c->in.input && (c->system || argc)) {
		err_set(e, "-i names a recording, but %s asks for the running system", c->system ? "-a" : "a command");
		err_exit(e, EXIT_BAD_USAGE);
	} else {
		status = c->in.dump ? analysis_dump(&c->in, e) : watch(c, argv, e);
	}
	sample_filter_free(&c->filter);
	free(c->pids);
	free(c->tids);
	return status;
}

const struct command cmd_waits = {
	.name = "waits",
	.summary = "show how threads spend their time, and which threads make them wait",
	.run = waits_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>]", "[<options>] [-a] [--] <command> [<args>]", NULL },
	.options = waits_options,
	.defaults = &waits_defaults,
	.opts_size = sizeof(struct waits_command_opts),
	.stop_at_word = true,
	.words = "@program",
};
