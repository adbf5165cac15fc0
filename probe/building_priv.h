#ifndef PROBE_BUILDING_PRIV_H
#define PROBE_BUILDING_PRIV_H

#include "probe/fetch_priv.h"
#include "probe/prober_priv.h"
#include "probe/sdt_priv.h"

/* One event under construction, from a definition and a place. */
struct building {
	struct prober *p;
	const struct probe_spec *spec;
	const struct probe_point *point;
	struct probe_events *out;
	struct fetch fetch;
	struct trace_probe *trace;
	uint8_t *found;      /* by argument: some place has it */
	bool several;        /* the definition has several places */
	struct err *missing; /* why the first place without a variable lacks it */
};

/* Convert the arguments of the definition into fetch texts of `trace`. */
int building_add_args(struct building *b, struct err *e);
/* Return true for "$vars" and similar words. */
bool is_group_of_variables(const char *raw);
/* Make the events of a definition that names a marker. */
int prober_find_markers(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e);

#endif
