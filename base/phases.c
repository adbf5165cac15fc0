#include "base/clock.h"
#include "base/phases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { PHASES_MAX = 32 };

static struct clock {
	bool on;
	pthread_t thread;
	struct phase_times phases[PHASES_MAX];
	unsigned n, now, depth;           /* depth: how many parallel jobs of this thread are nested */
	uint64_t wall_ns, cpu_ns;         /* when the current phase began or continued */
	uint64_t own_shared_ns;           /* CPU time of this thread in parallel jobs since then */
	_Atomic uint64_t ordered, nested; /* CPU time since the last parallel job */
} clock_of;

uint64_t phases_thread_ns(void) { return clock_read_ns(CLOCK_THREAD_CPUTIME_ID); }

bool phases_on(void) { return clock_of.on; }

static bool is_mine(void) { return clock_of.on && pthread_equal(clock_of.thread, pthread_self()); }

/*
 * Return the number of the phase with this name. If the table is full, the last phase takes the
 * time.
 */
static unsigned number_of(const char *name)
{
	for (unsigned i = 0; i < clock_of.n; i++)
		if (!strcmp(clock_of.phases[i].name, name))
			return i;
	if (clock_of.n < PHASES_MAX)
		clock_of.phases[clock_of.n++] = (struct phase_times){ .name = name, .threads = 1 };
	return clock_of.n - 1;
}

/* Add the time since the current phase began to that phase. */
static void settle(void)
{
	struct phase_times *p = &clock_of.phases[clock_of.now];
	uint64_t wall = now_ns(), cpu = phases_thread_ns();

	p->wall_ns += wall - clock_of.wall_ns;
	p->serial_ns += cpu - clock_of.cpu_ns - clock_of.own_shared_ns;
	p->shared_ns += atomic_exchange(&clock_of.nested, 0);
	clock_of.wall_ns = wall;
	clock_of.cpu_ns = cpu;
	clock_of.own_shared_ns = 0;
}

void phases_start(void)
{
	uint64_t spent = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

	clock_of.on = true;
	clock_of.thread = pthread_self();
	clock_of.phases[number_of("load")] =
		(struct phase_times){ .name = "load", .wall_ns = spent, .serial_ns = spent, .threads = 1 };
	clock_of.now = number_of("start");
	clock_of.wall_ns = now_ns();
	clock_of.cpu_ns = phases_thread_ns();
}

const char *phase(const char *name)
{
	const char *before;

	if (!is_mine())
		return name;
	before = clock_of.phases[clock_of.now].name;
	settle();
	clock_of.now = number_of(name);
	return before;
}

void phases_share(void)
{
	if (is_mine())
		clock_of.depth++;
}

void phases_shared(uint64_t own_ns, uint64_t all_ns, uint64_t longest_ns, unsigned threads)
{
	struct phase_times *p;
	uint64_t ordered;

	if (!is_mine() || --clock_of.depth) { /* a nested job: the outer job counts the caller's own part */
		atomic_fetch_add(&clock_of.nested, all_ns - own_ns);
		return;
	}
	p = &clock_of.phases[clock_of.now]; /* only the thread of the clock may ask for the current phase */
	ordered = atomic_exchange(&clock_of.ordered, 0);
	ordered = MIN(ordered, all_ns);
	clock_of.own_shared_ns += own_ns;
	p->serial_ns += ordered;
	p->shared_ns += all_ns - ordered;
	p->longest_ns += MIN(longest_ns, all_ns - ordered);
	p->threads = MAX(p->threads, threads);
}

void phases_ordered(uint64_t ns) { atomic_fetch_add(&clock_of.ordered, ns); }

/* ---- the answer ---- */

double phases_predict(const struct phase_times *times, unsigned n, unsigned cores)
{
	double sum = 0, share = 1.0 / cores;

	for (unsigned i = 0; i < n; i++)
		sum += (double)times[i].serial_ns + share * (double)times[i].shared_ns +
		       (1 - share) * (double)times[i].longest_ns;
	return sum;
}

static void print_times(const struct phase_times *p, struct out *o)
{
	out_fmt(o, "%-14s %9.2f %10.2f %12.2f %11.2f %8u\n", p->name, (double)p->wall_ns / 1e6,
		(double)p->serial_ns / 1e6, (double)p->shared_ns / 1e6, (double)p->longest_ns / 1e6, p->threads);
}

void phases_print(struct out *o)
{
	struct phase_times all = { .name = "all", .threads = 1 };
	uint64_t spent;
	double cpu;

	settle();
	out_fmt(o, "%-14s %9s %10s %12s %11s %8s\n", "phase", "wall ms", "serial ms", "parallel ms", "longest ms",
		"threads");
	for (unsigned i = 0; i < clock_of.n; i++) {
		const struct phase_times *p = &clock_of.phases[i];

		print_times(p, o);
		all.wall_ns += p->wall_ns;
		all.serial_ns += p->serial_ns;
		all.shared_ns += p->shared_ns;
		all.longest_ns += p->longest_ns;
		all.threads = MAX(all.threads, p->threads);
	}
	print_times(&all, o);
	spent = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	cpu = (double)(all.serial_ns + all.shared_ns);
	if (spent > all.serial_ns + all.shared_ns)
		out_fmt(o, "threads that run beside the phases: %.2f ms\n", ((double)spent - cpu) / 1e6);
	out_fmt(o, "serial: %.1f %%; faster than one core: %.1f times on 16 cores, %.1f times on 64\n",
		100 * (double)all.serial_ns / cpu, cpu / phases_predict(&all, 1, 16),
		cpu / phases_predict(&all, 1, 64));
}
