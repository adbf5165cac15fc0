#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include "base/config.h"
#include "base/opt.h"
#include "record/record.h"

/* cmd/record.c: options and settings of a recording, for commands that record too. Their struct is record_opts. */
extern const struct opt record_options[];
int record_apply_settings(struct record_opts *o, const struct config *c, struct err *e);
/* o->waits, o->wall: choose the events and whom they watch, as far as the user may. */
int record_apply_waits(struct record_opts *o, struct err *e);

#endif
