#ifndef REPORT_ROWS_VIEW_PRIV_H
#define REPORT_ROWS_VIEW_PRIV_H

#include "report/rows/view.h"

/* --- view_order.c --- */
/* Sort the view's rows. */
void view_sort_rows(struct view *v);

#endif
