#ifndef CMD_COMPLETION_H
#define CMD_COMPLETION_H

#include "cmd/commands.h"

/*
 * Completion is done in three steps: a shell gives the words of its command line to `strobe completion --line`
 * (line.c), that finds what the last word may be (the tables of options), and the values come from values.c.
 */

/* Words to choose from. Texts live in the arena. */
struct candidate {
	const char *word, *about;
}; /* about NULL = nothing to say */
struct candidates {
	VEC(struct candidate) v;
	struct arena arena;
};
void candidate_add(struct candidates *c, const char *word, const char *about);

/* What the shell itself completes, or that there are words. */
enum complete { COMPLETE_NOTHING, COMPLETE_WORDS, COMPLETE_FILE, COMPLETE_DIRECTORY, COMPLETE_PROGRAM };

/* Of an option of which nobody said what its value may be: a hole that a test looks for. */
extern const char values_unknown[];
/* The spec of an option's value (see opt.values): its own, or what the table makes of `arg`. NULL: nothing to complete.
 */
const char *option_values(const struct opt *o);
/* Does the spec mean a list with commas? */
bool values_are_list(const char *spec);
/* What a spec means; words are added to `c`. */
enum complete values_find(const char *spec, struct candidates *c);
/* The names of all kinds, one a line. */
void values_kinds(struct out *o);

/* Print what completes the last of these words of a command line (without the program's name). See line.c. */
void complete_line(char **words, int n, struct out *o);

#endif
