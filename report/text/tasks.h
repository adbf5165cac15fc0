#ifndef REPORT_TEXT_TASKS_H
#define REPORT_TEXT_TASKS_H

#include "report/session/session.h"

/*
 * The text of `report --tasks`: every thread as it was last, below the one that made it; with `maps` also what was
 * mapped in it in the end. The session was opened with opts.inodes.
 */
void tasks_print(const struct session *s, bool maps, struct out *o);

#endif
