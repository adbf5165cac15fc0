#ifndef CMD_SHARED_REWRITTEN_H
#define CMD_SHARED_REWRITTEN_H

#include "report/session/session.h"

/*
 * Inputs that strobe rewrites before a command reads them. The result of each function is a path that lives as long
 * as the process; the file behind it has no name, so that nothing is left behind.
 */

/* Let `write` fill a new file. NULL with e on failure, or without e where `write` returned 1: nothing to do. */
const char *rewritten_input(const char *what, int (*write)(void *of, const char *path, struct err *e), void *of,
			    struct err *e);
/*
 * Make a copy of the input with samples instead of its hardware trace. Return `input` itself if it has no trace, or
 * one that strobe cannot decode. `itrace`: the value of --itrace. NULL: it was not given; then `usual`, "" for all
 * kinds. Without letters, pipes are as they are; otherwise they are kept in a file, as a trace is read twice. NULL
 * with e on failure.
 */
const char *traced_input(const char *input, const char *itrace, const char *usual, const struct session_opts *session,
			 struct err *e);

#endif
