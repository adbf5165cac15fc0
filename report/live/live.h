#ifndef REPORT_LIVE_LIVE_H
#define REPORT_LIVE_LIVE_H

/*
 * Records as they arrive, from live rings, from a pipe or from a file: ordered by time, with the
 * names of their threads, with ticks at equal intervals, and an end. Code that watches a running
 * system is written once and works for all three.
 *
 * Example: print the threads of samples as they arrive, and where each second ends.
 *
 *	struct live *l = live_open_pipe(STDIN_FILENO, &(struct live_opts){ .tick_ms = 1000 }, NULL);
 *	struct live_record r;
 *	struct task task;
 *	int what;
 *
 *	while (l && (what = live_next(l, NULL)) > LIVE_END) {
 *		while (live_record(l, &r))
 *			if (live_sample(l, &r, &task))
 *				printf("%d/%d\n", task.pid, task.tid);
 *		if (what == LIVE_TICK)
 *			printf("a second is over\n");
 *	}
 *	live_close(l);
 *
 * The records of a round are due when the next round has ended, because earlier records may still arrive
 * until then. So they are late by about two reads of the rings. The session keeps two rounds in memory,
 * and all living threads, their maps, and the sums of the profiles passed to live_tidy.
 *
 * Code that sums up samples takes whole rounds instead of records: set opts.sums, and call live_sum()
 * instead of live_record() in the example. Then name and show a profile_copy()
 * (report/profile/profile.h).
 */
#include "format/live.h"
#include "report/profile/profile.h"
#include "report/session/delivery.h"

struct live_opts {
	struct session_opts session; /* in_order is set here when needed */
	unsigned tick_ms;            /* 0 = none */
	bool sums;                   /* rounds for live_sum, no records */
};

/* Each returns NULL with e on failure. A pipe that contains the file form is read like a file. */
struct live *live_open_file(const char *path, const struct live_opts *opts, struct err *e);
struct live *live_open_pipe(int fd, const struct live_opts *opts, struct err *e);
/*
 * `source`: rings that a recorder in this process reads; it must outlive the result. `name` is for
 * messages.
 */
struct live *live_open_source(const char *name, const struct live_bytes *source, const struct live_opts *opts,
			      struct err *e);
void live_close(struct live *l);

/* Are all records there from the start? */
bool live_is_file(const struct live *l);
struct session *live_session(const struct live *l);

/*
 * Wait for the next event. LIVE_ROUND: there are records. LIVE_TICK: an interval is over; the remaining
 * records of the round belong to it. For a file, ticks follow the times of its records. LIVE_END: all
 * records were delivered. -1 with e on failure: all records before it were delivered.
 */
enum live_what { LIVE_END, LIVE_ROUND, LIVE_TICK };
int live_next(struct live *l, struct err *e);
/* Do the same, but wait at most `timeout_ms`; then return LIVE_ROUND, perhaps without records. */
int live_next_within(struct live *l, int timeout_ms, struct err *e);

/* One record; `record` is valid until the next call of live_record or live_next. */
struct live_record {
	struct record record;
	uint64_t time;        /* when it took effect, in ns; 0 in inputs without times */
	uint64_t pos;         /* session_pos */
	uint32_t moment;      /* for session_task, session_find */
	struct sample sample; /* filled by live_sample */
	uint32_t event;       /* filled by live_sample: number of its event */
};
/* Return the next record of the round, ascending by time; false: no more records. */
bool live_record(struct live *l, struct live_record *r);
/*
 * Return the places of all records in the round, for print_places() of report/script/print.h. Do not use
 * it with ticks of files.
 */
const struct session_place *live_places(const struct live *l, size_t *n);
/* Decode a sample and find its thread. false: not a sample, or a damaged one; the notes count damaged samples. */
bool live_sample(struct live *l, struct live_record *r, struct task *task);

/* With opts.sums: add the samples of the round to profiles of live_session(). */
void live_sum(struct live *l, struct profile *const *profiles, size_t n);
/* For other code that sums up: return how many of the session's chunks are due in this round. */
size_t live_chunks(const struct live *l);
/*
 * Release unused data if there is much of it: ended threads, their maps, faded sums. Call it between two
 * calls of live_next; a program that runs for long calls it after each tick. `profiles`: those used with
 * live_sum; `shown`: named copies of them that are still in use. Ids of unused threads, spaces and objects
 * may be given to new ones. It skips unread records of the round.
 */
void live_tidy(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
	       size_t n_shown);
/* Do the same, even if there is little to release. */
void live_tidy_now(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
		   size_t n_shown);
/* For other code that sums up: forget everything except living data and `roots`; free `roots`. Not for files. */
void live_sweep(struct live *l, struct session_roots *roots);

/* Costs of measuring, since the start and since the last call. */
struct live_costs {
	uint64_t samples, lost, throttled;             /* since the start */
	uint64_t new_samples, new_lost, new_throttled; /* since the last call */
	double cpu_percent;                            /* of one CPU, used by this process since the last call */
};
void live_costs(struct live *l, struct live_costs *c);

#endif
