#include "base/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"

enum { TRY_MS = 10, SLOW_MS = 500, QUICK_TRIES = 20, MAX_FILE = 32 << 20 };
static const char directory[] = "/run/strobe";

struct keeper {
	int pipe;
	pid_t pid;
	const char *what;
};

void keeper_pause(int tries_so_far)
{
	long ms = tries_so_far < QUICK_TRIES ? TRY_MS : SLOW_MS;

	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/*
 * Return when the process began, in ticks since boot, which distinguishes it from a later process
 * with its pid. Fields 3 and 22 of /proc/PID/stat, proc(5). 0 when it is gone, or a zombie.
 */
static uint64_t start_time(pid_t pid)
{
	autofree char *path = xasprintf("/proc/%d/stat", pid), *text = file_read(path, 4096, NULL, NULL);
	char *at = text ? strrchr(text, ')') : NULL;

	if (at && at[1] && at[2] && strchr("ZXx", at[2]))
		return 0;
	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void free_lines(struct keeper_lines *lines)
{
	for (size_t i = 0; i < lines->len; i++)
		free(lines->items[i]);
	vec_free(lines);
}

/* Open KIND.PID.BEGAN: what an earlier keeper with this pid left has another name, and is still found. */
static int open_file(const char *kind, uint64_t began, char **path)
{
	*path = xasprintf("%s/%s.%d.%llu", directory, kind, getpid(), (unsigned long long)began);
	if (mkdir(directory, 0700) < 0 && errno != EEXIST)
		return -1;
	return open(*path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Collect lines until our user has ended, then tidy up. */
static void keep(int from, const char *kind, keeper_tidy *tidy)
{
	struct keeper_lines lines = { .began = start_time(getpid()) };
	autofree char *path = NULL;
	autoclose int file = open_file(kind, lines.began, &path);
	autofclose FILE *in = fdopen(from, "r");
	autofree char *line = NULL;
	size_t room = 0;

	if (file >= 0)
		dprintf(file, "%llu\n", (unsigned long long)lines.began);
	while (in && getline(&line, &room, in) > 0) {
		if (file >= 0)
			write_all(file, line, strlen(line));
		line[strcspn(line, "\n")] = '\0';
		vec_push(&lines, xstrdup(line));
	}
	if (tidy(&lines) && file >= 0)
		unlink(path);
	free_lines(&lines);
}

/*
 * Leave the terminal, so that signals that end our user do not end us. Close the user's standard
 * files too.
 */
static void detach(void)
{
	setsid();
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP && s != SIGSEGV && s != SIGBUS && s != SIGABRT)
			signal(s, SIG_IGN);
	for (int fd = 0; fd < 3; fd++) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (null >= 0) {
			dup2(null, fd);
			if (null > 2)
				close(null);
		}
	}
}

struct keeper *keeper_start(const char *kind, const char *what, keeper_tidy *tidy, struct err *e)
{
	struct keeper *k;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0) {
		err_sys(e, "cannot watch over %s", what);
		return NULL;
	}
	pid = fork();
	if (pid < 0) {
		err_sys(e, "cannot watch over %s", what);
		close(fds[0]);
		close(fds[1]);
		return NULL;
	}
	if (!pid) {
		close(fds[1]);
		detach();
		keep(fds[0], kind, tidy);
		_exit(0);
	}
	close(fds[0]);
	k = xcalloc(1, sizeof(*k));
	*k = (struct keeper){ .pipe = fds[1], .pid = pid, .what = what };
	return k;
}

int keeper_hold(struct keeper *k, const char *line, struct err *e)
{
	if (write_all(k->pipe, line, strlen(line)) < 0 || write_all(k->pipe, "\n", 1) < 0)
		return err_sys(e, "cannot watch over %s", k->what);
	return 0;
}

void keeper_end(struct keeper *k)
{
	if (!k)
		return;
	close(k->pipe);
	while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(k);
}

/* ---- leftovers ---- */

static bool is_ours(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int leftover(const char *path, pid_t pid, keeper_left *each, void *ctx, struct err *e)
{
	autofree char *text = is_ours(path) ? file_read(path, MAX_FILE, NULL, NULL) : NULL;
	char *save = NULL, *line = text ? strtok_r(text, "\n", &save) : NULL;
	struct keeper_lines lines = { .began = line ? strtoull(line, NULL, 10) : 0 };
	int rc;

	if (!line || (lines.began && start_time(pid) == lines.began))
		return 0;
	while ((line = strtok_r(NULL, "\n", &save)))
		vec_push(&lines, xstrdup(line));
	rc = each(ctx, &lines, e);
	free_lines(&lines);
	if (rc > 0)
		unlink(path);
	return MIN(rc, 0);
}

/* A zombie counts as alive: start_time() returns 0 for it. */
bool keeper_user_lives(const struct keeper_lines *lines, pid_t user)
{
	uint64_t began;

	if (kill(user, 0) < 0 && errno == ESRCH)
		return false;
	began = start_time(user);
	return !began || !lines->began || began <= lines->began;
}

/* Return the pid of KIND.PID.BEGAN, or 0 if it is no such name. */
static pid_t pid_of(const char *name, const char *kind)
{
	size_t len = strlen(kind);
	char *end;
	long pid;

	if (strncmp(name, kind, len) || name[len] != '.')
		return 0;
	pid = strtol(name + len + 1, &end, 10);
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	return pid > 0 && pid <= INT_MAX && !*end ? (pid_t)pid : 0;
}

int keeper_leftovers(const char *kind, const char *what, keeper_left *each, void *ctx, struct err *e)
{
	DIR *dir = opendir(directory);
	int failed = 0;

	if (!dir && errno != ENOENT) {
		err_sys(e, "cannot look for leftovers in '%s'", directory);
		return err_try(e, "as root, who alone can define %s", what);
	}
	for (struct dirent *d; dir && (d = readdir(dir));) {
		autofree char *path = xasprintf("%s/%s", directory, d->d_name);
		pid_t pid = pid_of(d->d_name, kind);

		if (pid && leftover(path, pid, each, ctx, e) < 0)
			failed = -1;
	}
	if (dir)
		closedir(dir);
	return failed;
}
