/*
 * Read the rings with several threads (--threads), each into a file of its own. The output is a
 * directory.
 */
#include "record/rings/thread_groups.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/out.h"
#include "record/session/recorder_priv.h"

enum { WAIT_MS = 1000 };

struct reader {
	struct rings rings;
	struct writer *writer;
	const struct cpuset *affinity;
	struct pace pace;
	int priority;
	uint64_t least, wakeups;
	pthread_t thread;
	bool running;
	struct readers *all;
	struct err e;
	int status;
};

struct readers {
	struct thread_groups groups;
	VEC(struct reader) readers;
	int stop_fd;       /* readable when the readers shall end */
	int ended_fd;      /* readable when the last task has ended */
	size_t n_alive;    /* atomic: as in struct rings, of all readers */
	bool stop, failed; /* atomic */
};

/* ---- options that exclude each other ---- */

int threads_check(struct recorder *r, struct err *e)
{
	struct record_opts *o = &r->o;
	const char *other = NULL;

	if (!o->threads)
		return 0;
	if (!*o->threads)
		o->threads = "cpu";
	if (o->affinity != AFFINITY_ANY)
		other = "--affinity";
	else if (o->max_bytes)
		other = "--max-size";
	else if (o->aio)
		other = "--aio";
	else if (o->overwrite)
		other = "--overwrite";
	else if (o->per_thread)
		other = "--per-thread";
	else if (o->output && !strcmp(o->output, "-"))
		other = "a pipe (-o -)";
	if (o->rotate.mode != ROTATE_NEVER) {
		tell(&r->o.tell, "WARNING: --switch-output option is not available in parallel streaming mode.");
		o->rotate.mode = ROTATE_NEVER;
	}
	if (!other)
		return 0;
	err_set(e, "--threads does not go with %s", other);
	return err_exit(e, EXIT_INVALID);
}

/* ---- a reader ---- */

static void pin(const struct cpuset *cpus)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < cpus->len; i++)
		if (cpus->items[i] < CPU_SETSIZE)
			CPU_SET(cpus->items[i], &set);
	sched_setaffinity(0, sizeof(set), &set); /* if it fails, read the rings from another CPU */
}

static int sweep(struct reader *p, uint64_t least)
{
	bool cut;

	do {
		rings_collect(&p->rings, least, UINT64_MAX, &cut);
		if (p->rings.iov.len && writer_write(p->writer, p->rings.iov.items, (int)p->rings.iov.len, &p->e) < 0)
			return -1;
		rings_advance(&p->rings);
	} while (!rings_round_is_over(&p->rings));
	return 0;
}

/* Sleep, then count the tasks that ended. */
static void wait_for_data(struct reader *p)
{
	size_t before = p->rings.n_alive, ended;

	p->wakeups += rings_wait(&p->rings, pace_timeout(&p->pace, WAIT_MS), NULL) > 0;
	ended = before - p->rings.n_alive;
	if (ended && __atomic_sub_fetch(&p->all->n_alive, ended, __ATOMIC_ACQ_REL) == 0)
		eventfd_write(p->all->ended_fd, 1);
}

static void *run(void *arg)
{
	struct reader *p = arg;
	uint64_t synced = now_ms();

	pin(p->affinity);
	p->status = pace_start(&p->pace, p->priority, true, &p->e);
	while (!p->status && !__atomic_load_n(&p->all->stop, __ATOMIC_ACQUIRE)) {
		bool due;

		wait_for_data(p);
		due = now_ms() - synced >= WAIT_MS;
		p->status = sweep(p, due ? 1 : p->least);
		pace_looked(&p->pace, pace_now_us(), p->rings.fullest);
		if (pace_hurries(&p->pace))
			pace_go(&p->pace, rings_written_at(&p->rings, sched_getcpu()));
		if (due && !p->status) {
			synced = now_ms();
			p->status = writer_sync(p->writer, &p->e);
		}
	}
	if (p->status < 0)
		__atomic_store_n(&p->all->failed, true, __ATOMIC_RELEASE);
	return NULL;
}

/* ---- all of them ---- */

