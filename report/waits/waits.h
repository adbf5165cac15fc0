#ifndef REPORT_WAITS_WAITS_H
#define REPORT_WAITS_WAITS_H

#include "base/opt.h"
#include "report/live/events.h"
#include "report/session/filter.h"

/*
 * Where the time of threads goes on the wall clock, and who made them wait: from sched_switch (why a thread left its
 * CPU) and sched_waking (who made it run again), each with a call chain.
 *
 * Example: print what the threads of a recording waited for, and for whom.
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
 * from the first to the last event that tells of it.
 */
enum wait_kind {
	WAIT_IO,
	WAIT_LOCK,
	WAIT_PIPE, /* and sockets */
	WAIT_TIMER,
	WAIT_CHILD,
	WAIT_FAULT,
	WAIT_POLL, /* for the first of several files, or for whoever connects */
	WAIT_IDLE, /* for work that nobody had: nobody made it wait */
	WAIT_OTHER,
	WAIT_KINDS,
	WAIT_UNSEEN = WAIT_KINDS, /* not known yet, as the recorder took no stack; never told to others */
};
extern const char *const wait_kind_names[WAIT_KINDS];

/* UNKNOWN: nothing was told yet, or it ended. */
enum wait_state { STATE_UNKNOWN, STATE_RUNNING, STATE_RUNNABLE, STATE_BLOCKED };

/* What a thread did from one event to the next one that tells of it. */
struct wait_span {
	uint32_t thread; /* a number that stays the same */
	int32_t pid, tid;
	const char *comm; /* foreign text */
	enum wait_state state;
	enum wait_kind kind; /* BLOCKED */
	uint64_t from, to;   /* ns */
	uint32_t stack;      /* BLOCKED: where; 0 = unknown; see waits_frame */
	/* BLOCKED: who ended it, in what function; NULL: it has not ended. */
	const char *waker;
	uint32_t waker_stack;
	int32_t waker_tid; /* -1: an interrupt, or not known */
};

/* Whoever wants to know more than the sums: called while the events are read, in order. */
struct waits_watch {
	void *ctx;
	void (*left)(void *ctx, uint32_t thread,
		     const struct trace_event *t); /* a thread leaves its CPU; may be NULL */
	void (*span)(void *ctx, const struct wait_span *span);
	void (*other)(void *ctx, struct live_record *r); /* a record that tells of no wait; may be NULL */
};

struct waits_opts {
	struct sample_filter *filter; /* whose waits; NULL or none selected: of the recording's subjects */
	bool everybody;               /* the recording may have subjects, but show all */
	const char *kinds_file;       /* lines "FUNCTION KIND", which come before ours; NULL = none */
	bool follow;                  /* pass a wait on to what its waker waited for meanwhile */
	uint64_t rows;                /* of who made whom wait; 0 = all */
	size_t max_stack;             /* functions of each chain that are printed */
	bool json;
	const struct waits_watch *watch; /* NULL: nobody */
};

struct waits;
/* `live` and `opts` must outlive it. */
struct waits *waits_new(struct live *live, const struct waits_opts *opts);
void waits_free(struct waits *w);
/* -1 with e when the input fails, has no such events, or the file of kinds is wrong. */
int waits_read(struct waits *w, struct err *e);
/* The waits of this thread are wanted; see waits_opts.filter. `thread`: its number in a wait_span. */
bool waits_wants(const struct waits *w, uint32_t thread);
bool waits_wants_task(const struct waits *w, const struct task *task);
/* What a thread is doing now, and its number; STATE_UNKNOWN where nothing was told of it yet. */
enum wait_state waits_state(const struct waits *w, int32_t tid, uint32_t *thread);
/* Function `i` of a stack, innermost first; NULL behind the last one. Foreign text that lives as long as `w`. */
const char *waits_frame(const struct waits *w, uint32_t stack, uint32_t i);
void waits_print(const struct waits *w, struct out *o);

#endif
