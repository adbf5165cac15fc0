#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "base/signal.h"
#include "format/writer/writer_priv.h"

#ifndef RENAME_EXCHANGE /* defined in linux/fs.h; of the C libraries only glibc defines it too */
#define RENAME_EXCHANGE (1 << 1)
#endif

/*
 * Return the number N of "/dev/fd/N" and similar paths, -1 for other paths. Such a path means the
 * descriptor, not a file of that name.
 */
static int named_fd(const char *path)
{
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };
	char *end;
	long fd;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (strncmp(path, dirs[i], strlen(dirs[i])))
			continue;
		fd = strtol(path + strlen(dirs[i]), &end, 10);
		if (!*end && end != path + strlen(dirs[i]) && fd >= 0 && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

/*
 * Return true if the descriptor gets the pipe form. The file form needs a file at its start,
 * without O_APPEND (the kernel would move every write to the end).
 */
static bool is_stream(int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (fstat(fd, &st) < 0 || flags < 0)
		return true;
	return !S_ISREG(st.st_mode) || flags & O_APPEND || lseek(fd, 0, SEEK_CUR) != 0;
}

static int take_named_fd(struct output *o, const char *path, int named, struct err *e)
{
	if (isatty(named)) {
		err_set(e, "output '%s' is a terminal", path);
		return err_try(e, "redirect it into a pipe or a file, or give a file name with -o");
	}
	o->fd = fcntl(named, F_DUPFD_CLOEXEC, 3);
	if (o->fd < 0)
		return err_sys(e, "cannot write to '%s'", path);
	o->stream = !strcmp(path, "-") || is_stream(o->fd);
	return 0;
}

/* Return true for the two devices that store nothing: /dev/null and, for tests, /dev/full. */
static bool is_sink(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && (minor(st->st_rdev) == 3 || minor(st->st_rdev) == 7);
}

/*
 * Check early that a file can be made in the directory, so that nothing is recorded in vain. Later
 * changes are noticed when the file is made.
 */
static int check_directory(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	autofree char *dir = slash ? xstrndup(path, (size_t)MAX(slash - path, 1)) : xstrdup(".");
	struct stat st;

	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0 || stat(dir, &st) < 0)
		return err_sys(e, "cannot create '%s'", path);
	errno = ENOENT;
	/* the directory itself is gone */
	return st.st_nlink ? 0 : err_sys(e, "cannot create '%s'", path);
}

static int check_old(const char *path, struct err *e)
{
	autofree char *old = xasprintf("%s.old", path);
	struct stat st;

	if (lstat(old, &st) < 0 || !S_ISDIR(st.st_mode) || directory_is_recording(old))
		return 0;
	err_set(e, "cannot move the earlier recording '%s' to '%s': that is a directory", path, old);
	return err_try(e, "name another file: -o FILE");
}

/* Check that we can make a file of our own, or replace the file that is there. */
static int check_place(const char *path, const struct stat *found, struct err *e)
{
	if (found && S_ISCHR(found->st_mode))
		return 0;
	if (found && S_ISREG(found->st_mode) && !found->st_size)
		return 0; /* can be used as it is */
	if (check_directory(path, e) < 0)
		return -1;
	return found ? check_old(path, e) : 0;
}

int output_init(struct output *o, const char *path, bool dir_later, struct err *e)
{
	int named = named_fd(path);
	struct stat st;

	*o = (struct output){ .fd = -1, .older = -1, .path = xstrdup(!strcmp(path, "-") ? "standard output" : path) };
	if (named >= 0)
		return take_named_fd(o, path, named, e);
	o->create = true;
	if (lstat(path, &st) < 0)
		return dir_later ? 0 : check_place(path, NULL, e);
	if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || is_sink(&st))
		return check_place(path, &st, e);
	if (S_ISFIFO(st.st_mode)) {
		o->stream = true;
		return 0;
	}
	if (S_ISDIR(st.st_mode) && directory_is_recording(path))
		return check_place(path, &st, e);
	if (S_ISDIR(st.st_mode)) {
		err_set(e, "output '%s' is a directory", path);
		err_why(e, "it holds other things than a recording");
		return err_try(e, "name a file: -o FILE");
	}
	err_set(e, "output '%s' is a device or a socket", path);
	return err_try(e, "name a file: -o FILE, or - for a pipe");
}

