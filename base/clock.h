#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the time of a clock in ns. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Return the time of the monotonic clock: for deadlines and durations. */
static inline uint64_t now_ns(void) { return clock_read_ns(CLOCK_MONOTONIC); }
static inline uint64_t now_ms(void) { return now_ns() / 1000000; }

#endif
