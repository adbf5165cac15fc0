#include "cmd/commands.h"

#include "base/library.h"
#include "base/phases.h"
#include "base/signal.h"
#include "base/units.h"

/* To add a subcommand: declare it in cmd/commands.h and name it here. */
/* clang-format off */
const struct command *const commands[] = {
	&cmd_annotate,
	&cmd_archive,
	&cmd_buildid_cache,
	&cmd_buildid_list,
	&cmd_bundle,
	&cmd_c2c,
	&cmd_check,
	&cmd_collapse,
	&cmd_completion,
	&cmd_config,
	&cmd_data,
	&cmd_diff,
	&cmd_doctor,
	&cmd_evlist,
	&cmd_export,
	&cmd_flamegraph,
	&cmd_ftrace,
	&cmd_help,
	&cmd_import, &cmd_inject,
	&cmd_kallsyms,
	&cmd_kmem,
	&cmd_kvm,
	&cmd_kwork,
	&cmd_list,
	&cmd_lock,
	&cmd_mem,
	&cmd_monitor,
	&cmd_probe,
	&cmd_profile,
	&cmd_push,
	&cmd_record,
	&cmd_report,
	&cmd_sched,
	&cmd_script,
	&cmd_stat,
	&cmd_test,
	&cmd_timechart,
	&cmd_top,
	&cmd_trace,
	&cmd_version,
	&cmd_waits,
	NULL,
};
/* clang-format on */

struct global_opts {
	bool version, list_cmds, list_opts, dump_opts, dump_cmds;
	int v;
};
#define AT(member) offsetof(struct global_opts, member)

static int set_no_pager(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	pager_off();
	return 0;
}

static int set_buildid_dir(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	setenv("PERF_BUILDID_DIR", value, 1);
	return 0;
}

/* "verbose=2" or "verbose". The names of perf's other debug outputs all turn on ours. */
static int set_debug(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	static const char *const names[] = { "verbose",         "ordered-events", "stderr", "data-convert",
					     "perf-event-open", "kmaps",          NULL };
	size_t len = strcspn(value, "=");
	uint64_t level = 1;

	if (!strcmp(value, "phases")) {
		phases_start();
		return 0;
	}
	for (const char *const *n = names; *n; n++) {
		if (strlen(*n) != len || strncmp(*n, value, len))
			continue;
		if (value[len] && (parse_u64(value + len + 1, &level, e) < 0 || level > 9))
			break;
		raise_verbosity((int)level);
		return 0;
	}
	err_set(e, "unknown debug output '%s'", value);
	return err_try(e, "--debug verbose=N, where N is 1 to 9, or --debug phases");
}

const struct opt global_options[] = {
	{ 0, "version", OPT_BOOL, AT(version), NULL, "print the version", OPT_NONEG },
	{ 'v', NULL, OPT_COUNT, AT(v), NULL, "print the version; -vv: and what it was built with" },
	{ 0, "no-pager", OPT_CALL_FLAG, 0, NULL, "do not show long text through a pager", OPT_NONEG, set_no_pager },
	{ 0, "buildid-dir", OPT_CALL, 0, "dir", "look for files by build-id in this directory", OPT_NONEG,
	  set_buildid_dir },
	{ 0, "debug", OPT_CALL, 0, "name[=n]", "say more about what is done: verbose=1 to verbose=9, phases", OPT_NONEG,
	  set_debug,
	  .values = "verbose=1 verbose=2 verbose=3 ordered-events stderr data-convert perf-event-open kmaps phases" },
	{ 0, "list-cmds", OPT_BOOL, AT(list_cmds), NULL, "print the names of the commands", OPT_NONEG },
	{ 0, "list-opts", OPT_BOOL, AT(list_opts), NULL, "print the options of the command that follows", OPT_NONEG },
	{ 0, "dump-opts", OPT_BOOL, AT(dump_opts), NULL, "the same with all that the tables say",
	  OPT_NONEG | OPT_HIDDEN | OPT_OURS },
	{ 0, "dump-cmds", OPT_BOOL, AT(dump_cmds), NULL, "print the names of the commands and of their words",
	  OPT_NONEG | OPT_HIDDEN | OPT_OURS },
	{ 0 },
};

static int report_error(const char *prefix, struct err *e)
{
	struct out o;

	err_try_by_errno(e);
	if (e->what[0]) {
		out_init_fd(&o, STDERR_FILENO);
		err_print(&o, prefix, e);
		out_flush(&o);
		out_release(&o);
	}
	return e->exit_code ? e->exit_code : EXIT_FAILED;
}

/*
 * Print two lines for an unknown option: the whole list would scroll the message off the screen. Return true if the
 * usage is to follow: the error is one of usage and has no advice of its own.
 */
static bool point_to_help(const char *command, struct err *e)
{
	bool unknown = !strncmp(e->what, "  Error: unknown", 16);

	if (unknown && e->fix[0])
		err_try(e, "%s; '%s -h' shows all options", e->fix, command);
	else if (!e->fix[0] && e->what[0] && (unknown || e->exit_code == EXIT_BAD_USAGE))
		return err_try(e, "'%s -h' shows all options", command), !unknown;
	return false;
}

