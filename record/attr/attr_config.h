#ifndef RECORD_ATTR_ATTR_CONFIG_H
#define RECORD_ATTR_ATTR_CONFIG_H

#include "events/events.h"
#include "format/attr.h"
#include "record/record.h"

struct aux_plan;

/*
 * Fill the attrs of a parsed list from the options, as perf 7.2 does; the rows in attr_config.c
 * say what each option adds. Append a dummy event for sideband if no other event can carry it.
 * `o->freq` is the rate to use (not FREQ_MAX). `pipe`: the output is a stream, which needs an
 * id in every sample. `aux` is the plan for a list that begins with a tracer; otherwise it is
 * ignored. Return -1 with e for options that this architecture does not support.
 */
int attr_config(struct event_list *l, const struct record_opts *o, const struct target *t, bool pipe,
		const struct aux_plan *aux, struct err *e);

/*
 * Return whether the command itself is measured; otherwise it only sets how long others are
 * measured.
 */
bool target_is_workload(const struct target *t);

/* Return the index of the event that carries the sideband. */
uint32_t attr_tracking(const struct event_list *l);

/* Return whether the recorder unwinds the user stacks of this event (call-graph live). */
bool attr_unwinds(const struct event *event, const struct record_opts *o);

enum { STACK_WINDOW_MAX = 65528 }; /* bytes of stack that a sample can have */

/* Convert an event's attr to the form stored in files. */
void attr_of_event(struct attr *a, const struct event *event);

/*
 * Return the registers that a DWARF unwinder needs on this machine; 0 when we do not know them.
 * Source: asm/perf_regs.h of the architecture.
 */
uint64_t attr_user_regs(void);

#endif
