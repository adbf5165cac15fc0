#ifndef RECORD_MACHINE_FETCH_H
#define RECORD_MACHINE_FETCH_H

#include "base/tell.h"
#include "symbols/symbols.h"

/*
 * --debuginfod: fetch files by build-id from a server. The program debuginfod-find (elfutils)
 * does it; it keeps the files in its own cache and verifies them if configured. Source:
 * debuginfod-find(1), debuginfod-client-config(7).
 */

/*
 * Check that the program runs. `urls`: servers, separated by blanks; "" = those of
 * DEBUGINFOD_URLS. Puts them into our environment. Return -1 with e on failure.
 */
int fetch_prepare(const char *urls, struct err *e);
/*
 * Fetch a file; `kind` is "executable" or "debuginfo". Return its path, which the caller frees;
 * NULL when no server has it. *stopped: a signal ended the search, so the user wants no more.
 */
char *fetch_file(const char *kind, const struct build_id *id, const struct teller *teller, bool *stopped);

#endif