static void print_usage(const struct command *c)
{
	struct out o;

	out_init_fd(&o, STDERR_FILENO);
	if (c)
		command_usage(c, &o);
	else
		usage_line(&o);
	out_flush(&o);
	out_release(&o);
}

static int print(void (*text)(const void *what, struct out *o), const void *what, int status)
{
	struct err e = { 0 };
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	text(what, &o);
	return out_finish(&o, &e) < 0 ? report_error(tool_name(), &e) : status;
}

static void option_names(const void *c, struct out *o) { list_options(((const struct command *)c)->options, o); }

static void option_dump(const void *c, struct out *o) { dump_options(((const struct command *)c)->options, o); }

static void names_of_commands(const void *none, struct out *o)
{
	for (const struct command *const *c = commands; *c; c++)
		out_fmt(o, "%s\n", (*c)->name);
}

/* The same, and "sched latency" for words with options of their own. */
static void names_of_all(const void *none, struct out *o)
{
	for (const struct command *const *c = commands; *c; c++) {
		out_fmt(o, "%s\n", (*c)->name);
		for (const struct command *const *sub = (*c)->subcommands; sub && *sub; sub++)
			if (command_has_word(*c, *sub))
				out_fmt(o, "%s\n", (*sub)->name);
	}
}

static void usage_text(const void *none, struct out *o) { usage_all(o); }

/* Report which libraries the command did without. */
static void tell_libraries(void)
{
	struct err e;

	while (library_untold(&e))
		say("Warning: %s: %s (%s)", e.what, e.why, e.fix);
}

/* argv[0] is the name of the command. */
static int run_command(const struct command *c, int argc, char **argv)
{
	autofree char *prefix = xasprintf("%s %s", tool_name(), c->name);
	struct err e = { 0 };
	int status = command_call(c, argc, argv, &e);

	if (status < 0) {
		bool usage = point_to_help(prefix, &e);

		status = report_error(prefix, &e);
		if (usage)
			print_usage(c);
	}
	tell_libraries();
	return status;
}

static int dispatch(int argc, char **argv)
{
	const struct command *c = command_find(argv[0]);
	char *help[] = { "help", argv[0], NULL };
	struct err e = { 0 };

	if (!c) {
		command_unknown(argv[0], &e);
		return report_error(tool_name(), &e);
	}
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return run_command(&cmd_help, 2, help);
	if (argc == 2 && !strcmp(argv[1], "--list-opts"))
		return print(option_names, c, 0);
	settings_use_buildid_dir();
	return run_command(c, argc, argv);
}

/* --list-opts and --dump-opts: of the command and word named next, else those of this table. */
static int list(bool dump, int argc, char **argv)
{
	static const struct command global = { .name = "", .options = global_options };
	const struct command *c = argc ? command_find(argv[0]) : &global, *word = NULL;
	struct err e = { 0 };

	if (c && argc > 1)
		word = command_find_word(c, argv[argc - 1]); /* the last one of "kvm stat report" */
	if (!c || (argc > 1 && !word)) {
		command_unknown(argv[c ? argc - 1 : 0], &e);
		return report_error(tool_name(), &e);
	}
	return print(dump ? option_dump : option_names, word ? word : c, 0);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * When we are called as perf-monitor, the words are those behind "monitor". There are two more ways
 * to ask for help.
 */
static int run_monitor(int argc, char **argv)
{
	char **words = xcalloc((size_t)argc + 1, sizeof(*words));
	int rc;

	for (int i = 0; i < argc; i++)
		words[i] = !strcmp(argv[i], "-?") || !strcmp(argv[i], "--usage") ? "-h" : argv[i];
	words[0] = (char *)cmd_monitor.name;
	rc = run_command(&cmd_monitor, argc, words);
	free(words);
	return rc;
}

static int run(int argc, char **argv)
{
	struct global_opts global = { 0 };
	struct err e = { 0 };
	char *version[] = { "version", NULL };
	char **rest;
	int n_rest, rc;

	if (argc && !strcmp(base_name(argv[0]), "perf"))
		tool_set_name("perf");
	ignore_sigpipe();
	if (argc && !strcmp(base_name(argv[0]), "perf-monitor"))
		return run_monitor(argc, argv);
	rc = opt_parse(global_options, &global, argc, argv, true, &rest, &n_rest, &e);
	if (rc < 0) {
		bool usage = point_to_help(tool_name(), &e);

		rc = report_error(tool_name(), &e);
		if (usage)
			print_usage(NULL);
		return rc;
	}
	if (rc > 0)
		return print(usage_text, NULL, 0);
	if (global.list_cmds)
		return print(names_of_commands, NULL, 0);
	if (global.dump_cmds)
		return print(names_of_all, NULL, 0);
	if (global.list_opts || global.dump_opts)
		return list(global.dump_opts, n_rest, rest);
	if (global.v > 1)
		raise_verbosity(1);
	if (global.version || global.v)
		return run_command(&cmd_version, 1, version);
	if (!n_rest)
		return print(usage_text, NULL, 1);
	return dispatch(n_rest, rest);
}

int main(int argc, char **argv)
{
	int rc = run(argc, argv);
	struct out o;

	if (!phases_on())
		return rc;
	out_init_fd(&o, STDERR_FILENO);
	phases_print(&o);
	out_flush(&o);
	out_release(&o);
	return rc;
}
