#ifndef CMD_TRACE_SELECTION_H
#define CMD_TRACE_SELECTION_H

#include "base/opt.h"
#include "report/trace/trace.h"

/*
 * What -e and --filter ask for: system calls by name, glob or group, and other events. Zeroed memory asks for nothing,
 * which means all calls.
 */
struct selection {
	bool any;                       /* a call was named */
	bool calls[SYSCALLS_MOST];      /* these */
	struct opt_list events;         /* other events and their filters, as record takes them */
	VEC(struct trace_limit) limits; /* from the term nr= of events */
	struct arena arena;
};

/* In the list of words: the next one is a filter. */
extern const char selection_is_filter[];

/* `words`: those of -e, and filters behind their mark. -1 with e when they make no sense. */
int selection_make(struct selection *s, const struct opt_list *words, const struct syscall_names *names, struct err *e);
/* "id == 0 || id == 1", in the arena; NULL: all calls. */
const char *selection_kernel_filter(struct selection *s, const struct syscall_names *names);
void selection_release(struct selection *s);

#endif
