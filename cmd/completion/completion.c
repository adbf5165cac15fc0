/* The scripts that shells load, and the command that completes a word for them. */
#include "cmd/completion/completion.h"
#include "strobe_bash.h"
#include "strobe_fish.h"
#include "strobe_zsh.h"

struct completion_opts {
	bool line;
	const char *values;
};
#define AT(member) offsetof(struct completion_opts, member)

static const struct opt completion_options[] = {
	{ 0, "line", OPT_BOOL, AT(line), NULL, "print what completes the last of these words, for the scripts",
	  OPT_HIDDEN | OPT_OURS | OPT_NONEG },
	{ 0, "values", OPT_STR, AT(values), "kind", "print the words of a kind", OPT_HIDDEN | OPT_OURS | OPT_NONEG },
	{ 0 },
};

static const struct {
	const char *name, *script;
} shells[] = {
	{ "bash", strobe_bash },
	{ "fish", strobe_fish },
	{ "zsh", strobe_zsh },
};

static int print_values(const char *kind, struct out *o, struct err *e)
{
	autofree char *spec = xasprintf("@%s", kind);
	struct candidates c = { 0 };

	if (values_find(spec, &c) == COMPLETE_NOTHING) {
		struct out names;

		out_init_mem(&names);
		values_kinds(&names);
		err_set(e, "unknown kind of values '%s'", kind);
		err_try(e, "one of:%.*s", (int)names.len, names.buf);
		out_release(&names);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	for (size_t i = 0; i < c.v.len; i++)
		out_fmt(o, "%s\n", c.v.items[i].word);
	vec_free(&c.v);
	arena_release(&c.arena);
	return 0;
}

static int print_script(int argc, char **argv, struct out *o, struct err *e)
{
	if (argc != 1) {
		err_set(e, "name one shell");
		err_try(e, "%s completion bash, zsh or fish", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(argv[0], shells[i].name)) {
			out_str(o, shells[i].script);
			return 0;
		}
	err_set(e, "no completion for the shell '%s'", argv[0]);
	err_try(e, "%s completion bash, zsh or fish", tool_name());
	return err_exit(e, EXIT_BAD_USAGE);
}

static int completion_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct completion_opts *c = opts;
	struct out o;
	int status = 0;

	out_init_fd(&o, STDOUT_FILENO);
	if (c->line)
		complete_line(argv, argc, &o);
	else
		status = c->values ? print_values(c->values, &o, e) : print_script(argc, argv, &o, e);
	if (status < 0) {
		out_release(&o);
		return status;
	}
	return out_finish(&o, e);
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "print a script that completes commands, options and values",
	.run = completion_run,
	.options = completion_options,
	.opts_size = sizeof(struct completion_opts),
	.words = "bash fish zsh",
	.usage = (const char *const[]){ "bash|zsh|fish", NULL },
};
