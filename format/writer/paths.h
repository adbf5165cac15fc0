#ifndef FORMAT_WRITER_PATHS_H
#define FORMAT_WRITER_PATHS_H

#include "base/err.h"

/*
 * Rewrite the names of mapped files in an ended recording in the form of a file: in its map and build-id records,
 * and in its section BUILD_ID. `shown` returns what stays of a name: a part of it, up to its end. Nothing else moves.
 * -1 with e: it has records that hide others (compressed, hardware traces), or cannot be written; the file is then
 * as before.
 * Source: strobe.data(5).
 */
int paths_rewrite(const char *path, const char *(*shown)(const char *name), struct err *e);

#endif
