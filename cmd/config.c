#include "cmd/commands.h"

#include <strings.h>

#include "base/config.h"
#include "cmd/record_options.h"
#include "cmd/shared/options.h"

struct config_opts {
	bool list, system, user;
};
#define AT(member) offsetof(struct config_opts, member)

static const struct opt config_options[] = {
	{ 'l', "list", OPT_BOOL, AT(list), NULL, "show all settings" },
	{ 0, "system", OPT_BOOL, AT(system), NULL, "only the system's file, /etc/perfconfig" },
	{ 0, "user", OPT_BOOL, AT(user), NULL,
	  "only the user's file, ~/.perfconfig (default: write settings to strobe's own file)" },
	{ 0 },
};

/* Load one of the files if the user asked for it, else all. */
static int load(const struct config_opts *o, struct config *c, struct err *e)
{
	autofree char *path = NULL;

	if (!o->system && !o->user) {
		settings_load(c);
		return 0;
	}
	path = settings_path(o->system ? SETTINGS_SYSTEM : SETTINGS_USER);
	return path ? config_read(c, path, o->system, e) : err_set(e, "there is no home directory: $HOME is not set");
}

static void put(struct out *out, const char *name, const char *value)
{
	out_name(out, name);
	out_char(out, '=');
	out_name(out, value);
	out_char(out, '\n');
}

/* List each setting once, with its effective value, in the order in which they were first set. */
static void list(const struct config *c, struct out *out)
{
	for (size_t i = 0; i < c->entries.len; i++) {
		const char *name = c->entries.items[i].key;
		bool before = false;

		for (size_t k = 0; k < i && !before; k++)
			before = !strcasecmp(c->entries.items[k].key, name);
		if (!before)
			put(out, name, config_find(c, name));
	}
}

/* The settings that commands use; docs/compat.md describes them. */
const char *const setting_names[] = { "annotate.demangle",
				      "annotate.demangle_kernel",
				      "annotate.disassembler_style",
				      "annotate.disassemblers",
				      "annotate.hide_src_code",
				      "annotate.jump_arrows",
				      "annotate.objdump",
				      "annotate.show_linenr",
				      "annotate.show_nr_jumps",
				      "annotate.show_nr_samples",
				      "annotate.show_total_period",
				      "annotate.use_offset",
				      "buildid.dir",
				      "call-graph.dump-size",
				      "call-graph.order",
				      "call-graph.print-limit",
				      "call-graph.print-type",
				      "call-graph.record-mode",
				      "call-graph.sort-key",
				      "call-graph.threshold",
				      "colors.addr",
				      "colors.jump_arrows",
				      "colors.medium",
				      "colors.normal",
				      "colors.root",
				      "colors.selected",
				      "colors.top",
				      "core.proc-map-timeout",
				      "diff.compute",
				      "diff.order",
				      "ftrace.tracer",
				      "hist.percentage",
				      "record.aio",
				      "record.build-id",
				      "record.call-graph",
				      "record.debuginfod",
				      "report.children",
				      "report.group",
				      "report.percent-limit",
				      "report.quality",
				      "report.skip-empty",
				      "report.sort_order",
				      "report.trace-text",
				      "samples.context",
				      "script.trace-text",
				      "stat.event-files",
				      "trace.add_events",
				      "trace.args_alignment",
				      "trace.bpf",
				      "trace.no_inherit",
				      "trace.show_arg_names",
				      "trace.show_duration",
				      "trace.show_prefix",
				      "trace.show_timestamp",
				      "trace.show_zeros",
				      "trace.tracepoint_beautifiers",
				      "tui.annotate",
				      "tui.report",
				      "tui.top",
				      "ui.show-headers",
				      NULL };

/* A setting that nobody reads may be mistyped. */
static void hint_unread(const char *word)
{
	autofree char *prefix = xasprintf("%s config", tool_name());
	struct err e = { 0 };
	const char *near;
	struct out o;

	for (size_t i = 0; setting_names[i]; i++)
		if (!strcasecmp(setting_names[i], word))
			return;
	near = opt_nearest(word, setting_names);
	err_set(&e, "'%s' is kept, but nothing reads it", word);
	if (near)
		err_try(&e, "'%s'", near);
	out_init_fd(&o, STDERR_FILENO);
	err_print(&o, prefix, &e);
	out_flush(&o);
	out_release(&o);
}

/*
 * Let the commands that read the setting judge the value, so that they do not refuse it later. -1 with e, which names
 * the setting and what it may be.
 */
static int check_value(const char *name, const char *value, struct err *e)
{
	struct record_opts record = RECORD_DEFAULTS;
	struct config one = { 0 };
	int rc = 0;

	vec_push(&one.entries, ((struct config_entry){ name, value }));
	for (const struct command *const *c = commands; *c && !rc; c++)
		rc = command_accepts(*c, &one, e);
	record.chain_default = true; /* as with -g, which asks for the setting */
	if (!rc)
		rc = record_apply_settings(&record, &one, e);
	if (!rc)
		rc = event_files_use(NULL, &one, e);
	vec_free(&one.entries);
	if (rc < 0 && !strcasestr(e->what, name))
		err_in(e, "the setting %s", name);
	return rc < 0 ? err_exit(e, EXIT_FAILED) : 0; /* some values have an option, whose bad use is another status */
}

/* PERF_CONFIG names the only file. Called as perf, write perf's file. */
static char *file_to_write(const struct config_opts *o)
{
	const char *only = getenv("PERF_CONFIG");

	if (o->system)
		return settings_path(SETTINGS_SYSTEM);
	if (o->user)
		return settings_path(SETTINGS_USER);
	if (only && *only)
		return xstrdup(only);
	return settings_path(called_as_perf() ? SETTINGS_USER : SETTINGS_OWN);
}

/* Show "section.name", or set "section.name=value". */
static int take_word(const struct config_opts *o, const struct config *c, char *word, struct out *out, struct err *e)
{
	char *value = strchr(word, '=');
	autofree char *path = NULL;

	if (value)
		*value++ = '\0';
	if (!strchr(word, '.')) {
		err_set(e, "The config variable does not contain a section name: %s", word);
		return err_try(e, "section.name=value, as report.percent-limit=1");
	}
	if (!value) {
		if (config_find(c, word))
			put(out, word, config_find(c, word));
		return 0;
	}
	if (check_value(word, value, e) < 0)
		return -1;
	path = file_to_write(o);
	if (!path)
		return err_set(e, "there is no home directory: $HOME is not set");
	if (config_set(path, word, value, e) < 0)
		return -1;
	hint_unread(word);
	return 0;
}

static int config_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct config_opts *o = opts;
	struct config c = { 0 };
	struct out out;
	int rc;

	if (o->system && o->user) {
		err_set(e, "only one config file at a time");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->list && argc) {
		err_set(e, "-l takes no arguments: '%s'", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	rc = load(o, &c, e);
	out_init_fd(&out, STDOUT_FILENO);
	if (!rc && !argc)
		list(&c, &out);
	for (int i = 0; !rc && i < argc; i++)
		rc = take_word(o, &c, argv[i], &out, e);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0)
		rc = -1;
	config_release(&c);
	return rc;
}

const struct command cmd_config = {
	.name = "config",
	.summary = "show and change settings",
	.run = config_run,
	.usage = (const char *const[]){ "[<file-option>] [<options>] [<section.name>[=<value>]...]", NULL },
	.words = "@setting",
	.options = config_options,
	.opts_size = sizeof(struct config_opts),
};
