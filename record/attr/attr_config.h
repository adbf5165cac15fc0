#ifndef RECORD_ATTR_ATTR_CONFIG_H
#define RECORD_ATTR_ATTR_CONFIG_H

#include "events/events.h"
#include "format/attr.h"
#include "record/record.h"

struct aux_plan;

/*
 * Fill the attrs of a parsed list from the options, as perf 7.2 does; the rows of attr_config.c say which option asks
 * for what. Appends a dummy event for sideband where no other event can carry it. `o->freq` is the number to use (no
 * FREQ_MAX). `pipe`: the output is a stream, which needs an id in every sample. `aux` is the plan for a list that
 * begins with a tracer, else it is not looked at. -1 and e for what cannot be recorded on this machine's architecture.
 */
int attr_config(struct event_list *l, const struct record_opts *o, const struct target *t, bool pipe,
		const struct aux_plan *aux, struct err *e);

/* Is the command what is measured, and not only the clock of a measurement of others? */
bool target_is_workload(const struct target *t);

/* The event that carries the sideband: index into the list. */
uint32_t attr_tracking(const struct event_list *l);

/* As stored in files. */
void attr_of_event(struct attr *a, const struct event *event);

/* Registers that a dwarf unwinder wants on this machine; 0 when we do not know them. Source: asm/perf_regs.h of the
 * architecture. */
uint64_t attr_user_regs(void);

#endif
