#ifndef REPORT_WAITS_FUTEX_PRIV_H
#define REPORT_WAITS_FUTEX_PRIV_H

#include "report/waits/futex.h"
#include "report/waits/lock_priv.h"

/* Why we know no thread that ended a wait. */
enum { OWNER_UNKNOWN = -1, OWNER_TIMEOUT = -2, OWNER_SIGNAL = -3, OWNER_NONE = -4 /* it has not ended */ };

enum futex_type { FUTEX_TYPE_OTHER, FUTEX_TYPE_MUTEX, FUTEX_TYPE_PI, FUTEX_TYPE_JOIN };

/* A thread that wakes waiters of a word. */
struct futex_wake {
	uint64_t time;
	int32_t tid;
	uint32_t stack; /* texts */
	uint32_t left;  /* it may have woken this many more waiters */
	uint32_t taken; /* it woke this many */
};

struct futex_lock {
	uint64_t address;
	int32_t pid; /* a process that used it; only locks that are not shared belong to one process */
	enum futex_type type;
	uint32_t name;   /* texts */
	uint32_t n_open; /* threads that wait for it now */
	VEC(struct futex_wake) wakes;
};

/* The present system call of a thread. */
struct futex_call {
	int32_t tid;
	uint64_t since;          /* it waits since then; 0: it does not */
	uint32_t lock, moved_to; /* locks + 1; moved_to: where a requeue put it; 0 = nowhere */
	uint32_t stack;
	int32_t joins;  /* a thread for whose end it waits; 0: it does not */
	bool anywhere;  /* it waits for words that are not in the arguments */
	uint32_t wakes; /* locks + 1: it wakes threads that wait for this one; 0: none */
	uint64_t woke_at;
};

/* Waits of one thread, at one place, for one lock, ended by one thread at one place. */
struct futex_sum {
	uint32_t lock;
	int32_t waiter, owner; /* OWNER_* */
	uint32_t stack, owner_stack;
	struct lock_row sums;
};

struct futexes {
	const struct futex_opts *opts;
	struct session *session;
	struct live_events events;
	struct calls calls;
	struct strtab texts;
	struct sched_names names;
	struct u64map lock_index; /* process and address -> locks + 1 */
	VEC(struct futex_lock) locks;
	struct u64map call_index; /* tid -> in_calls + 1 */
	VEC(struct futex_call) in_calls;
	struct u64map sum_index;
	VEC(struct futex_sum) sums;
	uint32_t n_waiting;   /* threads that wait now, for any lock */
	uint32_t n_anywhere;  /* how many of these wait for words that are not in the arguments */
	uint64_t moved_until; /* a call may have moved threads that wait since before this time to unknown words */
	uint64_t unfinished, last_time;
};

#endif
