#ifndef REPORT_SCRIPT_PRINT_H
#define REPORT_SCRIPT_PRINT_H

#include "base/opt.h"
#include "report/session/filter.h"
#include "report/session/session.h"

/*
 * The text of samples and of other records, as `script` prints it: a line per record, and the
 * lines of its call chain. What is printed of a sample follows from the kind of its event and the
 * fields chosen for that kind.
 *
 *	print_fields_init -> print_fields_parse (each -F) -> printer_new -> print_all -> printer_free
 */

/* Kinds of events; the first six are those of attr.type. */
enum print_kind {
	PRINT_HARDWARE,
	PRINT_SOFTWARE,
	PRINT_TRACEPOINT,
	PRINT_CACHE,
	PRINT_RAW,
	PRINT_BREAKPOINT,
	PRINT_OTHER, /* events of dynamic PMUs */
	PRINT_SYNTH, /* made by decoders */
	PRINT_KINDS
};

/* Which fields are printed. Bits are rows of the field table (report/script/print.c). */
struct print_fields {
	uint64_t shown[PRINT_KINDS];
	uint64_t asked[PRINT_KINDS];  /* of these: asked for by name, so that an event without them is an error, not a
					 gap */
	bool chosen[PRINT_KINDS];     /* the user chose: no additions of ours */
	bool must_exist[PRINT_KINDS]; /* an event of this kind must be there */
};

/* The fields printed when nothing is chosen. */
void print_fields_init(struct print_fields *f);
/*
 * Apply one list of -F: "comm,ip" replaces the fields of every kind, "sw:comm,ip" of one, "sw:"
 * prints nothing of that kind, "+misc,-cpu" and "sw:+misc" change what was there. Lines that warn
 * go to `warnings`. -1 and e (exit status 129) for a list that means nothing.
 */
int print_fields_parse(struct print_fields *f, const char *list, struct out *warnings, struct err *e);
/* Is this a list of field names and nothing else? (The old form `script -f comm,ip`.) */
bool print_fields_are(const char *list);
/* "comm,tid,pid,...": what -F takes. */
void print_fields_names(struct out *o);

/* How samples are written: for people and the programs that read perf's text, or for other programs
 * (report/script/data.c). */
enum print_form { PRINT_TEXT, PRINT_JSON, PRINT_CSV, PRINT_CONVERT, PRINT_PYTHON };

struct python;
struct print_sink {
	struct out *out;
	uint64_t samples;
};

/* How far a counter of a group advanced, and what they say together: lines. */
struct print_count {
	uint32_t event;
	uint64_t value;
};
typedef void print_metrics_fn(void *of, const struct print_count *counts, size_t n, struct out *lines);

struct print_opts {
	bool check;                     /* no samples: only the records asked for by `sideband` */
	bool latency;                   /* as the kernel's latency tracers print the head */
	uint32_t switch_on, switch_off; /* event + 1: samples are printed from one on, and until one; 0: always */
	bool show_switches;             /* these samples as well */
	bool hide_chain;                /* the sampled address instead of the chain */
	bool ns;                        /* times with nine decimals */
	bool reltime;                   /* since the first record printed */
	bool deltatime;                 /* since the record printed before */
	bool inlines;
	bool full_source_path;
	uint64_t max_blocks; /* between branches, for brstackinsn; 0 = all */
	bool kernel_path;    /* the path of the kernel image instead of [kernel.kallsyms] */
	enum print_form form;
	struct python *python;              /* of PRINT_PYTHON: the script that gets the samples */
	uint64_t max_stack;                 /* frames of a chain, without inlined ones */
	const struct opt_list *stop_at;     /* names of functions: chains end there. Lives as long as the printer */
	const struct sample_filter *filter; /* samples to print. Lives as long as the printer; NULL = all */
	const struct time_ranges *times;    /* the same by time; NULL or empty = all */
	struct print_sink
		*sinks; /* by event: where its samples go instead; NULL = all to one. Lives as long as the printer */
	print_metrics_fn *metrics; /* for the field metric, with metrics_of; NULL = there is no such field */
	void *metrics_of;
	struct out *warnings; /* gets lines on fields that are left out although they were asked for; NULL = nobody
				 reads them */
	uint64_t sideband;    /* bit per RECORD_* below 64 to print as well, and PRINT_ROUNDS */
};
#define PRINT_ROUNDS (1ull << 63) /* FINISHED_ROUND records */

/*
 * Check the fields against the events of a walked session and prepare to print. NULL with e when a field asked for is
 * missing, or makes no sense alone. `threads`: how many may print at a time.
 */
struct printer *printer_new(struct session *s, const struct print_fields *f, const struct print_opts *o,
			    unsigned threads, struct err *e);
void printer_free(struct printer *p);
/* Print all records that are to be shown, in the order of delivery. Ends early when `o` cannot be written. */
void print_all(struct printer *p, struct out *o);
/*
 * Print one record, if it is to be shown: for who walks the records in the order of delivery. `before` is called for
 * each sample that the record stands for, printed or left out for its event or place; not if its time or CPU is not
 * wanted.
 */
typedef void print_before_fn(void *ctx, const struct record *r);
void print_record_again(struct printer *p, const struct record *r, print_before_fn *before, void *ctx, struct out *o);
/* Of a recording of counters (it has STAT_ROUND records): the values of every round as a table. */
void print_stat(const struct perfdata *pd, struct out *o);
/* How many samples come with a time before that of one before them in the order of delivery. */
uint64_t print_misordered(struct printer *p);
/* Give the module perf_trace_context its functions; before the script of `python` runs. */
void print_python_module(struct python *python);
/*
 * One JSON document with the input's header and all samples, as perf's `data convert --to-json` writes it: what
 * print_all prints with PRINT_CONVERT stands between these two.
 */
void print_convert_begin(const struct perfdata *pd, struct out *o);
void print_convert_end(struct out *o);
/* How many samples print_all printed. */
uint64_t printer_samples(const struct printer *p);
/* Add what could not be read to `notes`. */
void printer_notes(const struct printer *p, struct format_notes *notes);

#endif
