#ifndef REPORT_SCRIPT_PRINT_PRIV_H
#define REPORT_SCRIPT_PRINT_PRIV_H

#include "base/parallel.h"
#include "report/session/chain.h"
#include "report/session/delivery.h"
#include "report/script/print.h"
#include "report/session/time_ranges.h"
#include "report/tracepoint/trace_text.h"

/* Rows of the field table, in print order. */
enum print_bit {
	FIELD_COMM,
	FIELD_PID,
	FIELD_TID,
	FIELD_MACHINE_PID,
	FIELD_VCPU,
	FIELD_CPU,
	FIELD_MISC,
	FIELD_TOD,
	FIELD_TIME,
	FIELD_PERIOD,
	FIELD_EVENT,
	FIELD_FLAGS,
	FIELD_CALLINDENT,
	FIELD_TRACE,
	FIELD_SYNTH,
	FIELD_ADDR,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_INS_LAT,
	FIELD_RETIRE_LAT,
	FIELD_CGROUP,
	FIELD_IP,
	FIELD_SYM,
	FIELD_SYMOFF,
	FIELD_DSO,
	FIELD_DSOFF,
	FIELD_SRCLINE,
	FIELD_IREGS,
	FIELD_UREGS,
	FIELD_BRSTACK,
	FIELD_BRSTACKSYM,
	FIELD_BRSTACKOFF,
	FIELD_BPF_OUTPUT,
	FIELD_INSNLEN,
	FIELD_INSN,
	FIELD_DISASM,
	FIELD_BRSTACKINSN,
	FIELD_BRSTACKINSNLEN,
	FIELD_BRSTACKDISASM,
	FIELD_BRCNTR,
	FIELD_PHYS_ADDR,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_IPC,
	FIELD_METRIC,
	FIELD_SRCCODE,
	FIELDS
};
#define BIT(field)         (1ull << FIELD_##field)
#define BRANCH_CODE_FIELDS (BIT(BRSTACKINSN) | BIT(BRSTACKINSNLEN) | BIT(BRSTACKDISASM)) /* script/brinsn.c */

struct print_job;
struct insn_cache;
struct source_cache;
typedef void print_fn(struct print_job *j);

struct print_field {
	const char *name;
	print_fn *print;        /* NULL: changes only how addresses are printed */
	uint64_t needs;         /* needs any of these SAMPLE_* bits; 0 = none */
	const char *needs_name; /* name of these bits in errors */
	const char *hint;       /* how to record them, NULL = obvious */
	unsigned kinds;         /* bits of the kinds of events that can have it; 0 = all */
	bool in_order;          /* the text depends on lines printed before */
};
extern const struct print_field print_field_table[FIELDS];
extern const char *const print_kind_names[PRINT_KINDS];
enum print_kind print_kind_of(const struct attr *a);

/* What follows the start of the line, see script/usual.c. */
enum usual_kind { USUAL_NOT, USUAL_CHAIN, USUAL_TRACE };

/* How samples of one event are printed. */
struct print_event {
	uint64_t fields;
	print_fn *prints[FIELDS + 1]; /* in print order, NULL at the end */
	size_t n_head;                /* number of fields at the start of the line, up to the time */
	size_t n_start;               /* of these and the next ones, those that print_start prints */
	uint32_t task_style;          /* what print_task prints; never 0 */
	bool chain;                   /* print chains */
	bool wide_comm;
	bool addr_is_data;     /* look up the symbol of addr */
	enum usual_kind usual; /* what print_usual prints after the start of the line */
	uint32_t usual_style;  /* events of one style share the text of an owner */
	char *name;            /* "  cpu-clock: ", escaped; NAME_BLOCK bytes at least */
	size_t name_len;
};

/*
 * Cached text of an address, as a line of a chain or as the only address on a line. See
 * script/address.c.
 */
