#ifndef RECORD_UNWIND_PROCESSES_PRIV_H
#define RECORD_UNWIND_PROCESSES_PRIV_H

#include "format/format.h"
#include "symbols/unwind/tables.h"

/*
 * The current maps of each process, from the records. A process's maps are a snapshot that waiting
 * samples refer to; a later change makes a new snapshot. Forks share their parent's. We open
 * objects when they are mapped, below the root of the process, and keep them open, because the
 * process may have ended when we unwind its samples.
 *
 * Snapshots count their users, unlike those of a session, because a recorder may run for days.
 */
struct live_jit;
struct live_maps {
	struct live_jit *jit; /* NULL: the process has none */
	struct unwind_maps view;
	uint32_t users;
	size_t cap;
	struct unwind_map *items;
	struct live_maps *next, **link; /* in the list of all */
};

struct processes;
struct processes *processes_new(void);
void processes_free(struct processes *s);
/* Apply a record about processes and maps; ignore others. `pd` has the layout of the trailers. */
void processes_apply(struct processes *s, const struct perfdata *pd, const struct record *r);
/* Return the maps of a process for a sample; NULL: the process is unknown. Release them with maps_drop. */
struct live_maps *processes_use(struct processes *s, int32_t pid);
void maps_drop(struct live_maps *m); /* NULL is fine */
/* Read what JITs wrote since the last call. */
void processes_read_jits(struct processes *s);
/* Forget processes that ended before the last call, and, now and then, files that nothing maps any more. */
void processes_forget(struct processes *s);

struct processes_count {
	uint64_t processes, objects, missing; /* missing: files that we could not open, or that differ */
	struct unwind_object_size tables;
};
struct processes_count processes_count(const struct processes *s);

#endif
