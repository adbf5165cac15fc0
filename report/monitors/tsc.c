/* Measure the rate of the CPU's time stamp counter. While a CPU does not halt, ref-cycles have the same rate. */
#include "report/monitors/monitor.h"

#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>

#include "base/clock.h"

enum { TRIES = 8, APART_NS = 5000000 };

struct instant {
	uint64_t ns, tsc;
};

/* Read both clocks at the same time: use the shortest of several tries, which was not interrupted. */
static struct instant read_both(void)
{
	struct instant best = { 0 };
	uint64_t shortest = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = clock_read_ns(CLOCK_MONOTONIC_RAW), tsc = __rdtsc(),
			 took = clock_read_ns(CLOCK_MONOTONIC_RAW) - before;

		if (took >= shortest)
			continue;
		shortest = took;
		best = (struct instant){ before + took / 2, tsc };
	}
	return best;
}

uint64_t monitor_tsc_hz(void)
{
	struct instant begin = read_both(), end;

	nanosleep(&(struct timespec){ .tv_nsec = APART_NS }, NULL);
	end = read_both();
	if (end.ns <= begin.ns || end.tsc <= begin.tsc)
		return 0;
	return (uint64_t)((double)(end.tsc - begin.tsc) * 1e9 / (double)(end.ns - begin.ns));
}
#else
uint64_t monitor_tsc_hz(void) { return 0; }
#endif
