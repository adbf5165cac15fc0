#ifndef REPORT_TEXT_THREADS_H
#define REPORT_TEXT_THREADS_H

#include "format/format.h"

/*
 * Print what each thread counted of each event, from the READ records that record -s writes when a
 * thread ends. `raw`: a line per thread and event. Print nothing when there are none.
 */
void threads_print(const struct perfdata *pd, bool raw, struct out *o);

#endif
