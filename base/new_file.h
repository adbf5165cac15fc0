#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include "base/out.h"

/*
 * A file that is there as a whole or not at all: it is written under another name in the same directory and takes its
 * place when all is written. What lay there before, also a link, is replaced, not written to, and
 * stays as it was when something fails. FIFOs, devices and links below /dev and /proc are written
 * to.
 *
 *	new_file_open -> out ... -> new_file_finish, or new_file_drop
 */
struct new_file {
	struct out out;
	char *path, *part; /* part: the name until then; NULL: written to directly */
};

/* -1 with e when it cannot be made. "-" is standard output. */
int new_file_open(struct new_file *f, const char *path, struct err *e);
/* Write what is left and put it in its place; released in any case. -1 with e: nothing is left behind. See out_finish.
 */
int new_file_finish(struct new_file *f, struct err *e);
/* Not wanted any more: nothing is left behind. */
void new_file_drop(struct new_file *f);

#endif
