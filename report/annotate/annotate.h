#ifndef REPORT_ANNOTATE_ANNOTATE_H
#define REPORT_ANNOTATE_ANNOTATE_H

#include "report/profile/profile.h"
#include "report/annotate/source.h"
#include "symbols/code/disasm.h"

/*
 * Where inside a function the samples fell: counts per address (hot_*), and a function's code with
 * them (annotation_*). What is here is a model: rows, instructions, sums; text and screens are
 * made of it elsewhere.
 *
 *	profile (keep_places) -> hot_new -> annotation_new -> rows
 */

/* Samples of one event at one address, which is the object's own (dso_address). */
struct hit {
	uint64_t address;
	uint32_t event;
	uint64_t samples, period;
};

struct hot_function {
	uint32_t dso, symbol;
	uint64_t start, end; /* of the symbol */
	size_t first, n;     /* its hits, ascending by address, then event */
};

struct hot {
	struct session *session;
	size_t n_events;
	VEC(struct hit) hits;
	VEC(struct hot_function) functions; /* by object and symbol */
	struct event_total *sums;           /* per function and event */
	struct event_total *totals;         /* per event: all samples that passed the filters of the profile */
	struct unnamed {
		uint32_t dso;
		uint64_t samples;
	} * unnamed; /* objects with samples that lie in no symbol, most first */
	size_t n_unnamed;
};

/* `p` decoded and named with keep_places; not needed afterwards. */
struct hot *hot_new(struct profile *p);
void hot_free(struct hot *h);
static inline const struct event_total *hot_sum(const struct hot *h, size_t function, uint32_t event)
{
	return &h->sums[function * h->n_events + event];
}
/* Functions with samples of the event, largest period first (ties by name): their numbers. malloc'd. */
uint32_t *hot_order(const struct hot *h, uint32_t event, size_t *n);
const char *hot_name(const struct hot *h, size_t function); /* foreign text */
/* Number of the function of that symbol; one without samples is added. */
size_t hot_function_of(struct hot *h, uint32_t dso, uint32_t symbol);

/* ---- one function's code ---- */

struct annotate_opts {
	bool source; /* rows of source lines between */
	bool lines;  /* instructions know their line even so */
	bool few;    /* few functions will be annotated: of debug information no more is read than they need */
	enum disasm_syntax syntax;
	const char *objdump; /* program that disassembles instead of us; NULL = we do */
	const char *style;   /* -M for it; NULL = its own */
};

/* What several annotations share. Zeroed but for opts and hot. */
struct annotator {
	struct annotate_opts opts;
	const struct hot *hot;
	struct sources sources;
};
void annotator_release(struct annotator *a);

enum { NO_TARGET = UINT32_MAX };
struct annot_insn {
	uint32_t offset;    /* from the function's start */
	uint32_t row;       /* where it is shown */
	uint32_t target;    /* instruction of this function that it jumps to, or NO_TARGET */
	uint32_t line;      /* of its own place in the source: of the innermost inlined function. 0 = not known */
	uint32_t file;      /* number of its file, see annotation.files */
	uint32_t text;      /* offset in annotation.texts of what objdump made of it, 0 = disassemble */
	uint8_t size, kind; /* enum insn_kind */
	bool is_target, bad;
};

enum annot_kind { ROW_INSN, ROW_SOURCE, ROW_INLINED };
struct annot_row {
	uint8_t kind;
	uint16_t file; /* ROW_SOURCE */
	uint32_t n; /* ROW_INSN: instruction; ROW_SOURCE: line; ROW_INLINED: offset in texts of the inlined function's
		       name */
};

struct annotation {
	struct annotator *by;
	const struct hot *hot;
	size_t function;
	struct code code;
	struct disasm *disasm; /* NULL when objdump did it */
	VEC(struct annot_insn) insns;
	VEC(struct annot_row) rows;
	VEC(struct source_file *) files;
	struct out texts;
	struct event_total *sums;    /* per instruction and event */
	struct event_total *outside; /* per event: hits where no code is */
	uint32_t n_targets;
};

/* NULL with e: what is missing of its code, and how to get it. */
struct annotation *annotation_new(struct annotator *by, size_t function, struct err *e);
void annotation_free(struct annotation *a);
static inline const struct event_total *annotation_sum(const struct annotation *a, uint32_t insn, uint32_t event)
{
	return &a->sums[insn * a->hot->n_events + event];
}
/* Where it lies, see struct code. */
static inline uint64_t annotation_address(const struct annotation *a, uint32_t insn)
{
	return a->code.address + a->insns.items[insn].offset;
}
/* The instruction at an address of the object's own, NO_TARGET if none begins there or covers it. */
uint32_t annotation_find(const struct annotation *a, uint64_t address);
/* Decodes it (again). Not for those that objdump told. */
void annotation_decode(const struct annotation *a, uint32_t insn, struct insn *out);
/* Its text as objdump has it: columns, and names of the places it speaks of. Adds to `o`, foreign bytes escaped. */
void annotation_text(const struct annotation *a, uint32_t insn, struct out *o);
/* The same in the words of a screen: jumps inside the function by offset, calls by name. */
void annotation_short_text(const struct annotation *a, uint32_t insn, struct out *o);
/* The function that a call or jump out of this one leads to, 0 and false if not known. */
bool annotation_callee(const struct annotation *a, uint32_t insn, uint32_t *symbol);

/*
 * A source file of those that were read that was changed after the file with the function's code: its lines may have
 * moved since. NULL if there is none.
 */
const struct source_file *annotator_newer_source(const struct annotator *by, size_t function);

enum percent_type { PERCENT_LOCAL_PERIOD, PERCENT_GLOBAL_PERIOD, PERCENT_LOCAL_HITS, PERCENT_GLOBAL_HITS };
const char *percent_type_name(enum percent_type t); /* "local period" */
/* -1 with e. "local-period", "global-hits" ... */
int percent_type_parse(const char *text, enum percent_type *t, struct err *e);
/* Share of a sum of the function. */
double annotation_percent(const struct annotation *a, enum percent_type t, uint32_t event,
			  const struct event_total *sum);

/* ---- cost by source line ---- */

/* `own`: of code that the line itself became. `with_inlined`: also of code that was inlined there. */
struct line_cost {
	const char *file;
	uint32_t line;
	uint32_t event;
	struct event_total own, with_inlined;
};
struct line_costs {
	VEC(struct line_cost);
};
/* Of these functions, sorted by file and line (then event). File names live as long as the session. */
void line_costs_of(const struct hot *h, const uint32_t *functions, size_t n, struct line_costs *costs);

#endif
