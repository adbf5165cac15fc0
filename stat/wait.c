/*
 * Wait between start and end: for the target's end, intervals, -D, --timeout, commands from outside
 * and signals.
 */
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"
#include "base/out.h"
#include "base/signal.h"
#include "stat/stat_priv.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { LOOK_EVERY_MS = 200 };

/* ---- the end of other processes ---- */

/* Watch tasks: by pidfd, or by looking for threads, which have no pidfd on many kernels. */
static void watch_tasks(struct counting *s)
{
	if (s->by_command || s->workload.pid || !s->target.is_task || s->pidfds.len || s->target.every_thread)
		return;
	for (size_t i = 0; i < s->target.threads.len; i++) {
		int fd = s->pidfds.len < 256 ? (int)syscall(SYS_pidfd_open, s->target.threads.items[i], 0) : -1;

		if (fd >= 0)
			vec_push(&s->pidfds, fd);
		else
			s->watches_by_time = true;
	}
}

static bool is_there(int32_t tid) { return !syscall(SYS_tkill, tid, 0) || errno == EPERM; }

/*
 * Return true if all have ended. A process that its parent has not waited for still answers kill(),
 * but its pidfd is readable.
 */
static bool all_gone(struct counting *s)
{
	size_t n = 0;

	if (s->by_command || s->workload.pid || !s->target.is_task || s->target.every_thread)
		return false;
	for (size_t i = 0; i < s->pidfds.len; i++) {
		struct pollfd p = { .fd = s->pidfds.items[i], .events = POLLIN };

		if (poll(&p, 1, 0) > 0)
			close(p.fd);
		else
			s->pidfds.items[n++] = p.fd;
	}
	s->pidfds.len = n;
	if (n || !s->watches_by_time)
		return !n;
	for (size_t i = 0; i < s->target.threads.len; i++)
		if (is_there(s->target.threads.items[i]))
			return false;
	return true;
}

/* ---- commands ---- */

static int obey(struct counting *s, const struct control_command *c, struct err *e)
{
	switch (c->word) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		if (counting_enable(s, c->word == CONTROL_ENABLE, e) < 0)
			return -1;
		tell(&s->o->tell, "Events %s", c->word == CONTROL_ENABLE ? "enabled" : "disabled");
		return s->o->interval_ms ? counting_interval(s, e) : 0;
	case CONTROL_EVLIST:
		for (size_t i = 0; i < s->events.events.len; i++)
			tell(&s->o->tell, "%s", s->events.events.items[i].name);
		return 0;
	case CONTROL_STOP: s->stop = true; return 0;
	case CONTROL_SNAPSHOT: /* only for sampling: nothing to do */
	case CONTROL_PING: return 0;
	}
	return 0;
}

static int obey_all(struct counting *s, struct err *e)
{
	struct control_command command;
	int got = 0;

	while (!s->stop && s->control.fd >= 0 && (got = control_next(&s->control, &command)) > 0) {
		if (obey(s, &command, e) < 0)
			return -1;
		control_ack(&s->control);
	}
	if (got < 0)
		control_close(&s->control);
	return 0;
}

/* ---- the loop ---- */

/* Return when something is due next; UINT64_MAX = never. */
static uint64_t next_due(const struct counting *s, uint64_t begun_ns)
{
	const struct stat_opts *o = s->o;
	uint64_t due = UINT64_MAX;

	if (s->delayed)
		return begun_ns + (uint64_t)o->delay_ms * 1000000;
	if (o->interval_ms)
		due = s->start_ns + (s->n_intervals + 1ull) * o->interval_ms * 1000000;
	if (o->timeout_ms)
		due = MIN(due, s->start_ns + (uint64_t)o->timeout_ms * 1000000);
	if (s->watches_by_time)
		due = MIN(due, now_ns() + LOOK_EVERY_MS * 1000000ull);
	return due;
}

static int act(struct counting *s, uint64_t begun_ns, struct err *e)
{
	const struct stat_opts *o = s->o;
	uint64_t now = now_ns();

	if (s->delayed && now >= begun_ns + (uint64_t)o->delay_ms * 1000000) {
		if (counting_enable(s, true, e) < 0)
			return -1;
		tell(&s->o->tell, "Events enabled");
		s->start_ns = s->last_ns = now_ns(); /* do not measure what came before */
		return 0;
	}
	if (o->interval_ms && now >= s->start_ns + (s->n_intervals + 1ull) * o->interval_ms * 1000000 &&
	    counting_interval(s, e) < 0)
		return -1;
	s->stop |= o->timeout_ms && now >= s->start_ns + (uint64_t)o->timeout_ms * 1000000;
	return 0;
}

static void sleep_until(struct counting *s, uint64_t due)
{
	uint64_t now = now_ns(), left = due > now ? due - now : 0;
	struct timespec t = { .tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000) };
	autofree struct pollfd *fds = xcalloc(s->pidfds.len + 1, sizeof(*fds));
	nfds_t n = 0;

	if (s->control.fd >= 0)
		fds[n++] = (struct pollfd){ .fd = s->control.fd, .events = POLLIN };
	for (size_t i = 0; i < s->pidfds.len; i++)
		fds[n++] = (struct pollfd){ .fd = s->pidfds.items[i], .events = POLLIN };
	/* Signals arrive only here, so none is missed between the check of the flag and the sleep. */
	ppoll(fds, n, due == UINT64_MAX ? NULL : &t, &s->unblocked);
}

int counting_wait(struct counting *s, struct err *e)
{
	uint64_t begun_ns = now_ns();
	bool has_command = s->workload.pid;

	watch_tasks(s);
	while (!s->stop && !stop_requested && !(has_command && workload_ended(&s->workload)) &&
	       !(!has_command && all_gone(s))) {
		sleep_until(s, next_due(s, begun_ns));
		if (stop_requested || (has_command && workload_ended(&s->workload)))
			break;
		if (act(s, begun_ns, e) < 0 || obey_all(s, e) < 0)
			return -1;
	}
	return 0;
}
