/*
 * A second reader, for when ours does not get its turn. That one goes where the rings are written (pace.h); a kernel
 * that is not preemptible may then be held there by somebody's system call for a second, or the host takes the virtual
 * CPU away, while who writes is moved to another CPU and goes on. Measured: up to 1.7 s, while another session's task
 * with hundreds of events ended.
 *
 * The kernel calls both when a ring is half full, on different CPUs, and tells the first that asks; while rings fill up
 * fast ours looks before that, so the other one sleeps. `turn` belongs to who may touch rings and output: ours has it
 * except while it sleeps, and a thread that has been woken but does not run still sleeps.
 */
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "record/session/recorder_priv.h"

static void read_rings(struct recorder *r)
{
	struct stand_in *s = &r->stand_in;

	s->status = recorder_sweep(r, rings_quarter(&r->rings), &s->e);
	pace_others_looked(&r->pace, pace_now_us(), r->rings.fullest);
	r->result->wakeups++;
	s->turns++;
	eventfd_write(s->woke_fd, 1); /* the next time may be sooner than it was told to come back */
}

static void *stand_by(void *arg)
{
	struct recorder *r = arg;
	struct stand_in *s = &r->stand_in;
	struct epoll_event got[64];
	struct pace pace;

	pace_start(&pace, 0, false, NULL);
	pthread_mutex_lock(&s->turn);
	s->tid = (pid_t)syscall(SYS_gettid);
	while (!s->stop && s->status >= 0) {
		bool called = false;
		int n;

		pthread_mutex_unlock(&s->turn);
		n = epoll_wait(s->epoll, got, ARRAY_SIZE(got), -1);
		pthread_mutex_lock(&s->turn);
		for (int i = 0; i < n; i++) {
			called |= got[i].events & EPOLLIN && got[i].data.fd != s->end_fd;
			if (got[i].events & (EPOLLHUP | EPOLLERR)) /* a task that has ended */
				epoll_ctl(s->epoll, EPOLL_CTL_DEL, got[i].data.fd, NULL);
		}
		if (called && !s->stop && !recorder_keeper_has_turn(r))
			read_rings(r);
	}
	pthread_mutex_unlock(&s->turn);
	return NULL;
}

void stand_in_init(struct stand_in *s)
{
	*s = (struct stand_in){ .avoids = -1, .epoll = -1, .end_fd = -1, .woke_fd = -1 };
	pthread_mutex_init(&s->turn, NULL);
	pthread_mutex_lock(&s->turn);
}

static void close_all(struct recorder *r)
{
	struct stand_in *s = &r->stand_in;
	int *const fds[] = { &s->epoll, &s->end_fd, &s->woke_fd };

	if (s->woke_fd >= 0)
		rings_unwatch(&r->rings, s->woke_fd);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	s->runs = s->stop = false;
	s->tid = 0;
	s->avoids = -1;
}

static bool open_all(struct recorder *r)
{
	struct stand_in *s = &r->stand_in;
	struct epoll_event end = { .events = EPOLLIN };

	s->end_fd = end.data.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->woke_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->epoll = rings_also_watch(&r->rings);
	return s->end_fd >= 0 && s->woke_fd >= 0 && s->epoll >= 0 &&
	       !epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->end_fd, &end) && !rings_watch(&r->rings, s->woke_fd, NULL);
}

/* Where it cannot be had we go on alone. */
static void start(struct recorder *r)
{
	struct stand_in *s = &r->stand_in;
	sigset_t every, before;

	sigfillset(&every); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	s->runs = open_all(r) && !pthread_create(&s->thread, NULL, stand_by, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!s->runs)
		close_all(r);
}

/* Anywhere but where ours is. */
static void keep_away(struct stand_in *s, const struct pace *p)
{
	cpu_set_t others = p->home;

	if (!s->tid || p->at == s->avoids)
		return;
	if (p->at >= 0)
		CPU_CLR(p->at, &others);
	sched_setaffinity(s->tid, sizeof(others), CPU_COUNT(&others) ? &others : &p->home);
	s->avoids = p->at;
}

void stand_in_call(struct recorder *r)
{
	struct stand_in *s = &r->stand_in;
	const struct pace *p = &r->pace;
	eventfd_t woke;

	if (s->runs)
		eventfd_read(s->woke_fd, &woke);
	if (s->runs && !p->urgent)
		stand_in_end(r, NULL); /* its status stays */
	if (!s->runs && p->urgent && p->hurried && p->may_move && CPU_COUNT(&p->home) > 1)
		start(r);
	if (s->runs)
		keep_away(s, p);
}

int stand_in_end(struct recorder *r, struct err *e)
{
	struct stand_in *s = &r->stand_in;

	if (s->runs) {
		s->stop = true;
		eventfd_write(s->end_fd, 1);
		pthread_mutex_unlock(&s->turn);
		pthread_join(s->thread, NULL);
		pthread_mutex_lock(&s->turn);
		close_all(r);
	}
	if (s->status < 0 && e)
		*e = s->e;
	return s->status;
}

void stand_in_release(struct recorder *r)
{
	stand_in_end(r, NULL);
	pthread_mutex_unlock(&r->stand_in.turn);
	pthread_mutex_destroy(&r->stand_in.turn);
}
