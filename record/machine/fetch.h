#ifndef RECORD_MACHINE_FETCH_H
#define RECORD_MACHINE_FETCH_H

#include "symbols/symbols.h"

/*
 * --debuginfod: files that a server knows by their build-id, fetched by the program debuginfod-find (elfutils), which
 * keeps them in its own cache and checks them where it is told to. Source: debuginfod-find(1),
 * debuginfod-client-config(7).
 */

/* Can it be asked? `urls`: servers, blank-separated; "" = those of DEBUGINFOD_URLS. From then on they are in our
 * environment. -1 with e. */
int fetch_prepare(const char *urls, struct err *e);
/* `kind`: "executable" or "debuginfo". The path of the file, malloc'd; NULL when no server has it. *stopped: a signal
 * ended the search, the user wants no more. */
char *fetch_file(const char *kind, const struct build_id *id, bool *stopped);

#endif
