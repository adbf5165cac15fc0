#ifndef REPORT_ANNOTATE_ANNOTATE_H
#define REPORT_ANNOTATE_ANNOTATE_H

#include "report/profile/profile.h"
#include "report/annotate/source.h"
#include "symbols/code/disasm.h"

/*
 * Where in a function the samples fell: counts per address (hot_*), and the function's code with
 * these counts (annotation_*). This is a model of rows, instructions and sums; text output and
 * screens format it elsewhere.
 *
 *	profile (keep_places) -> hot_new -> annotation_new -> rows
 *
 * Example: print the number of samples at each address that has some.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct profile_filter all = { 0 };
 *	struct profile *p;
 *	struct hot *h;
 *
 *	if (!s || session_walk(s, NULL) < 0)
 *		return 1;
 *	p = profile_new(s, &(struct profile_opts){ .keep_places = true, .want_names = true }, &all);
 *	profile_decode(p);
 *	profile_name(p);
 *	h = hot_new(p);
 *	for (size_t i = 0; i < h->hits.len; i++)
 *		printf("%jx %ju\n", (uintmax_t)h->hits.items[i].address, (uintmax_t)h->hits.items[i].samples);
 */

/* Samples of one event at one address, in the object's own addresses (dso_address). */
struct hit {
	uint64_t address;
	uint32_t event;
	uint64_t samples, period;
};

struct hot_function {
	uint32_t dso, symbol;
	uint64_t start, end; /* of the symbol */
	size_t first, n;     /* its hits; sorted by address, then event */
};

struct hot {
	struct session *session;
	size_t n_events;
	VEC(struct hit) hits;
	VEC(struct hot_function) functions; /* sorted by object and symbol */
	struct event_total *sums;           /* per function and event */
	struct event_total *totals;         /* per event: all samples that passed the profile's filters */
	struct unnamed {
		uint32_t dso;
		uint64_t samples;
	} * unnamed; /* objects with samples outside of any symbol, most samples first */
	size_t n_unnamed;
};

/* `p` must be decoded and named with keep_places. It is not needed afterwards. */
struct hot *hot_new(struct profile *p);
void hot_free(struct hot *h);
static inline const struct event_total *hot_sum(const struct hot *h, size_t function, uint32_t event)
{
	return &h->sums[function * h->n_events + event];
}
/*
 * The functions with samples of the event, by number; largest period first, ties by name. The
 * caller frees the array.
 */
uint32_t *hot_order(const struct hot *h, uint32_t event, size_t *n);
const char *hot_name(const struct hot *h, size_t function); /* foreign text */
/* Return whether this is the function's whole name, or its name without parameters. */
bool hot_is_named(const struct hot *h, size_t function, const char *asked);
/* The function of this name with most samples of the event; HOT_NONE: none has any. */
enum { HOT_NONE = -1 };
long hot_named(const struct hot *h, const char *asked, uint32_t event);
/* The number of the function of this symbol; added if it has no samples. */
size_t hot_function_of(struct hot *h, uint32_t dso, uint32_t symbol);

/* ---- one function's code ---- */

struct annotate_opts {
	bool source; /* add rows of source lines */
	bool lines;  /* fill in lines even without `source` */
	bool few;    /* only a few functions will be annotated: read only the debug information that they need */
	enum disasm_syntax syntax;
	const char *objdump; /* program that disassembles for us; NULL = we do it */
	const char *style;   /* its -M option; NULL = none */
};

/* What several annotations share. Zero all members but opts and hot. */
struct annotator {
	struct annotate_opts opts;
	const struct hot *hot;
	struct sources sources;
};
void annotator_release(struct annotator *a);

enum { NO_TARGET = UINT32_MAX };
struct annot_insn {
	uint32_t offset;    /* from the function's start */
	uint32_t row;       /* index of its row */
	uint32_t target;    /* jump target: instruction of this function, or NO_TARGET */
	uint32_t line;      /* its own source line, in the innermost inlined function; 0 = unknown */
	uint32_t file;      /* index into annotation.files */
	uint32_t text;      /* offset in annotation.texts of objdump's text, 0 = disassemble */
	uint8_t size, kind; /* enum insn_kind */
	bool is_target, bad;
};

enum annot_kind { ROW_INSN, ROW_SOURCE, ROW_INLINED };
struct annot_row {
	uint8_t kind;
	uint16_t file; /* ROW_SOURCE */
	/*
	 * ROW_INSN: instruction; ROW_SOURCE: line; ROW_INLINED: offset in texts of the function's
	 * name.
	 */
	uint32_t n;
};

struct annotation {
	struct annotator *by;
	const struct hot *hot;
	size_t function;
	struct code code;
	struct disasm *disasm; /* NULL with objdump */
	VEC(struct annot_insn) insns;
	VEC(struct annot_row) rows;
	VEC(struct source_file *) files;
	struct out texts;
	struct event_total *sums;    /* per instruction and event */
	struct event_total *outside; /* per event: hits at addresses without code */
	uint32_t n_targets;
};

/* NULL with e, which tells what is missing and how to get it. */
struct annotation *annotation_new(struct annotator *by, size_t function, struct err *e);
void annotation_free(struct annotation *a);
static inline const struct event_total *annotation_sum(const struct annotation *a, uint32_t insn, uint32_t event)
{
	return &a->sums[insn * a->hot->n_events + event];
}
/* In the addresses of struct code. */
static inline uint64_t annotation_address(const struct annotation *a, uint32_t insn)
{
	return a->code.address + a->insns.items[insn].offset;
}
/* The instruction that begins at or covers an address of the object; NO_TARGET if none. */
uint32_t annotation_find(const struct annotation *a, uint64_t address);
/* Decode an instruction again. Not for text from objdump. */
void annotation_decode(const struct annotation *a, uint32_t insn, struct insn *out);
/*
 * Append the text in objdump's form, with columns and names of addresses. Foreign bytes are
 * escaped.
 */
void annotation_text(const struct annotation *a, uint32_t insn, struct out *o);
/* Append the text for a screen: jumps inside the function by offset, calls by name. */
void annotation_short_text(const struct annotation *a, uint32_t insn, struct out *o);
/* The symbol to which a call or jump out of the function leads; 0 and false if unknown. */
bool annotation_callee(const struct annotation *a, uint32_t insn, uint32_t *symbol);

/*
 * Find a source file (of those read) that is newer than the file with the function's code: its
 * lines may have moved since. NULL if there is none.
 */
const struct source_file *annotator_newer_source(const struct annotator *by, size_t function);

enum percent_type { PERCENT_LOCAL_PERIOD, PERCENT_GLOBAL_PERIOD, PERCENT_LOCAL_HITS, PERCENT_GLOBAL_HITS };
const char *percent_type_name(enum percent_type t); /* "local period" */
/* Parse "local-period", "global-hits" ... -1 with e if unknown. */
int percent_type_parse(const char *text, enum percent_type *t, struct err *e);
/* The share of a sum, in percent. */
double annotation_percent(const struct annotation *a, enum percent_type t, uint32_t event,
			  const struct event_total *sum);

/* ---- cost by source line ---- */

/* `own`: cost of the line's own code. `with_inlined`: also of code inlined there. */
struct line_cost {
	const char *file;
	uint32_t line;
	uint32_t event;
	struct event_total own, with_inlined;
};
struct line_costs {
	VEC(struct line_cost);
};
/*
 * Sum the costs of these functions; sort by file, line and event. File names live as long as the
 * session.
 */
void line_costs_of(const struct hot *h, const uint32_t *functions, size_t n, struct line_costs *costs);

#endif
