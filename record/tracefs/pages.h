#ifndef RECORD_TRACEFS_PAGES_H
#define RECORD_TRACEFS_PAGES_H

#include "base/units.h"
#include "record/tracefs/instance.h"

/*
 * Read the pages of an instance's buffers, CPU by CPU. The caller sweeps: it takes a few pages from each CPU, so that
 * no CPU waits long for its turn.
 */
struct trace_ring {
	int cpu, fd;
	bool more; /* set by the caller: its last sweep left pages in it, so trace_reader_wait() does not wait */
};
struct trace_reader {
	VEC(struct trace_ring) rings;
	size_t page_size; /* bytes */
	uint8_t *page;    /* the page just read; valid until the next read */
};
/* Open the buffers of these CPUs; NULL: of all. -1 with e on failure; nothing is then open. */
int trace_reader_open(struct trace_reader *r, const struct instance *in, const struct cpuset *cpus, struct err *e);
void trace_reader_close(struct trace_reader *r);
/* Wait until there is something to read, at most this long; -1: no limit. A signal ends the wait. */
void trace_reader_wait(struct trace_reader *r, int timeout_ms);
/* Read the next page of a ring into r->page: 1, 0 if there is none, -1 with e. */
int trace_ring_read(struct trace_reader *r, struct trace_ring *ring, struct err *e);
/* Entries that the kernel lost since tracing began, in the buffers of all CPUs. */
struct trace_losses {
	uint64_t overrun; /* overwritten before they were read */
	uint64_t dropped; /* not written, because the buffer was full */
};
void trace_losses_read(const struct instance *in, struct trace_losses *sum);

#endif
