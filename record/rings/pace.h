#ifndef RECORD_RINGS_PACE_H
#define RECORD_RINGS_PACE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Decide when the thread that reads rings runs. The kernel wakes it when a ring is half full.
 * At high rates the other half fills within milliseconds, and a late reader loses records. We
 * do three things, based on the share of the fullest ring at each look:
 *
 *	- Look again by timer, when about a quarter of a fast ring is used.
 *	- Become a realtime thread of the lowest priority: in the first second, while some ring would
 *	  fill within half a second, and after a late look. Only if that is allowed, and if the thread
 *	  leaves at least half a CPU to others.
 *	- Move to the CPU where a fast ring is written. The reader then takes the CPU from the writer,
 *	  so nothing gets lost meanwhile. An idle CPU would have to wake up first; a virtual CPU needs
 *	  as long as its host likes for that, often longer than the ring lasts.
 *
 * Each reading thread has its own struct pace, and makes all calls for it.
 */
struct pace {
	bool may_hurry;     /* we may choose the priority, and it was not refused */
	bool urgent;        /* realtime by our own choice */
	bool given;         /* realtime by the user's choice, until the end */
	bool may_move;      /* we may choose the CPU */
	bool patient;       /* only the kernel wakes us */
	int at;             /* the CPU we moved to, -1 = none */
	cpu_set_t home;     /* CPUs where we may run */
	uint64_t looked_us; /* time of the last look; monotonic */
	uint64_t again_us;  /* look again after this time; 0 = waiting for the kernel is enough */
	uint64_t flood_us;  /* again_us when a ring last filled fast; 0 = long ago */
	/* when judge() last ran, and the CPU time we had used by then */
	uint64_t judged_us, cpu_us;
	bool hurried, flooded; /* since then: a look had reason to hurry; a ring filled fast */
	bool flood;            /* at the last look a ring filled fast */
};

/*
 * Begin. `priority`: of SCHED_FIFO, 0 = not requested. `may_move`: nobody requested a CPU for
 * the thread. Return -1 with e when the priority is refused.
 */
int pace_start(struct pace *p, int priority, bool may_move, struct err *e);
/* From now on wait only for the kernel: at low rates, looks cost more than the few records that they save. */
void pace_be_patient(struct pace *p);
/* Check whether that priority is allowed. Return -1 with e if not. */
int pace_try(int priority, struct err *e);
/*
 * Note a look: the rings were emptied at this time (monotonic); the fullest was filled to this many 256ths of its
 * size.
 */
void pace_looked(struct pace *p, uint64_t now_us, unsigned fullest);
/* Note that another thread emptied them and wakes us. */
void pace_others_looked(struct pace *p, uint64_t now_us, unsigned fullest);
/*
 * Return whether to find out where rings are written, and to call pace_go() with that CPU (-1 =
 * anywhere).
 */
static inline bool pace_hurries(const struct pace *p) { return p->urgent && p->again_us && p->may_move; }
void pace_go(struct pace *p, int cpu);
uint64_t pace_now_us(void);
/* Return the milliseconds until the next look, at most `limit_ms`. */
int pace_timeout(const struct pace *p, int limit_ms);
/* Become an ordinary thread again: no ring waits for the following work. */
void pace_end(struct pace *p);

#endif
