#ifndef CMD_AGENT_AGENT_H
#define CMD_AGENT_AGENT_H

#include "record/record.h"
#include "report/stacks/stacks.h"

/*
 * An agent records for as long as the machine runs: stacks are summed up in memory, and at the end of each interval
 * they go into files or to an engine. record --agent and push --agent run it.
 */
struct agent_opts {
	const char *command; /* that runs the agent, for messages */
	struct record_opts record;
	struct stacks_opts stacks;
	struct profile_filter filter;
	struct symbols_opts symbols;
	const char *service; /* what the host runs; NULL = not told */
	const char *every;   /* length of an interval; NULL = a minute */
};

/*
 * Stacks of agents. Names come from symbol tables alone: debug information of a large program needs more memory than
 * an agent may take.
 */
#define AGENT_STACKS \
	{ \
		.frames = true, .each = true, .pid = true, .tid = true, .no_lines = true, .file_ids = true, \
		.no_idle = true \
	}

/*
 * Where intervals go. A failure is told, and the next interval is tried again. `flush`, or NULL: at the end, without a
 * last interval to put, send what waits.
 */
struct agent_sink {
	int (*put)(void *of, struct stacks *st, const struct session *s, struct err *e);
	int (*flush)(void *of, struct err *e);
	void *of;
};

/* --- agent.c --- */

/* Set what agents record unless the user asked for something else; -1 with e: some options make no sense here. */
int agent_prepare(struct record_opts *o, struct err *e);
/*
 * Record until a signal, or until all that is recorded has ended; then put what there is. -1 with e: it could not
 * start, or the last interval could not be put.
 */
int agent_run(const struct agent_opts *o, const struct agent_sink *sink, struct err *e);

/* --- files.c --- */

/*
 * Write the tables of each interval into a directory. When these need more than `most` bytes, the oldest intervals are
 * removed.
 */
int agent_write_files(const struct agent_opts *o, const char *dir, uint64_t most, struct err *e);

/* --- sender.c --- */

/* Where to send. The spool keeps what the far side has not taken. */
struct sender_opts {
	const char *url, *spool, *spool_size; /* NULL: the usual ones */
	bool init;                            /* make tables first */
};
int agent_send(const struct agent_opts *o, const struct sender_opts *s, struct err *e);

#endif
