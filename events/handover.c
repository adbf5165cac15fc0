/*
 * Close tracepoints in the background.
 *
 * When the last descriptor of a tracepoint is closed, the kernel waits until no CPU can be in its
 * handler: 10 to 40 ms, one tracepoint after the other, under one mutex. More threads do not help,
 * and neither does exit. `stat -e '*:*' true` with 2,300 tracepoints took 90 s, 87 of them for
 * closing. So a separate process keeps one descriptor of each, and we close all others at once;
 * that process ends after us. If the list is opened again meanwhile (stat -r), it is also closed at
 * once. Source: kernel/trace/trace_event_perf.c, perf_trace_destroy().
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "events/events_priv.h"

enum { WORTH_IT = 50 }; /* tracepoints; closing so many takes a second or two */

struct held_fds {
	int *items;
	size_t len, cap;
}; /* a vec of descriptors */

/*
 * Choose one descriptor of each tracepoint. Skip probes: their owner wants to remove them when we
 * have ended.
 */
static void choose(const struct event_list *l, struct held_fds *held)
{
	for (size_t i = 0; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		if (!event->system || !event->fds || tracepoint_is_probe(event->system))
			continue;
		for (size_t k = 0; k < event->n_cpus * event->n_threads; k++) {
			if (event->fds[k] >= 0) {
				vec_push(held, event->fds[k]);
				break;
			}
		}
	}
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void close_from_to(int first, int last)
{
#ifdef SYS_close_range
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	for (int fd = first; fd <= last; fd++)
		close(fd);
}

/*
 * Close all descriptors except these, which are in ascending order: the caller's files, pipes and
 * rings must not stay open in this process.
 */
static void close_others(const struct held_fds *held)
{
	int next = 3, null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	for (size_t i = 0; i < held->len; i++) {
		close_from_to(next, held->items[i] - 1);
		next = MAX(held->items[i] + 1, 3);
	}
	close_from_to(next, (int)sysconf(_SC_OPEN_MAX));
}

/*
 * Wait until the caller has ended, then end too, which closes the tracepoints. Ignore signals for
 * the caller's process group.
 */
static void hold(const struct held_fds *held, int pipe)
{
	char none;

	setsid();
	prctl(PR_SET_NAME, "strobe-close");
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (chdir("/") < 0)
		errno = 0; /* then the caller's file system stays busy until we end */
	close_others(held);
	while (read(pipe, &none, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/*
 * Fork a grandchild, so that nobody needs to wait for it. Return its pid, 0 if it could not be
 * made.
 */
static pid_t fork_holder(const struct held_fds *held, const int pipe[2])
{
	int told[2];
	pid_t child, holder = 0;

	if (pipe2(told, O_CLOEXEC) < 0)
		return 0;
	child = fork();
	if (!child) {
		holder = fork();
		if (!holder)
			hold(held, pipe[0]);
		if (write(told[1], &holder, sizeof(holder)) < 0)
			_exit(1);
		_exit(0);
	}
	close(told[1]);
	if (child > 0 && read(told[0], &holder, sizeof(holder)) != sizeof(holder))
		holder = 0;
	close(told[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return MAX(holder, 0);
}

pid_t event_list_hand_over(struct event_list *l, size_t *n)
{
	struct held_fds held = { 0 };
	int pipe[2];
	pid_t holder = 0;

	choose(l, &held);
	*n = held.len;
	if (held.len >= WORTH_IT && !l->handed_over && pipe2(pipe, O_CLOEXEC) == 0) {
		event_list_disable(l, NULL);
		vec_push(&held, pipe[0]);
		qsort(held.items, held.len, sizeof(*held.items), ascending);
		holder = fork_holder(&held, pipe);
		close(pipe[0]);
		if (holder)
			/* pipe[1] stays open until we end; the holder waits for that */
			l->handed_over = true;
		else
			close(pipe[1]);
	}
	vec_free(&held);
	return holder;
}
