#ifndef RECORD_MACHINE_COLLECT_H
#define RECORD_MACHINE_COLLECT_H

#include "format/features.h"

/* What the machine cannot tell: how we were called and what is recorded. */
struct collect_opts {
	int argc;
	char *const *argv; /* as main got it; element 0 is replaced by the path of the running program */
	bool branch_stack; /* samples hold branch stacks */
	bool use_clockid;  /* times come from `clockid` (CLOCK_*) instead of the kernel's own clock */
	int clockid;
	const char *root; /* before /proc and /sys, for tests; NULL = none */
};

/*
 * Describe this machine in `f` (zeroed by the caller): names, CPUs, memory, topology, caches, PMUs and their
 * capabilities, clocks, command line. What cannot be found out is left out: its bit stays clear, nothing fails. Texts
 * and arrays are made in `a`, which also becomes f->arena. The recorder adds what only it knows: build-ids, first and
 * last time, tracing data. Groups, event descriptions and compression are the writer's. Sources: proc(5), sysfs(5),
 * Documentation/ABI/testing/sysfs-devices-system-cpu; cpuid(4).
 */
void collect_features(struct features *f, struct arena *a, const struct collect_opts *opts);

struct collect_tracepoint {
	const char *system, *name;
};
/*
 * Append the tracing_data blob of these tracepoints (any order, repeats allowed) to the memory sink: their format
 * files, the ring's own headers, printk formats and the kernel's list of thread names. -1 and e: tracefs is not there
 * or a format cannot be read; the sink is then as before. Source: strobe.data(5), "tracing_data";
 * Documentation/trace/events.rst.
 */
int tracing_data_encode(struct out *o, const struct collect_tracepoint *points, size_t n, struct err *e);

#endif
