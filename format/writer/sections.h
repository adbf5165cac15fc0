#ifndef FORMAT_WRITER_SECTIONS_H
#define FORMAT_WRITER_SECTIONS_H

#include "base/err.h"
#include "format/features.h"

/*
 * Copy an ended recording in the form of a file, byte by byte, with one feature section replaced, added, or (data NULL)
 * left out. Events and records stay where they were. `out` may be the same path: it appears whole or not at all.
 * Source: strobe.data(5), "Features". -1 with e: it is no such file, it comes from a machine of the other byte
 * order, or it cannot be written.
 */
int sections_set(const char *in, const char *out, unsigned bit, const void *data, size_t len, struct err *e);

#endif
