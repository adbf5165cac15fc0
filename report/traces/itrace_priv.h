#ifndef REPORT_TRACES_ITRACE_PRIV_H
#define REPORT_TRACES_ITRACE_PRIV_H

#include "base/mem.h"

struct err;

/* Which samples to make from a hardware trace. Zeroed memory: all kinds, without branch stacks. */
enum { ITRACE_KINDS_MOST = 64 };
struct itrace {
	char kinds[ITRACE_KINDS_MOST]; /* letters of sample kinds; empty: all */
	size_t n_kinds;
	uint64_t every; /* take every nth operation, of any kind; 0 = 1 */
	bool stacks;    /* with the branch of the operation, and the previous branch */
};
/* Parse the value of --itrace; "" is all kinds. Return -1 with e (status 129) if no trace that we decode has this. */
int itrace_parse(const char *text, struct itrace *to, struct err *e);
bool itrace_wants(const struct itrace *what, char kind);

#endif
