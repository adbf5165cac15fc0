#include "cmd/commands.h"

static void words_of(const struct opt *table, struct out *o)
{
	for (; table && table->kind; table++) {
		if (table->kind == OPT_GROUP || table->flags & (OPT_HIDDEN | OPT_ABSENT))
			continue;
		if (table->short_name)
			out_fmt(o, " -%c", table->short_name);
		if (table->name)
			out_fmt(o, " --%s", table->name);
	}
}

static void command_names(struct out *o)
{
	for (const struct command *const *c = commands; *c; c++)
		out_fmt(o, " %s", (*c)->name);
}

/* The global options whose value is the next word, as a pattern of bash's case. */
static void global_with_value(struct out *o)
{
	const char *bar = "";

	for (const struct opt *g = global_options; g->kind; g++)
		if (g->arg) {
			out_fmt(o, "%s--%s", bar, g->name);
			bar = "|";
		}
}

static void one_command(const struct command *c, struct out *o)
{
	out_fmt(o, "\t%s)\n\t\toptions='--help", c->name);
	words_of(c->options, o);
	out_str(o, "'\n");
	if (c == &cmd_help) {
		out_str(o, "\t\twords='");
		command_names(o);
		out_str(o, "'\n");
	} else if (c->stop_at_word) {
		out_str(o, "\t\tprograms=1\n");
	}
	out_str(o, "\t\t;;\n");
}

static void bash_script(struct out *o)
{
	out_str(o, "# bash completion for strobe, printed by 'strobe completion bash'. Load it with: source <(strobe "
		   "completion bash)\n"
		   "_strobe()\n"
		   "{\n"
		   "\tlocal cur=${COMP_WORDS[COMP_CWORD]} command='' options='' words='' programs='' i\n"
		   "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		   "\t\tcase ${COMP_WORDS[i]} in\n"
		   "\t\t");
	global_with_value(o);
	out_str(o, ") ((i++)) ;;\n"
		   "\t\t-*) ;;\n"
		   "\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
		   "\t\tesac\n"
		   "\tdone\n"
		   "\tcase $command in\n"
		   "\t'')\n"
		   "\t\toptions='--help");
	words_of(global_options, o);
	out_str(o, "'\n\t\twords='");
	command_names(o);
	out_str(o, "'\n\t\t;;\n");
	for (const struct command *const *c = commands; *c; c++)
		one_command(*c, o);
	out_str(o, "\tesac\n"
		   "\tCOMPREPLY=()\n"
		   "\tif [[ $cur == -* ]]; then\n"
		   "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
		   "\telif [[ -n $words ]]; then\n"
		   "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
		   "\telif [[ -n $programs ]]; then\n"
		   "\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
		   "\tfi\n"
		   "}\n"
		   "complete -o default -F _strobe strobe\n"
		   "# a perf of its own may have brought its completion along\n"
		   "complete -p perf >/dev/null 2>&1 || complete -o default -F _strobe perf\n");
}

static int completion_run(void *opts, int argc, char **argv, struct err *e)
{
	struct out o;

	if (argc != 1) {
		err_set(e, "name one shell");
		return err_exit(e, 129);
	}
	if (strcmp(argv[0], "bash")) {
		err_set(e, "no completion for the shell '%s'", argv[0]);
		err_try(e, "%s completion bash", tool_name);
		return err_exit(e, 129);
	}
	out_init_fd(&o, STDOUT_FILENO);
	bash_script(&o);
	return out_finish(&o, e);
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "print a script that completes commands and options",
	.run = completion_run,
	.usage = (const char *const[]){ "bash", NULL },
};
