/*
 * Backup reader, used while the main thread is not scheduled. The main thread reads rings on
 * the CPU that writes them (pace.h). A kernel without preemption may then keep it waiting for
 * somebody's system call for a second, or the host may take the virtual CPU away, while the
 * writing task moves to another CPU and goes on. Measured: up to 1.7 s, while a task with
 * hundreds of events ended in another session.
 *
 * The kernel wakes both readers when a ring is half full, on different CPUs; it hands the
 * wakeup to the first that asks. While rings fill up fast, the main thread looks before that,
 * so the backup sleeps. The holder of `turn` may use rings and output. The main thread holds it
 * except while it sleeps; a thread that is woken but does not run still sleeps.
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
	eventfd_write(s->woke_fd, 1); /* the main thread may need to look sooner than planned */
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
			if (got[i].events & (EPOLLHUP | EPOLLERR)) /* its task ended */
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

/* Start the backup reader; if that fails, go on without it. */
static void start(struct recorder *r)
{
	struct stand_in *s = &r->stand_in;
	sigset_t every, before;

	sigfillset(&every); /* the main thread handles signals */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	s->runs = open_all(r) && !pthread_create(&s->thread, NULL, stand_by, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!s->runs)
		close_all(r);
}

/* Move the backup reader to any CPU but ours. */
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
		stand_in_end(r, NULL); /* its status stays valid */
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
