/* strobe monitor: watch the running system, a recording or a pipe. */
#include <time.h>

#include "base/new_file.h"
#include "cmd/commands.h"
#include "cmd/monitor/monitor_priv.h"
#include "cmd/shared/live_input.h"
#include "cmd/shared/options.h"

enum { TIDY_MS = 1000, KEPT_COUNTS_PAGES = 256 };

static int record_options(const struct monitor_run *run, struct record_opts *o, struct err *e)
{
	const struct monitor_opts *m = run->opts;
	struct teller teller = usual_teller();

	for (size_t i = 0; i < run->asked.len; i++) {
		vec_push(&o->events, run->asked.items[i].text);
		if (run->asked.items[i].filter) {
			vec_push(&o->events, record_is_filter);
			vec_push(&o->events, run->asked.items[i].filter);
		}
	}
	o->cpus = m->cpus ? m->cpus : run->cpus;
	o->pids = m->pids;
	o->tids = m->tids;
	o->system_wide = !m->pids && !m->tids;
	o->period = 1;
	o->raw = true;
	o->sample_cpu = true;
	o->timestamp = TRI_ON;
	o->chain = m->chains ? CHAIN_MODE_FP : CHAIN_MODE_NONE;
	if (m->chain_mode && record_parse_chain(o, m->chain_mode, e) < 0)
		return -1;
	/* Load only names of threads; call chains also need symbols, which take long to load. */
	o->synth = m->chains || m->record ? SYNTH_ALL : SYNTH_TASK;
	/* A clock with the time of day. */
	o->use_clockid = true;
	o->clockid = CLOCK_MONOTONIC;
	o->ring_pages = run->monitor->ring_pages;
	/* Counters need no rings, unless --record keeps the events. */
	if (m->record && run->counts.n)
		o->ring_pages = MAX(o->ring_pages, (uint64_t)KEPT_COUNTS_PAGES);
	return m->pages ? record_parse_pages(&o->ring_pages, &o->aux_pages, m->pages, &teller, e) : 0;
}

static int watch(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *m = run->opts;
	struct live_opts opts = { .session.force = m->force };
	struct record_opts record = RECORD_DEFAULTS;
	struct live_input in = { .copy_to = m->record };
	int rc = -1;

	/* Tidy up at each tick, also without -i. */
	opts.tick_ms = TIDY_MS;
	if (monitor_interval_ms(run) && monitor_interval_ms(run) < TIDY_MS)
		opts.tick_ms = (unsigned)monitor_interval_ms(run);
	opts.session.symbols.force = m->force;
	if (record_options(run, &record, e) == 0 && (m->input || monitor_counts_open(run, e) == 0) &&
	    live_input_open(&in, m->input, &record, &opts, e) == 0) {
		say_verbose(1, "watching");
		rc = monitor_loop(run, in.live, e);
	}
	if (in.live && rc >= 0)
		rc = session_notes_say(live_session(in.live));
	if (rc < 0)
		live_input_close(&in);
	else if (live_input_finish(&in, e) < 0)
		rc = -1;
	vec_free(&record.events);
	return rc;
}

static int run(void *opts, int argc, char **argv, struct err *e)
{
	struct monitor_opts *m = opts;
	struct monitor_run state = { 0 };
	struct new_file page;
	struct out out;
	int rc = -1;

	raise_verbosity(m->v);
	if (argc) {
		err_set(e, "unexpected '%s'", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (m->input && m->record) {
		err_set(e, "--record works only on the running system");
		err_why(e, "'%s' is already a recording", m->input);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (m->html && new_file_open(&page, m->html, e) < 0)
		return -1;
	state.page = m->html ? &page.out : NULL;
	out_init_fd(&out, STDOUT_FILENO);
	if (monitor_init(&state, m, &out, e) == 0)
		rc = watch(&state, e);
	monitor_release(&state);
	if (m->html && rc < 0)
		new_file_drop(&page);
	else if (m->html && new_file_finish(&page, e) < 0)
		rc = -1;
	if (out_finish(&out, rc < 0 ? NULL : e) < 0)
		rc = -1;
	return rc;
}

/* ---- a command for each row of MONITORS ---- */

#define MONITOR_OPTIONS(id, name_, summary_, takes) \
	static const struct opt id##_options[] = { \
		{ 0, takes, OPT_INCLUDE, 0, .rows = monitor_options }, \
		{ 0, MONITORS_TAKE_ALWAYS, OPT_INCLUDE, 0, .rows = monitor_options }, \
		{ 0, NULL, OPT_INCLUDE, offsetof(struct monitor_opts, force), .rows = force_options }, \
		{ 0, NULL, OPT_INCLUDE, 0, .rows = monitor_elsewhere }, \
		{ 0 }, \
	}; \
	static const struct monitor_opts id##_defaults = MONITOR_DEFAULTS_OF(&monitor_##id); \
	static const struct command id##_command = { \
		.name = "monitor " name_, \
		.summary = summary_, \
		.run = run, \
		.usage = (const char *const[]){ "[<options>]", NULL }, \
		.options = id##_options, \
		.defaults = &id##_defaults, \
		.opts_size = sizeof(struct monitor_opts), \
	};
MONITORS(MONITOR_OPTIONS)

#define MONITOR_COMMAND(id, name, summary, takes) &id##_command,
static const struct command *const monitor_commands[] = { MONITORS(MONITOR_COMMAND) NULL };
#define MONITOR_WORD(id, name, summary, takes) name " "

static int monitor_run_word(void *opts, int argc, char **argv, struct err *e)
{
	return command_call_word(&cmd_monitor, argc, argv, e);
}

const struct command cmd_monitor = {
	.name = "monitor",
	.summary = "watch the running system for one thing",
	.run = monitor_run_word,
	.usage = (const char *const[]){ "<name> [<options>]", NULL },
	.stop_at_word = true,
	.words = MONITORS(MONITOR_WORD),
	.subcommands = monitor_commands,
};
