#ifndef CMD_TRACE_IN_KERNEL_PRIV_H
#define CMD_TRACE_IN_KERNEL_PRIV_H

#include "base/units.h"
#include "record/bpf/call_counter.h"
#include "record/bpf/call_texts.h"
#include "record/record.h"
#include "report/trace/trace.h"

/* The BPF programs of `trace`. Zeroed memory is not open. */
struct in_kernel {
	struct call_counter *counter;
	struct call_texts *texts;
	struct cpuset cpus;
	bool on_cpu[CPU_SETSIZE];
	char *tids; /* of the user of -u */
	int cgroup; /* 0: none */
};

/*
 * Sum up the calls of the targets of `record`, and let `show` take the sums. -1 with e: the kernel refuses, and nothing
 * is changed. Open it before the command starts.
 */
int in_kernel_sums(struct in_kernel *k, const struct record_opts *record, const char *cgroup, const char *not_tids,
		   struct trace_opts *show, struct err *e);
/* Copy the data that arguments of these calls point to. Sets the clock of `record`. */
int in_kernel_texts(struct in_kernel *k, struct record_opts *record, const char *cgroup,
		    const struct syscall_names *names, struct trace_opts *show, struct err *e);
/* Return the number of uncounted calls. */
uint64_t in_kernel_lost(const struct in_kernel *k);
void in_kernel_close(struct in_kernel *k);

#endif
