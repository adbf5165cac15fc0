#ifndef REPORT_PRESETS_KERNEL_NAME_PRIV_H
#define REPORT_PRESETS_KERNEL_NAME_PRIV_H

#include "report/tracepoint/wants.h"

/*
 * Return the kernel's function at this address when `t` happened: foreign text that lives as long as the session; NULL
 * if it is unknown. Store the offset of the address in the function in `offset`.
 */
const char *kernel_name(struct session *s, const struct trace_event *t, uint64_t address, uint64_t *offset);

#endif
