/* spin SECONDS, or until it had an eighth of that CPU time: outer -> middle -> leaf; most in leaf, little in middle. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline)) static void middle(unsigned long n)
{
	leaf(n);
	for (unsigned long i = 0; i < n / 8; i++)
		sink ^= i;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void outer(double seconds)
{
	double start = now(CLOCK_MONOTONIC);

	do
		middle(100000);
	while (now(CLOCK_MONOTONIC) - start < seconds || now(CLOCK_PROCESS_CPUTIME_ID) < seconds / 8);
}

int main(int argc, char **argv)
{
	outer(argc > 1 ? atof(argv[1]) : 0.3);
	return argc > 2 ? atoi(argv[2]) : 0;
}
