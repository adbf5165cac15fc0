#ifndef PROBE_TRACEFS_H
#define PROBE_TRACEFS_H

#include "base/err.h"
#include "base/mem.h"

/*
 * The kernel's probes: kprobe_events and uprobe_events in tracefs. Source:
 * Documentation/trace/kprobetrace.rst and uprobetracer.rst of the kernel.
 */
struct trace_arg {
	const char *name;  /* "": none was given */
	const char *fetch; /* with its type */
};
struct trace_probe {
	const char *group, *event;
	const char *path;            /* user: the file; kernel: NULL */
	const char *module, *symbol; /* kernel; NULL = none. Without a symbol `offset` is an address */
	uint64_t offset;             /* in the file, or from the symbol */
	uint64_t reference;          /* file offset of a marker's reference counter, 0 = none */
	bool is_return;
	VEC(struct trace_arg) args;
};

struct trace_probes {
	VEC(struct trace_probe) v; /* in the kernel's order, kernel probes first */
	struct arena arena;
};

/*
 * Parse one line in the kernel's format. Return -1 if it is not valid. The text is foreign: check
 * everything.
 */
int trace_probe_parse(struct trace_probe *p, const char *line, bool user, struct arena *arena, struct err *e);
/* Return the line that defines it, "p:group/event place args"; the caller frees it. */
char *trace_probe_format(const struct trace_probe *p);
void trace_probe_release(struct trace_probe *p);

/*
 * Read all probes. A kernel may lack one of the two kinds. Return -1 when it lacks both or they
 * cannot be read.
 */
int trace_probes_read(struct trace_probes *l, struct err *e);
void trace_probes_release(struct trace_probes *l);
const struct trace_probe *trace_probes_find(const struct trace_probes *l, const char *group, const char *event);

/*
 * Define a probe. If the kernel refuses, e has its message from error_log with the caret, and
 * exit_code is perf's. The kernel itself handles an existing group, or a second probe with an
 * event's name.
 */
int trace_probe_add(const struct trace_probe *p, struct err *e);
/* Remove a probe by name. Return -1 with e->sys, for example ENOENT, or EBUSY while a recording uses it. */
int trace_probe_remove(const char *group, const char *event, bool user, struct err *e);

/* Features of this kernel, from tracefs' README; read once. */
struct trace_abilities {
	bool ustring, hex, immediate, symstr, user_memory, btf, reference;
};
const struct trace_abilities *trace_abilities(void);
/* For tests and the fuzzer. */
void trace_abilities_parse(struct trace_abilities *a, const char *readme);

#endif
