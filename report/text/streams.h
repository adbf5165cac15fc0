#ifndef REPORT_TEXT_STREAMS_H
#define REPORT_TEXT_STREAMS_H

#include "report/rows/view.h"

/*
 * Streams of branches: the chains of branches that were recorded (profile_opts.branch_history), summed by their frames.
 * Those that have at least 0.5 % of an event's samples are hot; shares are of what all hot ones have together.
 */
struct streams;

/* The hottest of the view's first event. The view must outlive them. */
struct streams *streams_new(const struct view *v);
void streams_free(struct streams *s);
/* Those that both recordings have side by side, then those that only one has. */
void streams_print(const struct streams *old, const struct streams *now, struct out *o);

#endif
