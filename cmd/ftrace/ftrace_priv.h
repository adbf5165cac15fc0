#ifndef CMD_FTRACE_FTRACE_PRIV_H
#define CMD_FTRACE_FTRACE_PRIV_H

#include "base/opt.h"
#include "base/units.h"
#include "record/tracefs/pages.h"
#include "record/tracefs/settings.h"
#include "report/ftrace/text.h"

/*
 * The options of one run of ftrace: settings, targets, and output. A running kernel (live.c) and a
 * trace.dat (input.c) give the same stream, and each subcommand is a sink of it.
 */
struct ftrace_opts {
	const char *pids, *tids, *cpus;
	bool all_tasks;
	int verbose;
	struct ftrace_settings set;
	const char *tracer;       /* -t; NULL: the other options choose it */
	const char *usual_tracer; /* default if no option chooses one; NULL: function_graph */
	const char *list;         /* -F: list functions instead; "" = all */
	uint64_t delay_ms;
	const char *input, *output; /* -i: read this file instead of tracing; -o */
	bool force;
	/* latency */
	bool nanoseconds, hide_empty;
	uint64_t bucket_range, min_latency, max_latency;
	/* profile */
	const char *sort;
	bool self;
	const char *folded, *flamegraph; /* files to write stacks to */
};

/* A consumer of the entries. */
struct ftrace_sink {
	void *ctx;
	/* Start, before the first entry. `header` is the kernel's own heading of the trace, "" if it is not known. */
	void (*begin)(void *ctx, struct ftrace_meta *m, const char *header, int cpus, bool graph);
	/* Take entries from the stream, at most this many; flush if a reader waits for the output. */
	void (*drain)(void *ctx, struct ftrace_stream *s, unsigned most);
	/* Finish, after the last entry. */
	void (*end)(void *ctx);
	/* Alternative to all these: take unchanged pages. */
	int (*page)(void *ctx, int cpu, const uint8_t *page, size_t size, struct err *e);
	/* ... and their formats and names, after the last page. */
	int (*finish)(void *ctx, const struct instance *in, struct err *e);
	/* Return true if the sink needs no more entries. */
	bool (*done)(void *ctx);
};

/* --- cmd/ftrace/live.c --- */
/* Trace the tasks of `o`, or the command, into the sink. Returns the exit status, or -1 with e. */
int ftrace_live(struct ftrace_opts *o, int argc, char **argv, const struct ftrace_sink *sink, struct err *e);

/* Append the head of a trace.dat: formats and, if wanted, the kernel's symbols. */
struct out;
int ftrace_live_head(const struct instance *in, bool kallsyms, struct out *o, struct err *e);

/* --- cmd/ftrace/input.c --- */
int ftrace_input(const char *path, const struct ftrace_sink *sink, struct err *e);

/* --- a file per subcommand; argv: the command to trace --- */
int ftrace_trace(struct ftrace_opts *o, int argc, char **argv, struct err *e);
int ftrace_latency(struct ftrace_opts *o, int argc, char **argv, struct err *e);
int ftrace_record(struct ftrace_opts *o, int argc, char **argv, struct err *e);
int ftrace_profile(struct ftrace_opts *o, int argc, char **argv, struct err *e);

/* Feed the sink from the input if there is one, otherwise live. */
int ftrace_run(struct ftrace_opts *o, int argc, char **argv, const struct ftrace_sink *sink, struct err *e);

#endif
