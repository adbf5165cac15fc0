#ifndef CMD_TRACE_KERNEL_SUMS_H
#define CMD_TRACE_KERNEL_SUMS_H

#include "base/units.h"
#include "record/bpf/call_counter.h"
#include "record/record.h"
#include "report/trace/trace.h"

/* Tables of `trace -s` that the kernel sums up (BPF). Zeroed memory is not open. */
struct kernel_sums {
	struct call_counter *counter;
	struct cpuset cpus;
	bool on_cpu[CPU_SETSIZE];
};

/*
 * Count for whom `record` names, and let `show` take the sums from there. -1 with e where the kernel refuses; nothing
 * is changed then. Open it before the command starts.
 */
int kernel_sums_open(struct kernel_sums *k, const struct record_opts *record, const char *not_tids,
		     struct trace_opts *show, struct err *e);
/* What was not counted. */
uint64_t kernel_sums_lost(const struct kernel_sums *k);
void kernel_sums_close(struct kernel_sums *k);

#endif
