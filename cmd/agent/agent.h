#ifndef CMD_AGENT_AGENT_H
#define CMD_AGENT_AGENT_H

#include "record/record.h"
#include "report/stacks/stacks.h"

/*
 * An agent records for as long as the machine runs. It sums up stacks in memory, and writes them into files or sends
 * them to an engine at the end of each interval. record --agent and push --agent run it.
 */
struct agent_opts {
	const char *command; /* the command that runs the agent, for messages */
	struct record_opts record;
	struct stacks_opts stacks;
	struct profile_filter filter;
	struct symbols_opts symbols;
	const char *service; /* what the host runs; NULL = unknown */
	const char *every;   /* length of an interval; NULL = a minute */
};

/*
 * Options for the stacks of agents. Names come only from symbol tables, because debug information of a large program
 * needs more memory than an agent may take.
 */
#define AGENT_STACKS \
	{ \
		.frames = true, .each = true, .pid = true, .tid = true, .no_lines = true, .file_ids = true, \
		.no_idle = true \
	}

/*
 * Store or send intervals. The agent reports a failure of `put` and tries again with the next interval. `flush` may be
 * NULL: if there is no last interval at the end, it sends the waiting intervals.
 */
struct agent_sink {
	int (*put)(void *of, struct stacks *st, const struct session *s, struct err *e);
	int (*flush)(void *of, struct err *e);
	void *of;
};

/* --- agent.c --- */

/* Set the defaults of agents where the user gave no option; -1 with e: an option makes no sense for an agent. */
int agent_prepare(struct record_opts *o, struct err *e);
/*
 * Record until a signal, or until all targets have ended; then put the last interval. -1 with e: the recording could
 * not start, or the sink did not take the last interval.
 */
int agent_run(const struct agent_opts *o, const struct agent_sink *sink, struct err *e);

/* --- files.c --- */

/*
 * Write the tables of each interval into a directory. If all of them need more than `most` bytes, remove the oldest
 * intervals.
 */
int agent_write_files(const struct agent_opts *o, const char *dir, uint64_t most, struct err *e);

/* --- sender.c --- */

/* Where to send. The spool keeps the requests that the server has not accepted. */
struct sender_opts {
	const char *url, *spool, *spool_size; /* NULL: the defaults */
	bool init;                            /* make tables first */
};
int agent_send(const struct agent_opts *o, const struct sender_opts *s, struct err *e);

#endif
