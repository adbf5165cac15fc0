#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Options as constant tables. One table serves parsing, help, completion and the checks of man
 * pages and docs/compat.md. The rules follow perf's (and git's) parser: unique prefixes of long
 * options; --no-X for booleans, and for options with a value (clears it); --name=value or --name
 * value; bundled short options, where the last may take its value attached or as the next word;
 * "--" ends the options. An option with an optional value takes it only as --name=value or -xVALUE.
 */
enum opt_kind {
	OPT_END,
	OPT_BOOL,      /* bool; --no-X clears; for a name "no-X" the negation is "--X" */
	OPT_COUNT,     /* int; each use adds 1, --no-X sets 0 (-v) */
	OPT_INT,       /* int, decimal or 0x */
	OPT_U64,       /* uint64_t */
	OPT_DOUBLE,    /* double */
	OPT_SIZE,      /* uint64_t bytes, suffix B K M G */
	OPT_STR,       /* const char *, points into argv */
	OPT_STR_OPT,   /* const char *, optional value: "" when used without one */
	OPT_LIST,      /* struct opt_list, each use appends */
	OPT_CALL,      /* `call` parses the value; the member may have any type */
	OPT_CALL_OPT,  /* the same with an optional value (NULL when absent) */
	OPT_CALL_FLAG, /* the same without a value */
	/*
	 * The same; the next word is the value unless it begins with '-' or there is none (perf's
	 * report -g).
	 */
	OPT_CALL_LAST,
	OPT_GROUP, /* a heading in the help text; `help` is its text */
	/*
	 * Include rows of the table `rows`:
	 * - `name` lists the names of these rows, separated by blanks, in their order here. NULL: all rows.
	 * - The offsets of the rows count from `offset` of this row.
	 * - The rows also get the `flags` of this row.
	 * - If `name` is a single name, `short_name` replaces its letter (OPT_NO_LETTER: it has none), `arg` the
	 *   name of its value, and `help` its text.
	 */
	OPT_INCLUDE,
};

enum { OPT_NO_LETTER = '-' }; /* as the letter of an OPT_INCLUDE row: the command uses the row's letter otherwise */

enum {
	OPT_HIDDEN = 1 << 0, /* works, but help does not show it */
	OPT_OURS = 1 << 1,   /* perf lacks it: help and compat.md mark it */
	/*
	 * Known from perf but refused: using it is an error. The text is `help`, which says why, or
	 * what `call` returns.
	 */
	OPT_REFUSED = 1 << 2,
	OPT_NONEG = 1 << 3, /* has no --no- form */
	/*
	 * Known from perf, not there yet: `help` says what it will do. Using it is an error that
	 * says "planned".
	 */
	OPT_PLANNED = 1 << 4,
	OPT_ABSENT = OPT_REFUSED | OPT_PLANNED,
	/*
	 * An option of the command's siblings, refused by its whole name. A row before it with the same
	 * name or letter wins, so one table of these serves all siblings.
	 */
	OPT_ELSEWHERE = OPT_HIDDEN | OPT_REFUSED,
};

struct opt_list {
	VEC(const char *);
};

struct opt {
	char short_name;  /* 0 = none */
	const char *name; /* long name without dashes; NULL = none */
	enum opt_kind kind;
	size_t offset;   /* of the member in the command's own struct: AT(member) */
	const char *arg; /* name of the value in help; NULL = takes no value */
	const char *help;
	unsigned flags;
	/*
	 * Parse `value` (NULL if absent) into `opts`, the start of the command's struct. `unset`:
	 * the --no- form was used. Return -1 with e for a bad value.
	 */
	int (*call)(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e);
	/*
	 * For completion: the possible words ("always never auto"), or "@kind" for words that a
	 * function finds (cmd/completion/values.c). A leading ',' allows a comma-separated list.
	 * NULL: `arg` decides, by the table in that file.
	 */
	const char *values;
	const struct opt *rows; /* OPT_INCLUDE: the table of the shared group */
	size_t base; /* set by opt_expand: where the struct of the row's group begins; `call` gets it as `opts` */
};

/*
 * Options of several commands are written once: as a table whose offsets are those of a struct for
 * the group. A command embeds that struct and includes rows of the table:
 *
 *	{ 0, "vmlinux symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
 *
 * Return the table with each OPT_INCLUDE replaced by its rows; malloc'd. The functions below expand
 * the tables they get. Code that walks a table itself calls this first.
 */
struct opt *opt_expand(const struct opt *table);

/* Return true if an option of this kind takes the next word as its value when no '=' follows it. */
bool opt_wants_value(enum opt_kind kind);

/*
 * Parse argv[1..argc) into `opts`, which already holds the defaults. With `stop_at_word`, the first
 * word that is no option ends parsing (record, stat); otherwise words and options may mix. Return 0
 * on success and set *rest to the remaining words (in argv, NULL-terminated, *n_rest of them).
 * Return 1 when -h/--help was given. Return -1 with e (exit_code 129) for a bad option: `what` is
 * perf's line ("  Error: unknown switch `x'"); `fix` names similar options ("--foo, --fob") or
 * shows how to use this one ("-o, --output <file>: output file"). May reorder argv.
 */
int opt_parse(const struct opt *table, void *opts, int argc, char **argv, bool stop_at_word, char ***rest, int *n_rest,
	      struct err *e);

struct out;
/*
 * Write the option part of the help text: lines "    -i, --input <file>    text" in table order,
 * without hidden and absent options.
 */
void opt_help(const struct opt *table, struct out *o);

/*
 * Return the name in `names` (NULL-terminated) that is nearest to `word` by edit distance, or NULL
 * if none is near.
 */
const char *opt_nearest(const char *word, const char *const *names);
/*
 * Suggest a replacement for an unknown `word`, in an error that is already set: the nearest of
 * `names` (NULL-terminated), and `listing`, the command that lists all names. With `listing` NULL,
 * list the names themselves. Return -1.
 */
int opt_try_near(struct err *e, const char *word, const char *const *names, const char *listing);
/*
 * Check that `value` is one of `words` (NULL-terminated). If not, return -1 with a bad-usage error
 * (129) that names the option, similar words and all possible words.
 */
int opt_word(const char *option, const char *value, const char *const *words, struct err *e);

/*
 * A subcommand, as constant data. `run` gets the filled options and the remaining words, and
 * returns the exit status. A negative return means "print e and exit with e->exit_code or 255" (an
 * empty e->what prints nothing). We have not buffered stdout before `run`: write through a struct
 * out and end with out_finish().
 */
struct config;
struct command {
	const char *name, *summary;
	/* the words after "strobe NAME" of each usage line; NULL-terminated */
	const char *const *usage;
	const struct opt *options;
	const void *defaults; /* copied into the options before parsing; NULL = zeroes */
	size_t opts_size;
	/*
	 * What a word that is no option can be, in the form of opt.values; NULL: completion offers
	 * nothing.
	 */
	const char *words;
	/* words with their own options, NULL-terminated; each name is "NAME WORD" */
	const struct command *const *subcommands;
	bool stop_at_word; /* the words after the options are a command line: record, stat */
	bool pager;        /* page long output when stdout is a terminal */
	/*
	 * Apply settings from config files (base/config.h) to the defaults. NULL: no settings.
	 * `settings` stays valid during `run`.
	 */
	int (*configure)(void *opts, const struct config *settings, struct err *e);
	int (*run)(void *opts, int argc, char **argv, struct err *e);
};

#endif
