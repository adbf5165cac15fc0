#ifndef REPORT_ANNOTATE_ANNOTATE_PRIV_H
#define REPORT_ANNOTATE_ANNOTATE_PRIV_H

#include "report/annotate/annotate.h"

/* --- annotate/objdump.c --- */
/* Fill in instructions and their texts by running objdump on the file of a->code. */
int objdump_read(struct annotation *a, struct err *e);

#endif
