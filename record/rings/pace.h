#ifndef RECORD_RINGS_PACE_H
#define RECORD_RINGS_PACE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * When the thread that reads rings gets its turn. The kernel wakes it when a ring is half full; at
 * high rates the other half is full milliseconds later, and a turn that comes late costs records.
 * Two things are done about that, both by the share of the fullest ring that a look found:
 *
 *	a ring that fills fast is looked at again, by time, when about a quarter of it is used;
 *	in the first second, as long as one would be full within half a second, or when a turn came late, the thread is
 * a realtime one of the lowest priority, where that is allowed and the thread leaves at least half a CPU to others;
 *	where a ring fills fast it also goes where that ring is written. Its turn takes the CPU from who writes, so
 * nothing can be lost meanwhile. An idle CPU would have to wake up first, for which a virtual one
 * needs as long as its host likes: often longer than the ring lasts.
 *
 * One for each thread that reads; all calls come from that thread.
 */
struct pace {
	bool may_hurry;     /* the choice of priority is ours, and none has been refused */
	bool urgent;        /* realtime by our choice */
	bool may_move;      /* the choice of CPU is ours */
	int at;             /* the CPU that we went to, -1 = none */
	cpu_set_t home;     /* where we may run */
	uint64_t looked_us; /* the last look; monotonic */
	uint64_t again_us;  /* the time after it at which to look again; 0 = the kernel's call is early enough */
	uint64_t flood_us;  /* and what it was when a ring last filled fast; 0 = that is long ago */
	uint64_t judged_us, cpu_us; /* when our share of the CPU was last looked at, and what we had used by then */
	bool hurried, flooded;      /* a look since then had reason to; a ring filled fast */
	bool flood;                 /* it did at the last look */
};

/*
 * From now on; `priority`: of SCHED_FIFO, 0 = none was asked for; `may_move`: nobody said where the thread is to run.
 * -1 with e when the priority is refused.
 */
int pace_start(struct pace *p, int priority, bool may_move, struct err *e);
/* Would that priority be allowed? */
int pace_try(int priority, struct err *e);
/* The rings were emptied at this time (monotonic); the fullest held so many 256ths of its size. */
void pace_looked(struct pace *p, uint64_t now_us, unsigned fullest);
/* Another thread did, and wakes ours up. */
void pace_others_looked(struct pace *p, uint64_t now_us, unsigned fullest);
/* Is it time to ask where rings are written? Then pace_go takes us there; -1 = anywhere. */
static inline bool pace_hurries(const struct pace *p) { return p->urgent && p->again_us && p->may_move; }
void pace_go(struct pace *p, int cpu);
uint64_t pace_now_us(void);
/* Milliseconds until the next look, at most `limit_ms`. */
int pace_timeout(const struct pace *p, int limit_ms);
/* Back to an ordinary thread: what follows is work for which no ring waits. */
void pace_end(struct pace *p);

#endif
