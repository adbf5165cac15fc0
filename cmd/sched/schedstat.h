#ifndef CMD_SCHED_SCHEDSTAT_H
#define CMD_SCHED_SCHEDSTAT_H

#include "base/opt.h"

/* `sched stats`, which stands below `sched`. */
extern const struct command sched_stats_command;

#endif
