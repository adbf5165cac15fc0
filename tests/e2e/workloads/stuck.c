/*
 * Threads that stand still in known stacks, each of which computes at its end for ever: a recursion, a callback of the
 * C library, frames of a size known only then, a handler of a signal. Once all of them are there, it prints a line.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long sink;
static int arrived;

__attribute__((noinline)) static void stay(void)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	for (;;)
		sink++;
}

__attribute__((noinline)) static int descend(int depth)
{
	volatile char pad[40];

	pad[depth % 40] = (char)depth;
	if (!depth)
		stay();
	return depth ? descend(depth - 1) + pad[depth % 40] : 0;
}

static void *in_recursion(void *unused)
{
	sink += descend(200);
	return unused;
}

static int compare(const void *a, const void *b)
{
	stay();
	return *(const int *)a - *(const int *)b;
}

static void *in_callback(void *unused)
{
	int v[] = { 3, 1, 2 };

	qsort(v, 3, sizeof(*v), compare);
	sink += v[0];
	return unused;
}

__attribute__((noinline)) static int widen(int n)
{
	char *room = alloca((size_t)n * 100);

	memset(room, n, (size_t)n * 100);
	if (n > 5)
		stay();
	return widen(n + 1) + room[n];
}

static void *in_wide_frames(void *unused)
{
	sink += widen(1);
	return unused;
}

static void on_signal(int n)
{
	stay();
	sink += n;
}

static void *in_handler(void *unused)
{
	sink += raise(SIGUSR1);
	return unused;
}

int main(void)
{
	void *(*const ways[])(void *) = { in_recursion, in_callback, in_wide_frames, in_handler };
	enum { WAYS = sizeof(ways) / sizeof(*ways) };
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < WAYS; i++)
		if (pthread_create(&thread, NULL, ways[i], NULL))
			return 1;
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < WAYS)
		usleep(1000);
	puts("all are there");
	fflush(stdout);
	pause();
	return 0;
}
