#ifndef CMD_PROBE_RECORD_PROBE_H
#define CMD_PROBE_RECORD_PROBE_H

#include "base/err.h"
#include "base/opt.h"

/*
 * Define the probes of one --probe for as long as this program runs: "[PROGRAM ]DEFINITION", where PROGRAM has a '/'.
 * Appends their names "group:event", which live until record_probe_end.
 */
int record_probe_add(const char *text, struct opt_list *list, struct err *e);
/* Remove them: the recording has closed its events. */
void record_probe_end(void);

#endif
