#include "format/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

enum { IN_MEMORY = 16 << 20, READ_SIZE = 1 << 20, MEMORY_MAX = 256 << 20, STEP_MAX = 256 << 20 };

const char *spool_place(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

static int open_unnamed(void)
{
	autofree char *name = NULL;
	int fd;

	fd = open(spool_place(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	name = xasprintf("%s/strobe-XXXXXX", spool_place());
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/*
 * Return true if the file may grow from `had` to `cap` bytes. Leave a quarter of the free space to
 * others, and stay below the limit of file sizes, where a signal would kill us.
 */
static bool may_grow(int fd, size_t had, size_t cap)
{
	struct rlimit limit;
	struct statvfs fs;
	uint64_t room;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && cap > limit.rlim_cur)
		return false;
	if (fstatvfs(fd, &fs) < 0 || !fs.f_blocks)
		return true;
	room = (uint64_t)fs.f_bavail * fs.f_frsize + had;
	return cap <= room - room / 4;
}

/*
 * Allocate the blocks before they are mapped, so that a full disk is an error here and not a SIGBUS
 * later.
 */
static bool claim(int fd, size_t had, size_t cap)
{
	return may_grow(fd, had, cap) && !posix_fallocate(fd, (off_t)had, (off_t)(cap - had));
}

static bool move_to_file(struct spool *s, size_t cap)
{
	int fd = open_unnamed();
	void *p = MAP_FAILED;

	if (fd < 0)
		return false;
	if (claim(fd, 0, cap))
		p = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		close(fd);
		return false;
	}
	memcpy(p, s->data, s->len);
	free(s->data);
	s->data = p;
	s->cap = cap;
	s->fd = fd;
	return true;
}

static bool grow_file(struct spool *s, size_t cap)
{
	void *p;

	if (!claim(s->fd, s->cap, cap))
		return false;
	spool_rest(s, 0, s->len);
	p = mremap(s->data, s->cap, cap, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return false;
	s->data = p;
	s->cap = cap;
	return true;
}

static void back_to_memory(struct spool *s)
{
	uint8_t *p;

	s->memory_only = true;
	if (!s->fd)
		return;
	p = xmalloc(s->cap);
	memcpy(p, s->data, s->len);
	munmap(s->data, s->cap);
	close(s->fd);
	s->fd = 0;
	s->data = p;
}

/*
 * Return the next size for at least `least` bytes: twice the size while it is small, then fixed
 * steps, so that little is allocated in vain.
 */
static size_t next_cap(const struct spool *s, size_t least)
{
	size_t cap = s->cap ? s->cap : 64 << 10;

	while (cap < least)
		cap += MIN(cap, (size_t)STEP_MAX);
	return cap;
}

static bool grow_in_file(struct spool *s, size_t cap) { return s->fd ? grow_file(s, cap) : move_to_file(s, cap); }

static bool grow(struct spool *s, size_t least)
{
	size_t cap = next_cap(s, least);

	if (cap > IN_MEMORY && !s->memory_only &&
	    (grow_in_file(s, cap) || grow_in_file(s, ROUND_UP(least, (size_t)READ_SIZE))))
		return true;
	if (least > MEMORY_MAX)
		return false;
	if (cap > IN_MEMORY && !s->memory_only)
		back_to_memory(s);
	s->cap = MIN(cap, (size_t)MEMORY_MAX);
	s->data = xrealloc(s->data, s->cap);
	return true;
}

uint8_t *spool_room(struct spool *s, size_t n)
{
	if (s->cap - s->len >= n || grow(s, s->len + n))
		return s->data + s->len;
	s->full = true;
	return NULL;
}

static bool write_at(int fd, const uint8_t *bytes, size_t n, size_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pwrite(fd, bytes + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

bool spool_add(struct spool *s, const void *bytes, size_t n)
{
	uint8_t *room = spool_room(s, n);

	if (!room)
		return false;
	if (!s->fd || !write_at(s->fd, bytes, n, s->len))
		memcpy(room, bytes, n);
	s->len += n;
	return true;
}

void spool_rest(const struct spool *s, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	from = ROUND_UP(from, page);
	to = to / page * page;
	if (s->fd && from < to)
		madvise(s->data + from, to - from, MADV_DONTNEED);
}

int spool_read(struct spool *s, int fd, struct progress *progress, struct err *e)
{
	enum { LOOK_MS = 100 }; /* how often a waiting user may cancel */
	size_t rested = 0;

	progress_begin(progress, "reading the pipe", 0);
	for (;;) {
		uint8_t *room;
		ssize_t n;

		if (progress_stopped(progress))
			return err_set(e, "given up");
		if (progress && !poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, LOOK_MS))
			continue;
		room = spool_room(s, READ_SIZE);
		if (!room)
			return 0;
		n = read(fd, room, READ_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "cannot read the input");
		if (!n)
			return 0;
		s->len += (size_t)n;
		if (s->len - rested > REST_SIZE) {
			spool_rest(s, rested, s->len);
			rested = s->len;
		}
	}
}

void spool_release(struct spool *s)
{
	if (s->fd) {
		munmap(s->data, s->cap);
		close(s->fd);
	} else {
		free(s->data);
	}
	*s = (struct spool){ 0 };
}
