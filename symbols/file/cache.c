/*
 * List and remove the objects in the build-id cache. The layout is perf's: .build-id/ab/cdef...
 * is a link to ../../PATH/ID, a directory with the members elf, debug, kallsyms, vdso, probes.
 * Other programs may have made links there, so ignore a link that leads out of the cache.
 */
#include "symbols/file/image.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

static const char *const members[] = { "elf",  "debug",  "kallsyms", "kcore", "modules",
				       "vdso", "vdso32", "vdsox32",  "probes" };

static bool parse_hex(const char *text, struct build_id *id)
{
	size_t len = strlen(text);

	*id = (struct build_id){ .size = (uint8_t)(len / 2) };
	if (len % 2 || len > 2 * sizeof(id->bytes) || len < 4)
		return false;
	for (size_t i = 0; i < len / 2; i++) {
		unsigned byte;

		if (!isxdigit((unsigned char)text[2 * i]) || !isxdigit((unsigned char)text[2 * i + 1]) ||
		    sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		id->bytes[i] = (uint8_t)byte;
	}
	return true;
}

char *build_id_cache_place(const char *dir, const struct build_id *id)
{
	static const char up[] = "../../";
	autofree char *link = NULL;
	char target[PATH_MAX];
	ssize_t len;

	link = build_id_path(dir, id, "");
	len = link ? readlink(link, target, sizeof(target) - 1) : -1;
	if (len <= (ssize_t)strlen(up))
		return NULL;
	target[len] = 0;
	if (strncmp(target, up, strlen(up)) || has_dotdot(target + strlen(up)) || target[strlen(up)] == '/')
		return NULL;
	return xstrdup(target + strlen(up));
}

/* Turn "usr/bin/ls/ID" into "/usr/bin/ls", and "[vdso]/ID" into "[vdso]". */
static char *name_of(const char *target)
{
	const char *slash = strrchr(target, '/');
	int len = slash ? (int)(slash - target) : (int)strlen(target);

	return xasprintf("%s%.*s", target[0] == '[' ? "" : "/", len, target);
}

static int by_id(const void *a, const void *b)
{
	const struct cached_object *x = a, *y = b;

	return memcmp(x->id.bytes, y->id.bytes, sizeof(x->id.bytes));
}

typedef VEC(struct cached_object) objects_vec;

static void list_part(const char *dir, const char *part, objects_vec *found)
{
	autofree char *path = xasprintf("%s/.build-id/%s", dir, part);
	DIR *links = opendir(path);

	for (struct dirent *d; links && (d = readdir(links));) {
		autofree char *hex = xasprintf("%s%s", part, d->d_name), *target = NULL;
		struct cached_object object;

		if (!parse_hex(hex, &object.id) || !(target = build_id_cache_place(dir, &object.id)))
			continue;
		object.name = name_of(target);
		vec_push(found, object);
	}
	if (links)
		closedir(links);
}

size_t build_id_cache_list(const char *asked_dir, struct cached_object **objects)
{
	autofree char *dir = build_id_cache_dir(asked_dir);
	autofree char *top = dir ? xasprintf("%s/.build-id", dir) : NULL;
	DIR *parts = top ? opendir(top) : NULL;
	objects_vec found = { 0 };

	for (struct dirent *d; parts && (d = readdir(parts));)
		if (strlen(d->d_name) == 2 && isxdigit((unsigned char)d->d_name[0]) &&
		    isxdigit((unsigned char)d->d_name[1]))
			list_part(dir, d->d_name, &found);
	if (parts)
		closedir(parts);
	if (found.len)
		qsort(found.items, found.len, sizeof(*found.items), by_id);
	*objects = found.items;
	return found.len;
}

void cached_objects_free(struct cached_object *objects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(objects[i].name);
	free(objects);
}

bool build_id_cache_has(const char *asked_dir, const struct build_id *id)
{
	autofree char *dir = build_id_cache_dir(asked_dir), *path = NULL;

	path = build_id_path(dir, id, "");
	return path && !access(path, F_OK);
}

int build_id_cache_remove(const char *asked_dir, const struct build_id *id, struct err *e)
{
	autofree char *dir = build_id_cache_dir(asked_dir), *target = NULL, *link = NULL, *path = NULL;
	autoclose int fd = -1;

	if (!dir || id->size < 2)
		return err_set(e, "there is no build-id cache");
	target = build_id_cache_place(dir, id);
	if (!target)
		return err_set(e, "it is not in the build-id cache");
	link = build_id_path(dir, id, "");
	path = xasprintf("%s/%s", dir, target);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(members); i++)
		unlinkat(fd, members[i], 0);
	if (fd >= 0 && rmdir(path) < 0)
		return err_sys(e, "cannot remove '%s'", path);
	if (unlink(link) < 0)
		return err_sys(e, "cannot remove '%s'", link);
	/*
	 * Remove the directories of the path and of the id's first byte too; rmdir fails when
	 * others are in them.
	 */
	*strrchr(path, '/') = 0;
	rmdir(path);
	*strrchr(link, '/') = 0;
	rmdir(link);
	return 0;
}
