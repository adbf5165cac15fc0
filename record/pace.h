#ifndef RECORD_PACE_H
#define RECORD_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * When the thread that reads rings gets its turn. The kernel wakes it when a ring is half full; at high rates the other half is full a few
 * milliseconds later, and a turn that comes late costs records. Two things are done about that, both by the share of the fullest ring that a look found:
 *
 *	a ring that fills fast is looked at again, by time, when about a quarter of it is used;
 *	as long as one does, or when a turn came late, the thread is a realtime one of the lowest priority, where that is allowed and the thread
 *	leaves at least half a CPU to others.
 *
 * One for each thread that reads; all calls come from that thread.
 */
struct pace {
	bool may_hurry;		/* the choice of priority is ours, and none has been refused */
	bool urgent;		/* realtime by our choice */
	uint64_t looked_us;	/* the last look; monotonic */
	uint64_t again_us;	/* the time after it at which to look again; 0 = the kernel's call is early enough */
	uint64_t judged_us, cpu_us;	/* when our share of the CPU was last looked at, and what we had used by then */
};

/* From now on; `priority`: of SCHED_FIFO, 0 = none was asked for. -1 with e when it is refused. */
int  pace_start(struct pace *p, int priority, struct err *e);
/* The rings were emptied at this time (monotonic); the fullest held so many 256ths of its size. */
void pace_looked(struct pace *p, uint64_t now_us, unsigned fullest);
uint64_t pace_now_us(void);
/* Milliseconds until the next look, at most `limit_ms`. */
int  pace_timeout(const struct pace *p, int limit_ms);
/* Back to an ordinary thread: what follows is work for which no ring waits. */
void pace_end(struct pace *p);

#endif
