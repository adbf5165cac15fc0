#ifndef CMD_TRACE_IN_KERNEL_H
#define CMD_TRACE_IN_KERNEL_H

#include "base/units.h"
#include "record/bpf/call_counter.h"
#include "record/bpf/call_texts.h"
#include "record/record.h"
#include "report/trace/trace.h"

/* What BPF programs do for `trace` in the kernel. Zeroed memory is not open. */
struct in_kernel {
	struct call_counter *counter;
	struct call_texts *texts;
	struct cpuset cpus;
	bool on_cpu[CPU_SETSIZE];
	char *tids; /* of the user of -u */
	int cgroup; /* 0: none */
};

/*
 * Sum up the calls of those whom `record` names, and let `show` take the sums. -1 with e where the kernel refuses;
 * nothing is changed then. Open it before the command starts.
 */
int in_kernel_sums(struct in_kernel *k, const struct record_opts *record, const char *cgroup, const char *not_tids,
		   struct trace_opts *show, struct err *e);
/* The same for what their arguments point at. Sets the clock of `record`. */
int in_kernel_texts(struct in_kernel *k, struct record_opts *record, const char *cgroup,
		    const struct syscall_names *names, struct trace_opts *show, struct err *e);
/* Calls that were not counted. */
uint64_t in_kernel_lost(const struct in_kernel *k);
void in_kernel_close(struct in_kernel *k);

#endif
