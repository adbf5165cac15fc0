#ifndef PROBE_TEMPORARY_H
#define PROBE_TEMPORARY_H

#include "probe/tracefs.h"

/*
 * Probes that end with their user, however that ends. A process of our own waits for the end of this one (a pipe tells
 * it, so a SIGKILL does too) and then removes the probes by name. It also keeps their names and places in a file of
 * /run/strobe, for the case that it is killed itself: what such a file names and nobody watches any more is a leftover,
 * unless the name stands for another place by now.
 */
struct temporary;
struct temporary *temporary_start(struct err *e);
/* Told before the probe is defined: from then on it will be removed. */
int temporary_hold(struct temporary *t, const struct trace_probe *p, struct err *e);
/* Remove them now: what recorded them must be closed. Waits until it is done, a few seconds at most. NULL is fine. */
void temporary_end(struct temporary *t);

/* Leftovers: what the file of a dead watcher holds and still exists, as "group:event" in the arena; removed unless
 * `only_list`. -1 when some could not be, beside those in `found`. */
struct leftovers {
	VEC(const char *);
};
int temporary_prune(bool only_list, struct leftovers *found, struct arena *arena, struct err *e);

#endif
