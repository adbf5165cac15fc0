#ifndef TESTS_UNIT_STAT_MADE_H
#define TESTS_UNIT_STAT_MADE_H

/* A machine and counts of our own: two sockets of two cores of two CPUs, and one CPU number is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stat/print_table_priv.h"
#include "stat/table_priv.h"

enum { MADE_CPUS = 7 };
static const int made_cpus[MADE_CPUS] = { 0, 1, 2, 3, 4, 6, 7 }; /* 5 is offline */

static inline struct topology made_topology(void)
{
	struct topology t = { 0 };

	for (size_t i = 0; i < MADE_CPUS; i++) {
		int cpu = made_cpus[i];
		struct cpu_place p = { cpu,
				       cpu / 4,
				       0,
				       UNPLACED,
				       cpu / 2 % 2,
				       cpu / 4,
				       { UNPLACED, cpu / 2 * 2, cpu / 2 * 2, cpu / 4 * 4, UNPLACED } };

		vec_push(&t.cpus, p);
	}
	return t;
}

/* On every CPU: CPU n counts (n + 1) * `each` in 100 ns enabled, `running` of them on the hardware. */
static inline struct measured made_event(struct arena *a, const char *name, enum counter_kind kind, uint64_t each,
					 uint64_t running)
{
	struct measured m = { .name = name,
			      .unit = "",
			      .scale = 1,
			      .kind = kind,
			      .supported = true,
			      .n_cpus = MADE_CPUS,
			      .n_threads = 1,
			      .cpus = made_cpus };
	struct count *now = arena_alloc(a, MADE_CPUS * sizeof(*now));

	for (size_t i = 0; i < MADE_CPUS; i++)
		now[i] = (struct count){ ((uint64_t)made_cpus[i] + 1) * each, 100, running };
	m.now = now;
	m.before = arena_alloc(a, MADE_CPUS * sizeof(*m.before));
	if (kind == KIND_CLOCK) {
		m.unit = "msec";
		m.scale = 1e-6;
	}
	return m;
}

/* One counter for one task. */
static inline struct measured made_task(struct arena *a, const char *name, enum counter_kind kind, uint64_t value)
{
	static const int any[] = { -1 };
	struct measured m = made_event(a, name, kind, 0, 0);

	m.n_cpus = 1;
	m.cpus = any;
	m.now[0] = (struct count){ value, 1000, 1000 };
	return m;
}

#endif
