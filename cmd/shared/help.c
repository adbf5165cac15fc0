#include "cmd/commands.h"

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* Commands that only perf has, and what gets at the same facts. */
static const struct { const char *name, *instead; } perf_only[] = {
	{ "c2c", "record -a -d -W -e cpu/mem-loads/ -- sleep 1, then report --mem-mode -s dcacheline,symbol" },
	{ "ftrace", "record -a -e ftrace:function -- sleep 0.01, then script" },
	{ "iostat", "stat -a -I 1000 -e 'block:*'" },
	{ "kmem", "record -a -e 'kmem:*' -- sleep 1, then script" },
	{ "kvm", "record -a -e 'kvm:*' -- sleep 1, then script" },
	{ "kwork", "record -a -e 'irq:*,workqueue:*' -- sleep 1, then script" },
	{ "lock", "record -a -g -e 'lock:*' -- sleep 1, then report" },
	{ "mem", "record -a -d -W -e cpu/mem-loads/ -- sleep 1, then report --mem-mode" },
	{ "sched", "record -a -e 'sched:*' -- sleep 1, then script" },
	{ "timechart", "record -a -e 'sched:*,power:*' -- sleep 1, then script" },
	{ "top", "record -a -g -- sleep 5, then report" },
	{ "trace", "record -e 'syscalls:*' -- COMMAND, then script" },
};

/* Those of them that strobe is to have. Their options stand in docs/compat.md as planned. */
static const char *const planned[] = { "ftrace", "top", "trace" };

static bool is_planned(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(planned); i++)
		if (!strcmp(planned[i], name))
			return true;
	return false;
}

static const char *instead_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_only); i++)
		if (!strcmp(perf_only[i].name, name))
			return perf_only[i].instead;
	return NULL;
}

int command_unknown(const char *name, struct err *e)
{
	const char *instead = instead_of(name);
	VEC(const char *) names = { 0 };
	const char *near;

	for (const struct command *const *c = commands; *c; c++)
		vec_push(&names, (*c)->name);
	vec_push(&names, NULL);
	near = opt_nearest(name, names.items);
	vec_free(&names);
	err_set(e, "'%s' is not a %s-command. See '%s --help'.", name, tool_name, tool_name);
	if (instead) {
		err_why(e, is_planned(name) ? "perf has this command, strobe does not yet: it is planned" : "perf has this command, strobe does not");
		err_try(e, "%s %s", tool_name, instead);
	} else if (near)
		err_try(e, "%s %s", tool_name, near);
	return err_exit(e, 1);
}

void command_usage(const struct command *c, struct out *o)
{
	static const char *const plain[] = { "[<options>]", NULL };

	for (const char *const *u = c->usage ? c->usage : plain; *u; u++)
		out_fmt(o, "%s %s %s %s\n", u == c->usage || u == plain ? "\n Usage:" : "    or:", tool_name, c->name, *u);
}

void command_help(const struct command *c, struct out *o)
{
	command_usage(c, o);
	if (c->options) {
		out_char(o, '\n');
		opt_help(c->options, o);
	}
	out_char(o, '\n');
}

void usage_line(struct out *o)
{
	out_fmt(o, "\n usage: %s [--version] [--help] [OPTIONS] COMMAND [ARGS]\n", tool_name);
}

void usage_all(struct out *o)
{
	usage_line(o);
	out_fmt(o, "\n The commands are:\n");
	for (const struct command *const *c = commands; *c; c++)
		out_fmt(o, "   %-15s %s\n", (*c)->name, (*c)->summary);
	out_str(o, "\n The options before the command are:\n");
	opt_help(global_options, o);
	out_fmt(o, "\n See '%s help COMMAND' for more information on a specific command.\n\n", tool_name);
}

void list_options(const struct opt *table, struct out *o)
{
	for (; table && table->kind; table++)
		if (table->name && table->kind != OPT_GROUP && !(table->flags & (OPT_HIDDEN | OPT_ABSENT)))
			out_fmt(o, "--%s\n", table->name);
}

/* Fields, separated by tabs: letter or "-", long name or "-", how the value is named or "-", flags or "-", help text. */
void dump_options(const struct opt *table, struct out *o)
{
	static const char *const flags[] = { "hidden", "ours", "refused", "noneg", "planned" };	/* in the order of their bits */

	for (; table && table->kind; table++) {
		const char *comma = "";

		if (table->kind == OPT_GROUP)
			continue;
		out_fmt(o, "%c\t%s\t%s\t", table->short_name ? table->short_name : '-', table->name ? table->name : "-",
			table->arg ? table->arg : "-");
		for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
			if (table->flags >> i & 1) {
				out_fmt(o, "%s%s", comma, flags[i]);
				comma = ",";
			}
		out_fmt(o, "%s\t%s\n", table->flags ? "" : "-", table->help ? table->help : "");
	}
}

static int help_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct command *c = argc ? command_find(argv[0]) : NULL;
	struct out o;

	if (argc && !c)
		return command_unknown(argv[0], e);
	out_init_fd(&o, STDOUT_FILENO);
	if (c) {
		out_fmt(&o, "\n %s %s: %s\n", tool_name, c->name, c->summary);
		command_help(c, &o);
		out_fmt(&o, " See strobe-%s(1) for examples and the full story.\n\n", c->name);
	} else {
		usage_all(&o);
	}
	return out_finish(&o, e);
}

const struct command cmd_help = {
	.name = "help", .summary = "show the commands, or the options of one", .run = help_run, .pager = true,
	.usage = (const char *const[]){ "[<command>]", NULL },
};
