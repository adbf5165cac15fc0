#ifndef SYMBOLS_FILE_VDSO_H
#define SYMBOLS_FILE_VDSO_H

#include <stddef.h>

/* A copy of this process's vdso, malloc'd; NULL when it has none. */
void *vdso_copy(size_t *len);

#endif
