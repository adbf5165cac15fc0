#ifndef CMD_PROBE_RECORD_PROBE_H
#define CMD_PROBE_RECORD_PROBE_H

#include "base/err.h"
#include "base/opt.h"

/*
 * Define the probes of one --probe until this program ends: "[PROGRAM ]DEFINITION", where PROGRAM
 * contains '/'. Append their names "group:event" to the list; they live until record_probe_end.
 */
int record_probe_add(const char *text, struct opt_list *list, struct err *e);
/* Remove the probes. Call it after the recording has closed its events. */
void record_probe_end(void);

#endif
