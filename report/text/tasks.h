#ifndef REPORT_TEXT_TASKS_H
#define REPORT_TEXT_TASKS_H

#include "report/session/session.h"

/*
 * Print the text of `report --tasks`: the last state of each thread below its parent; with `maps`
 * also its maps at the end. The session must be opened with opts.inodes.
 */
void tasks_print(const struct session *s, bool maps, struct out *o);

#endif
