#include "events/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/signal.h"
#include "events/caller.h"

/* Report to the parent what stopped us: an errno, negative when we could not become the caller. */
static void __attribute__((noreturn)) give_up(int report, int word)
{
	while (write(report, &word, sizeof(word)) < 0 && errno == EINTR)
		;
	_exit(word == ENOENT ? EXIT_NO_PROGRAM : EXIT_CANNOT_EXECUTE);
}

/* In the child: wait for the start byte, then run the command, or report why it cannot run. */
static void __attribute__((noreturn))
child(int cork, int report, const struct caller *caller, bool stdout_taken, char *const argv[])
{
	ssize_t n;
	char byte;

	prctl(PR_SET_NAME, WORKLOAD_COMM);
	while ((n = read(cork, &byte, 1)) < 0 && errno == EINTR)
		;
	if (n != 1) /* the parent died or gave up */
		_exit(EXIT_CANNOT_EXECUTE);
	if (stdout_taken)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (caller->given && caller_become(caller) < 0)
		give_up(report, -errno);
	execvp(argv[0], argv);
	give_up(report, errno);
}

int workload_fork(struct workload *w, char *const argv[], const struct caller *caller, bool stdout_taken, struct err *e)
{
	int cork[2], report[2];

	*w = (struct workload){ .cork = -1, .report = -1 };
	if (!argv || !argv[0])
		return 0;
	if (pipe2(cork, O_CLOEXEC) < 0)
		return err_sys(e, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC) < 0) {
		close(cork[0]);
		close(cork[1]);
		return err_sys(e, "cannot make a pipe");
	}
	w->pid = fork();
	if (!w->pid) {
		close(cork[1]);
		close(report[0]);
		child(cork[0], report[1], caller, stdout_taken, argv);
	}
	close(cork[0]);
	close(report[1]);
	if (w->pid < 0) {
		w->pid = 0;
		close(cork[1]);
		close(report[0]);
		return err_sys(e, "cannot start a process for '%s'", argv[0]);
	}
	w->cork = cork[1];
	w->report = report[0];
	return 0;
}

static void close_pipes(struct workload *w)
{
	if (w->cork >= 0)
		close(w->cork);
	if (w->report >= 0)
		close(w->report);
	w->cork = w->report = -1;
}

/*
 * Return true if execvp could find a file of this name. execvp says "permission denied" as soon as
 * one directory of PATH is not searchable, even for a name that does not exist.
 */
static bool exists(const char *name)
{
	const char *path = getenv("PATH");
	bool found = strchr(name, '/') != NULL;

	while (path && *path && !found) {
		size_t len = strcspn(path, ":");
		autofree char *file = xasprintf("%.*s/%s", len ? (int)len : 1, len ? path : ".", name);

		found = access(file, F_OK) == 0;
		path += len + (path[len] == ':');
	}
	return found;
}

int workload_start(struct workload *w, const char *name, struct err *e)
{
	int sys = 0;
	ssize_t n;

	if (!w->pid)
		return 0;
	if (write(w->cork, "", 1) != 1)
		return err_sys(e, "cannot start '%s'", name);
	while ((n = read(w->report, &sys, sizeof(sys))) < 0 && errno == EINTR)
		;
	close_pipes(w);
	w->started = true;
	if (n != sizeof(sys))
		return 0;
	if (sys < 0) {
		errno = -sys;
		err_sys(e, "cannot run '%s' as the calling user", name);
		return err_exit(e, EXIT_CANNOT_EXECUTE);
	}
	if (sys == EACCES && !exists(name))
		sys = ENOENT;
	errno = sys;
	err_sys(e, "cannot run '%s'", name);
	if (sys == EACCES)
		err_try(e, "chmod +x, if it is a program that you may run");
	return err_exit(e, sys == ENOENT ? EXIT_NO_PROGRAM : EXIT_CANNOT_EXECUTE);
}

bool workload_ended(const struct workload *w)
{
	siginfo_t seen = { 0 };

	if (!w->pid)
		return true;
	return waitid(P_PID, (id_t)w->pid, &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid == w->pid;
}

bool workload_finish(struct workload *w)
{
	int seen = stop_requested;
	bool runs = !workload_ended(w);

	stop_requested = 0;
	/* A child that never ran the command has nothing to clean up: kill it. */
	if (runs) {
		kill(w->pid, w->started ? SIGTERM : SIGKILL);
		kill(w->pid, SIGCONT); /* a stopped process would not handle the signal */
	}
	/* Not before: a child that waits for its start would end by itself. */
	close_pipes(w);
	while (w->pid && wait4(w->pid, &w->status, 0, &w->usage) < 0 && errno == EINTR)
		if (stop_requested)
			kill(w->pid, SIGKILL);
	if (seen || !stop_requested)
		stop_requested = seen;
	w->pid = 0;
	return runs;
}
