#ifndef PROBE_TRACEFS_H
#define PROBE_TRACEFS_H

#include "base/err.h"
#include "base/mem.h"

/*
 * The probes that the kernel has: kprobe_events and uprobe_events in tracefs.
 * Source: Documentation/trace/kprobetrace.rst and uprobetracer.rst of the kernel.
 */
struct trace_arg {
	const char *name, *fetch;
}; /* name "" = none was given; fetch with its type */
struct trace_probe {
	const char *group, *event;
	const char *path;            /* user: the file; kernel: NULL */
	const char *module, *symbol; /* kernel; NULL = none. Without a symbol `offset` is an address */
	uint64_t offset;             /* in the file; from the symbol */
	uint64_t reference;          /* offset of the reference counter of a marker, 0 = none */
	bool is_return;
	VEC(struct trace_arg) args;
};

struct trace_probes {
	VEC(struct trace_probe) v; /* in the kernel's order, kernel probes first */
	struct arena arena;
};

/* One line as the kernel lists it or takes it. -1 when it is none. Foreign text: nothing is believed. */
int trace_probe_parse(struct trace_probe *p, const char *line, bool user, struct arena *arena, struct err *e);
/* The line that makes it, as "p:group/event place args"; malloc'd. */
char *trace_probe_format(const struct trace_probe *p);
void trace_probe_release(struct trace_probe *p);

/* All probes there are. A kernel without one of the two kinds has none of it; -1 when it has neither or they cannot be
 * read. */
int trace_probes_read(struct trace_probes *l, struct err *e);
void trace_probes_release(struct trace_probes *l);
const struct trace_probe *trace_probes_find(const struct trace_probes *l, const char *group, const char *event);

/*
 * Define one. On refusal e tells what the kernel said in error_log with its caret; exit_code as perf's. A group of that
 * name and an event appended to another of the same name are the kernel's business.
 */
int trace_probe_add(const struct trace_probe *p, struct err *e);
/* Remove by name. ENOENT and EBUSY (in use) are told. */
int trace_probe_remove(const char *group, const char *event, bool user, struct err *e);

/* What this kernel takes, from tracefs' README; once. */
struct trace_abilities {
	bool ustring, hex, immediate, symstr, user_memory, btf, reference;
};
const struct trace_abilities *trace_abilities(void);
/* For tests and the fuzzer. */
void trace_abilities_parse(struct trace_abilities *a, const char *readme);

#endif
