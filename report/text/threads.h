#ifndef REPORT_TEXT_THREADS_H
#define REPORT_TEXT_THREADS_H

#include "format/format.h"

/*
 * What each thread counted of each event, from the READ records that record -s leaves where a thread ends. `raw`: a
 * line per thread and event. Prints nothing when there are none.
 */
void threads_print(const struct perfdata *pd, bool raw, struct out *o);

#endif
