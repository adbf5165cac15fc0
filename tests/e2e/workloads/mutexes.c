/* One thread after the other holds a lock for a known time (10 times 8 ms) while another one wants it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

pthread_mutex_t held_by_slow = PTHREAD_MUTEX_INITIALIZER, of_heirs;
static pthread_mutex_t *on_heap;
static pthread_barrier_t start;
enum { TIMES = 10, HOLD_MS = 8 };

__attribute__((noinline)) static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}
__attribute__((noinline)) static void hold(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	pthread_barrier_wait(&start);
	sleep_ms(HOLD_MS);
	pthread_mutex_unlock(m);
	pthread_barrier_wait(&start);
}
__attribute__((noinline)) static void want(pthread_mutex_t *m)
{
	pthread_barrier_wait(&start);
	pthread_mutex_lock(m);
	pthread_mutex_unlock(m);
	pthread_barrier_wait(&start);
}
static void *holder(void *m)
{
	pthread_setname_np(pthread_self(), "holder");
	for (int i = 0; i < TIMES; i++)
		hold(m);
	return NULL;
}
static void *waiter(void *m)
{
	pthread_setname_np(pthread_self(), "waiter");
	for (int i = 0; i < TIMES; i++)
		want(m);
	return NULL;
}
static void play(pthread_mutex_t *m)
{
	pthread_t a, b;

	pthread_barrier_init(&start, NULL, 2);
	pthread_create(&a, NULL, holder, m);
	pthread_create(&b, NULL, waiter, m);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
int main(void)
{
	pthread_mutexattr_t heirs;

	pthread_mutexattr_init(&heirs);
	pthread_mutexattr_setprotocol(&heirs, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&of_heirs, &heirs);
	on_heap = calloc(1, sizeof(*on_heap));
	play(&held_by_slow);
	play(&of_heirs);
	play(on_heap);
	return 0;
}
