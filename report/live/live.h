#ifndef REPORT_LIVE_LIVE_H
#define REPORT_LIVE_LIVE_H

/*
 * Records as they come: from live rings, from a pipe or from a file, in the order of time, with the
 * names of who they are about; a tick at equal intervals; an end. Who watches a running system is
 * written once and runs on all three.
 *
 *	#include "report/live/live.h"
 *	int main(void)
 *	{
 *		struct live *l = live_open_pipe(STDIN_FILENO, &(struct live_opts){ .tick_ms = 1000 }, NULL);
 *		struct live_record r;
 *		struct task task;
 *		int what;
 *		while (l && (what = live_next(l, NULL)) > LIVE_END) {
 *			while (live_record(l, &r))
 *				if (live_sample(l, &r, &task))
 *					printf("%d/%d\n", task.pid, task.tid);
 *			if (what == LIVE_TICK)
 *				printf("a second is over\n");
 *		}
 *		live_close(l);
 *	}
 *
 * Records of a round are due when the next round has ended: until then something may come that
 * happened before them. So they are about two reads of the rings late. Memory is that of two rounds
 * and of what lives: threads, their maps, and the sums of the profiles told to live_tidy.
 *
 * Who sums samples up takes whole rounds in place of records: opts.sums, and live_sum() where the
 * example has live_record(); then profile_copy() of report/profile/profile.h is named and shown.
 */
#include "format/live.h"
#include "report/profile/profile.h"
#include "report/session/delivery.h"

struct live_opts {
	struct session_opts session; /* in_order is set as needed */
	unsigned tick_ms;            /* 0 = none */
	bool sums;                   /* rounds for live_sum, no records */
};

/* Each returns NULL with e on failure. A pipe that brings the file form becomes a file. */
struct live *live_open_file(const char *path, const struct live_opts *opts, struct err *e);
struct live *live_open_pipe(int fd, const struct live_opts *opts, struct err *e);
/* `source`: rings that a recorder of this process reads; it must outlive the live. `name` is for messages. */
struct live *live_open_source(const char *name, const struct live_bytes *source, const struct live_opts *opts,
			      struct err *e);
void live_close(struct live *l);

/* Is it over as soon as it is read? */
bool live_is_file(const struct live *l);
struct session *live_session(const struct live *l);

/*
 * Wait for what comes next. LIVE_ROUND: records are there. LIVE_TICK: a tick is over; what live_record
 * still has then belongs to it. Ticks of a file go by the time of its records. LIVE_END: all was
 * delivered. -1 with e on failure: what came before it was delivered.
 */
enum live_what { LIVE_END, LIVE_ROUND, LIVE_TICK };
int live_next(struct live *l, struct err *e);
/* The same, but wait at most `timeout_ms`: LIVE_ROUND then, perhaps without records. */
int live_next_within(struct live *l, int timeout_ms, struct err *e);

/* One record; `record` holds until the next call of live_record or live_next. */
struct live_record {
	struct record record;
	uint64_t time;        /* when it took effect, in ns; 0 in inputs without times */
	uint64_t pos;         /* session_pos */
	uint32_t moment;      /* for session_task, session_find */
	struct sample sample; /* filled by live_sample */
	uint32_t event;       /* the same: number of its event */
};
/* Records of the round, ascending by time; false: no more of them. */
bool live_record(struct live *l, struct live_record *r);
/* The places of all records of the round, for print_places() of report/script/print.h. Not with ticks of files. */
const struct session_place *live_places(const struct live *l, size_t *n);
/* Take a sample apart and find whose it is. false: it is no sample, or a damaged one, which is counted. */
bool live_sample(struct live *l, struct live_record *r, struct task *task);
/* Who a thread is when the record takes effect. */
void live_task(struct live *l, const struct live_record *r, int32_t pid, int32_t tid, struct task *task);

/* With opts.sums: add the samples of the round to profiles, which are of live_session(). */
void live_sum(struct live *l, struct profile *const *profiles, size_t n);
/*
 * Between two calls of live_next: give back what nobody refers to any more, if that is much. `profiles`
 * are those that take part in live_sum; `shown` are named copies of them that are still in use.
 */
void live_tidy(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
	       size_t n_shown);
/* The same whether it is much or not. */
void live_tidy_now(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
		   size_t n_shown);

/* What the kernel and we did, since the start and since the last call. */
struct live_costs {
	uint64_t samples, lost, throttled;             /* since the start */
	uint64_t new_samples, new_lost, new_throttled; /* since the last call */
	double cpu_percent;                            /* of one CPU, used by this process since the last call */
};
void live_costs(struct live *l, struct live_costs *c);

#endif
