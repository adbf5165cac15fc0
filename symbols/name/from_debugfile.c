/*
 * Find object files and their separate debug files: in the build-id cache, in debug packages,
 * by debug links. Every path here may come from a recording or an object file. So open regular
 * files only, and never leave --symfs.
 */
#include "symbols/name/debuginfod_priv.h"
#include "symbols/name/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <zlib.h>

#include "base/bytes.h"
#include "symbols/file/decompress.h"

/* Open a path below a root directory. Links inside are resolved as if the root was "/". */
static int open_below(const char *root, const char *path)
{
	autoclose int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct open_how how = { .flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	autofree char *joined = NULL;
	long fd;

	if (dir < 0)
		return -1;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
	/* Kernels before 5.6 and some containers lack openat2: follow links as they are. */
	if (has_dotdot(path))
		return -1;
	joined = xasprintf("%s/%s", root, path);
	return open(joined, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Open an ELF file, compressed or not. Takes over the descriptor. On failure set the problem. */
static struct image *open_any(int fd, const char *path, enum reason *problem)
{
	struct image *im = xcalloc(1, sizeof(*im));
	char magic[SELFMAG] = ELFMAG;
	struct file_map m;
	size_t len;
	uint8_t *bytes;

	/* read, not map: mapping first would read ahead before image_open_map() sets its advice */
	(void)!pread(fd, magic, sizeof(magic), 0);
	if (file_map_fd(&m, fd, NULL) < 0) {
		*problem = errno == ENOMEM ? REASON_NO_ROOM : REASON_NOT_OPENED;
		close(fd);
		free(im);
		return NULL;
	}
	bytes = memcmp(magic, ELFMAG, SELFMAG) ? decompress(m.data, m.len, &len) : NULL;
	if (bytes ? image_open_memory(im, bytes, len, bytes, NULL) < 0 : image_open_map(im, &m, path, NULL) < 0) {
		*problem = REASON_NOT_ELF;
		free(im);
		im = NULL;
	}
	if (bytes)
		file_unmap(&m);
	return im;
}

/*
 * Open an image and compare its build-id. Takes over the descriptor, which may be -1 with errno
 * set.
 */
static struct image *accept_image(int fd, const char *path, const struct build_id *id, enum reason *problem)
{
	struct image *im;

	if (fd < 0) {
		*problem = errno == ENOENT || errno == ENOTDIR ? REASON_NO_FILE
			   : errno == EACCES || errno == EPERM ? REASON_NOT_PERMITTED
			   : errno == EINVAL                   ? REASON_NOT_REGULAR
							       : REASON_NOT_OPENED;
		return NULL;
	}
	im = open_any(fd, path, problem);
	if (!im)
		return NULL;
	if (id && id->size && !build_id_equal(id, &im->id)) {
		*problem = im->id.size ? REASON_OTHER_BUILD_ID : REASON_NO_BUILD_ID;
		image_free(im);
		return NULL;
	}
	return im;
}

struct image *open_local(const char *path, const struct build_id *id, enum reason *problem)
{
	return accept_image(open_regular(path), path, id, problem);
}

struct image *open_object(struct symbols *s, const char *path, const struct build_id *id, enum reason *problem)
{
	autofree char *joined = NULL;

	if (path[0] != '/') { /* "[heap]", "anon_inode:x": not the path of a file */
		*problem = REASON_NO_PATH;
		return NULL;
	}
	if (!s->opts.symfs)
		return open_local(path, id, problem);
	if (s->flat)
		path = strrchr(path, '/');
	joined = xasprintf("%s%s", s->opts.symfs, path);
	return accept_image(open_below(s->opts.symfs, path), joined, id, problem);
}

struct image *open_in_process(struct symbols *s, int32_t pid, const char *path, const struct build_id *id,
			      enum reason *problem)
{
	autofree char *root = NULL, *joined = NULL;

	*problem = REASON_PROCESS_GONE;
	if (s->opts.foreign || s->opts.symfs || pid <= 0 || path[0] != '/')
		return NULL;
	root = xasprintf("/proc/%d/root", pid);
	joined = xasprintf("%s%s", root, path);
	return accept_image(open_below(root, path), joined, id, problem);
}

char *cache_path(const struct symbols *s, const struct build_id *id, const char *member)
{
	return build_id_path(s->opts.buildid_dir, id, member);
}

struct image *open_cached(struct symbols *s, const struct build_id *id, const char *member)
{
	autofree char *path = cache_path(s, id, member), *old = cache_path(s, id, "");
	enum reason ignored;
	struct image *im = path ? open_local(path, id, &ignored) : NULL;

	/* Old caches hold the object itself instead of a directory. */
	return im || !old ? im : open_local(old, id, &ignored);
}

/*
 * Read the name and checksum in .gnu_debuglink: text padded to 4, then the CRC-32 of the file.
 * Source: GDB manual, "Separate Debug Files".
 */
static bool read_debuglink(const struct image *im, char name[NAME_MAX + 1], uint32_t *crc)
{
	GElf_Shdr h;
	size_t len, name_len;
	const uint8_t *bytes = image_section(im, ".gnu_debuglink", &h) ? image_section_bytes(im, &h, &len) : NULL;
	struct bytes b;

	if (!bytes)
		return false;
	name_len = strnlen((const char *)bytes, len);
	if (!name_len || name_len > NAME_MAX || name_len == len || memchr(bytes, '/', name_len))
		return false;
	memcpy(name, bytes, name_len);
	name[name_len] = 0;
	b = bytes_of(bytes, len, im->swap);
	bytes_take(&b, ROUND_UP(name_len + 1, 4));
	*crc = bytes_u32(&b);
	return !b.bad && strcmp(name, ".") && strcmp(name, "..");
}

/*
 * Open a candidate from a debug link. Accept it if its build-id matches, or its checksum if the
 * object has no build-id.
 */
static struct image *try_link(struct symbols *s, const char *path, const struct build_id *id, uint32_t crc)
{
	enum reason ignored;
	struct image *im = open_object(s, path, id->size ? id : NULL, &ignored);

	if (im && !id->size)
		image_will_read_much(im);
	if (im && !id->size && crc32_z(0, im->data, im->len) != crc) {
		image_free(im);
		im = NULL;
	}
	return im;
}

static const struct {
	const char *before, *behind;
} places[] = { { "", "" }, { "", ".debug/" }, { "/usr/lib/debug", "" } };

static struct image *by_debuglink(struct symbols *s, const char *of_path, const struct image *of,
				  const struct build_id *id)
{
	char name[NAME_MAX + 1];
	uint32_t crc;
	const char *slash = strrchr(of_path, '/');
	int dir_len = slash ? (int)MIN(slash - of_path, PATH_MAX) : 0;
	struct image *im = NULL;

	if (!slash || !of || !read_debuglink(of, name, &crc))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !im; i++) {
		autofree char *path =
			xasprintf("%s%.*s/%s%s", places[i].before, dir_len, of_path, places[i].behind, name);

		if (strcmp(path, of_path))
			im = try_link(s, path, id, crc);
	}
	return im;
}

static struct image *by_build_id(struct symbols *s, const struct build_id *id)
{
	autofree char *cached = cache_path(s, id, "/debug"), *packaged = NULL;
	enum reason ignored;
	struct image *im = cached ? open_local(cached, id, &ignored) : NULL;

	if (im)
		return im;
	packaged = build_id_debug_path(id);
	return packaged ? open_object(s, packaged, id, &ignored) : NULL;
}

/*
 * Look for the debug file by path: Fedora has /usr/lib/debug/PATH.debug, old Ubuntu
 * /usr/lib/debug/PATH. Only with a build-id, because nothing else proves that the file belongs
 * to the object.
 */
static struct image *by_path(struct symbols *s, const char *of_path, const struct build_id *id)
{
	const char *const ends[] = { ".debug", "" };
	struct image *im = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(ends) && !im && id->size && of_path[0] == '/'; i++) {
		autofree char *path = xasprintf("/usr/lib/debug%s%s", of_path, ends[i]);
		enum reason ignored;

		im = open_object(s, path, id, &ignored);
	}
	return im;
}

static bool has_dwarf(const struct image *im)
{
	GElf_Shdr h;

	return im && image_section(im, ".debug_info", &h) && h.sh_type != SHT_NOBITS;
}

/* Look in the places that need no network. */
static struct image *find_local(struct symbols *s, const char *path, const struct image *of, const struct build_id *id)
{
	struct image *im = by_debuglink(s, path, of, id);

	if (!im)
		im = by_build_id(s, id);
	return im ? im : by_path(s, path, id);
}

/*
 * The same as find_local, below another root directory. Only the files there count, not what the
 * session knows.
 */
static struct image *find_below(const char *root, const char *path, const struct image *of, const struct build_id *id)
{
	struct symbols there = { .opts.symfs = root };

	return find_local(&there, path, of, id);
}

struct image *debugfile_of(int root, const char *path, const struct image *of)
{
	autofree char *below = root >= 0 ? xasprintf("/proc/self/fd/%d", root) : NULL;
	struct image *im = below ? find_below(below, path, of, &of->id) : NULL;

	return im ? im : find_below(NULL, path, of, &of->id);
}

/* Look below the root of the process: the object of a container has its debug file there, too. */
static struct image *find_in_process(struct symbols *s, const struct dso *d, const struct image *of,
				     const struct build_id *id)
{
	autofree char *root = NULL;

	if (!(d->private_root || d->is_below_root) || s->opts.foreign || s->opts.symfs || d->mapper <= 0)
		return NULL;
	root = xasprintf("/proc/%d/root", d->mapper);
	return find_below(root, d->path, of, id);
}

struct image *debugfile_find(struct symbols *s, struct dso *d)
{
	struct build_id id = d->id;
	const struct image *of;

	if (d->debug_searched || (d->kind != DSO_KIND_FILE && d->kind != DSO_KIND_MODULE))
		return d->debug;
	d->debug_searched = true;
	of = module_image(s, d);
	if (!id.size && of)
		id = of->id;
	d->debug = find_in_process(s, d, of, &id);
	if (!d->debug)
		d->debug = find_local(s, d->path, of, &id);
	if (!d->debug && d->kind == DSO_KIND_FILE && !has_dwarf(of))
		d->debug = debuginfod_open(s, d, &id, DEBUGINFOD_DEBUGINFO);
	return d->debug;
}
