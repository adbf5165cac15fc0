#ifndef CMD_COMPLETION_H
#define CMD_COMPLETION_H

#include "cmd/commands.h"

/*
 * Completion works in three steps: the shell passes its command line to `strobe completion --line`
 * (line.c), which finds what the last word can be from the option tables; values.c lists the
 * possible values.
 */

/* Words to choose from. Their texts live in the arena. */
struct candidate {
	const char *word, *about;
}; /* about NULL = no description */
struct candidates {
	VEC(struct candidate) v;
	struct arena arena;
};
void candidate_add(struct candidates *c, const char *word, const char *about);

/* What the shell completes itself, or that there are words. */
enum complete { COMPLETE_NOTHING, COMPLETE_WORDS, COMPLETE_FILE, COMPLETE_DIRECTORY, COMPLETE_PROGRAM };

/*
 * The spec of an option whose possible values are not stated; a test looks for such options.
 */
extern const char values_unknown[];
/*
 * The spec of an option's value (see opt.values): its own, or the one that the table has for `arg`.
 * NULL: nothing to complete.
 */
const char *option_values(const struct opt *o);
/* Return whether the spec means a list with commas. */
bool values_are_list(const char *spec);
/* Interpret a spec; add its words to `c`. */
enum complete values_find(const char *spec, struct candidates *c);
/* Print the names of all kinds, one per line. */
void values_kinds(struct out *o);

/*
 * Print what completes the last of these words of a command line (without the program's name). See
 * line.c.
 */
void complete_line(char **words, int n, struct out *o);

#endif
