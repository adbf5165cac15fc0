#ifndef REPORT_TRACES_ITRACE_H
#define REPORT_TRACES_ITRACE_H

#include "base/mem.h"

struct err;

/* Which samples to make of a hardware trace. Zeroed memory: all kinds, without branch stacks. */
enum { ITRACE_KINDS_MOST = 64 };
struct itrace {
	char kinds[ITRACE_KINDS_MOST]; /* letters of kinds of samples; none: all */
	size_t n_kinds;
	uint64_t every; /* take each so many-th operation, whatever its kind; 0 = 1 */
	bool stacks;    /* with the branch of the operation, and the one before */
};
/* Parse the value of --itrace; "" is all kinds. -1 with e (status 129) for what no trace that is decoded has. */
int itrace_parse(const char *text, struct itrace *to, struct err *e);
bool itrace_wants(const struct itrace *what, char kind);

#endif
