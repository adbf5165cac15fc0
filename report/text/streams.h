#ifndef REPORT_TEXT_STREAMS_H
#define REPORT_TEXT_STREAMS_H

#include "report/rows/view.h"

/*
 * Streams: chains of recorded branches (profile_opts.branch_history), summed by their frames. A
 * stream with at least 0.5 % of an event's samples is hot. Shares are relative to all hot streams
 * together.
 */
struct streams;

/* The hottest streams of the view's first event. The view must outlive them. */
struct streams *streams_new(const struct view *v);
void streams_free(struct streams *s);
/* Print streams that both recordings have side by side, then those that only one has. */
void streams_print(const struct streams *old, const struct streams *now, struct out *o);

#endif
