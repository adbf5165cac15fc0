#ifndef CMD_SHARED_ANALYSIS_H
#define CMD_SHARED_ANALYSIS_H

#include "cmd/shared/options.h"
#include "report/live/live.h"
#include "report/session/time_ranges.h"

/*
 * Commands that record certain tracepoints and then explain them: `sched record`, `sched latency`.
 * The options of struct analysis_opts may stand before or after the word.
 */
struct analysis_opts {
	const char *input;
	bool force, dump;
	int v;
};
extern const struct opt analysis_options[];

/* Open the input. NULL with e on failure. `objects` may be NULL. */
struct live *analysis_open(const struct analysis_opts *a, const struct object_opts *objects, struct err *e);
/* End a command that printed to `o`; `rc`: its result. Return the exit status. */
int analysis_finish(struct live *l, struct out *o, int rc, struct err *e);
/* -D. Return the exit status. */
int analysis_dump(const struct analysis_opts *a, struct err *e);
/* Check that no word is left. -1 with e otherwise. */
int analysis_no_words(int argc, char **argv, struct err *e);

/* A tracepoint to record. `unless`: a better one, to use instead if it exists. */
struct analysis_event {
	const char *event, *unless;
};
/* Return whether the running kernel has this tracepoint, "group:name". */
bool analysis_has_event(const char *name);
/*
 * Run `record` with these words, then the events, then argv. Leave out events that the kernel lacks, except the first
 * one: if it lacks that, `record` fails and says why.
 */
int analysis_record(const char *const *words, size_t n_words, const struct analysis_event *events, size_t n_events,
		    int argc, char **argv, struct err *e);
/* Run the subcommand argv[0] of `c`: "script" is strobe's script; the others are in c->subcommands. */
int analysis_call_word(const struct command *c, const struct analysis_opts *a, int argc, char **argv, struct err *e);
/*
 * The same, if the subcommands use the same struct of options as `c`. `opts` is that struct, filled from the options
 * before the word. The subcommand starts with these values as its defaults.
 */
int analysis_call_shared(const struct command *c, const void *opts, int argc, char **argv, struct err *e);
/*
 * Parse the text of --time for the input. If it is NULL, *window stays NULL. *window lives as long as `ranges`, which
 * the caller frees. Return -1 with e if the text is malformed.
 */
int analysis_window(const struct live *l, const char *time, struct time_ranges *ranges, const struct time_span **window,
		    struct err *e);

#endif
