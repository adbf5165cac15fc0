#ifndef CMD_MONITOR_MONITOR_PRIV_H
#define CMD_MONITOR_MONITOR_PRIV_H

#include "base/opt.h"
#include "report/monitors/monitor.h"

/* The options of all monitors. The row of a monitor in MONITORS names those that it takes. */
extern const struct opt monitor_options[];
/* The same names: the reasons why other monitors refuse them. */
extern const struct opt monitor_elsewhere[];

#endif
