#ifndef REPORT_WAITS_CALLS_H
#define REPORT_WAITS_CALLS_H

#include "report/session/chain.h"
#include "report/tracepoint/wants.h"

/* One frame of a sample's call chain. */
struct call {
	const char *name; /* NULL: unknown; foreign text that lives as long as the session */
	uint64_t address;
	uint64_t offset; /* from the start of the function; 0 for inlined ones */
	uint32_t dso;    /* DSO_UNKNOWN: nothing is mapped there */
	bool kernel, inlined;
};

/* The frames of one sample, innermost first. Zeroed memory is empty. Use one per thread. */
struct calls {
	VEC(struct call);
	struct chain_buffer buffer;
};
/* Was a chain recorded, or a stack to unwind? */
bool calls_has_chain(const struct sample *sample);
/* Fill in at most `max` frames of `t`. Return their number. */
size_t calls_of(struct calls *f, struct session *s, const struct trace_event *t, size_t max, bool inlines);
/* "name+0x12"; the address where there is no name. */
void call_text(const struct call *c, struct out *o);
/* A line for each frame, as in `lock contention -v`. `kernel`: those of the kernel too. */
void calls_text(const struct calls *f, bool kernel, struct out *o);
void calls_release(struct calls *f);

#endif
