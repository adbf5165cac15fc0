#ifndef CMD_SHARED_WALL_H
#define CMD_SHARED_WALL_H

#include "report/waits/wall.h"

/*
 * --wall: the profile of wall-clock time that report/waits/wall.h makes of a recording, as a file that exists as long
 * as this process does. Returns its path, for session_open; it also lives as long as the process. NULL with e.
 */
const char *wall_input(const char *input, const struct wall_opts *opts, struct err *e);
/* Write it to a file, and tell what was left out. */
int wall_to_file(const char *input, const struct wall_opts *opts, const char *output, struct err *e);

#endif
