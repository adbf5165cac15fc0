#ifndef REPORT_SESSION_ORDER_H
#define REPORT_SESSION_ORDER_H

#include "report/session/session.h"

/*
 * Sort places ascending by time, those of equal time by pos. Made for what recordings are: runs that are sorted already
 * (one per ring and round) and overlap with their neighbours only. Such input takes about linear time and no more
 * memory than its overlaps; any other input takes n log n and half its size.
 */
void order_sort(struct session_place *places, size_t n);

#endif
