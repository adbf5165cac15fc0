#ifndef SYMBOLS_FILE_VMLINUX_H
#define SYMBOLS_FILE_VMLINUX_H

#include <stddef.h>

enum { VMLINUX_PLACES = 5 };
/*
 * Return the path of a place where distributions install the kernel's image, below VMLINUX_PLACES; the caller frees it.
 * The image of place 0 is often stripped. Return NULL if the release, which may come from a recording, is unknown or
 * could lead elsewhere.
 */
char *vmlinux_path(size_t place, const char *release);

#endif
