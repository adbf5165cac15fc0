#ifndef CMD_TRACE_SELECTION_PRIV_H
#define CMD_TRACE_SELECTION_PRIV_H

#include "base/opt.h"
#include "report/trace/trace.h"

/*
 * The selection of -e and --filter: system calls by name, glob or group, and other events. Zeroed memory selects
 * nothing, which means all calls.
 */
struct selection {
	bool any;                       /* -e has a call */
	bool calls[SYSCALLS_MOST];      /* these */
	struct opt_list events;         /* other events and their filters, in record's form */
	VEC(struct trace_limit) limits; /* from the term nr= of events */
	struct arena arena;
};

/* A mark in the list of words: the next word is a filter. */
extern const char selection_is_filter[];

/* Parse `words`: those of -e, and filters after their mark. -1 with e: they make no sense. */
int selection_make(struct selection *s, const struct opt_list *words, const struct syscall_names *names, struct err *e);
/* Return a kernel filter: "id == 0 || id == 1", in the arena; NULL: all calls. */
const char *selection_kernel_filter(struct selection *s, const struct syscall_names *names);
void selection_release(struct selection *s);

#endif
