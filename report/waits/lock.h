#ifndef REPORT_WAITS_LOCK_H
#define REPORT_WAITS_LOCK_H

#include "base/opt.h"
#include "report/live/events.h"

/*
 * Find the kernel locks for which threads waited, from lock:contention_begin and contention_end.
 *
 *	live_open_file -> lock_contention(live, &opts, out, e) -> live_close
 *
 * Source of the fields: include/trace/events/lock.h in the kernel.
 */
enum lock_by { LOCK_BY_CALLER, LOCK_BY_ADDRESS, LOCK_BY_THREAD, LOCK_BY_CGROUP, LOCK_BY_LOCK_AND_THREAD, LOCK_BY_ALL };

struct lock_opts {
	enum lock_by by;
	const char *sort;      /* a column; NULL = wait_total */
	const char *fields;    /* list of columns; NULL = the default */
	uint64_t entries;      /* rows at most; 0 = all */
	uint64_t max_stack;    /* number of used frames */
	uint64_t skip;         /* number of skipped innermost frames */
	const char *types;     /* list of kinds of locks; NULL = all */
	const char *addresses; /* list of addresses of locks; NULL = all */
	const char *callers;   /* list of parts of names of functions, one of which is in the stack; NULL = all */
	const char *cgroups;   /* list of paths of cgroups; NULL = all */
	const char *separator; /* fields between these, for programs; NULL = text for people */
	bool stacks;           /* the stack of each row below it */
	bool quiet;            /* no note about what did not fit together */
};

/* Check the options for lock_report or lock_contention. -1 with e (exit status 129): they make no sense. */
int lock_opts_check(const struct lock_opts *o, bool report, struct err *e);
/* Names of columns for `sort` and `fields`, separated by blanks. */
#define LOCK_COLUMNS "contended wait_total wait_max wait_min avg_wait"

/* Waits by caller, lock, thread or cgroup. -1 with e when the input fails or has no such events. */
int lock_contention(struct live *l, const struct lock_opts *opts, struct out *o, struct err *e);
/* Print them in the columns of `lock report`. */
int lock_report(struct live *l, const struct lock_opts *opts, struct out *o, struct err *e);
/* List the threads, the locks, or both, of the input. */
int lock_info(struct live *l, bool threads, bool locks, struct out *o, struct err *e);

#endif
