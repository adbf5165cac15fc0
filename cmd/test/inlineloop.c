/*
 * The workload `inlineloop`: a function with two inlined ones in it. Scripts know the lines: the inlined ones' code is
 * on lines 20 to 29 and that of the function around them on lines 30 to 39.
 */
#include "cmd/test/workloads_priv.h"

#define INLINED static inline __attribute__((always_inline))

static volatile unsigned rounds;

/*
 * The innermost one has the loop, so that nearly all
 * samples are in it. It is part of the second one,
 * which is part of the function; no call is left of
 * either, and debug information alone knows them.
 * (Add no line above.)
 */
INLINED void innermost(void)
{
	while (!stop_requested)
		rounds++;
}

INLINED void between(void)
{
	rounds = 0;
	innermost();
}

/* clang-format off */
void inlineloop(void)
{
	between();	/* on a line of its own */
}
/* clang-format on */

int workload_inlineloop(const struct workload_args *args, struct err *e)
{
	if (workload_run_for(args->number[0], e) < 0)
		return -1;
	inlineloop();
	return 0;
}
