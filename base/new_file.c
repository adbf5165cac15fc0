#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Return true if `path` must be written to directly instead of being replaced. /dev/stdout is a
 * link that may lead to any file. /dev/shm holds ordinary files.
 */
static bool is_sink(const char *path)
{
	struct stat st;

	if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6))
		return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int open_mode(struct new_file *f, const char *path, mode_t mode, struct err *e)
{
	struct stat st;
	int fd = STDOUT_FILENO;

	*f = (struct new_file){ 0 };
	if (strcmp(path, "-")) {
		if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
			errno = EISDIR;
			return err_sys(e, "cannot write '%s'", path);
		}
		if (!is_sink(path)) {
			f->part = xasprintf("%s.%ld.part", path, (long)getpid());
			unlink(f->part);
		}
		fd = f->part ? open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
			     : open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0) {
			err_sys(e, "cannot write '%s'", path);
			free(f->part);
			return -1;
		}
	}
	f->path = xstrdup(path);
	out_init_fd(&f->out, fd);
	return 0;
}

int new_file_open(struct new_file *f, const char *path, struct err *e) { return open_mode(f, path, 0644, e); }

int new_file_open_private(struct new_file *f, const char *path, struct err *e) { return open_mode(f, path, 0600, e); }

int new_file_check(const char *path, struct err *e)
{
	struct new_file f;

	if (!strcmp(path, "-") || is_sink(path)) /* a reader must not see an early end */
		return 0;
	if (new_file_open(&f, path, e) < 0)
		return -1;
	new_file_drop(&f);
	return 0;
}

static void release(struct new_file *f)
{
	free(f->path);
	free(f->part);
	*f = (struct new_file){ 0 };
}

int new_file_finish(struct new_file *f, struct err *e)
{
	int fd = f->out.fd, rc = out_finish(&f->out, e);

	/* some file systems report a full disk only here */
	if (fd != STDOUT_FILENO && close(fd) < 0 && !rc)
		rc = err_sys(e, "cannot write output");
	if (!rc && f->part && rename(f->part, f->path) < 0)
		rc = err_sys(e, "cannot write output");
	if (rc < 0 && f->part)
		unlink(f->part);
	if (rc < 0 && fd != STDOUT_FILENO && e && *e->what) /* say nothing when the reader went away */
		err_in(e, "'%s'", f->path);
	release(f);
	return rc;
}

void new_file_drop(struct new_file *f)
{
	int fd = f->out.fd;

	out_release(&f->out);
	if (fd != STDOUT_FILENO)
		close(fd);
	if (f->part)
		unlink(f->part);
	release(f);
}
