#ifndef CMD_SCHED_LOCK_USER_PRIV_H
#define CMD_SCHED_LOCK_USER_PRIV_H

#include "cmd/shared/analysis.h"
#include "cmd/shared/live_input.h"

/* `lock user`, a subcommand of `lock`. */
extern const struct command lock_user_command;

/* How `lock contention` and `lock user` print their tables, into a struct lock_opts. */
extern const struct opt lock_table_options[];

/*
 * Watch these tracepoints, as far as the kernel has them, for the targets and call chains in `o`. -1 with e. The
 * caller must call live_input_close in any case.
 */
int lock_watch(struct live_input *in, const struct analysis_event *events, size_t n, struct record_opts *o,
	       struct live_opts *opts, struct err *e);

#endif
