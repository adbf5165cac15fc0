#ifndef CMD_MEM_MEM_PRIV_H
#define CMD_MEM_MEM_PRIV_H

#include "cmd/shared/analysis.h"

/*
 * Commands that record accesses to memory and show them: mem and c2c. They are presets over record and report, which
 * get every option that the commands do not know themselves.
 */

/* ---- split.c ---- */
/*
 * Run a subcommand whose options are the same struct as `opts`, which holds its defaults. Its `run` gets as words what
 * belongs to `other`.
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
	uint64_t latency;  /* loads that took fewer cycles are not recorded */
	const char *named; /* list of names of events to record in place of `kinds`; NULL = none */
	bool all_user, all_kernel;
};
/*
 * Append "-e", "EVENT" to `words` for the events with which this machine samples accesses; `arena` owns them.
 * *weights: the events tell what an access cost. -1 with e where the machine has none.
 */
int access_events(const struct access_opts *a, struct preset_words *words, struct arena *arena, bool *weights,
		  struct err *e);
/*
 * Run `record` with the events for these accesses, and words of the command and of its user. With the name "list",
 * print the events instead.
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
