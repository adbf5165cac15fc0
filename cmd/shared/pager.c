#include "cmd/commands.h"

#include "base/screen/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static bool off;
static pid_t pager;
static int columns[3]; /* width of the terminal that the pager replaced, by descriptor */
static bool errors_paged;

void pager_off(void) { off = true; }

/*
 * Close our ends, which tells the pager that the text is complete, then wait until its user is
 * done.
 */
static void wait_for_pager(void)
{
	pid_t pid = pager;

	if (!pid)
		return;
	pager = 0;
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A signal ends us: the shell must not get its terminal back while the pager still reads from it. */
static void on_signal(int sig)
{
	wait_for_pager();
	signal(sig, SIG_DFL);
	raise(sig);
}

static const char *pager_command(void)
{
	const char *command = getenv("PERF_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") ? command : NULL;
}

void pager_start(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const char *command = pager_command();
	int fds[2];

	if (off || pager || !isatty(STDOUT_FILENO) || !command || pipe2(fds, O_CLOEXEC) < 0)
		return;
	columns[STDOUT_FILENO] = terminal_columns(STDOUT_FILENO);
	columns[STDERR_FILENO] = terminal_columns(STDERR_FILENO);
	errors_paged = isatty(STDERR_FILENO);
	pager = fork();
	if (!pager) {
		dup2(fds[0], STDIN_FILENO);
		setenv("LESS", "FRSX", 0);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pager < 0) {
		pager = 0;
	} else {
		dup2(fds[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
		for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
			signal(signals[i], on_signal);
		atexit(wait_for_pager);
	}
	close(fds[0]);
	close(fds[1]);
}

int shown_columns(int fd) { return pager ? columns[fd] : terminal_columns(fd); }

bool called_as_perf(void) { return !strcmp(tool_name(), "perf"); }

bool only_perfs_words(void) { return called_as_perf() && !errors_paged && !isatty(STDERR_FILENO); }