struct address_text {
	uint64_t ip;
	uint32_t view;
	bool stop, wanted;
	uint32_t len;
	const char *text;
}; /* wanted: see print_wanted_caller */
struct chain_views {
	uint64_t fields;
	uint32_t space, space_version, moment, user, kernel;
};
enum { ADDRESS_CHAIN_VIEWS = 16 };
struct address_cache {
	struct address_text *slots;
	size_t len, cap; /* cap is a power of two */
	struct arena arena;
	VEC(struct address_view {
		uint64_t space_version;
		uint64_t style;
	})
	views; /* the number of a view is its index + 1 */
	struct idtable view_index;
	struct last_view {
		uint64_t space_version, style;
		uint32_t number;
	} last[2];
	struct chain_views chain_views[ADDRESS_CHAIN_VIEWS]; /* by space */
};

enum { TASK_TEXTS = 64, CPU_TEXTS = 16, NAME_BLOCK = 64 };

/* The state of one printing thread. */
struct print_worker {
	unsigned number;
	struct lookup lookup;
	struct place_reader reader;
	struct comm_text {
		uint32_t comm;
		struct out text;
	} comms[2]; /* last one, by print_event.wide_comm */
	struct task_text {
		uint32_t style, pid, tid, comm, len;
		char text[44];
	} tasks[TASK_TEXTS]; /* by tid */
	struct cpu_text {
		uint32_t cpu, len;
		char text[16];
	} cpus[CPU_TEXTS]; /* by cpu */
	struct second_text {
		uint64_t from;
		size_t len;
		char text[24];
	} second;
	struct period_text {
		uint64_t period;
		size_t len;
		char text[24];
	} period;
	struct address_cache addresses;
	struct chain_buffer chain;
	struct trace_text *trace;
	struct format_notes notes;
	struct insn_cache *insns; /* of script/insn.c; NULL until used */
	struct source_cache *sources;
	uint64_t samples;             /* printed samples */
	uint64_t records, text_bytes; /* number of records, and the length of their text */
	uint64_t unwind_failed;       /* samples whose stack could not be unwound */
	uint32_t kernel_moment, kernel_version;
	bool kernel_known;
	struct out text;     /* text that is measured before it is printed */
	struct out piece;    /* the same for a part that will be cached */
	struct usual *usual; /* of script/usual.c; NULL until used */
};

struct printer {
	struct session *session;
	struct print_opts opts;
	const struct print_data_form *form; /* NULL: text */
	const struct session_place *window; /* the current window of records */
	size_t n_window;
	size_t printed, slice; /* places of the window already printed; places per slice */
	struct text_buffers buffers;
	struct print_event *events; /* one per event of the input */
	struct print_worker *workers;
	unsigned n_workers;
	bool in_order;
	bool usual;                  /* some events are usual */
	struct u64map named_modules; /* ids of objects, see address_print_dso */
	const char *const *stop_at;
	size_t n_stop_at;
	/* For records that show the time since another one. */
	uint64_t start_time; /* reltime: time of the first printed record; set before threads start */
	bool started;
	bool off;                                         /* waiting for opts.switch_on */
	uint64_t last_time;                               /* deltatime: of the previous record */
	unsigned branch_counter_width, n_branch_counters; /* bits per counter; 0: do not print them */
	size_t widest_data_src;                           /* in columns; see script/memory.c */
	struct print_counters *counters;                  /* of script/counters.c; NULL when no sample has values */
	print_before_fn *before;                          /* see print_record_again; may be NULL */
	void *before_ctx;
	void *script; /* of the language of opts.interpreter; NULL unless the form is PRINT_SCRIPT */
};

/* A sample (or a record that is printed like one) that is being printed. */
struct print_job {
	struct printer *p;
	struct print_worker *w;
	struct out *o;
	const struct print_event *event;
	const struct file_event *file_event;
	const struct record *record;
	struct sample *sample;
	struct task task;
	uint32_t moment;
	uint64_t pos;
};

/* --- script/fields.c --- */
/* Decide for each event what to print. */
int print_events_init(struct printer *p, const struct print_fields *f, struct err *e);

/* --- script/counters.c --- */
/* Start (again) at the first record. */
void print_counters_init(struct printer *p);
/*
 * Compute the advance of counters for each sample of the window that has values. Pass windows in
 * the order of delivery.
 */
void print_counters_read(struct printer *p);
uint64_t print_counters_advance(const struct printer *p, size_t place, size_t value);
void print_counters_free(struct printer *p);

