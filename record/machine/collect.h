#ifndef RECORD_MACHINE_COLLECT_H
#define RECORD_MACHINE_COLLECT_H

#include "format/features.h"

/* What the machine does not know: the command line and recording options. */
struct collect_opts {
	int argc;
	char *const *argv; /* main's argv; element 0 is replaced by the path of the running program */
	bool branch_stack; /* samples hold branch stacks */
	bool use_clockid;  /* times come from `clockid` (CLOCK_*) instead of the kernel's own clock */
	int clockid;
	const char *root; /* prefix for /proc and /sys, for tests; NULL = none */
};

/*
 * Describe this machine in `f` (zeroed by the caller): names, CPUs, memory, topology, caches,
 * PMUs and their capabilities, clocks, command line. Facts that are not available are left out:
 * the bit stays clear, and nothing fails. Texts and arrays are in `a`, which also becomes
 * f->arena. The recorder adds what only it knows: build-ids, first and last time, tracing data.
 * The writer adds groups, event descriptions and compression. Sources: proc(5), sysfs(5),
 * Documentation/ABI/testing/sysfs-devices-system-cpu; cpuid(4).
 */
void collect_features(struct features *f, struct arena *a, const struct collect_opts *opts);

struct collect_tracepoint {
	const char *system, *name;
};
/*
 * Append the tracing_data blob of these tracepoints (any order, repeats allowed) to the memory
 * sink: their format files, the headers of the ring buffer, printk formats and the kernel's
 * list of thread names. Return -1 with e when tracefs is missing or a format cannot be read;
 * the sink is then unchanged. Source: strobe.data(5), "tracing_data";
 * Documentation/trace/events.rst.
 */
int tracing_data_encode(struct out *o, const struct collect_tracepoint *points, size_t n, struct err *e);
/*
 * The same with more: the formats of the tracers' own events (functions, stacks), the kernel's symbols.
 * The version is "0.6" in a perf.data, "6" in a trace.dat, whose head has the same form.
 */
struct tracing_parts {
	const char *version;
	bool own_formats, kallsyms;
};
int tracing_data_encode_parts(struct out *o, const struct collect_tracepoint *points, size_t n,
			      const struct tracing_parts *parts, struct err *e);

#endif
