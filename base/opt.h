#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Options as constant tables: data feeds parsing, help, completion and the checks of man pages and docs/compat.md.
 * Semantics follow perf's (and git's) parser: unique prefixes of long options, --no-X for booleans and for valued
 * options (clears them), --name=value or --name value, bundled short options where the last may take a value attached
 * or as the next word, "--" ends options. Where `kind` has an optional value, only --name=value and -xVALUE give it
 * one.
 */
enum opt_kind {
	OPT_END,
	OPT_BOOL,      /* bool; --no-X clears; a long name that starts with "no-" gets "--X" as its negation */
	OPT_COUNT,     /* int; each use adds 1, --no-X sets 0 (-v) */
	OPT_INT,       /* int, decimal or 0x */
	OPT_U64,       /* uint64_t */
	OPT_DOUBLE,    /* double */
	OPT_SIZE,      /* uint64_t bytes, suffix B K M G */
	OPT_STR,       /* const char *, points into argv */
	OPT_STR_OPT,   /* const char *, optional value: "" when used without one */
	OPT_LIST,      /* struct opt_list, each use appends */
	OPT_CALL,      /* `call` interprets the value; member may be anything */
	OPT_CALL_OPT,  /* the same with an optional value (NULL when absent) */
	OPT_CALL_FLAG, /* the same without a value */
	OPT_CALL_LAST, /* the same; the next word is the value unless it begins with '-' or there is none (perf's report
			  -g) */
	OPT_GROUP,     /* a heading in the help text; `help` is its text */
};

enum {
	OPT_HIDDEN = 1 << 0,  /* works, not in help */
	OPT_OURS = 1 << 1,    /* perf lacks it: help marks it, compat.md lists it so */
	OPT_REFUSED = 1 << 2, /* known from perf, refused: `help` says why; using it is an error with that text, or the
				 one that `call` gives */
	OPT_NONEG = 1 << 3,   /* has no --no- form */
	OPT_PLANNED = 1 << 4, /* known from perf, not there yet: `help` says what it will do; using it is an error that
				 says "planned" */
	OPT_ABSENT = OPT_REFUSED | OPT_PLANNED,
};

struct opt_list {
	VEC(const char *);
};

struct opt {
	char short_name;  /* 0 = none */
	const char *name; /* long name without dashes; NULL = none */
	enum opt_kind kind;
	size_t offset;   /* of the member in the command's own struct: AT(member) */
	const char *arg; /* how help names the value; NULL = takes none */
	const char *help;
	unsigned flags;
	/* Interprets `value` (NULL if absent) into `opts` (start of the command's struct); `unset` for the --no- form.
	 * -1 and e on bad values. */
	int (*call)(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e);
	/*
	 * For completion: words the value may be ("always never auto"), or "@kind" for those that a function finds
	 * (cmd/completion/values.c). A ',' in front: several, separated by commas. NULL: `arg` tells, by the table
	 * there.
	 */
	const char *values;
};

/*
 * Parse argv[1..argc) into `opts` (already holding the defaults). With `stop_at_word` the first word that is no option
 * ends parsing (record, stat); else words and options may mix. On success returns 0 and leaves the remaining words in
 * *rest (into argv, NULL-terminated, *n_rest of them). Returns 1 when -h/--help was given. Returns -1 with e filled
 * (exit_code 129) for a bad option: `what` is perf's line ("  Error: unknown switch `x'"), `fix` near names of a
 * mistyped option ("--foo, --fob") or how the option is used ("-o, --output <file>: output file"). May reorder argv.
 */
int opt_parse(const struct opt *table, void *opts, int argc, char **argv, bool stop_at_word, char ***rest, int *n_rest,
	      struct err *e);

struct out;
/* The option part of help text: "    -i, --input <file>    text" lines in table order, without hidden and absent ones.
 */
void opt_help(const struct opt *table, struct out *o);

/*
 * The names of `names` (NULL-terminated) that are one or two slips away from `word`, nearest first: at most `max` (8 or
 * fewer) into `best`. Returns how many.
 */
size_t opt_near(const char *word, const char *const *names, const char **best, size_t max);
/* Edit distance based suggestion: the name of `names` (NULL-terminated) nearest to `word`, or NULL if none is near. */
const char *opt_nearest(const char *word, const char *const *names);
/*
 * What to try in place of an unknown `word`, for an error already raised: the nearest of `names` (NULL-terminated), and
 * `listing`, the command that lists them all; NULL: they are few, and named here. Returns -1.
 */
int opt_try_near(struct err *e, const char *word, const char *const *names, const char *listing);
/* Is `value` one of `words` (NULL-terminated)? If not, -1 with an error of bad usage (129) that names the option, and
 * near and possible words. */
int opt_word(const char *option, const char *value, const char *const *words, struct err *e);

/*
 * A subcommand: constant data. `run` gets the filled options and the remaining words, returns the exit status; a
 * negative return means "print e and exit with e->exit_code or 255" (an empty e->what prints nothing). It is called
 * with stdout unbuffered by us: use struct out and end it with out_finish().
 */
struct config;
struct command {
	const char *name, *summary;
	const char *const *usage; /* NULL-terminated: the words after "strobe NAME" for each usage line */
	const struct opt *options;
	const void *defaults; /* copied into the options before parsing; NULL = zeroes */
	size_t opts_size;
	const char *words; /* what a word that is no option may be, in the form of opt.values; NULL: nothing that could
			      be completed */
	const struct command *const
		*subcommands; /* words with options of their own, NULL-terminated; their names are "NAME WORD" */
	bool stop_at_word;    /* the words after the options are a command line: record, stat */
	bool pager;           /* long text on stdout: shown through the pager when that is a terminal */
	/* Apply the settings of config files (base/config.h) to the defaults; NULL if there are none. `settings`
	 * outlives `run`. */
	int (*configure)(void *opts, const struct config *settings, struct err *e);
	int (*run)(void *opts, int argc, char **argv, struct err *e);
};

#endif
