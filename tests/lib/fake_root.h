#ifndef TESTS_LIB_FAKE_ROOT_H
#define TESTS_LIB_FAKE_ROOT_H

/* A tree of files in place of /sys and /proc. Include cmocka.h before it. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static char fake_root[64];

static inline void fake_file(const char *path, const char *text)
{
	autofree char *whole = xasprintf("%s%s", fake_root, path);
	autofclose FILE *f = NULL;

	for (char *slash = strchr(whole + strlen(fake_root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	unlink(whole); /* some file systems write to disk at once what a file is cut for */
	f = fopen(whole, "w");
	if (!f)
		abort();
	fputs(text, f);
}

static inline int fake_root_begin(void **state)
{
	strcpy(fake_root, "/tmp/strobe-unit-XXXXXX");
	return mkdtemp(fake_root) ? 0 : -1;
}

static inline int fake_root_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static inline int fake_root_end(void **state)
{
	return nftw(fake_root, fake_root_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
