/*
 * Read the build-ids of files, modules, the kernel and the vdso on this machine; add objects to
 * the build-id cache.
 */
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "symbols/file/image.h"
#include "symbols/file/notes_priv.h"
#include "symbols/file/vdso.h"

int build_id_of_file(const char *path, struct build_id *id, struct err *e)
{
	struct image im;

	*id = (struct build_id){ 0 };
	if (image_open(&im, path, e) < 0)
		return err_in(e, "no build-id of '%s'", path);
	*id = im.id;
	image_close(&im);
	return id->size ? 0 : err_set(e, "'%s' has no build-id", path);
}

int build_id_of_notes(const char *path, struct build_id *id, struct err *e)
{
	size_t len;
	autofree char *notes = file_read(path, 1 << 20, &len, e);

	*id = (struct build_id){ 0 };
	if (!notes)
		return -1;
	return notes_build_id(notes, len, 4, false, id) ? 0 : err_set(e, "'%s' holds no build-id", path);
}

int build_id_of_kernel(struct build_id *id, struct err *e) { return build_id_of_notes("/sys/kernel/notes", id, e); }

int build_id_of_module(const char *name, struct build_id *id, struct err *e)
{
	autofree char *path = NULL;

	*id = (struct build_id){ 0 };
	if (strchr(name, '/') || name[0] == '.')
		return err_set(e, "'%s' is no module's name", name);
	path = xasprintf("/sys/module/%s/notes/.note.gnu.build-id", name);
	return build_id_of_notes(path, id, e);
}

int build_id_of_vdso(struct build_id *id, struct err *e)
{
	size_t len;
	void *bytes = vdso_copy(&len);
	struct image im;

	*id = (struct build_id){ 0 };
	if (!bytes)
		return err_set(e, "this process has no vdso");
	if (image_open_memory(&im, bytes, len, bytes, e) < 0)
		return -1;
	*id = im.id;
	image_close(&im);
	return id->size ? 0 : err_set(e, "the vdso has no build-id");
}

void build_id_format(const struct build_id *id, char text[41])
{
	for (size_t i = 0; i < MIN(id->size, sizeof(id->bytes)); i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	text[2 * MIN(id->size, sizeof(id->bytes))] = 0;
}

char *build_id_path(const char *dir, const struct build_id *id, const char *member)
{
	char hex[41];

	if (!dir || id->size < 2)
		return NULL;
	build_id_format(id, hex);
	return xasprintf("%s/.build-id/%.2s/%s%s", dir, hex, hex + 2, member);
}

char *build_id_debug_path(const struct build_id *id) { return build_id_path("/usr/lib/debug", id, ".debug"); }

/*
 * Make a directory and its parents, like mkdir -p. Only the owner gets access: the cache shows
 * what the user ran.
 */
static int make_dirs(char *path, struct err *e)
{
	for (char *p = path + 1;; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = 0;
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "cannot make the directory '%s'", path);
		*p = c;
		if (!c)
			return 0;
	}
}

static int copy_bytes(int from, int to)
{
	char buffer[1 << 16];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write_all(to, buffer, (size_t)n) < 0)
			return -1;
	return (int)n;
}

/*
 * Write the member `to` under a temporary name and rename it, so that readers never see half a file. Its contents are
 * the rest of `in`, or these bytes if `in` is -1. Follow no links.
 */
static int write_member(int in, const void *bytes, size_t len, const char *to, struct err *e)
{
	autofree char *part = xasprintf("%s.%d", to, (int)getpid());
	autoclose int out = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (out < 0)
		return err_sys(e, "cannot write '%s'", part);
	if ((in < 0 ? write_all(out, bytes, len) : copy_bytes(in, out)) < 0 || rename(part, to) < 0) {
		err_sys(e, "cannot write '%s'", to);
		unlink(part);
		return -1;
	}
	return 0;
}

