#ifndef CMD_LIST_METRICS_H
#define CMD_LIST_METRICS_H

#include "base/out.h"

enum list_form { LIST_TEXT, LIST_BARE, LIST_JSON };
/*
 * Print the metrics of this machine ("metric") or their groups ("metricgroup"). false: the word is
 * neither.
 */
bool list_metrics(struct out *o, const char *word, enum list_form form);

#endif
