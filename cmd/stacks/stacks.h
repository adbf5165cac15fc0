#ifndef CMD_STACKS_STACKS_H
#define CMD_STACKS_STACKS_H

#include "cmd/commands.h"
#include "report/stacks/export.h"

/*
 * What commands that turn samples into stacks have in common: which recording, which of its samples, how frames are
 * named. A command's options begin with a `struct stacks_cmd`, and its table with STACKS_OPTIONS.
 */
struct stacks_cmd {
	const char *input, *times, *output;
	struct session_opts session;
	struct stacks_opts stacks;
	struct profile_filter filter;
	uint64_t max_stack; /* 0: as deep as this kernel records */
	bool demangle;
};
#define STACKS_AT(member) offsetof(struct stacks_cmd, member)
#define STACKS_DEFAULTS \
	{ \
		.demangle = true, .stacks = {.inlines = true } \
	}

int stacks_set_filter(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e);

/* Rows of an option table. */
/* clang-format off */
#define STACKS_OPTIONS \
	{ 'i', "input", OPT_STR, STACKS_AT(input), "file", "read this recording; '-' for a pipe", OPT_OURS }, \
	{ 'o', "output", OPT_STR, STACKS_AT(output), "file", \
	  "write to this file instead of standard output", OPT_OURS }, \
	{ 'f', "force", OPT_BOOL, STACKS_AT(session.force), NULL, "read a recording whoever owns it", OPT_OURS }, \
	{ 0, NULL, OPT_GROUP, 0, NULL, "Which samples" }, \
	{ 'e', "event-filter", OPT_STR, STACKS_AT(stacks.event), "event", \
	  "of this event; else of the first one that has samples, and of tracepoints", OPT_OURS }, \
	{ 0, "time", OPT_STR, STACKS_AT(times), "ranges", \
	  "START,STOP in seconds, or percents of the recording: 10%/2, 0%-10%,30%-40%", OPT_OURS }, \
	{ 'C', "cpu", OPT_CALL, 0, "cpus", "taken on these CPUs", OPT_NONEG | OPT_OURS, stacks_set_filter }, \
	{ 0, "pids", OPT_CALL, 0, "pids", "of these processes", OPT_NONEG | OPT_OURS, stacks_set_filter }, \
	{ 0, "tids", OPT_CALL, 0, "tids", "of these threads", OPT_NONEG | OPT_OURS, stacks_set_filter }, \
	{ 'c', "comms", OPT_CALL, 0, "names", \
	  "of threads with these names", OPT_NONEG | OPT_OURS, stacks_set_filter }, \
	{ 0, "dsos", OPT_CALL, 0, "names", "in these objects", OPT_NONEG | OPT_OURS, stacks_set_filter }, \
	{ 'S', "symbols", OPT_CALL, 0, "names", "in these functions", OPT_NONEG | OPT_OURS, stacks_set_filter }, \
	{ 0, NULL, OPT_GROUP, 0, NULL, "Names and weights" }, \
	{ 0, "pid", OPT_BOOL, STACKS_AT(stacks.pid), NULL, "a stack per process: comm-PID", OPT_OURS }, \
	{ 0, "tid", OPT_BOOL, STACKS_AT(stacks.tid), NULL, "a stack per thread: comm-PID/TID", OPT_OURS }, \
	{ 0, "addrs", OPT_BOOL, STACKS_AT(stacks.addresses), NULL, \
	  "frames without a symbol bear their address", OPT_OURS }, \
	{ 0, "samples", OPT_BOOL, STACKS_AT(stacks.count_samples), NULL, \
	  "count samples, not what they stand for", OPT_OURS }, \
	{ 0, "inline", OPT_BOOL, STACKS_AT(stacks.inlines), NULL, \
	  "inlined calls are frames (the default)", OPT_OURS }, \
	{ 0, "max-stack", OPT_U64, STACKS_AT(max_stack), "n", "at most n frames of a call chain", OPT_OURS }, \
	{ 0, "demangle", OPT_BOOL, STACKS_AT(demangle), NULL, "names as in the source (the default)", OPT_OURS }, \
	{ 'k', "vmlinux", OPT_STR, STACKS_AT(session.symbols.vmlinux), "file", \
	  "take the kernel's symbols from this image", OPT_OURS }, \
	{ 0, "kallsyms", OPT_STR, STACKS_AT(session.symbols.kallsyms), "file", \
	  "take the kernel's symbols from this list", OPT_OURS }, \
	{ 0, "symfs", OPT_STR, STACKS_AT(session.symbols.symfs), "dir", \
	  "look for objects below this directory", OPT_OURS }
/* clang-format on */

/*
 * The whole of such a command: read the input and, if `old` is not NULL, the recording to compare with (with `negate`
 * the other way around), call `write` with the stacks and `opts`, tell what was left out or damaged. Returns the exit
 * status, or -1 with e. `args`: words left on the command line, an error.
 */
struct stacks_job {
	const char *old;
	bool negate;
	int (*write)(void *opts, struct stacks *st, struct err *e);
	void *opts;
};
int stacks_run(struct stacks_cmd *c, const struct stacks_job *job, char **args, struct err *e);

#endif
