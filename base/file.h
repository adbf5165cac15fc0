#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/mem.h"

/*
 * A regular file mapped read-only. FIFOs, devices and directories are refused (the file is opened
 * with O_NONBLOCK and checked with fstat). If the file shrinks while it is mapped, the lost part
 * reads as zeroes instead of raising SIGBUS, and file_map_shrunk() returns true. The first file_map
 * installs a SIGBUS handler for this, which knows all mappings.
 */
struct file_map {
	const uint8_t *data; /* NULL if len is 0 */
	size_t len;
	int fd;
	int slot;     /* index in the SIGBUS handler's table */
	uint32_t uid; /* owner, from fstat */
	int64_t mtime_ns;
	uint64_t dev, ino;
};
int file_map(struct file_map *m, const char *path, struct err *e);
int file_map_fd(struct file_map *m, int fd, struct err *e); /* owns fd after success */
bool file_map_shrunk(const struct file_map *m);
void file_unmap(struct file_map *m);

/*
 * Return false if the inode of an open file has another generation than the recorded one. A file
 * system gives the number of a deleted inode to a new file, with another generation. Return true if
 * they are equal, if the recorded one is 0 (unknown), or if the file system does not tell. Source:
 * FS_IOC_GETVERSION of linux/fs.h.
 */
bool file_has_generation(int fd, uint64_t recorded);

/*
 * Read a whole small text file (procfs, sysfs). Return it NUL-terminated; the caller frees it.
 * `len` may be NULL. Return NULL with e on failure, also when it is no regular file or has more
 * than `max` bytes.
 */
char *file_read(const char *path, size_t max, size_t *len, struct err *e);
/*
 * Copy the first line, without its newline, into buf and cut it at size - 1. Return its length, or
 * -1 on failure; buf is then unchanged or "".
 */
int file_read_line(const char *path, char *buf, size_t size);

/*
 * Write all bytes; retry after EINTR and after short writes. Return -1 and keep errno on failure.
 */
int write_all(int fd, const void *p, size_t len);

#endif
