#include "format/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

enum { IN_MEMORY = 16 << 20, READ_SIZE = 1 << 20 };

static int open_unnamed(void)
{
	const char *dir = getenv("TMPDIR");
	autofree char *name = NULL;
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	name = xasprintf("%s/strobe-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* The blocks are claimed before they are mapped: a full disk must be an error here, not a SIGBUS later. */
static uint8_t *map_file(int fd, size_t cap)
{
	void *p;

	if (fallocate(fd, 0, 0, (off_t)cap) < 0)
		return NULL;
	p = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static bool move_to_file(struct spool *s, size_t cap)
{
	int fd = open_unnamed();
	uint8_t *p = fd >= 0 ? map_file(fd, cap) : NULL;

	if (!p) {
		if (fd >= 0)
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

	if (fallocate(s->fd, 0, 0, (off_t)cap) < 0)
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

uint8_t *spool_room(struct spool *s, size_t n)
{
	size_t cap = s->cap ? s->cap : 64 << 10;

	if (s->cap - s->len >= n)
		return s->data + s->len;
	while (cap - s->len < n)
		cap *= 2;
	if (cap > IN_MEMORY && !s->memory_only && !(s->fd ? grow_file(s, cap) : move_to_file(s, cap)))
		back_to_memory(s);
	if (!s->fd) {
		s->data = xrealloc(s->data, cap);
		s->cap = cap;
	}
	return s->data + s->len;
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
	enum { LOOK_MS = 100 }; /* how often somebody who waits for it may give up */
	size_t rested = 0;

	progress_begin(progress, "reading the pipe", 0);
	for (;;) {
		ssize_t n;

		if (progress_stopped(progress))
			return err_set(e, "given up");
		if (progress && !poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, LOOK_MS))
			continue;
		n = read(fd, spool_room(s, READ_SIZE), READ_SIZE);

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
