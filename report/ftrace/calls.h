#ifndef REPORT_FTRACE_CALLS_H
#define REPORT_FTRACE_CALLS_H

#include "report/ftrace/meta.h"

/* Return a number that identifies the task of an entry: each CPU has an idle task, and all of them have pid 0. */
uint64_t ftrace_task_key(const struct ftrace_event *ev);

/*
 * Whole calls of functions, from the entries of the graph tracer. A return has its own duration;
 * subtract the calls in between to get the time in the function itself.
 */
enum { CALL_DEPTH_MAX = 64 };
struct ftrace_call {
	uint64_t func;
	uint64_t total_ns, self_ns;
	int32_t pid;
	/* the functions of the task, outermost first; the last one is the call itself */
	uint64_t path[CALL_DEPTH_MAX];
	unsigned depth;
};
struct ftrace_calls;
struct ftrace_calls *ftrace_calls_new(struct ftrace_meta *m);
void ftrace_calls_free(struct ftrace_calls *c);
/* Take an entry. Return true with `call` if it is a return. */
bool ftrace_calls_add(struct ftrace_calls *c, const struct ftrace_event *ev, struct ftrace_call *call);

/* Sums by function, as profile prints them. */
struct ftrace_sum {
	uint32_t name; /* of ftrace_names_text */
	uint64_t count, total_ns, self_ns, max_ns;
};
struct ftrace_sums {
	VEC(struct ftrace_sum) items;
	struct u64map by_name;
};
void ftrace_sums_add(struct ftrace_sums *s, struct ftrace_meta *m, const struct ftrace_call *call);
/* Sort by total, self, avg, max or count, highest first, or by name. -1 with e: the key is unknown. */
int ftrace_sums_sort(struct ftrace_sums *s, const struct ftrace_meta *m, const char *key, struct err *e);
void ftrace_sums_print(const struct ftrace_sums *s, const struct ftrace_meta *m, bool self, struct out *o);
void ftrace_sums_release(struct ftrace_sums *s);

/* Call stacks; the weight is the self time of the innermost function in ns. */
struct stacks;
void ftrace_stacks_add(struct stacks *st, struct ftrace_meta *m, const struct ftrace_call *call);

#endif
