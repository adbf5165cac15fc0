#ifndef RECORD_BPF_PICKS_H
#define RECORD_BPF_PICKS_H

/*
 * Samples of scheduler tracepoints about some threads alone. The kernel's own filters know neither threads that are
 * created later, nor both sides of a switch. A program at the tracepoint looks both up in the set of threads, and
 * copies the tracepoint's record to an event of the recorder (PERF_COUNT_SW_BPF_OUTPUT), whose sample then looks like
 * one of the tracepoint. Other users of the tracepoint notice nothing. Only whether an interrupt runs is unknown.
 */
#include "record/bpf/threads.h"

/* common_preempt_count where common_flags says nothing: the kernel has never so deep a nesting. */
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

/* Begin with these threads. -1 with e when the kernel refuses. picks_release() is needed in any case. */
int picks_open(struct picks *p, const char *pids, const char *tids, bool no_inherit, struct err *e);
int picks_add(struct picks *p, const struct pick_output *output, struct err *e);
void picks_release(struct picks *p);

#endif
