#ifndef STAT_RECORDED_PRIV_H
#define STAT_RECORDED_PRIV_H

#include "format/format.h"
#include "stat/table_priv.h"

/* Numbers in the records of stat record. Source: strobe.data(5), "STAT_CONFIG", "STAT_ROUND". */
enum { STAT_CONFIG_AGGREGATION, STAT_CONFIG_INTERVAL, STAT_CONFIG_SCALE, STAT_CONFIG_LEVEL };
enum { STAT_ROUND_INTERVAL, STAT_ROUND_FINAL };
/*
 * Codes of an aggregation in perf 6.1 and in perf 7.2, which changed some. A file of the latter has
 * STAT_CONFIG_LEVEL. -1: no code.
 */
extern const struct aggregation_code {
	int older, newer;
} aggregation_codes[AGGREGATIONS];

/* Return what a recording says about its event. The caller sets shape and readings. */
struct measured recorded_event(const struct perfdata *pd, const struct file_event *ev);

#endif