static int open_sink(struct output *o, struct err *e)
{
	struct stat st;

	o->fd = open(o->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (o->fd < 0 || fstat(o->fd, &st) < 0)
		return err_sys(e, "cannot open '%s'", o->path);
	return is_sink(&st) ? 0 : err_set(e, "output '%s' changed while it was opened", o->path);
}

/*
 * Open a FIFO and wait for its reader, like every writer of a FIFO; ^C ends the wait. An open() that waits would miss
 * a signal that came just before it, so try again and again instead.
 */
static int open_fifo(struct output *o, struct err *e)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct stat st;

	while ((o->fd = open(o->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) < 0) {
		if (errno != ENXIO && errno != EINTR) /* ENXIO: no one has opened it for reading */
			return err_sys(e, "cannot open '%s'", o->path);
		if (stop_requested)
			return err_set(e, "stopped before anyone read '%s'", o->path);
		nanosleep(&pause, NULL);
	}
	if (fstat(o->fd, &st) < 0 || !S_ISFIFO(st.st_mode))
		return err_set(e, "output '%s' changed while it was opened", o->path);
	fcntl(o->fd, F_SETFL, 0); /* writes wait for the reader */
	o->fifo = true;
	return 0;
}

static int open_new(struct output *o, struct err *e)
{
	o->fd = open(o->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	o->created = o->fd >= 0;
	return o->created ? 0 : err_sys(e, "cannot create '%s'", o->path);
}

/*
 * Keep an empty file that only we can use, as users of mktemp expect. Return -1 without an error
 * when it must be replaced.
 */
static int reuse_empty(struct output *o)
{
	struct stat st;

	o->fd = open(o->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (o->fd >= 0 && !fstat(o->fd, &st) && S_ISREG(st.st_mode) && !st.st_size && st.st_nlink == 1 &&
	    st.st_uid == geteuid() && !fchmod(o->fd, 0600)) {
		o->created = true;
		return 0;
	}
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
	return -1;
}

enum { SLOW_TO_FREE = 1 << 20 };

/*
 * Open the recording that is PATH.old now, so that replacing it does not free its disk space at
 * once. Freeing takes a millisecond for every MB or two. The rings fill up meanwhile, and a thread
 * would not help, because it delays writes to the same disk. Keep the file open until there is
 * time, until its room is needed, or at the latest until the output is closed. A small file is not
 * worth this: the thread would be visible in the recording. -1: no such file, or it is small.
 */
static int hold_older(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < SLOW_TO_FREE)
		return -1;
	return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static void *close_file(void *arg)
{
	close((int)(intptr_t)arg);
	return NULL;
}

void output_free_older(struct output *o, bool by_thread)
{
	int fd = __atomic_exchange_n(&o->older, -1, __ATOMIC_RELAXED);
	sigset_t all, before;
	pthread_t thread;

	if (fd < 0)
		return;
	sigfillset(&all); /* let the waiting thread get the signals */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!by_thread || pthread_create(&thread, NULL, close_file, (void *)(intptr_t)fd))
		close(fd);
	else
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/*
 * Replace PATH.old by exchanging both names and removing the older file. With a plain rename, a
 * file system may first write the other file's cached data to disk (ext4 with auto_da_alloc), which
 * again takes milliseconds.
 */
static int replace(const char *path, const char *old)
{
	if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, old, RENAME_EXCHANGE) == 0) {
		if (!unlink(path))
			return 0;
		syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, old, RENAME_EXCHANGE);
	}
	return rename(path, old);
}

/* Move to where a directory is, or move a directory: an earlier recording by several threads. */
static int move_directory(struct output *o, const char *old, struct err *e)
{
	if (directory_make_way(old, e) < 0)
		return -1;
	return rename(o->path, old) < 0 ? err_sys(e, "cannot move the earlier recording '%s' to '%s'", o->path, old)
					: 0;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static int move_away(struct output *o, const char *old, struct err *e)
{
	int older;

	if (is_directory(o->path) || is_directory(old))
		return move_directory(o, old, e);
	older = hold_older(old);

	if ((older >= 0 ? replace(o->path, old) : rename(o->path, old)) < 0) {
		err_sys(e, "cannot move the earlier recording '%s' to '%s'", o->path, old);
		if (older >= 0)
			close(older);
		return -1;
	}
	o->older = older;
	return 0;
}

static int open_file(struct output *o, const struct stat *found, struct err *e)
{
	autofree char *old = xasprintf("%s.old", o->path);
	struct stat target;
	bool keep = found->st_size > 0 || S_ISDIR(found->st_mode);

	/*
	 * Move only the link itself. We never write to its target, but an earlier recording stays
	 * reachable.
	 */
	if (S_ISLNK(found->st_mode))
		keep = !stat(o->path, &target) && S_ISREG(target.st_mode) && target.st_size > 0;
	else if (!keep && !reuse_empty(o))
		return 0;
	if (keep && move_away(o, old, e) < 0)
		return -1;
	if (!keep && unlink(o->path) < 0 && errno != ENOENT)
		return err_sys(e, "cannot replace '%s'", o->path);
	o->moved = keep;
	if (!open_new(o, e))
		return 0;
	output_undo(o);
	return -1;
}

void output_undo(struct output *o)
{
	autofree char *old = xasprintf("%s.old", o->path);

	if (o->created)
		unlink(o->path);
	if (o->moved)
		rename(old, o->path);
	o->created = o->moved = false;
}

/*
 * Handle SIGXFSZ, so that writes beyond the file size limit fail instead of killing us. Unlike
 * SIG_IGN, programs that we start do not inherit a handler.
 */
static void on_file_size_limit(int sig) {}

int output_create(struct output *o, struct err *e)
{
	struct sigaction limit = { .sa_handler = on_file_size_limit, .sa_flags = SA_RESTART };
	struct stat st;

	if (o->put)
		return 0;
	sigaction(SIGXFSZ, &limit, NULL);
	if (!o->create) {
		o->fifo = !fstat(o->fd, &st) && S_ISFIFO(st.st_mode);
		return 0;
	}
	if (lstat(o->path, &st) < 0)
		return errno == ENOENT ? open_new(o, e) : err_sys(e, "cannot create '%s'", o->path);
	if (o->stream)
		return open_fifo(o, e);
	if (S_ISCHR(st.st_mode))
		return open_sink(o, e);
	if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || directory_is_recording(o->path))
		return open_file(o, &st, e);
	return err_set(e, "output '%s' changed while it was opened", o->path);
}