static int add_reader(struct recorder *r, const struct thread_group *group, struct err *e)
{
	struct readers *all = r->readers;
	struct writer_opts opts = { .records_only = true,
				    .zstd_level = r->o.zstd_level,
				    .give = r->o.caller.given,
				    .uid = r->o.caller.uid,
				    .gid = r->o.caller.gid };
	autofree char *path = xasprintf("%s/data.%zu", r->o.output ? r->o.output : "perf.data", all->readers.len);
	struct reader *p = vec_add(&all->readers, 1);

	p->all = all;
	p->affinity = &group->affinity;
	p->least = r->o.flush_bytes;
	p->priority = r->o.realtime;
	p->rings.epoll = -1;
	p->writer = writer_open(path, &opts, e);
	if (!p->writer || writer_begin(p->writer, NULL, e) < 0 ||
	    rings_hand_over(&r->rings, &p->rings, &group->cpus, e) < 0)
		return -1;
	return rings_watch(&p->rings, all->stop_fd, e);
}

static int start_reader(struct reader *p, struct err *e)
{
	int sys = pthread_create(&p->thread, NULL, run, p);

	if (sys) {
		errno = sys;
		return err_sys(e, "cannot start a thread");
	}
	p->running = true;
	return 0;
}

int threads_plan(struct recorder *r, struct err *e)
{
	if (!r->o.threads)
		return 0;
	r->readers = xcalloc(1, sizeof(*r->readers));
	r->readers->stop_fd = r->readers->ended_fd = -1;
	return thread_groups_make(&r->readers->groups, r->o.threads, &r->target.cpu_list, e);
}

int threads_start(struct recorder *r, struct err *e)
{
	struct readers *all = r->readers;
	sigset_t every, before;
	int result = 0;

	if (!all)
		return 0;
	all->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	all->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all->stop_fd < 0 || all->ended_fd < 0)
		return err_sys(e, "cannot make an eventfd");
	if (rings_watch(&r->rings, all->ended_fd, e) < 0)
		return -1;
	for (size_t i = 0; i < all->groups.groups.len; i++)
		if (add_reader(r, &all->groups.groups.items[i], e) < 0)
			return -1;
	for (size_t i = 0; i < all->readers.len; i++)
		all->n_alive += all->readers.items[i].rings.n_alive;
	sigfillset(&every); /* the main thread handles signals */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	for (size_t i = 0; i < all->readers.len && !result; i++)
		result = start_reader(&all->readers.items[i], e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

size_t threads_alive(const struct recorder *r)
{
	return r->readers ? __atomic_load_n(&r->readers->n_alive, __ATOMIC_ACQUIRE) : 0;
}

bool threads_failed(const struct recorder *r)
{
	return r->readers && __atomic_load_n(&r->readers->failed, __ATOMIC_ACQUIRE);
}

int threads_stop(struct recorder *r, struct err *e)
{
	struct readers *all = r->readers;
	int result = 0;

	if (!all)
		return 0;
	__atomic_store_n(&all->stop, true, __ATOMIC_RELEASE);
	if (all->stop_fd >= 0 && eventfd_write(all->stop_fd, 1) < 0)
		err_sys(e, "cannot stop the threads"); /* they also check once a second */
	for (size_t i = 0; i < all->readers.len; i++) {
		struct reader *p = &all->readers.items[i];

		if (p->running)
			pthread_join(p->thread, NULL);
		r->result->wakeups += p->wakeups;
		rings_take_back(&r->rings, &p->rings);
		if (p->status < 0 && !result && e) {
			*e = p->e;
			result = -1;
		}
		if (!p->writer)
			continue;
		r->part_bytes += writer_bytes(p->writer);
		r->part_raw_bytes += writer_raw_bytes(p->writer);
		if (p->status < 0)
			writer_abandon(p->writer, false);
		else if (writer_finish(p->writer, NULL, e) < 0)
			result = -1;
	}
	if (all->stop_fd >= 0)
		close(all->stop_fd);
	if (all->ended_fd >= 0)
		close(all->ended_fd);
	vec_free(&all->readers);
	thread_groups_release(&all->groups);
	free(all);
	r->readers = NULL;
	return result;
}
