/* Write in a thread: copy what the caller passes, so that it need not wait for a slow disk. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "format/writer/writer_priv.h"

enum { SLOTS = 64 };

struct async {
	struct writer *w;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t room, waiting;  /* bytes that may wait, bytes that wait now */
	struct out slots[SLOTS]; /* [first, first + n) wait; each holds whole records */
	uint64_t mark_at[SLOTS]; /* position of the mark at each slot's end; 0 = none */
	size_t first, n;
	bool stop, failed;
	struct err e; /* valid if failed */
};

/* Write the oldest slot. The caller holds the lock; it is released during the write. */
static void write_slot(struct async *a)
{
	struct out *slot = &a->slots[a->first];
	struct iovec iov = { slot->buf, slot->len };
	uint64_t mark_at = a->mark_at[a->first];
	struct err e = { 0 };
	int result;

	pthread_mutex_unlock(&a->lock);
	result = writer_put(a->w, &iov, 1, &e);
	if (!result && mark_at)
		result = writer_state(a->w, mark_at, &e);
	pthread_mutex_lock(&a->lock);
	a->waiting -= slot->len;
	a->first = (a->first + 1) % SLOTS;
	a->n--;
	if (result < 0) {
		a->failed = true;
		a->e = e;
		a->n = 0; /* behind a gap nothing can be read */
	}
	pthread_cond_broadcast(&a->changed);
}

static void *run(void *arg)
{
	struct async *a = arg;

	pthread_mutex_lock(&a->lock);
	while (a->n || !a->stop) {
		if (a->n)
			write_slot(a);
		else
			pthread_cond_wait(&a->changed, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

struct async *async_start(struct writer *w, uint64_t room, struct err *e)
{
	struct async *a = xcalloc(1, sizeof(*a));
	sigset_t all, before;
	int sys;

	a->w = w;
	a->room = room;
	for (size_t i = 0; i < SLOTS; i++)
		out_init_mem(&a->slots[i]);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	sigfillset(&all); /* let the waiting thread get the signals */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sys = pthread_create(&a->thread, NULL, run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!sys)
		return a;
	free(a);
	errno = sys;
	err_sys(e, "cannot start a thread that writes");
	return NULL;
}

int async_put(struct async *a, const struct iovec *iov, int n, uint64_t mark_at, struct err *e)
{
	struct out *slot;
	uint64_t len = 0;
	bool failed;

	for (int i = 0; i < n; i++)
		len += iov[i].iov_len;
	pthread_mutex_lock(&a->lock);
	while (!a->failed && a->n && (a->n == SLOTS || a->waiting + len > a->room))
		pthread_cond_wait(&a->changed, &a->lock);
	failed = a->failed;
	slot = &a->slots[(a->first + a->n) % SLOTS]; /* ours until n counts it */
	pthread_mutex_unlock(&a->lock);
	if (failed) {
		*e = a->e;
		return -1;
	}
	slot->len = 0;
	for (int i = 0; i < n; i++)
		out_mem(slot, iov[i].iov_base, iov[i].iov_len);
	pthread_mutex_lock(&a->lock);
	a->mark_at[(a->first + a->n) % SLOTS] = mark_at;
	a->n += !a->failed;
	a->waiting += len;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return 0;
}

int async_stop(struct async *a, struct err *e)
{
	int result;

	if (!a)
		return 0;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	result = a->failed ? -1 : 0;
	if (a->failed && e)
		*e = a->e;
	for (size_t i = 0; i < SLOTS; i++)
		out_release(&a->slots[i]);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
	return result;
}
