#ifndef SYMBOLS_FILE_VDSO_H
#define SYMBOLS_FILE_VDSO_H

#include <stddef.h>

/* Return a copy of this process's vdso, or NULL when it has none. The caller frees it. */
void *vdso_copy(size_t *len);

#endif
