/* Fetch files by build-id with the program debuginfod-find. */
#include "record/machine/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/out.h"

static const char program[] = "debuginfod-find";

static int start(const char *const argv[], int out, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int sys;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none); /* our signals are blocked */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	sys = posix_spawnp(child, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return sys;
}

/*
 * Run the program to its end and read its first line. Return the status as of waitpid, -1 when
 * it could not start.
 */
static int ask(const char *const argv[], char *line, size_t size)
{
	int fds[2], status = -1;
	size_t len = 0;
	ssize_t got;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	if (start(argv, fds[1], &child)) {
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	close(fds[1]);
	while (len < size - 1 && ((got = read(fds[0], line + len, size - 1 - len)) > 0 || (got < 0 && errno == EINTR)))
		len += got > 0 ? (size_t)got : 0;
	close(fds[0]);
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int fetch_prepare(const char *urls, struct err *e)
{
	const char *usual = getenv("DEBUGINFOD_URLS"), *const version[] = { program, "--version", NULL };
	char line[256];

	if (!*urls && (!usual || !*usual)) {
		err_set(e, "--debuginfod names no server");
		err_why(e, "DEBUGINFOD_URLS is not set");
		return err_try(e, "--debuginfod=URL, for example https://debuginfod.debian.net");
	}
	if (*urls && setenv("DEBUGINFOD_URLS", urls, 1) < 0)
		return err_sys(e, "cannot set DEBUGINFOD_URLS");
	if (ask(version, line, sizeof(line)) == 0)
		return 0;
	err_set(e, "cannot ask debuginfod servers");
	err_why(e, "%s does not run here", program);
	return err_try(e, "install the package debuginfod (Debian) or elfutils-debuginfod-client (Fedora)");
}

char *fetch_file(const char *kind, const struct build_id *id, const struct teller *teller, bool *stopped)
{
	char hex[41], line[PATH_MAX];
	const char *const argv[] = { program, kind, hex, NULL };
	bool found;
	int status;

	build_id_format(id, hex);
	status = ask(argv, line, sizeof(line));
	found = status == 0 && line[0] == '/';
	*stopped = status != -1 && WIFSIGNALED(status);
	tell_more(teller, 1, "debuginfod: %s %s: %s", kind, hex, found ? line : "not found");
	return found ? xstrdup(line) : NULL;
}
