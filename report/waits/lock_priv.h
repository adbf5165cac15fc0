#ifndef REPORT_WAITS_LOCK_PRIV_H
#define REPORT_WAITS_LOCK_PRIV_H

#include "report/waits/calls.h"
#include "report/waits/lock.h"
#include "report/waits/open_pairs.h"
#include "report/waits/sched.h"

/* The waits of one row. Times in ns. */
struct lock_row {
	uint64_t address; /* of the first lock */
	uint64_t contended, ended, total, max, min;
	uint64_t cgroup; /* of the first waiter */
	int32_t tid;     /* likewise */
	uint32_t kind;   /* in lock_kinds */
	uint32_t caller; /* texts: caller of the lock, "name+0x12" */
	uint32_t stack;  /* texts: lines of the chain, for -v */
};

struct lock_waits {
	const struct lock_opts *opts;
	struct session *session;
	struct live_events events;
	struct calls calls;
	struct strtab texts;
	struct u64map index; /* key of a row -> rows + 1 */
	VEC(struct lock_row) rows;
	struct open_pairs open; /* by thread and lock; value: index in rows */
	struct sched_names names;
	VEC(uint64_t) addresses; /* of opts */
	uint64_t n, bad;
};

/* Kinds of locks, by the flags of contention_begin. Source: LCB_F_* in include/trace/events/lock.h. */
struct lock_kind {
	uint32_t flags;
	const char *name;   /* "rwsem:R" */
	const char *family; /* "rwsem": readers and writers */
};
extern const struct lock_kind lock_kinds[];

/* The columns of a table, in order, and the one to sort by. */
enum { LOCK_N_COLUMNS = 7 };
struct lock_shown {
	const struct lock_column *columns[LOCK_N_COLUMNS];
	size_t n;
	const struct lock_column *sort;
};
/* Parse o->fields and o->sort. Return -1 with e (exit status 129) if they are wrong. */
/* Check the list of -Y. -1 with e (exit status 129) if a word is no type of locks. */
int lock_types_check(const char *types, struct err *e);
int lock_shown_choose(struct lock_shown *s, const struct lock_opts *o, bool report, struct err *e);
/* Compare by a column, larger values first; 0: equal. */
int lock_shown_compare(const struct lock_shown *s, const struct lock_row *x, const struct lock_row *y);
/* Print the titles; print the values of a row. `separator` NULL = aligned text. */
void lock_shown_titles(const struct lock_shown *s, const char *separator, struct out *o);
void lock_shown_values(const struct lock_shown *s, const struct lock_row *r, const char *separator, struct out *o);

/* Read all of the input into rows. Return -1 with e on failure. */
int lock_waits_read(struct lock_waits *w, struct live *l, const struct lock_opts *o, struct err *e);
void lock_waits_release(struct lock_waits *w);

#endif
