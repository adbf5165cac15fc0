#ifndef FORMAT_TRACE_DAT_H
#define FORMAT_TRACE_DAT_H

#include "base/file.h"
#include "format/features.h"

/*
 * A trace.dat: what trace-cmd record writes. Versions 6 and 7, of either byte order.
 *
 *	trace_dat_open -> meta, cpus[].data in pages -> trace_dat_close
 *
 * Source: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).
 */
struct trace_dat_cpu {
	uint32_t cpu;
	const uint8_t *data; /* whole pages, the last one may be cut; lives as long as the file */
	uint64_t size;
};
struct trace_dat {
	struct file_map map;
	unsigned version;
	uint32_t page_size;
	struct tracing_data meta;       /* formats, symbols, names of tasks */
	VEC(struct trace_dat_cpu) cpus; /* of the first buffer that has entries */
	char *clock;                    /* "local", malloc'd; NULL: it does not say */
	uint32_t n_buffers;             /* in all: others are those of instances, and are not read */
	VEC(uint8_t *) expanded;        /* sections that were compressed; malloc'd */
};
bool trace_dat_is(const uint8_t *bytes, size_t len);
int trace_dat_open(struct trace_dat *d, const char *path, struct err *e);
/* The same from memory that outlives it; for tests. */
int trace_dat_parse(struct trace_dat *d, const uint8_t *bytes, size_t len, struct err *e);
void trace_dat_close(struct trace_dat *d);

/*
 * Write one, of version 6 in our byte order. `head` is the tracing data (magic to names of tasks) of
 * that version; a CPU's data are whole pages.
 */
struct trace_dat_cpu_part {
	const void *data;
	uint64_t size;
	const char *stats; /* text of per_cpu/cpuN/stats, may be NULL */
};
struct trace_dat_parts {
	const void *head;
	size_t head_len;
	const struct trace_dat_cpu_part *cpus; /* by CPU number */
	size_t n_cpus;
	uint32_t page_size;
	const char *clock; /* text of trace_clock */
	const char *uname; /* "Linux vm 6.1.0 x86_64" */
};
struct out;
void trace_dat_write(struct out *o, const struct trace_dat_parts *p);

#endif
