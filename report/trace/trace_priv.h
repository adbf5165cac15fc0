#ifndef REPORT_TRACE_TRACE_PRIV_H
#define REPORT_TRACE_TRACE_PRIV_H

#include "base/hash.h"
#include "base/spread.h"
#include "report/session/chain.h"
#include "report/trace/constants_priv.h"
#include "report/trace/structs_priv.h"
#include "report/trace/trace.h"
#include "report/tracepoint/trace_format.h"
#include "report/tracepoint/trace_text.h"
#include "report/waits/calls.h"
#include "report/waits/sched.h"

enum { ARGS_MOST = 6 };

struct kernel_types; /* types_priv.h */
struct trace_field;
bool trace_is_user_data(const struct trace_field *f);

/* ---- shapes.c: what the arguments of a call are ---- */

struct argument_kind;
struct call_shape {
	const char *name; /* of the call */
	unsigned n_args;
	bool has_text; /* the kernel's event of the call carries what arguments point at */
	struct shape_arg {
		const char *name;
		const struct argument_kind *kind;
		uint8_t size; /* bytes of its type; 8: use the whole register */
		bool is_signed;
	} args[ARGS_MOST];
};
/* Return the shape of a call, and make it if it is new. Never NULL. */
const struct call_shape *call_shape(struct call_shapes *shapes, int64_t number);
/* Return the kernel's types, and read them at the first call. NULL: the kernel has none. */
struct kernel_types *call_shapes_types(struct call_shapes *shapes);

/* ---- one call ---- */

/* Text or bytes of the program's memory. */
enum trust { TRUST_NONE, TRUST_LATE, TRUST_FULL }; /* LATE: read later, it may have changed */
struct known_text {
	enum trust trust;
	char text[2 * TRACE_POINTED_SIZE]; /* foreign: a text with its NUL, or `len` bytes */
	uint32_t len;                      /* of bytes */
	bool cut;                          /* the program's text is longer */
	bool filled;                       /* read at the exit: the kernel filled it */
};

struct call_state {
	int64_t number;
	uint64_t args[ARGS_MOST];
	uint64_t entered;
	bool open;     /* entered, without an exit so far */
	bool printed;  /* the first part, with "...", is printed */
	bool told;     /* a separate event contained the data that its arguments point at */
	uint64_t left; /* time of the exit */
	uint64_t result;
	uint32_t cpu, result_cpu;
	struct known_text pointed[ARGS_MOST]; /* what each argument points at; call_begin() leaves old bytes there */
};

/* Sums of one call number of one thread. */
struct call_sum {
	int32_t number;
	uint64_t errors;
	double total_ms, min_ms, max_ms;
	struct spread spread;
	VEC(struct errno_count {
		int32_t code;
		uint64_t n;
	})
	codes;
	uint32_t *buckets; /* by power of two of microseconds; NULL without a histogram */
};
struct call_sums {
	VEC(struct call_sum);
	struct u64map index; /* number to index + 1 */
};

/* Sums of one control group, if the user wants them. */
struct traced_group {
	uint64_t id;
	struct call_sums sums;
	uint64_t events;
};

struct traced_thread {
	int32_t tid, pid;
	uint32_t comm_id; /* of the session, 0 = look it up again */
	char comm[32];    /* foreign text */
	struct call_state call;
	struct known_text *coming; /* ARGS_MOST, from an event before the entry; NULL: there was none so far */
	int64_t coming_number;     /* -1: none */
	struct call_sums sums;
	uint64_t events, major_faults, minor_faults;
	uint64_t last; /* time of its last event */
	double runtime_ms;
};

/* ---- files.c: what descriptors stand for ---- */
struct open_file {
	uint32_t name; /* in strings; 0: unknown */
	bool late;     /* the name was read after the call */
	bool on_exec;  /* execve closes it */
	bool closed;
};
struct process_files {
	int32_t pid;
	struct u64map map; /* descriptor to index + 1 in files; a closed one keeps its index, for the next file */
	VEC(struct open_file) files;
};

struct target_object; /* memory.c */
struct trace_source;  /* trace.c */

struct trace {
	struct live *live;
	struct session *session;
	const struct trace_opts *opts;
	struct out *out;
	const struct syscall_names *names;
	const char *machine;
	struct trace_text *formats;
	struct calls chain;

	struct trace_source *sources;            /* by event of the input */
	struct call_shapes *shapes, *own_shapes; /* own: made here */

	VEC(struct traced_thread *) threads;
	struct u64map thread_of; /* tid to index + 1 */
	struct sched_names gone; /* names of threads that the session forgot: opts->counts may come later */
	VEC(struct field_enum {
		const struct trace_field *field;
		uint32_t type; /* of the kernel's types; 0: none */
	})
	enums; /* of fields of other events */
	VEC(struct traced_group) groups;
	struct u64map group_of; /* id to index + 1 */
	uint64_t events, shown;
	uint64_t first; /* time of the first event */
	bool begun, has_calls;
	bool on, ended;            /* on: between --switch-on and --switch-off */
	struct traced_thread *cut; /* the thread with the last entry, which is not printed yet */

