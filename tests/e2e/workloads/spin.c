/* spin SECONDS: burns CPU through outer -> middle -> leaf; leaf gets most of it, middle a little. */
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

__attribute__((noinline)) static void outer(double seconds)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		middle(100000);
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
}

int main(int argc, char **argv)
{
	outer(argc > 1 ? atof(argv[1]) : 0.3);
	return argc > 2 ? atoi(argv[2]) : 0;
}
