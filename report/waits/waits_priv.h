#ifndef REPORT_WAITS_WAITS_PRIV_H
#define REPORT_WAITS_WAITS_PRIV_H

#include "report/waits/calls.h"
#include "report/waits/durations.h"
#include "report/waits/sched.h"
#include "report/waits/waits.h"

/* A past span of a thread, kept for threads that wait for it. */
struct wait_past {
	uint64_t from, to;
	uint32_t row; /* rows + 1 of its wait; 0: it did not wait */
};
enum { PAST_SPANS = 32 };

struct wait_thread {
	int32_t tid, pid;
	enum wait_state state;
	enum wait_kind kind;  /* BLOCKED */
	uint64_t since;       /* of the state */
	uint64_t first, last; /* its first and last event */
	uint64_t unknown;     /* ns in state UNKNOWN between these */
	uint32_t stack;       /* BLOCKED: where; stacks */
	uint64_t running, runnable, blocked[WAIT_KINDS];
	uint64_t switches; /* away from its CPU */
	uint64_t unseen;   /* ns BLOCKED without a recorded chain: estimate.c adds them to `blocked` */
	/* the last wait with a recorded chain: a watcher gets it for waits without one */
	uint32_t seen_stack;
	enum wait_kind seen_kind;
	struct wait_past *past; /* the newest waits, a ring of PAST_SPANS; NULL: none, or waits are not followed */
	uint32_t n_past;
	uint32_t ended; /* 0: this is one thread; else the sum of so many ended threads */
	bool has_ended;
	bool wanted;
	bool local_sender;     /* the sending thread itself ran the last softirq that woke this thread */
	bool in_pool;          /* BLOCKED: other threads of its process are at the same place */
	char comm[SCHED_COMM]; /* foreign text */
};

/* The last switch of a CPU. */
struct wait_cpu {
	int32_t before, tid; /* it went from the first to the second; tid -1: no switch was seen */
	uint64_t since;
};

/* Special wakers: a timeout, or the end of the process with all its threads. */
enum wait_end { WAIT_END_ORDINARY, WAIT_END_CLOCK, WAIT_END_DEATH };

/*
 * What ran when a thread was woken. BY_STACK: the event does not say it, because a program copied it from the
 * tracepoint; the functions in the waker's stack do.
 */
enum wait_context { CONTEXT_THREAD, CONTEXT_SOFTIRQ, CONTEXT_HARDIRQ, CONTEXT_BY_STACK };

/* A call chain by name, innermost function first. */
struct wait_stack {
	uint32_t from, n;  /* of waits.frames */
	uint32_t n_kernel; /* of these: the first ones */
	enum wait_kind kind;
	enum wait_end end; /* of the waits that it ends */
	enum wait_context context;
	bool sends; /* SOFTIRQ: a thread hands packets over to another one on this machine */
};

/* Waits of one thread name, at one place, ended by one waker at one place. */
struct wait_row {
	uint32_t comm, stack;        /* names; stacks: the waiter and its place */
	uint32_t waker, waker_stack; /* names; 0 = unknown */
	bool idle;                   /* no thread made it wait */
	bool unwanted;               /* of unwanted threads: kept for threads that waited for them */
	uint8_t unseen;              /* bits of UNSEEN_: the stacks that the recorder did not take */
	struct durations waits;
	uint64_t estimated; /* ns that estimate.c added */
};
enum { UNSEEN_VICTIM = 1, UNSEEN_WAKER = 2 };

struct wait_name {
	uint32_t name;
	enum wait_kind kind;
};

struct waits {
	struct live *live;
	const struct waits_opts *opts;
	struct session *session;
	struct live_events events;
	struct calls calls;
	struct strtab names;
	struct sched_names tasks;
	VEC(struct wait_name) kinds; /* of the user's file */
	struct u64map thread_index;  /* tid -> threads + 1; 0: it ended */
	VEC(struct wait_thread) threads;
	VEC(uint32_t) unused_threads; /* indices of threads that are free for other threads */
	struct u64map ended_index;    /* name -> threads + 1 of the row for threads that ended */
	uint64_t n_ended, n_ended_kept;
	VEC(uint32_t) frames;
	struct u64map stack_index; /* hash of a chain and its space -> stacks + 1 */
	struct u64map stack_names; /* hash of a stack's names -> stacks + 1 */
	VEC(struct wait_stack) stacks;
	struct u64map row_index; /* hash of a row's key -> rows + 1 */
	VEC(struct wait_row) rows;
	struct wait_row ended;        /* of the wait that ends now, for watchers */
	int32_t ended_by;             /* tid; -1: not a thread */
	bool reduced;                 /* from records of switches: no wakeups, no stacks */
	uint64_t with_stack, without; /* waits; without: the recorder took none, as there were too many */
	VEC(struct wait_cpu) cpus;
	uint64_t switches, wakes;
	uint64_t others_switches; /* how many of `switches` are of threads that the user did not ask for */
};

/* Return the stack of this sample; 0: it has no chain. In an interrupt, keep only what the interrupt called. */
uint32_t wait_stack_of(struct waits *w, const struct trace_event *t, enum wait_context context);
/* Return the stack that has only the kernel's functions of this one. */
uint32_t wait_stack_cut(struct waits *w, uint32_t stack);
/* Take the end of a thread. Pointers to threads become invalid. */
void wait_thread_ended(struct waits *w, uint32_t thread);
/* At the end: distribute the waits without recorded stacks. */
void waits_estimate(struct waits *w);
enum wait_kind wait_kind_of(const struct waits *w, const struct calls *calls);
/* Is the innermost significant kernel function the main loop of a kernel thread? */
bool wait_is_idle_kthread(const struct calls *calls);
enum wait_end wait_end_of(const struct calls *calls, bool interrupt);
bool wait_says_nothing(const char *name);
int wait_kinds_read(struct waits *w, const char *path, struct err *e);

#endif
