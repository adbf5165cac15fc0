#ifndef PROBE_TEMPORARY_H
#define PROBE_TEMPORARY_H

#include "probe/tracefs.h"

/*
 * Probes that end with their user, even after a SIGKILL. A watcher process waits for the end of
 * this process (a pipe closes) and then removes the probes by name. In case the watcher is killed
 * too, it also stores names and places in a file in /run/strobe. The probes in a file without a
 * living watcher are leftovers, unless the name now stands for another place.
 */
struct temporary;
/* Start the watcher process. Return NULL with e on failure. */
struct temporary *temporary_start(struct err *e);
/* Announce a probe before it is defined: from then on it will be removed. Return -1 with e if the watcher is gone. */
int temporary_hold(struct temporary *t, const struct trace_probe *p, struct err *e);
/*
 * Remove the probes now, and wait until that is done. Close the events that record them first: while the kernel says
 * that a probe is in use, this tries again, for up to a minute for each probe. Then the probe stays, as a leftover.
 * NULL is allowed.
 */
void temporary_end(struct temporary *t);

/*
 * Leftovers: probes in the files of dead watchers that still exist, as "group:event" in the arena.
 * They are removed unless `only_list`. Return -1 when some could not be removed, besides those in
 * `found`.
 */
struct leftovers {
	VEC(const char *);
};
int temporary_prune(bool only_list, struct leftovers *found, struct arena *arena, struct err *e);

#endif
