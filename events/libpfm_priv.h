#ifndef EVENTS_LIBPFM_PRIV_H
#define EVENTS_LIBPFM_PRIV_H

/*
 * libpfm4's copy of the kernel's header conflicts with the kernel's; struct perf_event_attr is the
 * same by ABI.
 */
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>

#include "base/library.h"

/*
 * The functions of libpfm4, usable after libpfm_ready() returned 0. To use another one, add it
 * here.
 */
#define LIBPFM_FUNCTIONS(F) \
	F(pfm_initialize) \
	F(pfm_strerror) \
	F(pfm_get_os_event_encoding) \
	F(pfm_get_event_info) F(pfm_get_event_attr_info) F(pfm_get_event_next) F(pfm_get_pmu_info)

struct libpfm {
	LIBPFM_FUNCTIONS(LIBRARY_MEMBER)
};
const struct libpfm *libpfm(void);

/* Load and initialise the library. Return 0 on success. */
int libpfm_ready(struct err *e);

#endif