static int fail(struct output *o, struct err *e)
{
	err_sys(e, "cannot write '%s'", o->path);
	if (e && (e->sys == ENOSPC || e->sys == EFBIG || e->sys == EDQUOT))
		err_try(e, "make room or name another place with -o; what was written so far can be read");
	return -1;
}

/* Skip the bytes already written, at the start of the pieces. Return how many pieces are done. */
static int advance(struct iovec *iov, int n, size_t done)
{
	int i = 0;

	for (; i < n && done >= iov[i].iov_len; i++)
		done -= iov[i].iov_len;
	if (i < n && done) {
		iov[i].iov_base = (char *)iov[i].iov_base + done;
		iov[i].iov_len -= done;
	}
	return i;
}

static bool can_go_on(struct output *o)
{
	struct pollfd p = { .fd = o->fd, .events = POLLOUT };

	if ((errno == ENOSPC || errno == EDQUOT) && o->older >= 0) {
		output_free_older(o, false);
		return true;
	}
	if (errno == EAGAIN)
		poll(&p, 1, -1);
	return errno == EAGAIN || errno == EINTR;
}

int output_writev(struct output *o, const struct iovec *iov, int n, uint64_t *written, struct err *e)
{
	struct iovec part[64];

	*written = 0;
	if (o->put) {
		for (int i = 0; i < n; i++)
			*written += iov[i].iov_len;
		return o->put(o->put_of, iov, n, e);
	}
	while (n > 0) {
		int count = MIN(n, (int)ARRAY_SIZE(part)), at = 0;

		memcpy(part, iov, (size_t)count * sizeof(*part));
		while (at < count) {
			ssize_t got = writev(o->fd, part + at, count - at);

			if (got < 0) {
				if (can_go_on(o))
					continue;
				return fail(o, e);
			}
			*written += (uint64_t)got;
			at += advance(part + at, count - at, (size_t)got);
		}
		iov += count;
		n -= count;
	}
	return 0;
}

int output_pwritev(struct output *o, const struct iovec *iov, int n, uint64_t offset, struct err *e)
{
	struct iovec part[64];

	while (n > 0) {
		int count = MIN(n, (int)ARRAY_SIZE(part)), at = 0;

		memcpy(part, iov, (size_t)count * sizeof(*part));
		while (at < count) {
			ssize_t got = pwritev(o->fd, part + at, count - at, (off_t)offset);

			if (got < 0) {
				if (can_go_on(o))
					continue;
				return fail(o, e);
			}
			offset += (uint64_t)got;
			at += advance(part + at, count - at, (size_t)got);
		}
		iov += count;
		n -= count;
	}
	return 0;
}

int output_write(struct output *o, const void *p, size_t len, struct err *e)
{
	struct iovec iov = { (void *)(uintptr_t)p, len };
	uint64_t written;

	return output_writev(o, &iov, 1, &written, e);
}

int output_pwrite(struct output *o, const void *p, size_t len, uint64_t offset, struct err *e)
{
	const char *at = p;

	while (len) {
		ssize_t got = pwrite(o->fd, at, len, (off_t)offset);

		if (got < 0 && can_go_on(o))
			continue;
		if (got < 0)
			return fail(o, e);
		at += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

int output_close(struct output *o, struct err *e)
{
	int ret = 0;

	if (o->fd >= 0 && close(o->fd) < 0 && errno != EINTR)
		ret = fail(o, e);
	o->fd = -1;
	output_free_older(o, false);
	free(o->path);
	o->path = NULL;
	return ret;
}
