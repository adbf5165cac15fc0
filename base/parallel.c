#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX 64

struct job {
	atomic_size_t next;
	size_t n;
	void (*fn)(void *ctx, size_t item, unsigned worker);
	void *ctx;
};

struct job_worker {
	struct job *job;
	unsigned number;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct job_worker *w = arg;
	struct job *job = w->job;
	size_t item;

	while ((item = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->n)
		job->fn(job->ctx, item, w->number);
	return NULL;
}

void parallel_for(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker), void *ctx)
{
	struct job job = { .n = n, .fn = fn, .ctx = ctx };
	struct job_worker workers[THREADS_MAX];
	unsigned started = 1;

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
	while (--started)
		pthread_join(workers[started].thread, NULL);
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
