#ifndef REPORT_SCRIPT_BRINSN_PRIV_H
#define REPORT_SCRIPT_BRINSN_PRIV_H

#include "report/script/print_priv.h"

/*
 * Print lines after that of the sample: the instructions since its oldest branch record, as far as
 * their code is available.
 */
print_fn print_brstackinsn;

/*
 * Find the layout of branch counters, for brcntr. -1 and e when the recording does not have it.
 * Source: caps/ of the PMU in sysfs.
 */
int branch_counters_init(struct printer *p, struct err *e);
/* Print the event of each letter before the first line. Nothing without brcntr. */
void branch_counters_head(const struct printer *p, struct out *o);

#endif