/* Put the file `from` into the cache as `to`. Overwrite nothing. */
static int put_file(const char *from, const char *to, struct err *e)
{
	autoclose int in = open_regular(from);
	char opened[32];
	struct stat st;

	if (in < 0)
		return err_sys(e, "cannot read '%s'", from);
	if (!access(to, F_OK))
		return 0;
	/*
	 * A hard link costs nothing. But link only a file that nobody else may write to:
	 * otherwise its contents could change later, and no longer match the id. Link the
	 * opened file, because `from` may name another file by now.
	 */
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", in);
	if (!fstat(in, &st) && st.st_nlink && (!st.st_uid || st.st_uid == geteuid()) &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) && !linkat(AT_FDCWD, opened, AT_FDCWD, to, AT_SYMLINK_FOLLOW))
		return 0;
	return write_member(in, NULL, 0, to, e);
}

/* Put the vdso of this process into the cache as `to`. Overwrite nothing. */
static int put_vdso(const char *to, struct err *e)
{
	size_t len;
	autofree void *bytes = vdso_copy(&len);

	if (!bytes)
		return err_set(e, "this process has no vdso");
	return access(to, F_OK) ? write_member(-1, bytes, len, to, e) : 0;
}

/* Return false for a path that would lead out of the cache: one with "..", or a relative one. */
static bool is_inside(const char *path)
{
	return path[0] == '[' ? !strchr(path, '/') : path[0] == '/' && !has_dotdot(path);
}

char *build_id_cache_dir(const char *asked)
{
	const char *home = getenv("HOME");

	if (!asked)
		asked = getenv("PERF_BUILDID_DIR");
	if (!asked && home)
		return xasprintf("%s/.debug", home);
	return asked && strcmp(asked, "/dev/null") ? xstrdup(asked) : NULL;
}

static int cache_add(const char *asked_dir, const char *from, const char *path, const char *member,
		     const struct build_id *id, struct err *e)
{
	autofree char *cache_dir = build_id_cache_dir(asked_dir);
	const char *below = path[0] == '/' ? path + 1 : path;
	autofree char *dir = NULL, *file = NULL, *links = NULL, *link = NULL, *target = NULL;
	char hex[41];

	if (!cache_dir)
		return err_set(e, "there is no build-id cache: neither HOME nor PERF_BUILDID_DIR is set");
	if (id->size < 2 || !is_inside(path))
		return err_set(e, "cannot keep '%s' in the build-id cache", path);
	build_id_format(id, hex);
	dir = xasprintf("%s/%s/%s", cache_dir, below, hex);
	file = xasprintf("%s/%s", dir, member);
	link = build_id_path(cache_dir, id, "");
	links = xstrndup(link, (size_t)(strrchr(link, '/') - link));
	target = xasprintf("../../%s/%s", below, hex);
	if (make_dirs(dir, e) < 0 || make_dirs(links, e) < 0)
		return -1;
	if ((strcmp(member, "vdso") ? put_file(from, file, e) : put_vdso(file, e)) < 0)
		return -1;
	if (symlink(target, link) < 0 && errno != EEXIST)
		return err_sys(e, "cannot make the link '%s'", link);
	return 0;
}

int build_id_cache_add_as(const char *asked_dir, const char *from, const char *path, const struct build_id *id,
			  struct err *e)
{
	const char *member = !strcmp(path, "[kernel.kallsyms]") ? "kallsyms" : !strcmp(path, "[vdso]") ? "vdso" : "elf";

	return cache_add(asked_dir, from, path, member, id, e);
}

int build_id_cache_add(const char *asked_dir, const char *path, const struct build_id *id, struct err *e)
{
	return build_id_cache_add_as(asked_dir, !strcmp(path, "[kernel.kallsyms]") ? "/proc/kallsyms" : path, path, id,
				     e);
}

int build_id_cache_add_debug(const char *asked_dir, const char *from, const char *path, const struct build_id *id,
			     struct err *e)
{
	return cache_add(asked_dir, from, path, "debug", id, e);
}

bool build_id_cache_has_debug(const char *asked_dir, const struct build_id *id)
{
	autofree char *dir = build_id_cache_dir(asked_dir), *file = NULL;

	file = build_id_path(dir, id, "/debug");
	return file && access(file, F_OK) == 0;
}
