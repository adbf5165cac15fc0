#ifndef REPORT_TRACE_TRACE_PRIV_H
#define REPORT_TRACE_TRACE_PRIV_H

#include "base/hash.h"
#include "base/spread.h"
#include "report/session/chain.h"
#include "report/trace/constants.h"
#include "report/trace/structs.h"
#include "report/trace/trace.h"
#include "report/tracepoint/trace_format.h"
#include "report/tracepoint/trace_text.h"
#include "report/waits/calls.h"

enum { ARGS_MOST = 6, POINTED_MOST = 3 };

/* ---- shapes.c: what the arguments of a call are ---- */

struct argument_kind;
struct call_shape {
	const char *name; /* of the call */
	unsigned n_args;
	struct shape_arg {
		const char *name;
		const struct argument_kind *kind;
		uint8_t size; /* bytes of its type; 8: as it lies */
		bool is_signed;
	} args[ARGS_MOST];
	const struct result_kind *result;
};

/* ---- one call ---- */

/* Text or bytes of the program's memory. */
enum trust { TRUST_NONE, TRUST_LATE, TRUST_FULL }; /* LATE: read later, it may have changed */
struct known_text {
	enum trust trust;
	char text[TRACE_POINTED_SIZE]; /* foreign: text that ends in it, or `len` bytes */
	uint32_t len;                  /* of bytes */
	bool cut;                      /* text goes on */
};

struct call_state {
	int64_t number;
	uint64_t args[ARGS_MOST];
	uint64_t entered;
	bool open;                               /* entered, and no exit came */
	bool printed;                            /* its first part, with "..." */
	struct known_text pointed[POINTED_MOST]; /* what its arguments point at, in their order */
	uint64_t left;                           /* time of the exit */
	uint32_t cpu, result_cpu;
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

struct traced_thread {
	int32_t tid, pid;
	uint32_t comm_id; /* of the session, 0 = look it up again */
	char comm[32];    /* foreign text */
	struct call_state call;
	struct known_text coming; /* the kernel told it with an event of its own, for the entry that follows */
	int64_t coming_number;
	struct call_sums sums;
	uint64_t events, major_faults, minor_faults;
	uint64_t last; /* time of its last event */
	double runtime_ms;
};

/* ---- files.c: what descriptors stand for ---- */
struct open_file {
	uint32_t name; /* in strings; 0: unknown */
	bool late, on_exec;
};
struct process_files {
	int32_t pid;
	struct u64map map; /* descriptor to index + 1 in files */
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

	struct trace_source *sources; /* by event of the input */
	struct call_shape *shapes[SYSCALLS_MOST];
	struct arena arena;

	VEC(struct traced_thread *) threads;
	struct u64map thread_of; /* tid to index + 1 */
	uint64_t events, shown;
	uint64_t first; /* time of the first event */
	bool begun, has_calls;
	bool on, ended;            /* on: between --switch-on and --switch-off */
	struct traced_thread *cut; /* the thread whose entry came last and is not printed */

	struct strtab strings; /* names of files */
	VEC(struct process_files *) processes;
	struct u64map process_of;
	VEC(struct target_object *) objects;
	struct u64map object_of;
};

/* One event with what print functions need of it. */
struct trace_sample {
	struct live_record record;
	struct task task;
	struct traced_thread *thread;
};

/* trace.c: the thread with this id, by the name that it had last. */
struct traced_thread *trace_thread(struct trace *t, int32_t tid);

/* shapes.c: the shape of a call; made when it is first met. */
const struct call_shape *trace_shape(struct trace *t, int64_t number);

/* Which of a call's pointed[] belongs to the argument; POINTED_MOST: none. */
unsigned trace_pointed_index(const struct call_shape *shape, unsigned index);

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
struct argument_kind {
	void (*print)(const struct argument *a);
	const struct values *values;
	bool shown_zero;                          /* 0 has a name */
	enum trace_pointed points_at;             /* what is fetched from the program */
	uint16_t unit, most;                      /* bytes of one, SIZED, COUNTED; at most */
	bool only_sure;                           /* bytes that a program is not asked for later: too many */
	const struct struct_layout *layout;       /* of SIZED, COUNTED; NULL: bytes */
	bool (*hidden)(const struct argument *a); /* NULL: never */
};
/* The kind of an argument by its call, name and type. Never NULL. */
const struct argument_kind *argument_kind_of(const char *call, const char *name, const char *type);
/* What stands between the parentheses. */
void trace_print_arguments(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			   const struct call_shape *shape, struct out *o);
/* " = ..." without the blanks before it. */
void trace_print_result(struct trace *t, const struct traced_thread *thread, const struct call_state *call,
			const struct call_shape *shape, int64_t result, struct out *o);
void trace_print_text(const struct known_text *text, struct out *o);
const char *trace_errno_name(int code); /* NULL: none */

/* files.c: follow calls, and say what a descriptor is. NULL: unknown. */
void trace_files_follow(struct trace *t, const struct trace_sample *s, const struct call_state *call, const char *name,
			int64_t result);
const char *trace_file_name(struct trace *t, int32_t pid, int fd, bool *late);
void trace_files_release(struct trace *t);
void trace_files_forget(struct trace *t, int32_t pid);

/* memory.c: a string of the program at its address; `n` bytes. */
void trace_read_text(struct trace *t, const struct trace_sample *s, uint64_t address, struct known_text *text);
void trace_read_bytes(struct trace *t, const struct trace_sample *s, uint64_t address, struct known_text *text,
		      size_t n);
void trace_memory_release(struct trace *t);

/* summary.c */
void trace_sum_call(struct trace *t, struct call_sums *sums, int64_t number, double ms, int64_t result);
void trace_print_sums(struct trace *t);
void call_sums_release(struct call_sums *sums);

#endif
