#ifndef REPORT_SESSION_PARALLELISM_H
#define REPORT_SESSION_PARALLELISM_H

#include "format/format.h"

/*
 * How many threads ran at a time, from the switch records of a recording made for latency: what a sample stands for in
 * wall-clock time is its period divided by that. A thread runs from a switch to it, or from when it executed a program,
 * to a switch from it or to its end. The idle task is none. Source: perf_event_open(2), PERF_RECORD_SWITCH.
 */
struct running_event {
	uint64_t time, pos;
	uint32_t tid;
	bool runs;
}; /* from then on, or not any more */
struct running_count {
	uint64_t time;
	uint32_t n;
}; /* from then on */

struct parallelism {
	VEC(struct running_event) events; /* until parallelism_count */
	VEC(struct running_count) counts; /* ascending */
	uint32_t most;                    /* as many CPUs as there are; 0 = not known */
	bool whole_cpus;                  /* the switches are those of CPUs, not of one program's threads */
};

/* Takes note of a record at its place in time, if it has to do with this. */
void parallelism_see(struct parallelism *p, const struct perfdata *pd, const struct record *r, uint64_t time,
		     uint64_t pos);
/* All were seen: count. */
void parallelism_count(struct parallelism *p, const struct perfdata *pd);
void parallelism_free(struct parallelism *p);
/* At that time: at least 1, since the sample's own thread ran. `hint`: the caller's memory of its last place, first 0.
 */
uint32_t parallelism_at(const struct parallelism *p, uint64_t time, size_t *hint);
/* Was this recorded for latency? */
bool parallelism_known(const struct perfdata *pd);

#endif
