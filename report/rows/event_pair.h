#ifndef REPORT_ROWS_EVENT_PAIR_H
#define REPORT_ROWS_EVENT_PAIR_H

#include "format/format.h"

/*
 * Find the event of `pd` to compare `event` with. The best one wins: the same name; the same name apart from modifiers;
 * the same number in the kernel's terms. Events whose samples cannot overlap (":u" and ":k") match by whole name only.
 * Returns the number of the event, or pd->n_events if there is none.
 */
size_t event_pair(const struct perfdata *pd, const struct file_event *event);
/* One of the two excludes the kernel or user space, and the other does not. */
bool event_pair_uneven(const struct file_event *a, const struct file_event *b);

#endif
