/*
 * Open files that a process writes for us where anybody could put one: perf-PID.map, jitdumps.
 * Accept only a regular file, not a link, owned by root, by us or by the owner of the process.
 * A process in another mount namespace sees other files under these paths: while it lives,
 * reach them through its own root.
 */
#include "symbols/name/bundle.h"
#include "symbols/name/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { MAX_LEN = 1 << 30 };

static bool is_trusted(const struct symbols *s, const struct file_map *m, int32_t pid)
{
	autofree char *process = xasprintf("/proc/%d", pid);
	struct stat st;

	if (!m->uid || m->uid == geteuid() || s->opts.force)
		return true;
	return !s->opts.foreign && pid > 0 && stat(process, &st) == 0 && st.st_uid == m->uid;
}

static int try_path(const struct symbols *s, const char *path, int32_t pid, uint64_t ino, struct file_map *m,
		    enum reason *problem)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0) {
		*problem = errno == ENOENT  ? REASON_NO_MAP_FILE
			   : errno == ELOOP ? REASON_MAP_IS_LINK
					    : REASON_MAP_UNREADABLE;
		return -1;
	}
	if (file_map_fd(m, fd, NULL) < 0) {
		close(fd);
		*problem = REASON_MAP_NOT_REGULAR;
		return -1;
	}
	*problem = ino && !s->opts.foreign && m->ino != ino ? REASON_MAP_OTHER
		   : !is_trusted(s, m, pid)                 ? REASON_MAP_FOREIGN
		   : m->len > MAX_LEN                       ? REASON_MAP_TOO_LARGE
							    : REASON_NONE;
	if (*problem)
		file_unmap(m);
	return *problem ? -1 : 0;
}

bool process_lives(const struct symbols *s, int32_t pid)
{
	autofree char *root = xasprintf("/proc/%d/root", pid);

	return !s->opts.foreign && pid > 0 && !access(root, F_OK);
}

int32_t pid_in_namespace(int32_t pid)
{
	autofree char *path = xasprintf("/proc/%d/status", pid);
	autofree char *text = file_read(path, 1 << 16, NULL, NULL);
	const char *line = text ? strstr(text, "\nNSpid:") : NULL, *end, *last;

	if (!line)
		return pid;
	line += strlen("\nNSpid:");
	end = line + strcspn(line, "\n");
	for (last = end; last > line && last[-1] != '\t' && last[-1] != ' '; last--)
		;
	return last < end ? (int32_t)strtol(last, NULL, 10) : pid;
}

/* Find a copy of the file in the recording's bundle, and fill `m` as if it were mapped. */
static bool from_file_in_bundle(const struct symbols *s, const char *path, int32_t pid, struct file_map *m)
{
	const struct bundle_file *f = bundle_file_of(s, path, pid);

	int fd = f && f->len ? memfd_create("bundle", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return false;
	if (write_all(fd, f->data, f->len) == 0 && file_map_fd(m, fd, NULL) == 0)
		return true;
	close(fd);
	return false;
}

int private_file(const struct symbols *s, const char *path, const char *path_in_process, int32_t pid, uint64_t ino,
		 struct file_map *m, enum reason *problem)
{
	autofree char *below = NULL;
	enum reason second;

	if (s->opts.bundle_use < BUNDLE_FIRST && try_path(s, path, pid, ino, m, problem) == 0)
		return 0;
	if (from_file_in_bundle(s, path, pid, m))
		return (*problem = REASON_NONE, 0);
	if (s->opts.bundle_use == BUNDLE_ALONE)
		return (*problem = REASON_NO_MAP_FILE, -1);
	if (s->opts.bundle_use == BUNDLE_FIRST && try_path(s, path, pid, ino, m, problem) == 0)
		return 0;
	if (s->opts.foreign || pid <= 0 || path_in_process[0] != '/')
		return -1;
	below = xasprintf("/proc/%d/root%s", pid, path_in_process);
	return try_path(s, below, pid, ino, m, &second) == 0 ? (*problem = REASON_NONE, 0) : -1;
}
