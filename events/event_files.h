#ifndef EVENTS_EVENT_FILES_H
#define EVENTS_EVENT_FILES_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Events and metrics that a CPU's vendor publishes as JSON, read at run time. Two layouts are known, and
 * a plain directory of such files:
 *
 *	perfmon     mapfile.csv, XXX/events/NAME_core.json {"Events": [...]}, XXX/metrics/NAME_metrics.json
 *	pmu-events  [arch/]x86/mapfile.csv, x86/MODEL/NAME.json [...], in the sources of perf
 *
 * mapfile.csv says with regular expressions which files belong to which CPU ("GenuineIntel-6-55-4" or
 * the MIDR of an Arm core). As in perf, the variable PERF_CPUID replaces the id of this machine.
 *
 * What was read belongs to the process, as the events of libpfm4 do: parsing, lists and metrics find it.
 * Sources: the README of Intel's perfmon repository, "Event List Field Definitions"; README of perf's
 * pmu-events; kernel: Documentation/ABI/testing/sysfs-bus-event_source-devices-format.
 */
struct vendor_event;
struct vendor_metric {
	const char *name;
	const char *groups;     /* separated by ';'; "" if none */
	const char *expression; /* in the language of stat/expression_priv.h; names may be other metrics */
	const char *unit;       /* "100%", "1per_instr", "%"; NULL = a plain ratio */
	const char *about;
	const char *pmu; /* the kind of cores; NULL = any */
};
struct event_files {
	VEC(struct vendor_event) events;   /* by name without case, then in the order of the files */
	VEC(struct vendor_metric) metrics; /* in the order of the files */
	struct arena arena;
};

/*
 * Read the files of a directory for this machine's CPU, in addition to those read before. On failure
 * return -1 with e, which names the file; then nothing of the directory is kept. exit_code is 129.
 */
int event_files_load(const char *dir, struct err *e);
/* What was read so far; empty at first. Valid until the next load. */
const struct event_files *event_files(void);
/* Return true if this machine's CPU is one of an id of mapfile.csv ("GenuineIntel-6-8F"). */
bool event_files_cpu_is(const char *id);
/* Forget all, for tests. */
void event_files_clear(void);

#endif
