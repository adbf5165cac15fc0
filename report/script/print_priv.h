#ifndef REPORT_SCRIPT_PRINT_PRIV_H
#define REPORT_SCRIPT_PRINT_PRIV_H

#include "base/parallel.h"
#include "report/session/chain.h"
#include "report/script/chain_texts.h"
#include "report/session/delivery.h"
#include "report/script/print.h"
#include "report/session/time_ranges.h"
#include "report/tracepoint/trace_text.h"

/* Rows of the field table, in the order in which they are printed. */
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
	print_fn *print;        /* NULL: only tells how addresses are printed */
	uint64_t needs;         /* any of these SAMPLE_* bits; 0 = nothing */
	const char *needs_name; /* how the error calls them */
	const char *hint;       /* how to record them, NULL = obvious */
	unsigned kinds;         /* the only kinds of events it is for, a bit each; 0 = all */
	bool in_order;          /* its text depends on lines printed before */
};
extern const struct print_field print_field_table[FIELDS];
extern const char *const print_kind_names[PRINT_KINDS];
enum print_kind print_kind_of(const struct attr *a);

/* What is printed of one event's samples. */
struct print_event {
	uint64_t fields;
	print_fn *prints[FIELDS + 1]; /* in order, NULL at the end */
	size_t n_head;                /* so many of them are of the head: up to the time */
	uint32_t task_style;          /* what print_task prints of it; never 0 */
	bool chain;                   /* its samples show their chains */
	bool wide_comm;
	bool addr_is_data; /* addr is worth a symbol */
	char *name;        /* "  cpu-clock: ", escaped */
	size_t name_len;
};

/* Text of the addresses met so far, as lines of a chain or as the one address of a line; filled by script/address.c. */
struct address_text {
	uint64_t ip;
	uint32_t view;
	bool stop, wanted;
	uint32_t len;
	const char *text;
}; /* wanted: see print_wanted_caller */
enum { ADDRESS_CHAIN_VIEWS = 16 };
struct address_cache {
	struct address_text *slots;
	size_t len, cap; /* cap is a power of two */
	struct arena arena;
	VEC(struct view {
		uint64_t space_version;
		uint64_t style;
	})
	views; /* number of a view is its index + 1 */
	struct idtable view_index;
	struct last_view {
		uint64_t space_version, style;
		uint32_t number;
	} last[2];
	struct chain_views {
		uint64_t fields;
		uint32_t space, space_version, moment, user, kernel;
	} chain_views[ADDRESS_CHAIN_VIEWS]; /* by space */
};

enum { TASK_TEXTS = 64 };

/* What one thread needs to print. */
struct print_worker {
	unsigned number;
	struct lookup lookup;
	struct place_reader reader;
	struct comm_text {
		uint32_t comm;
		struct out text;
	} comms[2]; /* the last one, by print_event.wide_comm */
	struct task_text {
		uint32_t style, pid, tid, comm, len;
		char text[44];
	} tasks[TASK_TEXTS]; /* by tid */
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
	struct chain_texts chains;
	struct chain_buffer chain;
	struct trace_text *trace;
	struct format_notes notes;
	struct insn_cache *insns; /* of script/insn.c; NULL until one is asked for */
	struct source_cache *sources;
	uint64_t samples;             /* printed */
	uint64_t records, text_bytes; /* what became of so many records */
	uint64_t unwind_failed;       /* samples whose stack nobody could unwind */
	uint32_t kernel_moment, kernel_version;
	bool kernel_known;
	struct out text;  /* a piece that is measured before it is printed */
	struct out piece; /* the same of the head, on its way to be kept */
};

