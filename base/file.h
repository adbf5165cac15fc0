#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/mem.h"

/*
 * A regular file mapped read-only. Only regular files (never a FIFO, device or directory: opened with O_NONBLOCK and
 * checked with fstat). If the file shrinks while mapped, reads of the lost part give zeroes instead of SIGBUS and
 * file_map_shrunk() turns true (a SIGBUS handler that knows the mappings; it is installed at the first file_map).
 */
struct file_map {
	const uint8_t *data; /* NULL if len is 0 */
	size_t len;
	int fd;
	int slot;     /* in the handler's table */
	uint32_t uid; /* owner, from fstat */
	int64_t mtime_ns;
	uint64_t dev, ino;
};
int file_map(struct file_map *m, const char *path, struct err *e);
int file_map_fd(struct file_map *m, int fd, struct err *e); /* takes the descriptor on success */
bool file_map_shrunk(const struct file_map *m);
void file_unmap(struct file_map *m);

/*
 * Whole of a small text file (procfs, sysfs): NUL-terminated, malloc'd; `len` may be NULL. NULL with e on failure, also
 * when it is no regular file or has more than `max` bytes.
 */
char *file_read(const char *path, size_t max, size_t *len, struct err *e);
/* The first line without its newline into buf, cut at size - 1; returns its length, or -1 (buf is then left as it was
 * or ""). */
int file_read_line(const char *path, char *buf, size_t size);

/* Writes everything, retrying on EINTR and short writes; -1 with errno kept. */
int write_all(int fd, const void *p, size_t len);

#endif
