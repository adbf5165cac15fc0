#ifndef REPORT_WAITS_CALLS_H
#define REPORT_WAITS_CALLS_H

#include "report/session/chain.h"
#include "report/tracepoint/wants.h"

/* One frame of a sample's call chain. */
struct call {
	const char *name; /* NULL: unknown; foreign text that lives as long as the session */
	uint64_t address;
	uint64_t offset; /* from the start of the function; 0 for inlined ones */
	uint32_t dso;    /* DSO_UNKNOWN: the address is not mapped */
	bool kernel, inlined;
};

/* The frames of one sample, innermost first. Zeroed memory is empty. Use one per thread. */
struct calls {
	VEC(struct call);
	struct chain_buffer buffer;
};
/* Does the sample have a chain, or a stack to unwind? */
bool calls_has_chain(const struct sample *sample);
/* Fill in at most `max` frames of `t`. Return their number. */
size_t calls_of(struct calls *f, struct session *s, const struct trace_event *t, size_t max, bool inlines);
/* Print "name+0x12", or the address if there is no name. */
void call_text(const struct call *c, struct out *o);
/* Print a line for each frame, as in `lock contention -v`. `kernel`: also print kernel frames. */
void calls_text(const struct calls *f, bool kernel, struct out *o);
void calls_release(struct calls *f);

#endif
