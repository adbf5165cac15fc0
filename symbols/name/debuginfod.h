#ifndef SYMBOLS_NAME_DEBUGINFOD_H
#define SYMBOLS_NAME_DEBUGINFOD_H

#include "symbols/name/symbols_priv.h"

/*
 * Files by build-id from the servers in DEBUGINFOD_URLS. libdebuginfod is loaded at the first question, and keeps what
 * it fetched in its own cache. Source: debuginfod_find_debuginfo(3), debuginfod-client-config(7).
 */
enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUGINFO };
/*
 * Return the file, whose build-id was compared, or NULL: the session asks no servers, none has it, or the answer took
 * longer than five seconds. After that, or when the program was asked to stop, no server is asked any more.
 */
struct image *debuginfod_open(struct symbols *s, const struct dso *d, const struct build_id *id,
			      enum debuginfod_kind kind);

#endif
