#ifndef REPORT_FTRACE_META_H
#define REPORT_FTRACE_META_H

#include "format/features.h"
#include "format/trace/page.h"
#include "report/ftrace/names.h"
#include "report/tracepoint/payload.h"

/*
 * The data that explains the entries of a trace: the formats of its kernel, the names of functions and
 * tasks. All of it comes from a recording or a kernel and is foreign.
 */
enum ftrace_kind {
	FTRACE_OTHER, /* a tracepoint */
	FTRACE_FUNCTION,
	FTRACE_ENTRY, /* function_graph */
	FTRACE_EXIT,
	FTRACE_KERNEL_STACK,
	FTRACE_USER_STACK,
	FTRACE_PRINT, /* trace_marker, trace_printk */
};

struct ftrace_field {
	uint16_t offset;
	uint8_t size; /* 0: the kernel has no such field */
	bool is_signed;
};

struct ftrace_format {
	struct trace_format text;
	enum ftrace_kind kind;
	/* FUNCTION: ip, parent; ENTRY: func, depth, retaddr, args; EXIT: func, depth, ... */
	struct ftrace_field ip, parent, depth, calltime, rettime, overrun, retval, args;
};

struct ftrace_meta {
	struct trace_layout layout;
	bool swap;
	uint8_t long_size;
	uint16_t by_id[65536]; /* index in formats, 0 = unknown */
	VEC(struct ftrace_format *) formats;
	struct ftrace_field id, flags, preempt, pid; /* common to all */
	struct ftrace_names *names;
	struct trace_strings strings;
	struct strtab comms;
	struct u64map comm_of;           /* pid -> comms */
	bool is_live;                    /* read the names of running tasks */
	uint64_t n_bad_pages, n_unknown; /* damaged pages; entries without a format */
};

/*
 * Parse the tracing data of a trace. If `names` is NULL, take them from the data's kallsyms. If page_size
 * is 0, take it from header_page.
 */
struct ftrace_meta *ftrace_meta_new(const struct tracing_data *td, uint32_t page_size, struct ftrace_names *names,
				    struct err *e);
void ftrace_meta_free(struct ftrace_meta *m);
/* Add task names from the text of saved_cmdlines, or add one name. */
void ftrace_meta_comms(struct ftrace_meta *m, const char *text, size_t len);
/* Return the name; "<idle>" for 0; NULL if it is unknown. */
const char *ftrace_meta_find_comm(struct ftrace_meta *m, int32_t pid);

/* One entry of the trace. `data` is valid until the stream moves on. */
struct ftrace_event {
	uint64_t time_ns;
	int cpu;
	int32_t pid;
	uint8_t flags, preempt;
	bool lost;                          /* entries were lost on this CPU before it */
	uint64_t n_lost;                    /* how many, 0 = unknown */
	const struct ftrace_format *format; /* NULL: the trace has no format for it */
	const uint8_t *data;
	uint32_t size;
};
/* Fill in the entry's own fields; the caller sets time, CPU and losses. */
void ftrace_event_decode(const struct ftrace_meta *m, struct ftrace_event *ev, const uint8_t *data, uint32_t size);
uint64_t ftrace_event_field(const struct ftrace_meta *m, const struct ftrace_event *ev,
			    const struct ftrace_field *field);
static inline enum ftrace_kind ftrace_event_kind(const struct ftrace_event *ev)
{
	return ev->format ? ev->format->kind : FTRACE_OTHER;
}

#endif
