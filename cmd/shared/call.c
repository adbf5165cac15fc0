/* Run a command: first its defaults, settings and options. Also run a command with subcommands. */
#include "cmd/commands.h"

#include "base/config.h"

static const struct opt no_options[] = { { 0 } };

/* Free the lists that options have grown; everything else in them points into argv. */
static void free_opts(const struct opt *table, void *opts)
{
	autofree struct opt *rows = opt_expand(table);

	for (const struct opt *row = rows; row->kind; row++)
		if (row->kind == OPT_LIST)
			vec_free((struct opt_list *)((char *)opts + row->offset));
	free(opts);
}

static int help(const struct command *c, struct err *e)
{
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	command_help(c, &o);
	return out_finish(&o, e) < 0 ? -1 : EXIT_BAD_USAGE;
}

/* The defaults of a command. free_opts() frees them. */
static void *new_opts(const struct command *c)
{
	void *opts = xcalloc(1, MAX(c->opts_size, (size_t)1));

	return c->defaults ? memcpy(opts, c->defaults, c->opts_size) : opts;
}

int command_accepts(const struct command *c, const struct config *settings, struct err *e)
{
	void *opts = new_opts(c);
	int rc = c->configure ? c->configure(opts, settings, e) : 0;

	free_opts(c->options ? c->options : no_options, opts);
	return rc;
}

int command_call(const struct command *c, int argc, char **argv, struct err *e)
{
	const struct opt *table = c->options ? c->options : no_options;
	void *opts = new_opts(c);
	struct config settings = { 0 };
	char **rest;
	int n_rest, status;

	if (c->configure)
		settings_load(&settings);
	status = c->configure ? c->configure(opts, &settings, e) : 0;
	if (!status)
		status = opt_parse(table, opts, argc, argv, c->stop_at_word, &rest, &n_rest, e);
	if (status > 0) {
		status = help(c, e);
	} else if (!status) {
		if (c->pager)
			pager_start();
		status = c->run(opts, n_rest, rest, e);
	}
	free_opts(table, opts);
	config_release(&settings);
	return status;
}

int command_call_word(const struct command *c, int argc, char **argv, struct err *e)
{
	const struct command *named = argc ? command_find_word(c, argv[0]) : NULL;
	autofree char *listed = xstrdup(c->words ? c->words : "");
	const char *words[16] = { NULL };
	char *rest = NULL;
	size_t n = 0, n_listed;

	if (named)
		return command_call(named, argc, argv, e);
	/* the words of the completion also have those that are no subcommands, such as record; '@' begins a kind */
	for (char *word = strtok_r(listed, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (*word != '@' && n + 1 < ARRAY_SIZE(words))
			words[n++] = word;
	n_listed = n;
	for (const struct command *const *sub = c->subcommands; !n_listed && *sub && n + 1 < ARRAY_SIZE(words); sub++)
		words[n++] = command_word(*sub);
	if (argc)
		err_set(e, "'%s' is no word of %s", argv[0], c->name);
	else
		err_set(e, "%s needs a word that says what to do", c->name);
	opt_try_near(e, argc ? argv[0] : "", words, NULL);
	return err_exit(e, EXIT_BAD_USAGE);
}
