#ifndef PROBE_BUILDING_PRIV_H
#define PROBE_BUILDING_PRIV_H

#include "probe/fetch.h"
#include "probe/prober_priv.h"
#include "probe/sdt.h"

/* Exit codes as perf's. */
enum { NOT_FOUND = 254, INVALID = 234, UNSUPPORTED = 161, EXISTS = 239 };

/* One event while it is made of a definition and a place. */
struct building {
	struct prober *p;
	const struct probe_spec *spec;
	const struct probe_point *point;
	struct probe_events *out;
	struct fetch fetch;
	struct trace_probe *trace;
	uint8_t *found;      /* by argument: some place has it */
	bool several;        /* places */
	struct err *missing; /* why the first place that lacks a variable does */
};

/* The arguments of the definition, as fetch texts of `trace`. */
int building_add_args(struct building *b, struct err *e);
/* "$vars" and its like. */
bool is_group_of_variables(const char *raw);
/* The events of a definition that names a marker. */
int prober_find_markers(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e);

#endif
