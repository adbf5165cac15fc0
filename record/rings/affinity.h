#ifndef RECORD_RINGS_AFFINITY_H
#define RECORD_RINGS_AFFINITY_H

#include <sched.h>

#include "base/err.h"

/* --affinity: the reader runs where the ring is that it reads, on that CPU or on the CPUs of its memory node. */
enum affinity_mode { AFFINITY_ANY, AFFINITY_NODE, AFFINITY_CPU };

int affinity_parse(enum affinity_mode *mode, const char *text, struct err *e);
/*
 * Go where the ring of this CPU (-1 = of none) is read best. *at: the CPU we went for last, plus 1; 0 at first. What
 * the system refuses is no error: reading from afar works as well.
 */
void affinity_follow(enum affinity_mode mode, int cpu, int *at);

#endif
