#ifndef REPORT_WAITS_WAITS_H
#define REPORT_WAITS_WAITS_H

#include "base/opt.h"
#include "report/live/events.h"
#include "report/session/filter.h"

/*
 * Find how threads spend wall-clock time, and which threads make them wait: from sched_switch (why a thread left its
 * CPU) and sched_waking (which thread woke it), each with a call chain.
 *
 * Example: print what the threads of a recording waited for, and which threads ended the waits.
 *
 *	struct err e = { 0 };
 *	struct live *live = live_open_file("perf.data", &(struct live_opts){ 0 }, &e);
 *	struct waits_opts opts = { .rows = 10, .max_stack = 8 };
 *	struct waits *w = live ? waits_new(live, &opts) : NULL;
 *	struct out o;
 *
 *	out_init_fd(&o, STDOUT_FILENO);
 *	if (w && waits_read(w, &e) == 0)
 *		waits_print(w, &o);
 *	out_flush(&o);
 *	out_release(&o);
 *	waits_free(w);
 *	live_close(live);
 *
 * A thread runs, is runnable (woken or preempted, waiting for a CPU), or is blocked. Its three times add up to the time
 * from its first to its last event.
 */
enum wait_kind {
	WAIT_IO,
	WAIT_LOCK,
	WAIT_PIPE, /* and sockets */
	WAIT_TIMER,
	WAIT_CHILD,
	WAIT_FAULT,
	WAIT_POLL, /* for the first of several files, or for a connection */
	WAIT_IDLE, /* for work; no other thread made it wait */
	WAIT_OTHER,
	WAIT_KINDS,
	WAIT_UNSEEN = WAIT_KINDS, /* unknown, because the recorder took no stack; internal */
};
extern const char *const wait_kind_names[WAIT_KINDS];

/* UNKNOWN: there was no event yet, it ended, or its CPU switched unseen. */
enum wait_state { STATE_UNKNOWN, STATE_RUNNING, STATE_RUNNABLE, STATE_BLOCKED };

/* The state of a thread from one of its events to the next. */
struct wait_span {
	uint32_t thread; /* a number that stays the same */
	int32_t pid, tid;
	const char *comm; /* foreign text */
	enum wait_state state;
	enum wait_kind kind; /* BLOCKED */
	uint64_t from, to;   /* ns */
	uint32_t stack;      /* BLOCKED: where; 0 = unknown; see waits_frame */
	/* BLOCKED: the thread that ended it, and its function; NULL: it has not ended. */
	const char *waker;
	uint32_t waker_stack;
	int32_t waker_tid; /* -1: an interrupt, or unknown */
};

/* A watcher that needs more than the sums. We call it while reading the events, in order. */
struct waits_watch {
	void *ctx;
	void (*left)(void *ctx, uint32_t thread,
		     const struct trace_event *t); /* a thread leaves its CPU; may be NULL */
	void (*span)(void *ctx, const struct wait_span *span);
	void (*other)(void *ctx, struct live_record *r); /* any other record; may be NULL */
};

struct waits_opts {
	struct sample_filter *filter; /* threads to show; NULL or none selected: the recorded targets */
	bool everybody;               /* show all threads, even if the recording has targets */
	const char *kinds_file;       /* lines "FUNCTION KIND", which override ours; NULL = none */
	bool follow;                  /* charge a wait to the waits of its waker at that time */
	uint64_t rows;                /* of the second table; 0 = all */
	size_t max_stack;             /* printed functions of each chain */
	bool json;
	const struct waits_watch *watch; /* NULL: none */
};

struct waits;
/* `live` and `opts` must outlive it. */
struct waits *waits_new(struct live *live, const struct waits_opts *opts);
void waits_free(struct waits *w);
/* -1 with e: the input fails or has no such events, or the file of kinds is wrong. */
int waits_read(struct waits *w, struct err *e);
/* Return true if the waits of this thread are wanted. See waits_opts.filter. `thread`: its number in a wait_span. */
bool waits_wants(const struct waits *w, uint32_t thread);
bool waits_wants_task(const struct waits *w, const struct task *task);
/* Return the present state of a thread, and its number; STATE_UNKNOWN: it has no events yet. */
enum wait_state waits_state(const struct waits *w, int32_t tid, uint32_t *thread);
/* Return function `i` of a stack, innermost first; NULL after the last one. Foreign text that lives as long as `w`. */
const char *waits_frame(const struct waits *w, uint32_t stack, uint32_t i);
void waits_print(const struct waits *w, struct out *o);

#endif
