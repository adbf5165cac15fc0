#ifndef REPORT_SESSION_ORDER_PRIV_H
#define REPORT_SESSION_ORDER_PRIV_H

#include "report/session/session.h"

/*
 * Sort places ascending by time, and by pos where times are equal. Recordings consist of sorted
 * runs (one per ring and round) that overlap with their neighbours only. For these it takes about
 * linear time and memory for the overlaps; other input takes n log n and half its size.
 */
void order_sort(struct session_place *places, size_t n);

#endif
