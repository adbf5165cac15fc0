#ifndef RECORD_RINGS_AFFINITY_H
#define RECORD_RINGS_AFFINITY_H

#include <sched.h>

#include "base/err.h"

/*
 * --affinity: run the reader on the CPU of the ring that it reads, or on the CPUs of that
 * memory node.
 */
enum affinity_mode { AFFINITY_ANY, AFFINITY_NODE, AFFINITY_CPU };

int affinity_parse(enum affinity_mode *mode, const char *text, struct err *e);
/*
 * Move to where the ring of this CPU (-1 = none) is read best. *at: the CPU of the last call,
 * plus 1; 0 at first. Ignore failures: reading from another CPU works as well.
 */
void affinity_follow(enum affinity_mode mode, int cpu, int *at);

#endif
