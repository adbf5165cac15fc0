/*
 * Print how to call one command: its usage and its options. This file does not know the other
 * commands.
 */
#include "cmd/commands.h"

void command_usage(const struct command *c, struct out *o)
{
	static const char *const plain[] = { "[<options>]", NULL };

	for (const char *const *u = c->usage ? c->usage : plain; *u; u++)
		out_fmt(o, "%s %s %s %s\n", u == c->usage || u == plain ? "\n Usage:" : "    or:", tool_name(), c->name,
			*u);
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

void list_options(const struct opt *table, struct out *o)
{
	static const struct opt none[] = { { 0 } };
	autofree struct opt *rows = opt_expand(table ? table : none);

	for (const struct opt *row = rows; row->kind; row++)
		if (row->name && row->kind != OPT_GROUP && !(row->flags & (OPT_HIDDEN | OPT_ABSENT)))
			out_fmt(o, "--%s\n", row->name);
}
