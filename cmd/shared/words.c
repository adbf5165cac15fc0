/* The words that name subcommands: "report" of "stat report". */
#include "cmd/commands.h"

const char *command_word(const struct command *sub)
{
	const char *blank = strrchr(sub->name, ' ');

	return blank ? blank + 1 : sub->name;
}

const struct command *command_find_word(const struct command *c, const char *word)
{
	for (const struct command *const *sub = c->subcommands; sub && *sub; sub++)
		if (!strcmp(command_word(*sub), word))
			return *sub;
	return NULL;
}

bool command_has_word(const struct command *c, const struct command *sub)
{
	size_t len = strlen(c->name);

	return sub->options && sub->options != c->options && !strncmp(sub->name, c->name, len) && sub->name[len] == ' ';
}