/* --- script/head.c --- */
#define TASK_FIELDS (BIT(COMM) | BIT(PID) | BIT(TID)) /* share one text */
print_fn head_comm, head_pid, head_tid, head_cpu, head_misc, head_tod, head_time, head_period, head_event;
print_fn print_task; /* comm and ids, as selected by the fields */
/* Print comm, ids, CPU and time: the start of all records' lines. */
void print_head(struct print_job *j);
/* Return the number of fields at the start of the line that print_start prints together; 0: print them one by one. */
size_t print_start_fields(const struct printer *p, const struct print_event *event);
/* Print these fields. Return false, and print nothing, if they are too long. */
bool print_start(struct print_job *j);

/* --- print.c --- */
print_fn print_trace;
void print_payload(struct printer *p, struct print_worker *w, uint32_t event, uint32_t cpu, const uint8_t *raw,
		   size_t size, struct out *o);
/* Print the sampled registers: "   AX:0x1f    BX:0x0 ". */
void registers_print(const struct sample_regs *regs, const char *arch, struct out *o);

/* --- script/address.c --- */
/* An address that was looked up: its object and function. */
struct address {
	uint64_t ip;
	struct map_hit hit;
	uint32_t symbol;
};
void address_find(struct print_job *j, unsigned cpumode, uint64_t ip, struct address *a);
/* Look up an address of an unknown mode: try the sample's own mode first, then the others. */
void address_find_anywhere(struct print_job *j, uint64_t ip, struct address *a);
/* Print " main+0x1f (/usr/bin/x)" as far as the fields want it. */
void address_print(struct print_job *j, const struct address *a);
void address_print_symbol(struct print_job *j, const struct address *a, bool with_offset);
void address_print_dso(struct print_job *j, const struct address *a);
print_fn print_ip;    /* the sampled address or the chain */
print_fn print_chain; /* all frames, in the output format */
/* Does the chain have a function that the filter wants? Without a chain, look at the sampled address. */
bool print_wanted_caller(struct print_job *j);
/* Return the views of a chain's user and kernel parts; they hold until the next call. */
const struct chain_views *address_chain_views(struct print_job *j);
/* Print the frames of a chain. The job needs no sample. */
void address_print_chain(struct print_job *j, const struct chain_words *c, const struct chain_views *views);
void address_cache_release(struct address_cache *c);

/* --- script/usual.c --- */
/* Find the events whose samples print_usual can print. */
void usual_init(struct printer *p);
/* Print the first of these records if they are usual samples of known owners. Return how many were printed. */
size_t print_usual(struct printer *p, struct print_worker *w, const struct session_place *places, size_t n,
		   struct out *o);
/* Remember the owner of a sample that print_usual did not know. */
void usual_learn(struct print_job *j);
void usual_forget(struct usual *u); /* all owners */
void usual_free(struct usual *u);

/* --- script/branch.c --- */
print_fn print_brstack, print_brstacksym, print_brstackoff;

/* --- script/memory.c --- */
print_fn print_data_src, print_data_page_size, print_code_page_size;
/* Print "|OP LOAD|LVL L1 hit|...". */
void memory_parts_print(uint64_t data_src, struct out *o);

/* --- script/data.c --- */
struct print_data_form {
	const char *head; /* the first line */
	print_fn *sample;
	/*
	 * Print one frame of a chain and a separator of one byte. `f`: the source line, and the
	 * name of an inlined call.
	 */
	void (*frame)(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined);
	/*
	 * Replaces `frame` if not NULL: print an address of a chain with the name of its function
	 * (NULL: unknown) and all calls inlined there.
	 */
	void (*address)(struct print_job *j, const struct address *a, const char *name,
			const struct inline_frame *inlined, size_t n_inlined);
};
const struct print_data_form *print_data_form(enum print_form form); /* NULL: PRINT_TEXT */

/* --- script/convert.c --- */
extern const struct print_data_form print_convert_form;

/* --- script/side.c --- */
/* Print another record if it is wanted. */
void print_sideband(struct printer *p, struct print_worker *w, const struct record *r, uint64_t pos, struct out *o);

#endif
