#ifndef REPORT_SCRIPT_BRINSN_PRIV_H
#define REPORT_SCRIPT_BRINSN_PRIV_H

#include "report/script/print_priv.h"

/*
 * Print lines after the line of the sample: the instructions since its oldest branch record, as far as their code is
 * available.
 */
print_fn print_brstackinsn;

/*
 * Find the layout of branch counters, for brcntr. Return -1 with e if the recording does not have it.
 * Source: caps/ of the PMU in sysfs.
 */
int branch_counters_init(struct printer *p, struct err *e);
/* Print which event each letter stands for, before the first line. Do nothing without brcntr. */
void branch_counters_head(const struct printer *p, struct out *o);

#endif
