#ifndef REPORT_SESSION_PARALLELISM_H
#define REPORT_SESSION_PARALLELISM_H

#include "format/format.h"

/*
 * How many threads ran at the same time, from the switch records of a recording made with
 * --latency. A sample's wall-clock time is its period divided by that number. A thread runs from a
 * switch to it, or from its exec, until a switch from it or its end. The idle task does not count.
 * Source: perf_event_open(2), PERF_RECORD_SWITCH.
 */
struct session_place;
struct running_count;

struct parallelism {
	VEC(struct session_place) events; /* emptied by parallelism_count */
	VEC(struct running_count) counts; /* ascending by time */
	uint32_t most;                    /* number of CPUs; 0 = unknown */
	bool whole_cpus;                  /* switches of whole CPUs, not of one program's threads */
};

/* Note a record at its time. Ignore records that have no effect here. Call it in the order of the input. */
void parallelism_see(struct parallelism *p, const struct perfdata *pd, const struct record *r, uint64_t time);
/* All records were seen: count. */
void parallelism_count(struct parallelism *p, const struct perfdata *pd);
void parallelism_free(struct parallelism *p);
/*
 * Threads that ran at this time: at least 1, since the sample's own thread ran. `hint` remembers
 * the last place; the caller starts with 0.
 */
uint32_t parallelism_at(const struct parallelism *p, uint64_t time, size_t *hint);
/* Return whether the input was recorded with --latency. */
bool parallelism_known(const struct perfdata *pd);

#endif
