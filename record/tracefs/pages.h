#ifndef RECORD_TRACEFS_PAGES_H
#define RECORD_TRACEFS_PAGES_H

#include "base/units.h"
#include "record/tracefs/instance.h"

/*
 * The pages that an instance's buffers fill, CPU by CPU. One sweep takes from each CPU what is
 * there, at most some pages, so that no CPU waits long for its turn.
 */
struct trace_ring {
	int cpu, fd;
	bool more; /* the last sweep left pages in it */
};
struct trace_reader {
	VEC(struct trace_ring) rings;
	size_t page_size;
	uint8_t *page; /* the one just read */
};
int trace_reader_open(struct trace_reader *r, const struct instance *in, const struct cpuset *cpus, struct err *e);
void trace_reader_close(struct trace_reader *r);
/* Wait until there is something to read, at most this long. A signal ends the wait. */
void trace_reader_wait(struct trace_reader *r, int timeout_ms);
/* Read the next page of a ring into r->page: 1, 0 if there is none, -1 with e. */
int trace_ring_read(struct trace_reader *r, struct trace_ring *ring, struct err *e);
/* What the kernel counted for a CPU's buffer since tracing began. */
struct trace_losses {
	uint64_t overrun, dropped;
};
void trace_losses_read(const struct instance *in, struct trace_losses *sum);

#endif
