/*
 * Open a file that a living process has mapped, even if its path no longer leads to it:
 * deleted, replaced, below a mount that is gone, or only in memory (memfd). The kernel gives
 * access through /proc/PID/map_files (to root, or with the right to checkpoint processes) and
 * to the program through /proc/PID/exe (with the right to trace the process). Source: proc(5).
 */
#include "symbols/name/sources.h"

#include <errno.h>
#include <sys/stat.h>

enum { MAX_MAPS = 64 << 20 };

struct mapped {
	uint64_t start, end, ino;
	const char *path;
	size_t path_len;
};

static const char deleted[] = " (deleted)";

static size_t without_mark(const char *path, size_t len)
{
	size_t mark = sizeof(deleted) - 1;

	return len > mark && !memcmp(path + len - mark, deleted, mark) ? len - mark : len;
}

/* Parse one line of /proc/PID/maps: "START-END PERMS OFFSET MAJOR:MINOR INODE  PATH". */
static bool parse_map(const char *line, size_t len, struct mapped *m)
{
	char *next;

	m->start = strtoull(line, &next, 16);
	if (*next != '-')
		return false;
	m->end = strtoull(next + 1, &next, 16);
	for (int skip = 0; skip < 3; skip++)
		next = strchr(next + 1, ' ') ? strchr(next + 1, ' ') : "";
	m->ino = strtoull(next, &next, 10);
	m->path = memchr(line, '/', len);
	if (!m->ino || !m->path)
		return false;
	m->path_len = without_mark(m->path, len - (size_t)(m->path - line));
	return true;
}

static struct image *open_map(int32_t pid, const struct mapped *m, const struct build_id *id, enum reason *problem)
{
	autofree char *map = xasprintf("/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)m->start,
				       (unsigned long long)m->end);
	autofree char *exe = xasprintf("/proc/%d/exe", pid);
	struct image *im = open_local(map, id, problem);
	enum reason ignored;

	if (im)
		return im;
	im = open_local(exe, id, &ignored);
	if (im && im->mapped && im->map.ino == m->ino)
		return im;
	image_free(im);
	return NULL;
}

struct image *open_mapped(struct symbols *s, int32_t pid, const char *path, uint64_t ino, const struct build_id *id,
			  enum reason *problem)
{
	autofree char *name = pid > 0 && !s->opts.foreign && !s->opts.symfs ? xasprintf("/proc/%d/maps", pid) : NULL;
	autofree char *maps = name ? file_read(name, MAX_MAPS, NULL, NULL) : NULL;
	size_t path_len = without_mark(path, strlen(path)), len;

	*problem = REASON_PROCESS_GONE;
	for (const char *line = maps; line && *line; line += len + (line[len] == '\n')) {
		struct mapped m;

		len = strcspn(line, "\n");
		if (parse_map(line, len, &m) && m.path_len == path_len && !memcmp(m.path, path, path_len) &&
		    (!ino || ino == m.ino))
			return open_map(pid, &m, id, problem);
	}
	return NULL;
}
