#ifndef CMD_FTRACE_FTRACE_H
#define CMD_FTRACE_FTRACE_H

#include "base/opt.h"
#include "base/units.h"
#include "record/tracefs/pages.h"
#include "record/tracefs/settings.h"
#include "report/ftrace/text.h"

/*
 * One run of ftrace: what is traced (settings), on whom, and what is made of it. A running kernel
 * (live.c) and a trace.dat (input.c) give the same stream, and each subcommand is a sink of it.
 */
struct ftrace_opts {
	const char *pids, *tids, *cpus;
	bool all_tasks;
	int verbose;
	struct ftrace_settings set;
	const char *tracer;       /* -t; NULL: as the other options want it */
	const char *usual_tracer; /* where nothing asks for one; NULL: function_graph */
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

/* What takes the entries. */
struct ftrace_sink {
	void *ctx;
	/* Before the first entry. `header` is the kernel's own heading of the trace, "" if it is not known. */
	void (*begin)(void *ctx, struct ftrace_meta *m, const char *header, int cpus, bool graph);
	/* Take what the stream has, but at most so many entries; flush when output is waited for. */
	void (*drain)(void *ctx, struct ftrace_stream *s, unsigned most);
	/* After the last entry. */
	void (*end)(void *ctx);
	/* Instead of all this: take pages as they are. */
	int (*page)(void *ctx, int cpu, const uint8_t *page, size_t size, struct err *e);
	/* ... and what they mean, after the last one. */
	int (*finish)(void *ctx, const struct instance *in, struct err *e);
	/* Whether enough has been seen. */
	bool (*done)(void *ctx);
};

/* --- cmd/ftrace/live.c --- */
/* Trace the tasks of `o`, or the command, into the sink. Returns the exit status, or -1 with e. */
int ftrace_live(struct ftrace_opts *o, int argc, char **argv, const struct ftrace_sink *sink, struct err *e);

/* Append the head of a trace.dat: formats, and if they are wanted the kernel's symbols. */
struct out;
int ftrace_live_head(const struct instance *in, bool kallsyms, struct out *o, struct err *e);

/* --- cmd/ftrace/input.c --- */
int ftrace_input(const char *path, const struct ftrace_sink *sink, struct err *e);

/* --- a file per subcommand; argv: the command to trace --- */
int ftrace_trace(struct ftrace_opts *o, int argc, char **argv, struct err *e);
int ftrace_latency(struct ftrace_opts *o, int argc, char **argv, struct err *e);
int ftrace_record(struct ftrace_opts *o, int argc, char **argv, struct err *e);
int ftrace_profile(struct ftrace_opts *o, int argc, char **argv, struct err *e);

/* From the input if there is one, else live. */
int ftrace_run(struct ftrace_opts *o, int argc, char **argv, const struct ftrace_sink *sink, struct err *e);

#endif
