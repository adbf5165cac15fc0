#ifndef REPORT_SCRIPT_BRINSN_H
#define REPORT_SCRIPT_BRINSN_H

#include "report/script/print_priv.h"

/* Lines behind that of the sample: the instructions from its oldest branch record on, as far as their code is here. */
print_fn print_brstackinsn;

/* For brcntr: how the counters of branches are laid out. -1 and e when the recording does not tell. Source: caps/ of
 * the PMU in sysfs. */
int branch_counters_init(struct printer *p, struct err *e);
/* Which letter stands for which event, before the first line. Nothing unless brcntr was asked for. */
void branch_counters_head(const struct printer *p, struct out *o);

#endif
