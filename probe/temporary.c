#include "probe/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"

/* one minute in total */
enum { MAX_HELD = 4096, TRIES = 140, TRY_MS = 10, SLOW_MS = 500, MAX_FILE = 32 << 20 };
static const char directory[] = "/run/strobe";

struct temporary {
	int pipe;
	pid_t watcher;
};

/*
 * A line of the pipe and of the file: "u GROUP EVENT PLACE", "k GROUP EVENT PLACE". The place
 * distinguishes the probe from a later one of the same name. For a user probe it is "0xOFFSET
 * PATH", for a kernel probe "OFFSET MODULE:SYMBOL" or the known part of it.
 */
struct held {
	char kind;
	char group[80], event[80];
	char *place;
};

static char *place_of(const struct trace_probe *p)
{
	if (p->path)
		return xasprintf("0x%llx %s", (unsigned long long)p->offset, p->path);
	return xasprintf("%llu %s:%s", (unsigned long long)p->offset, p->module ? p->module : "",
			 p->symbol ? p->symbol : "");
}

static bool parse_held(char *line, struct held *h)
{
	int end = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%c %79s %79s%n", &h->kind, h->group, h->event, &end) != 3 ||
	    (h->kind != 'u' && h->kind != 'k') || line[end] != ' ')
		return false;
	h->place = line + end + 1;
	return true;
}

static bool still_there(const struct held *h, const struct trace_probes *existing)
{
	const struct trace_probe *p = trace_probes_find(existing, h->group, h->event);
	autofree char *place = p && !p->path == (h->kind == 'k') ? place_of(p) : NULL;

	return place && !strcmp(place, h->place);
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

/* Remove a probe. The kernel answers EBUSY until the recording's descriptors are closed. */
static bool remove_held(const struct held *h)
{
	for (int i = 0; i < TRIES; i++) {
		struct err e = { 0 };

		if (trace_probe_remove(h->group, h->event, h->kind == 'u', &e) == 0 || e.sys == ENOENT)
			return true;
		if (e.sys != EBUSY)
			return false;
		pause_ms(i < 20 ? TRY_MS : SLOW_MS);
	}
	return false;
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

static int open_file(char **path)
{
	*path = xasprintf("%s/probes.%d", directory, getpid());
	if (mkdir(directory, 0700) < 0 && errno != EEXIST)
		return -1;
	unlink(*path);
	return open(*path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void watch(int from)
{
	VEC(struct held) all = { 0 };
	char *path;
	autoclose int file = open_file(&path);
	autofclose FILE *in = fdopen(from, "r");
	autofree char *line = NULL;
	size_t room = 0;
	bool done = true;

	if (file >= 0)
		dprintf(file, "%llu\n", (unsigned long long)start_time(getpid()));
	while (in && getline(&line, &room, in) > 0) {
		struct held h;

		if (!parse_held(line, &h) || all.len == MAX_HELD)
			continue;
		h.place = NULL; /* points into a line that is gone; the name is enough here */
		vec_push(&all, h);
		if (file >= 0)
			dprintf(file, "%s\n", line);
	}
	for (size_t i = 0; i < all.len; i++)
		done &= remove_held(&all.items[i]);
	if (file >= 0 && done)
		unlink(path);
	free(path);
	vec_free(&all);
}

struct temporary *temporary_start(struct err *e)
{
	struct temporary *t;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		err_sys(e, "cannot watch over the probes");
		return NULL;
	}
	if (!pid) {
		/* leave the terminal, so that signals that end the recording do not end us */
		setsid();
		for (int s = 1; s < 32; s++)
			if (s != SIGKILL && s != SIGSTOP && s != SIGSEGV && s != SIGBUS && s != SIGABRT)
				signal(s, SIG_IGN);
		close(fds[1]);
		/* close our ends of pipes, so that no reader waits for us */
		for (int fd = 0; fd < 3; fd++) {
			int null = open("/dev/null", O_RDWR | O_CLOEXEC);

			if (null >= 0) {
				dup2(null, fd);
				if (null > 2)
					close(null);
			}
		}
		watch(fds[0]);
		_exit(0);
	}
	close(fds[0]);
	t = xcalloc(1, sizeof(*t));
	*t = (struct temporary){ .pipe = fds[1], .watcher = pid };
	return t;
}

int temporary_hold(struct temporary *t, const struct trace_probe *p, struct err *e)
{
	autofree char *place = place_of(p),
		      *line = xasprintf("%c %s %s %s\n", p->path ? 'u' : 'k', p->group, p->event, place);

	if (write_all(t->pipe, line, strlen(line)) < 0)
		return err_sys(e, "cannot watch over the probe %s:%s", p->group, p->event);
	return 0;
}

void temporary_end(struct temporary *t)
{
	if (!t)
		return;
	close(t->pipe);
	while (waitpid(t->watcher, NULL, 0) < 0 && errno == EINTR)
		;
	free(t);
}

/* ---- leftovers ---- */

static bool is_ours(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

/*
 * Remove the probes in the file of a dead watcher. If one cannot be removed, report it in `e`,
 * remove the others, and keep the file for the next time.
 */
static int prune_file(const char *path, pid_t watcher, const struct trace_probes *existing, bool only_list,
		      struct leftovers *found, struct arena *arena, struct err *e)
{
	autofree char *text = is_ours(path) ? file_read(path, MAX_FILE, NULL, NULL) : NULL;
	char *save = NULL, *line = text ? strtok_r(text, "\n", &save) : NULL;
	uint64_t began = line ? strtoull(line, NULL, 10) : 0;
	int rc = 0;

	if (!line || (began && start_time(watcher) == began))
		return 0;
	while ((line = strtok_r(NULL, "\n", &save))) {
		struct held h;

		if (!parse_held(line, &h) || !still_there(&h, existing))
			continue;
		if (!only_list && trace_probe_remove(h.group, h.event, h.kind == 'u', e) < 0)
			rc = -1;
		else
			vec_push(found, arena_printf(arena, "%s:%s", h.group, h.event));
	}
	if (!only_list && !rc)
		unlink(path);
	return rc;
}

int temporary_prune(bool only_list, struct leftovers *found, struct arena *arena, struct err *e)
{
	struct trace_probes existing = { 0 };
	DIR *dir = opendir(directory);
	int rc, failed = 0;

	if (!dir && errno != ENOENT) {
		err_sys(e, "cannot look for leftovers in '%s'", directory);
		return err_try(e, "as root, who alone can define probes");
	}
	rc = dir ? trace_probes_read(&existing, e) : 0;
	for (struct dirent *d; dir && rc == 0 && (d = readdir(dir));) {
		autofree char *path = xasprintf("%s/%s", directory, d->d_name);
		int pid;

		if (sscanf(d->d_name, "probes.%d", &pid) == 1 &&
		    prune_file(path, pid, &existing, only_list, found, arena, e) < 0)
			failed = -1;
	}
	if (dir)
		closedir(dir);
	trace_probes_release(&existing);
	return rc ? rc : failed;
}