	struct strtab strings; /* names of files */
	size_t n_names_kept;   /* of them at the last trace_files_tidy */
	VEC(struct process_files *) processes;
	struct u64map process_of;
	VEC(struct target_object *) objects;
	struct u64map object_of;
};

/* An event with all that print functions need. */
struct trace_sample {
	struct live_record record;
	struct task task;
	struct traced_thread *thread;
};

/* trace.c: return the thread with this id; it has its latest name. */
struct traced_thread *trace_thread(struct trace *t, int32_t tid);

/* pointed.c: forget the previous call; read the data that this one points at, at its entry and at its exit. */
void call_begin(struct call_state *call, int64_t number);
void pointed_enter(struct trace *t, const struct trace_sample *s, struct call_state *call);
/* Take the data in the kernel's event of a call (syscalls:sys_enter_X): "__filename_val" belongs to filename. */
void pointed_told(struct trace *t, const struct trace_sample *s, const struct trace_format *format, int64_t number);
void pointed_leave(struct trace *t, const struct trace_sample *s, struct call_state *call, int64_t result);

/* arguments.c */
struct argument {
	struct trace *trace;
	const struct traced_thread *thread;
	const struct call_state *call;
	const struct call_shape *shape;
	unsigned index;
	uint64_t value; /* cut to the size of its type, extended by its sign */
	struct out *out;
};
enum read_when { READ_AT_ENTRY, READ_AT_EXIT, READ_AT_BOTH };
struct argument_kind {
	void (*print)(const struct argument *a);
	const struct values *values;
	bool shown_zero;                          /* 0 has a name */
	enum trace_pointed points_at;             /* what is read from the program */
	enum read_when when;                      /* when it is read: at the exit if the kernel fills it */
	uint16_t unit, most;                      /* bytes of an element; largest number of bytes */
	bool only_sure;                           /* too many bytes to read them later from the program */
	const struct struct_layout *layout;       /* NULL: bytes */
	const struct struct_layout *filled;       /* READ_AT_BOTH: its layout at the exit */
	uint32_t type;                            /* of the kernel's types; 0: none */
	bool (*hidden)(const struct argument *a); /* NULL: never */
};
static inline bool is_read_at(const struct argument_kind *kind, bool at_exit)
{
	return kind->points_at && (kind->when == READ_AT_BOTH || (kind->when == READ_AT_EXIT) == at_exit);
}
/* Return true if only the type of an argument is known. */
bool argument_is_unknown(const struct argument_kind *kind);
/* Make the kind of an argument that the kernel's types describe: an enum, or the address of a struct. */
struct argument_kind argument_kind_typed(bool is_enum);
bool trace_has_word(const char *words, const char *word);
/* Find the kind of an argument by its call, name and type. Never NULL. */
const struct argument_kind *argument_kind_of(const char *call, const char *name, const char *type);
/* Print what stands between the parentheses. */
void trace_print_arguments(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			   const struct call_shape *shape, struct out *o);
/* Print " = ..." without the blanks before it. */
void trace_print_result(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			const struct call_shape *shape, int64_t result, struct out *o);
const char *trace_errno_name(int code); /* NULL: none */

/* files.c: follow calls, and find the name of a descriptor. NULL: unknown. */
void trace_files_follow(struct trace *t, const struct trace_sample *s, const struct call_state *call, const char *name,
			int64_t result);
const char *trace_file_name(struct trace *t, int32_t pid, int fd, bool *late);
void trace_files_release(struct trace *t);
void trace_files_forget(struct trace *t, int32_t pid);
/* Drop the names that no descriptor has, if there are many new ones: a run may last for days. */
void trace_files_tidy(struct trace *t);

/* memory.c: read a string, or `n` bytes, from the program's memory. */
void trace_read_text(struct trace *t, const struct trace_sample *s, uint64_t address, struct known_text *text);
void trace_read_bytes(struct trace *t, const struct trace_sample *s, uint64_t address, struct known_text *text,
		      size_t n);
void trace_memory_release(struct trace *t);

/* summary.c: count an event; count a call that returned, for its thread and control group. */
void trace_sum_event(struct trace *t, struct traced_thread *thread, uint64_t cgroup);
void trace_sum_call(struct trace *t, struct traced_thread *thread, uint64_t cgroup, double ms, int64_t result);
void trace_release_sums(struct trace *t);
void trace_print_sums(struct trace *t);
void call_sums_release(struct call_sums *sums);

#endif
