#ifndef RECORD_UNWIND_PROCESSES_H
#define RECORD_UNWIND_PROCESSES_H

#include "format/format.h"
#include "symbols/unwind/tables.h"

/*
 * What each process has mapped now, as the records tell it. A process's maps are a snapshot that samples refer to
 * while they wait; a later change makes a new one. Forks share their parent's. Objects are opened when they are
 * mapped, as the process sees them, and stay open: processes may be gone when their samples are unwound.
 *
 * Snapshots count their users, unlike what a session has: a recorder runs for days, and processes come and go.
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
/* Apply a record that tells of processes and maps; others are ignored. `pd` knows the trailers. */
void processes_apply(struct processes *s, const struct perfdata *pd, const struct record *r);
/* The maps of a process for a sample, NULL if nothing is known of it. Give it back with maps_drop. */
struct live_maps *processes_use(struct processes *s, int32_t pid);
void maps_drop(struct live_maps *m); /* NULL is fine */
/* Learn what JITs wrote since the last call. */
void processes_read_jits(struct processes *s);
/* Forget processes that ended before the last call, and, now and then, files that nothing maps any more. */
void processes_forget(struct processes *s);

struct processes_count {
	uint64_t processes, objects, missing; /* missing: files that could not be opened, or are others */
	struct unwind_object_size tables;
};
struct processes_count processes_count(const struct processes *s);

#endif
