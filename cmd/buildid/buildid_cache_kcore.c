/*
 * buildid-cache -k: copy the running kernel's code, names and modules to a directory named by
 * build-id and time, in perf's layout.
 */
#include "cmd/commands.h"
#include "cmd/buildid/buildid_cache_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "base/file.h"
#include "record/machine/kcore.h"

enum { LIST_MAX = 64 << 20 };

/*
 * Return ".../proc" for ".../proc/kcore": the kernel's notes are next to it. NULL with e. The
 * caller frees it.
 */
static char *proc_of(const char *path, struct err *e)
{
	static const char ends[] = "/proc/kcore";
	size_t len = strlen(path), end = sizeof(ends) - 1;

	if (len >= end && !strcmp(path + len - end, ends))
		return xstrndup(path, len - strlen("/kcore"));
	err_set(e, "it is no kernel's memory");
	err_try(e, "-k /proc/kcore, as root");
	err_why(e, "the files next to it must describe the kernel, as those next to /proc/kcore do");
	return NULL;
}

/*
 * Return the names and addresses of the modules, and the kernel's start: copies of one boot have
 * these in common. The caller frees it; NULL if unreadable.
 */
static char *layout_of(const char *dir)
{
	autofree char *modules = xasprintf("%s/modules", dir), *names = xasprintf("%s/kallsyms", dir),
		      *list = file_read(names, LIST_MAX, NULL, NULL);
	autofree char *text = file_read(modules, LIST_MAX, NULL, NULL);
	struct out o;
	char *end, *result;

	if (!list || !text)
		return NULL;
	out_init_mem(&o);
	end = strstr(list, " _stext\n");
	while (end && end > list && end[-1] != '\n')
		end--;
	out_fmt(&o, "%.16s\n", end ? end : "");
	for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
		char name[256];
		uint64_t at;

		if (sscanf(line, "%255s %*s %*s %*s %*s %" SCNx64, name, &at) == 2)
			out_fmt(&o, "%s %" PRIx64 "\n", name, at);
	}
	result = xstrndup(o.buf, o.len);
	out_release(&o);
	return result;
}

/* Find an earlier copy with the same content. The caller frees it; NULL if there is none. */
static char *find_same(const char *dir, const char *proc)
{
	autofree char *ours = layout_of(proc);
	DIR *copies = ours ? opendir(dir) : NULL;
	char *found = NULL;

	for (struct dirent *d; copies && !found && (d = readdir(copies));) {
		autofree char *path = d->d_name[0] == '.' ? NULL : xasprintf("%s/%s", dir, d->d_name);
		autofree char *theirs = path ? layout_of(path) : NULL;

		if (theirs && !strcmp(ours, theirs)) {
			found = path;
			path = NULL;
		}
	}
	if (copies)
		closedir(copies);
	return found;
}

/* Return the time from the year to hundredths of a second, as perf names such directories. */
static void name_of_now(char text[32])
{
	struct timeval now;
	struct tm tm;

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &tm);
	strftime(text, 24, "%Y%m%d%H%M%S", &tm);
	snprintf(text + strlen(text), 4, "%02u", (unsigned)(now.tv_usec / 10000 % 100));
}

/* Make a directory for each part; existing ones are no error. */
static int make_path(const char *top, const char *const *parts, size_t n, char **path, struct err *e)
{
	*path = xstrdup(top);
	for (size_t i = 0;; i++) {
		char *longer;

		if (mkdir(*path, 0700) < 0 && (errno != EEXIST || i == n))
			return err_sys(e, "cannot make the directory '%s'", *path);
		if (i == n)
			return 0;
		longer = xasprintf("%s/%s", *path, parts[i]);
		free(*path);
		*path = longer;
	}
}

int buildid_cache_kcore(const char *cache, const char *word, struct err *e)
{
	static const char *const members[] = { "kallsyms", "modules", "kcore" };
	autofree char *proc = proc_of(word, e), *notes = NULL, *dir = NULL, *same = NULL, *path = NULL;
	struct build_id id;
	char hex[41], now[32];

	if (!proc)
		return -1;
	notes = xasprintf("%.*s/sys/kernel/notes", (int)(strlen(proc) - strlen("/proc")), proc);
	if (build_id_of_notes(notes, &id, e) < 0)
		return -1;
	build_id_format(&id, hex);
	dir = xasprintf("%s/[kernel.kcore]/%s", cache, hex);
	same = find_same(dir, proc);
	if (same) {
		say_verbose(1, "same kcore found in %s", same);
		return 0;
	}
	name_of_now(now);
	if (kcore_check(proc, e) < 0)
		return err_try(e, "as root, or: -a VMLINUX, the kernel's image with symbols");
	if (make_path(cache, (const char *const[]){ "[kernel.kcore]", hex, now }, 3, &path, e) < 0)
		return -1;
	if (kcore_copy_to(proc, path, &(struct caller){ 0 }, e) < 0) {
		for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
			autofree char *member = xasprintf("%s/%s", path, members[i]);

			unlink(member);
		}
		rmdir(path);
		return -1;
	}
	say_verbose(1, "kcore added to build-id cache directory %s", path);
	return 0;
}
