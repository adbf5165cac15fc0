/*
 * Threads that wait for known times: for a lock (150 ms), a pipe (300 ms), a child (100 ms). On a busy machine these
 * differ: it prints how long it waited for the lock and for the pipe, in ns.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each stands in stacks under its own name. */
#define OWN      __attribute__((noinline))
#define KEEP_OWN __asm__ volatile("")

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fds[2];
static long long for_lock, for_pipe;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

OWN static void nap(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
	KEEP_OWN;
}

OWN void hold_lock(void)
{
	pthread_mutex_lock(&lock);
	nap(200);
	pthread_mutex_unlock(&lock);
	KEEP_OWN;
}

OWN void want_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	KEEP_OWN;
}

OWN void write_late(void)
{
	nap(300);
	if (write(fds[1], "x", 1) != 1)
		abort();
	KEEP_OWN;
}

OWN void read_early(void)
{
	char c;

	if (read(fds[0], &c, 1) != 1)
		abort();
	KEEP_OWN;
}

static void *holder(void *none)
{
	pthread_setname_np(pthread_self(), "holder");
	hold_lock();
	return none;
}

static void *wanter(void *none)
{
	pthread_setname_np(pthread_self(), "wanter");
	nap(50);
	for_lock = -now();
	want_lock();
	for_lock += now();
	return none;
}

static void *writer(void *none)
{
	pthread_setname_np(pthread_self(), "writer");
	write_late();
	return none;
}

static void *reader(void *none)
{
	pthread_setname_np(pthread_self(), "reader");
	for_pipe = -now();
	read_early();
	for_pipe += now();
	return none;
}

int main(void)
{
	void *(*const parts[])(void *) = { holder, wanter, reader, writer };
	pthread_t threads[4];
	pid_t child;

	if (pipe(fds))
		return 1;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (!child) {
		nap(100);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	printf("%lld %lld\n", for_lock, for_pipe);
	return 0;
}
