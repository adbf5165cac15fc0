#ifndef REPORT_SCRIPT_PRINT_H
#define REPORT_SCRIPT_PRINT_H

#include "base/opt.h"
#include "report/session/filter.h"
#include "report/session/session.h"

/*
 * Print samples and other records as `script` does: a line per record, and the lines of its call
 * chain. The kind of the event and the fields chosen for this kind decide what is printed.
 *
 *	print_fields_init -> print_fields_parse (each -F) -> printer_new -> print_all -> printer_free
 */

/* Kinds of events; the first six equal attr.type. */
enum print_kind {
	PRINT_HARDWARE,
	PRINT_SOFTWARE,
	PRINT_TRACEPOINT,
	PRINT_CACHE,
	PRINT_RAW,
	PRINT_BREAKPOINT,
	PRINT_OTHER, /* events of dynamic PMUs */
	PRINT_SYNTH, /* made by decoders of hardware traces */
	PRINT_KINDS
};

/* The fields to print. Bits are rows of the field table (report/script/print.c). */
struct print_fields {
	uint64_t shown[PRINT_KINDS];
	/*
	 * Of these, the fields asked for by name. An event without them is an error; other missing
	 * fields are skipped.
	 */
	uint64_t asked[PRINT_KINDS];
	bool chosen[PRINT_KINDS];     /* the user chose the fields: add none */
	bool must_exist[PRINT_KINDS]; /* the input must have an event of this kind */
};

/* Set the default fields. */
void print_fields_init(struct print_fields *f);
/*
 * Apply one list of -F. "comm,ip" replaces the fields of all kinds, "sw:comm,ip" those of one kind,
 * "sw:" prints nothing of this kind, "+misc,-cpu" and "sw:+misc" change the current fields. Append
 * warnings as lines to `warnings`. -1 and e (exit status 129) for a bad list.
 */
int print_fields_parse(struct print_fields *f, const char *list, struct out *warnings, struct err *e);
/* Return whether a text is a list of field names. (The old form `script -f comm,ip`.) */
bool print_fields_are(const char *list);
/* Print "comm,tid,pid,...": the values of -F. */
void print_fields_names(struct out *o);

/* The output format: text, as perf prints it, or formats for other programs (report/script/data.c). */
enum print_form { PRINT_TEXT, PRINT_JSON, PRINT_CSV, PRINT_CONVERT, PRINT_SCRIPT };

struct interpreter;
struct print_sink {
	struct out *out;
	uint64_t samples;
};

/* How much a counter of a group advanced; print_metrics_fn gets these. */
struct print_count {
	uint32_t event;
	uint64_t value;
};
typedef void print_metrics_fn(void *of, const struct print_count *counts, size_t n, struct out *lines);

struct print_opts {
	bool check;   /* no samples, only the records that `sideband` selects */
	bool latency; /* like the kernel's latency tracers */
	/* Event + 1: print from a sample of one event until a sample of the other; 0: always. */
	uint32_t switch_on, switch_off;
	bool show_switches; /* also print samples of these two events */
	bool hide_chain;    /* print the sampled address instead of the chain */
	bool ns;            /* nine decimals in times */
	bool reltime;       /* time since the first printed record */
	bool deltatime;     /* time since the previous printed record */
	bool inlines;
	bool full_source_path;
	uint64_t max_blocks; /* for brstackinsn: blocks between branches; 0 = all */
	bool kernel_path;    /* the path of the kernel image instead of [kernel.kallsyms] */
	enum print_form form;
	struct interpreter *interpreter;    /* PRINT_SCRIPT: of the script that gets the samples */
	uint64_t max_stack;                 /* maximum number of frames, inlined ones not counted */
	const struct opt_list *stop_at;     /* function names at which chains end; must outlive the printer */
	const struct sample_filter *filter; /* samples to print; must outlive the printer; NULL = all */
	const struct time_ranges *times;    /* times to print; NULL or empty = all */
	struct print_sink
		*sinks; /* By event: output for its samples; NULL = one output for all. Must outlive the printer. */
	print_metrics_fn *metrics; /* for the field metric, with metrics_of; NULL = the field does not exist */
	void *metrics_of;
	/* Gets a line for each field that is left out although the user asked for it; may be NULL. */
	struct out *warnings;
	uint64_t sideband; /* other records to print: a bit per RECORD_* below 64, and PRINT_ROUNDS */
};
#define PRINT_ROUNDS (1ull << 63) /* FINISHED_ROUND records */

/*
 * Check the fields against the events of a walked session and prepare to print. NULL with e when a wanted field is
 * missing or needs another field. `threads`: at most this many print at the same time.
 */
struct printer *printer_new(struct session *s, const struct print_fields *f, const struct print_opts *o,
			    unsigned threads, struct err *e);
void printer_free(struct printer *p);
/* Print all wanted records in the order of delivery. Stop when `o` cannot be written. */
void print_all(struct printer *p, struct out *o);
/*
 * The same of an input that still arrives: what comes first, once; then records as they are due (session_due), which
 * are printed before it returns.
 */
void print_begin(struct printer *p, struct out *o);
void print_places(struct printer *p, const struct session_place *places, size_t n, struct out *o);
/*
 * Print one record if it is wanted, for a caller that walks the records in the order of delivery.
 * `before` is called for each sample of the record, even if its event or address is not wanted; but
 * not if its time or CPU is not wanted.
 */
typedef void print_before_fn(void *ctx, const struct record *r);
void print_record_again(struct printer *p, const struct record *r, print_before_fn *before, void *ctx, struct out *o);
/* Print a recording of counters (with STAT_ROUND records) as a table of values per round. */
void print_stat(const struct perfdata *pd, struct out *o);
/*
 * Pass them to the script's functions stat__EVENT(cpu, thread, time, value, enabled, running), stat__interval(time).
 * Languages without these print them, as in perf.
 */
void script_stat(const struct perfdata *pd, struct interpreter *i, struct out *o);
/* Count samples whose time is before that of an earlier sample in the order of delivery. */
uint64_t print_misordered(struct printer *p);
/*
 * Print the begin and the end of the JSON document that perf's `data convert --to-json` writes: the
 * input's header, then all samples. print_all with PRINT_CONVERT goes between these two.
 */
void print_convert_begin(const struct perfdata *pd, struct out *o);
void print_convert_end(struct out *o);
/* The number of samples that print_all printed. */
uint64_t printer_samples(const struct printer *p);
/* Add to `notes` what could not be read. */
void printer_notes(const struct printer *p, struct format_notes *notes);

#endif
