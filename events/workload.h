#ifndef EVENTS_WORKLOAD_H
#define EVENTS_WORKLOAD_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * The command that is measured, or whose end ends the measuring: forked early, so that events can be opened on it,
 * started late. It inherits none of our descriptors but the three standard ones, and no signal handlers; the signal
 * mask is that of the fork.
 */
struct workload {
	pid_t pid;           /* 0 = none, or its end was seen */
	int cork, report;    /* our ends of the two pipes, -1 when done */
	int status;          /* as from waitpid, once pid is 0 */
	struct rusage usage; /* of it and its children that ended, once pid is 0 */
	bool started;
};

/* The name of the child until it runs the command. */
#define WORKLOAD_COMM "perf-exec"

struct caller;
/* Fork; the child waits. argv[0] NULL: no command, nothing is done. It runs as `caller`, if one is given. stdout_taken:
 * our records go there, its words to stderr. */
int workload_fork(struct workload *w, char *const argv[], const struct caller *caller, bool stdout_taken,
		  struct err *e);
/*
 * Let it run the command and wait until it does. -1 and e, with exit_code 127 (no such command) or 126 (cannot be run),
 * when it cannot; the child is gone then.
 */
int workload_start(struct workload *w, const char *name, struct err *e);
/* Did it end? Fills status. Does not wait. */
bool workload_ended(struct workload *w);
/* End it, if it still runs, and fill status: by SIGTERM, by SIGKILL when it is asked for twice. true: we had to. */
bool workload_finish(struct workload *w);

#endif
