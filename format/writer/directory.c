/*
 * The directory form of an output: PATH/data and PATH/data.0, data.1 ... Source: strobe.data(5),
 * "THE DIRECTORY FORM".
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "format/writer/writer_priv.h"

static const char *const kcore_members[] = { "kcore", "kallsyms", "modules" };

/* Open a directory, no symbolic link to one. NULL: there is none. */
static DIR *open_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/* Return true if the directory holds only copies of a kernel. `remove`: delete it and them. */
static bool is_kcore(int parent, const char *name, bool remove)
{
	DIR *dir = open_directory(parent, name);
	bool other = false;
	struct dirent *d;

	if (!dir)
		return false;
	while ((d = readdir(dir))) {
		bool known = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");

		for (size_t i = 0; i < ARRAY_SIZE(kcore_members); i++)
			known |= !strcmp(d->d_name, kcore_members[i]);
		other |= !known;
	}
	for (size_t i = 0; remove && !other && i < ARRAY_SIZE(kcore_members); i++)
		if (unlinkat(dirfd(dir), kcore_members[i], 0) < 0 && errno != ENOENT)
			other = true;
	closedir(dir);
	return !other && (!remove || unlinkat(parent, name, AT_REMOVEDIR) == 0);
}

static bool is_ours(const char *name)
{
	if (strncmp(name, "data", 4))
		return false;
	name += 4;
	if (*name == '.' && name[1])
		for (name++; isdigit((unsigned char)*name); name++)
			;
	return !*name;
}

/* Return true if the directory holds only a recording. `remove`: delete its files. */
static bool is_recording(const char *path, bool remove)
{
	DIR *dir = open_directory(AT_FDCWD, path);
	bool data = false, other = false;
	struct dirent *d;

	if (!dir)
		return false;
	while ((d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		data |= !strcmp(d->d_name, "data");
		if (!strcmp(d->d_name, "kcore_dir")) {
			other |= !is_kcore(dirfd(dir), d->d_name, remove);
			continue;
		}
		other |= !is_ours(d->d_name);
		if (remove && is_ours(d->d_name) && unlinkat(dirfd(dir), d->d_name, 0) < 0)
			other = true;
	}
	closedir(dir);
	return data && !other;
}

int directory_make_way(const char *old, struct err *e)
{
	struct stat st;

	if (lstat(old, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "cannot replace '%s'", old);
	if (!S_ISDIR(st.st_mode))
		return S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)
			       ? (unlink(old) < 0 ? err_sys(e, "cannot replace '%s'", old) : 0)
			       : err_set(e, "'%s' is in the way", old);
	if (is_recording(old, false) && is_recording(old, true) && rmdir(old) == 0)
		return 0;
	err_set(e, "directory '%s' is in the way", old);
	err_why(e, "it holds other things than a recording");
	return err_try(e, "move it, or name another output with -o");
}

bool directory_is_recording(const char *path) { return is_recording(path, false); }

/* Return the name to move to: "d/" becomes "d.old". */
static char *old_name(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return xasprintf("%.*s.old", (int)len, path);
}

int writer_make_directory(const char *path, bool *moved, struct err *e)
{
	autofree char *old = old_name(path);
	struct stat st;

	*moved = false;
	if (lstat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode) && !is_recording(path, false) && rmdir(path) < 0) {
			err_set(e, "output '%s' is a directory", path);
			err_why(e, "it holds other things than a recording");
			return err_try(e, "name another output: -o DIRECTORY");
		}
		if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			return err_set(e, "output '%s' is a device or a socket", path);
		*moved = lstat(path, &st) == 0;
		if (*moved && (directory_make_way(old, e) < 0 || rename(path, old) < 0))
			return e->what[0] ? -1
					  : err_sys(e, "cannot move the earlier recording '%s' to '%s'", path, old);
	}
	return mkdir(path, 0700) < 0 ? err_sys(e, "cannot create '%s'", path) : 0;
}

void writer_undo_directory(const char *path, bool moved)
{
	autofree char *old = old_name(path);

	if (rmdir(path) == 0 && moved)
		rename(old, path);
}
