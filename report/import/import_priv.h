#ifndef REPORT_IMPORT_IMPORT_PRIV_H
#define REPORT_IMPORT_IMPORT_PRIV_H

#include "base/hash.h"
#include "report/import/import.h"

struct import_event {
	const char *name;
	bool time; /* weights are nanoseconds */
};
struct import_task {
	uint32_t comm; /* of `texts` */
	int32_t pid, tid;
};
struct import_sample {
	uint64_t weight, time_ns;     /* ~0 = unknown */
	size_t at;                    /* frames[at .. at + n), innermost first */
	uint32_t n, event, task, cpu; /* cpu ~0 = unknown */
};
struct import {
	struct strtab texts;
	VEC(struct import_event) events;
	VEC(struct import_task) tasks;
	VEC(uint32_t) frames; /* names, of `texts` */
	VEC(struct import_sample) samples;
	struct idtable by_task;
};

/* Add a task unless it exists. Return its index. */
uint32_t import_task(struct import *im, uint32_t comm, int32_t pid, int32_t tid);
/* Add an event with this name unless it exists. Return its index. */
uint32_t import_event(struct import *im, const char *name, size_t len, bool time);

#endif
