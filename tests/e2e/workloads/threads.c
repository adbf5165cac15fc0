/* Two threads with functions of known callers, one of them inlined at two places. */
#include <pthread.h>

static inline __attribute__((always_inline)) long inner(long n)
{
	volatile long s = 0;

	for (long i = 0; i < n; i++)
		s += i;
	return s;
}

__attribute__((noinline)) long leaf(long n) { return inner(n); }
__attribute__((noinline)) long middle(long n)
{
	long r = leaf(n) + 1;

	return r + inner(n / 3);
}

static void *work(void *unused)
{
	for (int i = 0; i < 600; i++)
		middle(100000);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, work, 0);
	for (int i = 0; i < 600; i++)
		leaf(150000);
	return pthread_join(thread, 0);
}
