#include "cmd/commands.h"
#include "cmd/completion/completion.h"

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* Commands that only perf has. `why`: why strobe lacks it; NULL: no special reason. `instead`: what does the same. */
static const struct perf_command {
	const char *name, *why, *instead;
} perf_only[] = {
	{ "bench", "strobe measures programs and brings no benchmarks",
	  "stat -r 10 -- PROGRAM, with a benchmark of your own" },
	{ "daemon", "the service manager starts and watches recordings better",
	  "record -a --switch-output=1h --switch-max-files=24 -o FILE, as a service (systemd-run)" },
	{ "iostat", NULL, "stat -a -I 1000 -e 'block:*'" },
};

static const struct perf_command *of_perf_only(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_only); i++)
		if (!strcmp(perf_only[i].name, name))
			return &perf_only[i];
	return NULL;
}

int command_unknown(const char *name, struct err *e)
{
	const struct perf_command *other = of_perf_only(name);
	VEC(const char *) names = { 0 };
	const char *near;

	for (const struct command *const *c = commands; *c; c++)
		vec_push(&names, (*c)->name);
	vec_push(&names, NULL);
	near = opt_nearest(name, names.items);
	vec_free(&names);
	err_set(e, called_as_perf() ? "'%s' is not a perf-command. See 'perf --help'." : "'%s' is not a strobe-command",
		name);
	if (other) {
		err_why(e, "perf has this command, strobe does not%s%s", other->why ? ": " : "",
			other->why ? other->why : "");
		err_try(e, "%s %s", tool_name(), other->instead);
	} else if (near) {
		err_try(e, "%s %s", tool_name(), near);
	} else if (!called_as_perf()) { /* perf's line ends with it */
		err_try(e, "'%s --help' lists the commands", tool_name());
	}
	return err_exit(e, EXIT_NO);
}

void usage_line(struct out *o)
{
	out_fmt(o, "\n usage: %s [--version] [--help] [OPTIONS] COMMAND [ARGS]\n", tool_name());
}

void usage_all(struct out *o)
{
	usage_line(o);
	out_fmt(o, "\n The commands are:\n");
	for (const struct command *const *c = commands; *c; c++)
		out_fmt(o, "   %-15s %s\n", (*c)->name, (*c)->summary);
	out_str(o, "\n The options before the command are:\n");
	opt_help(global_options, o);
	out_fmt(o, "\n See '%s help COMMAND' for more information on a specific command.\n\n", tool_name());
}

/*
 * Print fields separated by tabs: letter or "-", long name or "-", name of the value or "-", flags
 * or "-", help text, what completes the value or "-".
 */
void dump_options(const struct opt *table, struct out *o)
{
	static const char *const flags[] = { "hidden", "ours", "refused", "noneg",
					     "planned" }; /* in the order of their bits */
	static const struct opt none[] = { { 0 } };
	autofree struct opt *rows = opt_expand(table ? table : none);

	for (const struct opt *row = rows; row->kind; row++) {
		const char *comma = "";

		if (row->kind == OPT_GROUP)
			continue;
		out_fmt(o, "%c\t%s\t%s\t", row->short_name ? row->short_name : '-', row->name ? row->name : "-",
			row->arg ? row->arg : "-");
		for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
			if (row->flags >> i & 1) {
				out_fmt(o, "%s%s", comma, flags[i]);
				comma = ",";
			}
		out_fmt(o, "%s\t%s\t%s\n", row->flags ? "" : "-", row->help ? row->help : "",
			option_values(row) ? option_values(row) : "-");
	}
}

/* Whether `word` is one of the words that a command takes, separated by blanks. */
static bool takes_word(const struct command *c, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = c->words; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (strcspn(p, " ") == len && !strncmp(p, word, len))
			return true;
	return false;
}

/* Find the subcommand that words name; words without options of their own leave the last one. */
static const struct command *find_words(const struct command *c, int argc, char **argv, struct err *e)
{
	for (int i = 0; i < argc; i++) {
		const struct command *word = command_find_word(c, argv[i]);

		if (!word && takes_word(c, argv[i]))
			return c;
		if (!word) {
			err_set(e, "'%s' is no word of %s", argv[i], c->name);
			err_try(e, "%s help %s", tool_name(), c->name);
			err_exit(e, EXIT_BAD_USAGE);
			return NULL;
		}
		c = word;
	}
	return c;
}

static int help_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct command *page = argc ? command_find(argv[0]) : NULL;
	const struct command *c = page ? find_words(page, argc - 1, argv + 1, e) : NULL;
	struct out o;

	if (argc && !c)
		return page ? -1 : command_unknown(argv[0], e);
	out_init_fd(&o, STDOUT_FILENO);
	if (c) {
		out_fmt(&o, "\n %s %s: %s\n", tool_name(), c->name, c->summary);
		command_help(c, &o);
		out_fmt(&o, " See strobe-%s(1) for examples and the full story.\n\n", page->name);
	} else {
		usage_all(&o);
	}
	return out_finish(&o, e);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "show the commands, or the options of one",
	.run = help_run,
	.pager = true,
	.usage = (const char *const[]){ "[<command> [<word>]]", NULL },
	.words = "@command",
};
