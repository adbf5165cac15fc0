#ifndef CMD_SCHED_LOCK_USER_H
#define CMD_SCHED_LOCK_USER_H

#include "cmd/shared/analysis.h"
#include "cmd/shared/live_input.h"

/* `lock user`, which stands below `lock`. */
extern const struct command lock_user_command;

/*
 * Watch those of these tracepoints that the kernel has; whom, and with which chains, is in `o`. -1 with e; the caller
 * calls live_input_close in any case.
 */
int lock_watch(struct live_input *in, const struct analysis_event *events, size_t n, struct record_opts *o,
	       struct live_opts *opts, struct err *e);

#endif
