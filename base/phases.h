#ifndef BASE_PHASES_H
#define BASE_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

/*
 * A clock for the phases of a command: how long each takes, and how much of its CPU time only one thread can spend.
 * From this follows how much faster the command would be on more cores than this machine has. Until phases_start has
 * been called, all of this costs one test.
 *
 * Only the thread that called phases_start has phases. CPU time that it spends outside of parallel_for is serial; so
 * is what parallel_text writes, because it writes in order. All other CPU time of parallel_for can be shared.
 */
void phases_start(void);
bool phases_on(void);
/* Begin a phase; `name` is a constant. A name that was used before continues. Return the name of the one before. */
const char *phase(const char *name);

/* ---- for base/parallel* ---- */

/* CPU time of the calling thread. */
uint64_t phases_thread_ns(void);
/* Work in parallel begins; it may itself be a piece of such work. */
void phases_share(void);
/*
 * The work has ended: `own_ns` is the CPU time of the calling thread in it, `all_ns` that of all `threads`. No
 * number of cores can end it sooner than its longest item, `longest_ns`; 0: it can be cut as small as needed.
 */
void phases_shared(uint64_t own_ns, uint64_t all_ns, uint64_t longest_ns, unsigned threads);
/* Report that this much of the running parallel work was done by one thread at a time. Any thread may call it. */
void phases_ordered(uint64_t ns);

/* ---- the answer ---- */

struct phase_times {
	const char *name;
	uint64_t wall_ns, serial_ns, shared_ns, longest_ns;
	unsigned threads; /* the most that worked at the same time */
};
/*
 * Return an upper estimate of the time on this many cores: each piece of work starts as soon as a core is free, and
 * the longest piece starts last.
 */
double phases_predict(const struct phase_times *times, unsigned n, unsigned cores);
/* End the last phase and print the table with what it means for 16 and 64 cores. */
void phases_print(struct out *o);

#endif
