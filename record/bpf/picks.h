#ifndef RECORD_BPF_PICKS_H
#define RECORD_BPF_PICKS_H

/*
 * Sample scheduler tracepoints for some threads only. Filters of the kernel cannot do that: they do not know threads
 * that are created later, and look at one side of a switch only. So a program at the tracepoint looks up both sides in
 * the set of threads. If one is there, it copies the tracepoint's record to an event of the recorder
 * (PERF_COUNT_SW_BPF_OUTPUT). The sample then looks like one of the tracepoint, but does not say whether an interrupt
 * ran. Other users of the tracepoint notice nothing.
 */
#include "record/bpf/threads.h"

/* The value of common_preempt_count that says: common_flags is unknown. The kernel never nests so deeply. */
enum { PICKED_PREEMPT_COUNT = 255 };

struct picks {
	struct bpf_threads threads;
	VEC(int) fds;
};
/* One event of the recorder: a descriptor per CPU. */
struct pick_output {
	const char *system, *name; /* of the tracepoint */
	uint64_t id;
	const char *fields[2]; /* that hold thread ids; NULL: none */
	const int *fds, *cpus;
	size_t n;
};

/* Begin with these threads. Return -1 with e if the kernel refuses. Call picks_release() in any case. */
int picks_open(struct picks *p, const char *pids, const char *tids, bool no_inherit, struct err *e);
int picks_add(struct picks *p, const struct pick_output *output, struct err *e);
void picks_release(struct picks *p);

#endif
