/* Deep stacks: recursion, a callback of libc, exceptions, a signal handler, a thread, the vdso. All spin in spin_*. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile long sink;

#define SPINNER(name) extern "C" __attribute__((noinline)) void name(long n) { for (long i = 0; i < n; i++) sink += i; }
SPINNER(spin_deep)
SPINNER(spin_callback)
SPINNER(spin_caught)
SPINNER(spin_signal)
SPINNER(spin_thread)
SPINNER(spin_wide)

extern "C" __attribute__((noinline)) int descend(int depth)
{
	volatile char pad[24];

	pad[0] = (char)depth;
	if (depth)
		return descend(depth - 1) + pad[0];
	spin_deep(200000);
	return pad[0];
}

static int compare(const void *a, const void *b)
{
	spin_callback(1500);
	return *(const int *)a - *(const int *)b;
}

extern "C" __attribute__((noinline)) void sort_some()
{
	int v[64];

	for (int i = 0; i < 64; i++)
		v[i] = i * 7 % 64;
	qsort(v, 64, sizeof(v[0]), compare);
	sink += v[3];
}

extern "C" __attribute__((noinline)) int throw_below(int depth)
{
	volatile int n = depth;

	if (!depth)
		throw 1;
	return throw_below(depth - 1) + n;
}

extern "C" __attribute__((noinline)) void catch_above()
{
	try {
		sink += throw_below(10);
	} catch (int) {
		spin_caught(200000);
	}
}

extern "C" __attribute__((noinline)) void wide(int n)
{
	char *a = (char *)__builtin_alloca(n);

	memset(a, n, n);
	sink += a[n / 2];
	spin_wide(200000);
	sink += a[0];
}

static void on_signal(int)
{
	spin_signal(2000000);
}

static void *in_thread(void *)
{
	for (int i = 0; i < 300; i++)
		spin_thread(200000);
	return nullptr;
}

int main()
{
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } };
	pthread_t t;

	signal(SIGPROF, on_signal);
	setitimer(ITIMER_PROF, &often, nullptr);
	pthread_create(&t, nullptr, in_thread, nullptr);
	/* Rounds enough for tens of samples in each. */
	for (int i = 0; i < 180; i++) {
		struct timespec ts;

		descend(60);
		sort_some();
		catch_above();
		wide(900 + i);
		for (int j = 0; j < 6000; j++)
			clock_gettime(CLOCK_MONOTONIC, &ts);
	}
	pthread_join(t, nullptr);
	return 0;
}
