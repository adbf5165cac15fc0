#ifndef CMD_SCHED_SCHEDSTAT_PRIV_H
#define CMD_SCHED_SCHEDSTAT_PRIV_H

#include "base/opt.h"
#include "base/units.h"

/* `sched stats`, a subcommand of `sched`. */
extern const struct command sched_stats_command;

struct schedstat_recording {
	const char *output;
	const struct cpuset *cpus; /* NULL: all */
	int argc;
	char **argv; /* a command; if it is empty, record until a signal */
};
/* Write a recording of two snapshots. -1 with e on failure. */
int schedstat_record(const struct schedstat_recording *what, struct err *e);

#endif
