#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include "base/out.h"

/*
 * A file that appears complete or not at all. We write it under a temporary name in the same
 * directory and rename it at the end. The rename replaces what was there (a symlink is replaced,
 * not followed); on failure the old file stays unchanged. FIFOs, devices, and links below /dev and
 * /proc are written to directly.
 *
 *	new_file_open -> out ... -> new_file_finish, or new_file_drop
 */
struct new_file {
	struct out out;
	char *path, *part; /* part: the temporary name; NULL: we write to path directly */
};

/* Return -1 with e when the file cannot be created. "-" is standard output. */
int new_file_open(struct new_file *f, const char *path, struct err *e);
/* The same, but from the start only our user can read the file, as for recordings and settings. */
int new_file_open_private(struct new_file *f, const char *path, struct err *e);
/* Return -1 with e if new_file_open would fail. Leave nothing behind; do not open FIFOs and devices. */
int new_file_check(const char *path, struct err *e);
/*
 * Write the rest and rename the file to its final name. The struct is released in every case. On
 * failure return -1 with e and leave nothing behind. See out_finish.
 */
int new_file_finish(struct new_file *f, struct err *e);
/* Give up: remove the temporary file and release the struct. */
void new_file_drop(struct new_file *f);

#endif
