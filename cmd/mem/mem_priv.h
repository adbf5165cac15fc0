#ifndef CMD_MEM_MEM_PRIV_H
#define CMD_MEM_MEM_PRIV_H

#include "cmd/shared/analysis.h"

/*
 * Commands that record accesses to memory and show them: mem and c2c. They are presets over record and report, and
 * pass on every option that they do not know.
 */

/* ---- split.c ---- */
/*
 * Run a subcommand. `opts` is the struct of its options, filled with the defaults. Its `run` gets the words that belong
 * to `other`.
 */
int call_preset(const struct command *sub, const void *opts, const struct opt *other, int argc, char **argv,
		struct err *e);

/* Words for another command. `value` may be NULL. */
struct preset_words {
	VEC(const char *);
};
void preset_add(struct preset_words *w, const char *option, const char *value);
/* Run the command with the words and then argv. Changes the words. */
int preset_call(const struct command *c, struct preset_words *w, int argc, char **argv, struct err *e);

/* ---- events.c ---- */
enum memory_access { ACCESS_LOAD = 1, ACCESS_STORE = 2 };
struct access_opts {
	unsigned kinds;    /* of accesses, a mask of enum memory_access */
	uint64_t latency;  /* do not record loads that took fewer cycles */
	const char *named; /* names of events to record instead of `kinds`; NULL = none */
	bool all_user, all_kernel;
};
extern const struct opt access_options[]; /* of `record`; the letters are those of mem */
/*
 * Run `record` with the events for these accesses, the words of the command, and the words of the user. With the name
 * "list", print the events instead.
 */
int access_record(const struct access_opts *a, const struct preset_words *words, int argc, char **argv, struct err *e);
/* Parse "load,store" (-t). */
int access_parse(const char *text, unsigned *kinds, struct err *e);

/* ---- raw.c ---- */
struct raw_opts {
	const char *input, *separator, *cpus;
	bool force, phys, page, hide_unresolved;
};
/* Print a line for each sample, for programs. Return the exit status. */
int raw_accesses(const struct raw_opts *r, struct err *e);

#endif
