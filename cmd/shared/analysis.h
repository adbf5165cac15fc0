#ifndef CMD_SHARED_ANALYSIS_H
#define CMD_SHARED_ANALYSIS_H

#include "cmd/shared/options.h"
#include "report/live/live.h"

/*
 * Commands that record certain tracepoints and then say what these mean: `sched record`, `sched latency`. The options
 * of struct analysis_opts may stand before the word as well as behind it.
 */
struct analysis_opts {
	const char *input;
	bool force, dump;
	int v;
};
extern const struct opt analysis_options[];

/* What is to be read. NULL with e on failure. `objects` may be NULL. */
struct live *analysis_open(const struct analysis_opts *a, const struct object_opts *objects, struct err *e);
/* The end of a command that printed to `o`: `rc` is what became of it. Returns the exit status. */
int analysis_finish(struct live *l, struct out *o, int rc, struct err *e);
/* -D. Returns the exit status. */
int analysis_dump(const struct analysis_opts *a, struct err *e);
/* Is there no word left? Otherwise -1 with e. */
int analysis_no_words(int argc, char **argv, struct err *e);

/*
 * A tracepoint to record. `unless`: another one, which is better where it exists.
 */
struct analysis_event {
	const char *event, *unless;
};
/*
 * Run `record` with these words, those of the events that the kernel has (the first one in any case, so that its
 * absence is an error with its reason), and then argv.
 */
int analysis_record(const char *const *words, size_t n_words, const struct analysis_event *events, size_t n_events,
		    int argc, char **argv, struct err *e);
/* Run the word argv[0] of `c`: "script" is strobe's; the others are c->subcommands. */
int analysis_call_word(const struct command *c, const struct analysis_opts *a, int argc, char **argv, struct err *e);

#endif
