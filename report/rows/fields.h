#ifndef REPORT_ROWS_FIELDS_H
#define REPORT_ROWS_FIELDS_H

#include "report/rows/trace_keys.h"

/*
 * Columns and sort order from --sort, --fields and related options. Source: strobe-report(1), "SORT
 * KEYS".
 */
struct fields_opts {
	const char *sort, *fields; /* NULL = not given; "+key" adds to the default */
	bool history;              /* chains consist of branches */
	bool children, branch, memory, samples, period;
	bool utilization;        /* show shares by CPU mode */
	bool tracepoints;        /* all events are tracepoints: rows show their text unless other keys are given */
	bool parallelism;        /* the recording shows how many threads ran: also show shares of latency */
	bool latency;            /* shares of latency come first */
	bool raw_trace;          /* tracepoints: show their fields as numbers */
	struct session *session; /* fields of its tracepoints can be keys; NULL: none */
	bool no_ipc;             /* do not show instructions per cycle with symbols */
	bool parent;             /* the user gave a pattern of parents: rows also show them */
};

struct fields {
	VEC(const struct key *) columns; /* from left to right */
	VEC(const struct key *) sort;    /* rows are compared by these, in this order */
	struct trace_keys own;           /* keys among them that were made for this input */
	bool self_title;                 /* "Self" instead of "Overhead" */
	bool first_is_symbol;            /* --sort begins with the symbol, and there is no --fields */
};

/* The keys that apply without --sort. */
const char *fields_default_sort(const struct fields_opts *o);
/* -1 with e (status 129) for unknown keys. */
int fields_parse(struct fields *f, const struct fields_opts *o, struct err *e);
/* Drop the shares of latency that the user did not ask for by name: they add nothing. */
void fields_drop_latency(struct fields *f, const struct fields_opts *o);
void fields_free(struct fields *f);
/* Return whether the key with this name (not alias) is a column or in the sort order. */
bool fields_have(const struct fields *f, const char *name);
/* Return whether any key needs this (key_needs). */
bool fields_need(const struct fields *f, unsigned needs);

#endif
