/* A recording for a reader in this process. */
#include "record/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/signal.h"
#include "record/session/recorder_priv.h"

struct recording {
	struct recorder r; /* used by the thread */
	struct record_opts opts;
	unsigned look_ms;
	sigset_t signals; /* the caller's mask, which its command inherits */
	pthread_t thread;
	int stop_fd; /* readable when the thread shall end */
	atomic_bool stop;

	pthread_mutex_t lock; /* guards the members up to `result` */
	pthread_cond_t changed;
	struct out coming; /* written, but not taken yet */
	size_t most;
	bool opened, ended;
	int status;
	struct err why; /* with status -1 */
	struct record_result result;

	VEC(char *) cgroups; /* of each event; constant when the recording is open */
	struct out taken;    /* used by the reader */
	size_t at;
};

/* ---- the thread ---- */

static int put(void *of, const struct iovec *iov, int n, struct err *e)
{
	struct recording *l = of;

	pthread_mutex_lock(&l->lock);
	while (l->coming.len > l->most && !l->stop)
		pthread_cond_wait(&l->changed, &l->lock);
	for (int i = 0; i < n && !l->stop; i++)
		out_mem(&l->coming, iov[i].iov_base, iov[i].iov_len);
	l->opened = true; /* when recording a command: it runs */
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return 0;
}

static void tell_opened(struct recording *l)
{
	pthread_mutex_lock(&l->lock);
	l->opened = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

static void note_cgroups(struct recording *l)
{
	for (size_t i = 0; l->r.events.n_cgroups && i < l->r.events.events.len; i++) {
		const char *name = l->r.events.events.items[i].cgroup;

		vec_push(&l->cgroups, name ? xstrdup(name) : NULL);
	}
}

/*
 * The command inherits our signal mask, but this thread blocks all signals: set the caller's mask
 * meanwhile.
 */
static int find_target(struct recording *l, struct err *e)
{
	sigset_t own;
	int status;

	pthread_sigmask(SIG_SETMASK, &l->signals, &own);
	status = recorder_find_target(&l->r, l->opts.command, e);
	pthread_sigmask(SIG_SETMASK, &own, NULL);
	return status;
}

static int run(struct recording *l, struct err *e)
{
	struct recorder *r = &l->r;

	r->look_ms = l->look_ms;
	r->stop_flag = &l->stop;
	if (recorder_open_sink(r, put, l, e) < 0 || recorder_parse(r, e) < 0 || unwind_check(r, e) < 0 ||
	    find_target(l, e) < 0 || recorder_open_events(r, e) < 0 || unwind_start(r, e) < 0 ||
	    rings_watch(&r->rings, l->stop_fd, e) < 0)
		return -1;
	note_cgroups(l);
	if (!l->opts.command) /* with a command, the recording is open only when the command runs */
		tell_opened(l);
	return recorder_run(r, l->opts.command, e);
}

static void *run_thread(void *arg)
{
	struct recording *l = arg;
	struct err e = { 0 };
	int status;

	recorder_init(&l->r, &l->opts, &l->result);
	status = run(l, &e);
	recorder_release(&l->r);
	pthread_mutex_lock(&l->lock);
	l->status = status;
	l->why = e;
	l->ended = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* ---- the reader ---- */

static void recording_free(struct recording *l)
{
	out_release(&l->coming);
	out_release(&l->taken);
	if (l->stop_fd >= 0)
		close(l->stop_fd);
	for (size_t i = 0; i < l->cgroups.len; i++)
		free(l->cgroups.items[i]);
	vec_free(&l->cgroups);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l->result.path);
	free(l->result.dump);
	free(l);
}

static void init_condition(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}

static int start_thread(struct recording *l, struct err *e)
{
	sigset_t every;
	int sys;

	sigfillset(&every); /* the reader handles the signals */
	pthread_sigmask(SIG_SETMASK, &every, &l->signals);
	sys = pthread_create(&l->thread, NULL, run_thread, l);
	pthread_sigmask(SIG_SETMASK, &l->signals, NULL);
	errno = sys;
	return sys ? err_sys(e, "cannot start a thread") : 0;
}

struct recording *recording_start(const struct record_opts *opts, unsigned look_ms, size_t most, struct err *e)
{
	struct recording *l = xcalloc(1, sizeof(*l));
	bool failed;

	l->opts = *opts;
	l->look_ms = look_ms;
	l->most = most;
	out_init_mem(&l->coming);
	out_init_mem(&l->taken);
	pthread_mutex_init(&l->lock, NULL);
	init_condition(&l->changed);
	l->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->stop_fd < 0 || start_thread(l, e) < 0) {
		if (l->stop_fd < 0)
			err_sys(e, "cannot make an eventfd");
		recording_free(l);
		return NULL;
	}
	pthread_mutex_lock(&l->lock);
	while (!l->opened && !l->ended)
		pthread_cond_wait(&l->changed, &l->lock);
	failed = !l->opened;
	pthread_mutex_unlock(&l->lock);
	if (!failed)
		return l;
	pthread_join(l->thread, NULL);
	if (e)
		*e = l->why;
	recording_free(l);
	return NULL;
}

/* Wait for bytes or the end. The caller holds the lock. Return false after the timeout. */
static bool wait_for_bytes(struct recording *l, int timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!l->coming.len && !l->ended) {
		if (timeout_ms < 0)
			pthread_cond_wait(&l->changed, &l->lock);
		else if (pthread_cond_timedwait(&l->changed, &l->lock, &until))
			break;
	}
	return l->coming.len || l->ended;
}

enum { KEPT_MOST = 1 << 20 }; /* keep an empty buffer up to this size */

/* Take over all bytes that arrived, as live_bytes.read does. */
static ssize_t take(struct recording *l, int timeout_ms, struct err *e)
{
	ssize_t n = LIVE_LATER;

	pthread_mutex_lock(&l->lock);
	if (wait_for_bytes(l, timeout_ms)) {
		struct out empty = l->taken;

		empty.len = 0;
		if (empty.cap > KEPT_MOST) { /* a burst is over */
			out_release(&empty);
			out_init_mem(&empty);
		}
		l->taken = l->coming;
		l->coming = empty;
		l->at = 0;
		n = (ssize_t)l->taken.len;
		if (!n && l->status < 0) {
			*e = l->why;
			n = -1;
		}
		pthread_cond_broadcast(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	return n;
}

ssize_t recording_read(void *recording, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct recording *l = recording;
	size_t n;

	if (l->at == l->taken.len) {
		ssize_t got = take(l, timeout_ms, e);

		if (got <= 0)
			return got;
	}
	n = MIN(room, l->taken.len - l->at);
	memcpy(to, l->taken.buf + l->at, n);
	l->at += n;
	return (ssize_t)n;
}

const char *recording_cgroup(const struct recording *l, size_t event)
{
	return event < l->cgroups.len ? l->cgroups.items[event] : NULL;
}

void recording_stop(struct recording *l, struct record_result *result)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	eventfd_write(l->stop_fd, 1);
	pthread_join(l->thread, NULL);
	if (result) {
		*result = l->result;
		result->path = result->dump = NULL;
	}
	recording_free(l);
}
