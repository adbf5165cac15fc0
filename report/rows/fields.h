#ifndef REPORT_ROWS_FIELDS_H
#define REPORT_ROWS_FIELDS_H

#include "report/rows/trace_keys.h"

/* Columns and sort order from what --sort, --fields and their kin say. Source: strobe-report(1), "SORT KEYS". */
struct fields_opts {
	const char *sort, *fields; /* NULL = not given; "+key" adds to the default */
	bool history;              /* chains are made of branches */
	bool children, branch, memory, samples, period;
	bool utilization;        /* shares by where the CPU was */
	bool tracepoints;        /* all events are: rows tell their text unless other keys are given */
	bool parallelism;        /* the recording tells how many threads ran: shares of latency are shown, too */
	bool latency;            /* these first */
	bool raw_trace;          /* tracepoints: their fields as numbers */
	struct session *session; /* whose tracepoints may have fields that are keys; NULL: none */
	bool no_ipc;             /* no instructions per cycle beside symbols */
	bool parent;             /* parents were asked for by a pattern: rows tell them, too */
};

struct fields {
	VEC(const struct key *) columns; /* from left to right */
	VEC(const struct key *) sort;    /* rows are compared by these, in order */
	struct trace_keys own;           /* those of them that are made for this input */
	bool self_title;                 /* "Self" instead of "Overhead" */
	bool first_is_symbol;            /* --sort begins with the symbol and there is no --fields */
};

/* The keys when --sort does not tell them. */
const char *fields_default_sort(const struct fields_opts *o);
/* -1 with e (status 129) for unknown keys. */
int fields_parse(struct fields *f, const struct fields_opts *o, struct err *e);
/* Leave out the shares of latency that were not asked for by name: they tell nothing new. */
void fields_drop_latency(struct fields *f, const struct fields_opts *o);
void fields_free(struct fields *f);
/* Is the key of that name (not alias) among the columns or in the sort order? */
bool fields_have(const struct fields *f, const char *name);
/* Any key that needs this (key_needs). */
bool fields_need(const struct fields *f, unsigned needs);

#endif