struct printer {
	struct session *session;
	struct print_opts opts;
	const struct print_data_form *form; /* NULL: text */
	const struct session_place *window; /* records as they are printed: those whose turn it is */
	size_t n_window;
	size_t printed, slice; /* of the window: places that are done, and how many are one piece of text */
	struct text_buffers buffers;
	struct print_event *events; /* one per event of the input */
	struct print_worker *workers;
	unsigned n_workers;
	bool in_order;
	struct u64map named_modules; /* objects, see address_print_dso */
	const char *const *stop_at;
	size_t n_stop_at;
	/* For records that show the time since another. */
	uint64_t start_time; /* reltime: the first one printed; set before threads start */
	bool started;
	bool off;                                         /* waiting for opts.switch_on */
	uint64_t last_time;                               /* deltatime: of the record before */
	unsigned branch_counter_width, n_branch_counters; /* bits of each; 0: they are not printed */
	size_t widest_data_src;                           /* columns; see script/memory.c */
	struct print_counters *counters;                  /* of script/counters.c; NULL when no sample carries any */
	print_before_fn *before;                          /* see print_record_again; NULL = none */
	void *before_ctx;
	struct print_python *python; /* of script/python_samples.c; NULL unless the form is PRINT_PYTHON */
};

/* A sample (or another record that is printed like one) on its way out. */
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
/* Decide for every event what is printed of it. */
int print_events_init(struct printer *p, const struct print_fields *f, struct err *e);

/* --- script/counters.c --- */
/* Begin (again) at the first record. */
void print_counters_init(struct printer *p);
/* Find out how far the counters advanced with every sample of the window that carries some. Windows come in the order
 * of delivery. */
void print_counters_read(struct printer *p);
uint64_t print_counters_advance(const struct printer *p, size_t place, size_t value);
void print_counters_free(struct printer *p);

/* --- print.c --- */
/* comm, ids, CPU and time: how the lines of all records begin. */
void print_head(struct print_job *j);
print_fn print_task; /* comm and ids, as far as the fields want them */

/* "   AX:0x1f    BX:0x0 ": registers of a sample that has some, each in turn. */
void registers_print(const struct sample_regs *regs, const char *arch, struct out *o);

/* --- script/address.c --- */
/* An address found out: where it lies, and in which function. */
struct address {
	uint64_t ip;
	struct map_hit hit;
	uint32_t symbol;
};
void address_find(struct print_job *j, unsigned cpumode, uint64_t ip, struct address *a);
/* The same where the mode is not known: the sample's own first, then any that has something there. */
void address_find_anywhere(struct print_job *j, uint64_t ip, struct address *a);
/* " main+0x1f (/usr/bin/x)" as far as the fields want it. */
void address_print(struct print_job *j, const struct address *a);
void address_print_symbol(struct print_job *j, const struct address *a, bool with_offset);
void address_print_dso(struct print_job *j, const struct address *a);
print_fn print_ip;    /* the sampled address or the chain */
print_fn print_chain; /* all frames, in the form that is printed */
/* Is any function of the sample's chain one that the filter wants? Without a chain: that of the sampled address. */
bool print_wanted_caller(struct print_job *j);
void address_cache_release(struct address_cache *c);

/* --- script/branch.c --- */
print_fn print_brstack, print_brstacksym, print_brstackoff;

/* --- script/memory.c --- */
print_fn print_data_src, print_data_page_size, print_code_page_size;
/* "|OP LOAD|LVL L1 hit|..." */
void memory_parts_print(uint64_t data_src, struct out *o);

/* --- script/data.c --- */
struct print_data_form {
	const char *head; /* the first line */
	print_fn *sample;
	/* One frame of a chain, with a separator of one byte behind it; `f`: its place in the source, and the name if
	 * it is inlined. */
	void (*frame)(struct print_job *j, const struct address *a, const struct inline_frame *f, bool inlined);
	/* In place of `frame`, if not NULL: an address of a chain with the name of its function (NULL: not known) and
	 * what was inlined there. */
	void (*address)(struct print_job *j, const struct address *a, const char *name,
			const struct inline_frame *inlined, size_t n_inlined);
};
const struct print_data_form *print_data_form(enum print_form form); /* NULL: PRINT_TEXT */

/* --- script/convert.c --- */
extern const struct print_data_form print_convert_form;

/* --- script/python_samples.c --- */
extern const struct print_data_form print_python_form;
/* Hand samples to the script of opts.python. */
void print_python_init(struct printer *p);
void print_python_free(struct printer *p);
/* A record that is no sample, if the script has a function for it. */
void print_python_sideband(struct printer *p, const struct record *r);

/* --- script/side.c --- */
/* A record that is no sample, if it is wanted. */
void print_sideband(struct printer *p, struct print_worker *w, const struct record *r, uint64_t pos, struct out *o);

#endif
