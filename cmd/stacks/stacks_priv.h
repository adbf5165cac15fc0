#ifndef CMD_STACKS_STACKS_PRIV_H
#define CMD_STACKS_STACKS_PRIV_H

#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "report/stacks/export.h"
#include "report/stacks/lanes.h"

/*
 * What the commands that turn samples into stacks share: the recording, the choice of samples, the
 * names of frames. A command's options embed a `struct stacks_cmd`, and its table includes
 * stacks_options.
 */
struct stacks_cmd {
	const char *input, *times, *output;
	bool wall, wakers;   /* stacks of wall-clock time; with who ended each wait */
	struct lanes *lanes; /* with wall: note here what threads do; NULL: do not */
	struct session_opts session;
	struct stacks_opts stacks;
	struct profile_filter filter;
	uint64_t max_stack; /* 0: as deep as this kernel records */
	struct object_opts objects;
};
#define STACKS_DEFAULTS \
	{ \
		.objects = OBJECT_DEFAULTS, .stacks = {.inlines = true } \
	}

extern const struct opt stacks_options[];

/*
 * Run such a command as a whole: read the input and, if `old` is not NULL, the recording to compare
 * with (with `negate` the other way around), call `write` with `opts`, the stacks and the input,
 * and report what was left out or damaged. Returns the exit status, or -1 with e. `args`: words
 * left on the command line, an error.
 */
struct stacks_job {
	const char *old;
	bool negate;
	int (*write)(void *opts, struct stacks *st, struct session *s, struct err *e);
	void *opts;
};
int stacks_run(struct stacks_cmd *c, const struct stacks_job *job, char **args, struct err *e);

#endif
