#ifndef EVENTS_WORKLOAD_H
#define EVENTS_WORKLOAD_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * The command to measure, or whose end stops measuring. It is forked early, so that events can be
 * opened on it, and started late. It inherits only the three standard descriptors, no signal
 * handlers, and the signal mask at the fork.
 */
struct workload {
	pid_t pid;           /* 0 = none, or workload_finish() took its status */
	int cork, report;    /* our ends of the two pipes, -1 when closed */
	int status;          /* from waitpid, valid once pid is 0 */
	struct rusage usage; /* of the command and its ended children, valid once pid is 0 */
	bool started;
};

/* The name of the child until it runs the command. */
#define WORKLOAD_COMM "perf-exec"

struct caller;
/*
 * Fork a child that waits. If argv[0] is NULL there is no command: do nothing. The command runs as
 * `caller`, if given. stdout_taken: our records go to stdout, so the command's output goes to
 * stderr.
 */
int workload_fork(struct workload *w, char *const argv[], const struct caller *caller, bool stdout_taken,
		  struct err *e);
/*
 * Start the command and wait until it runs. If it cannot run, return -1 with e and exit_code 127
 * (no such command) or 126; the child has then ended.
 */
int workload_start(struct workload *w, const char *name, struct err *e);
/*
 * Return true if it has ended. Does not wait, and leaves its status to workload_finish(). To take the status, the
 * kernel also removes the process from /proc. For that it may wait, in a busy loop, for a thread of the process that is
 * about to end: a caller with a realtime priority on that thread's CPU would stop both for a second.
 */
bool workload_ended(const struct workload *w);
/*
 * End it if it still runs, and fill status: use SIGTERM, and SIGKILL when asked twice. Return true
 * if we ended it.
 */
bool workload_finish(struct workload *w);

#endif
