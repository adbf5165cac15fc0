#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/*
 * The mappings that the SIGBUS handler knows. The handler may run on any thread at any time and
 * takes no locks. So store `start` last to publish a slot, and clear it first to withdraw the slot.
 */
#define SLOTS 4096
static struct {
	atomic_bool taken, shrunk;
	_Atomic uintptr_t start;
	size_t len;
	int fd;
} slots[SLOTS];

static struct sigaction previous;
static uintptr_t page_size;

static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (previous.sa_flags & SA_SIGINFO) {
		previous.sa_sigaction(sig, info, context);
	} else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
		previous.sa_handler(sig);
	} else {
		/*
		 * Restore the default action: the access is repeated and ends the program as it
		 * would without us.
		 */
		signal(sig, SIG_DFL);
		if (info->si_code <= 0) /* sent by kill(2): nothing repeats it */
			raise(sig);
	}
}

/*
 * Map zeroes over the part of the mapping that lost its file. Uses only system calls that are safe
 * in a handler.
 */
static bool patch(size_t slot, uintptr_t at)
{
	uintptr_t start = atomic_load(&slots[slot].start), end, from, to;
	struct stat st;

	if (!start || at < start || at - start >= slots[slot].len)
		return false;
	end = ROUND_UP(start + slots[slot].len, page_size);
	from = at / page_size * page_size;
	to = from + page_size;
	/*
	 * Behind the file's new end everything is lost. Before it, the device could not read this
	 * one page.
	 */
	if (!fstat(slots[slot].fd, &st) && from - start >= (uint64_t)st.st_size) {
		from = start + ROUND_UP((uintptr_t)st.st_size, page_size);
		to = end;
	}
	if (mmap((void *)from, to - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	atomic_store(&slots[slot].shrunk, true);
	return true;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	if (info->si_code > 0)
		for (size_t i = 0; i < SLOTS; i++)
			if (patch(i, (uintptr_t)info->si_addr)) {
				errno = saved;
				return;
			}
	pass_on(sig, info, context);
}

static void install(void)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, &previous);
}

static int take_slot(const void *start, size_t len, int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install);
	for (int i = 0; i < SLOTS; i++) {
		bool free_slot = false;

		if (!atomic_compare_exchange_strong(&slots[i].taken, &free_slot, true))
			continue;
		slots[i].len = len;
		slots[i].fd = fd;
		atomic_store(&slots[i].shrunk, false);
		atomic_store(&slots[i].start, (uintptr_t)start);
		return i;
	}
	return -1;
}

static const char *kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR: return "a directory";
	case S_IFIFO: return "a pipe";
	case S_IFSOCK: return "a socket";
	default: return "a device";
	}
}

static int map_named(struct file_map *m, int fd, const char *name, struct err *e)
{
	struct stat st;
	void *data;

	*m = (struct file_map){ .fd = -1, .slot = -1 };
	if (fstat(fd, &st) < 0)
		return err_sys(e, "cannot read '%s'", name);
	if (!S_ISREG(st.st_mode)) {
		err_set(e, "cannot read '%s'", name);
		return err_why(e, "it is %s, not a regular file", kind(st.st_mode));
	}
	m->uid = st.st_uid;
	m->mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	m->dev = st.st_dev;
	m->ino = st.st_ino;
	if (!st.st_size) {
		m->fd = fd;
		return 0;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_sys(e, "cannot map '%s' of %lld bytes", name, (long long)st.st_size);
	m->slot = take_slot(data, (size_t)st.st_size, fd);
	if (m->slot < 0) {
		munmap(data, (size_t)st.st_size);
		return err_set(e, "cannot map '%s': %d files are mapped already", name, SLOTS);
	}
	m->data = data;
	m->len = (size_t)st.st_size;
	m->fd = fd;
	return 0;
}

int file_map_fd(struct file_map *m, int fd, struct err *e)
{
	char name[32];

	snprintf(name, sizeof(name), "descriptor %d", fd);
	return map_named(m, fd, name, e);
}

int file_map(struct file_map *m, const char *path, struct err *e)
{
	/* O_NONBLOCK: do not wait for a writer when the path is a FIFO. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	*m = (struct file_map){ .fd = -1, .slot = -1 };
	if (fd < 0)
		return err_sys(e, "cannot open '%s'", path);
	if (map_named(m, fd, path, e) < 0) {
		close(fd);
		return -1;
	}
	return 0;
}

bool file_map_shrunk(const struct file_map *m)
{
	struct stat st;

	/*
	 * The file may shrink within its last page without a fault: the lost bytes read as zeroes.
	 */
	return m->data &&
	       (atomic_load(&slots[m->slot].shrunk) || (!fstat(m->fd, &st) && (uint64_t)st.st_size < m->len));
}

bool file_has_generation(int fd, uint64_t recorded)
{
	/* The request is declared with a long, but file systems write an int. */
	uint32_t generation[sizeof(long) / sizeof(uint32_t)];

	return !recorded || ioctl(fd, FS_IOC_GETVERSION, generation) < 0 || generation[0] == recorded;
}

void file_unmap(struct file_map *m)
{
	if (m->data) {
		atomic_store(&slots[m->slot].start, 0);
		munmap((void *)m->data, m->len);
		atomic_store(&slots[m->slot].taken, false);
		if (m->fd >= 0)
			close(m->fd);
	} else if (m->slot == -1 && m->fd >= 0) { /* an empty file; a zeroed struct has slot 0 */
		close(m->fd);
	}
	*m = (struct file_map){ .fd = -1, .slot = -1 };
}

static int open_regular(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return err_sys(e, "cannot open '%s'", path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	err_set(e, "cannot read '%s'", path);
	err_why(e, "it is %s, not a regular file", kind(st.st_mode));
	close(fd);
	return -1;
}

/* Repeat read(2) until `size` bytes or the end of the file: procfs returns its files in pieces. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

char *file_read(const char *path, size_t max, size_t *len, struct err *e)
{
	autoclose int fd = open_regular(path, e);
	autofree char *buf = NULL;
	size_t used = 0, cap = 4096;
	char *text;

	if (fd < 0)
		return NULL;
	for (;;) {
		ssize_t n;

		buf = xrealloc(buf, cap + 1);
		n = read_full(fd, buf + used, cap - used);
		if (n < 0) {
			err_sys(e, "cannot read '%s'", path);
			return NULL;
		}
		used += (size_t)n;
		if (used > max) {
			err_set(e, "cannot read '%s': it has more than %zu bytes", path, max);
			return NULL;
		}
		if (used < cap)
			break;
		cap *= 4;
	}
	buf[used] = '\0';
	if (len)
		*len = used;
	text = buf;
	buf = NULL;
	return text;
}

int file_read_line(const char *path, char *buf, size_t size)
{
	autoclose int fd = open_regular(path, NULL);
	ssize_t n;

	if (!size || fd < 0)
		return -1;
	n = read_full(fd, buf, size - 1);
	buf[n < 0 ? 0 : n] = '\0';
	if (n < 0)
		return -1;
	n = (ssize_t)strcspn(buf, "\n");
	buf[n] = '\0';
	return (int)n;
}

int write_all(int fd, const void *p, size_t len)
{
	const char *at = p;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}
