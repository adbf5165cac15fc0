#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/phases.h"

#define THREADS_MAX 64

struct job {
	atomic_size_t next;
	size_t n;
	void (*fn)(void *ctx, size_t item, unsigned worker);
	void *ctx;
	bool timed;
};

struct job_worker {
	struct job *job;
	unsigned number;
	pthread_t thread;
	uint64_t cpu_ns, longest_ns; /* of all its items; of the longest one */
};

static void do_item(struct job_worker *w, size_t item)
{
	uint64_t start = w->job->timed ? phases_thread_ns() : 0, took;

	w->job->fn(w->job->ctx, item, w->number);
	if (!w->job->timed)
		return;
	took = phases_thread_ns() - start;
	w->cpu_ns += took;
	w->longest_ns = MAX(w->longest_ns, took);
}

static void *work(void *arg)
{
	struct job_worker *w = arg;
	struct job *job = w->job;
	size_t item;

	while ((item = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->n)
		do_item(w, item);
	return NULL;
}

/*
 * If there is one item per thread, each item is a share of the work: with more threads, it gets
 * smaller.
 */
static void count_time(const struct job_worker *workers, unsigned n, bool shares)
{
	uint64_t all = 0, longest = 0;

	for (unsigned i = 0; i < n; i++) {
		all += workers[i].cpu_ns;
		longest = MAX(longest, workers[i].longest_ns);
	}
	phases_shared(workers[0].cpu_ns, all, shares ? 0 : longest, n);
}

void parallel_for(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker), void *ctx)
{
	struct job job = { .n = n, .fn = fn, .ctx = ctx, .timed = phases_on() };
	struct job_worker workers[THREADS_MAX];
	unsigned started = 1, last;
	bool shares = n == threads;

	if (job.timed)
		phases_share();
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	if (threads > n)
		threads = (unsigned)n;
	for (; started < threads; started++) {
		workers[started] = (struct job_worker){ .job = &job, .number = started };
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
			break;
	}
	/* The caller works too, as worker 0. */
	workers[0] = (struct job_worker){ .job = &job };
	work(&workers[0]);
	for (last = started; --last;)
		pthread_join(workers[last].thread, NULL);
	if (job.timed)
		count_time(workers, started, shares);
}

unsigned parallel_threads(void)
{
	const char *text = getenv("STROBE_THREADS");
	cpu_set_t set;
	long n;

	if (text && *text) {
		char *end;

		n = strtol(text, &end, 10);
		if (!*end && n > 0)
			return n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
	}
	/* The call fails on machines with more CPUs than the set has bits. */
	n = sched_getaffinity(0, sizeof(set), &set) < 0 ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}
