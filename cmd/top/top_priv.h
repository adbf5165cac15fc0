#ifndef CMD_TOP_TOP_PRIV_H
#define CMD_TOP_TOP_PRIV_H

#include "cmd/report/report_priv.h"
#include "record/live.h"
#include "record/record.h"
#include "report/live/live.h"

/* What the files of the command share: options of a recording and of a report, and what joins the two. */

struct top_opts {
	struct record_opts record;
	struct report_opts report;
	double delay;     /* seconds of a refresh */
	uint64_t rounds;  /* refreshes; 0 = until the end */
	uint64_t entries; /* rows, 0 = as many as fit */
	uint64_t least;   /* samples of a row */
	bool zero;        /* each refresh is of its own samples alone */
	bool hide_kernel, hide_user;
	bool batch;       /* text for logs */
	const char *none; /* of options that are refused */
};

/* A refresh: rows of what the samples were until then. */
struct top_shot {
	struct run run; /* its own: profile and fold; the rest is the command's */
};

/* What the kernel and we did between two refreshes. */
struct top_rates {
	struct live_costs costs;
	double seconds;
	uint64_t samples, kernel, exact; /* new ones */
};

struct top {
	const struct top_opts *o;
	struct record_opts record; /* as settled */
	struct recording *recording;
	struct live_bytes source;
	struct live *live;
	struct run run;       /* fields, filters and looks */
	struct profile *sums; /* what all refreshes are made of */
	bool own_only;        /* not allowed more than the processes of this user */
	struct err not_allowed;
	bool ended;                      /* there is nothing to be recorded any more */
	uint64_t shown_ns;               /* when the last refresh was made */
	uint64_t samples, kernel, exact; /* until then */
	/* as keys changed them: */
	uint32_t event; /* whose rows are shown */
	unsigned delay_ms;
	bool zero, frozen;
	/* of text: */
	bool clear, keys; /* it is for a terminal; keys may come */
};

/* The first page comes so soon. */
enum { FIRST_MS = 200 };

/* --- top_live.c --- */
int top_start(struct top *t, const struct top_opts *o, struct err *e);
void top_stop(struct top *t);
/* Take in what comes for at most so long. 1: the time is over. 0: a key or a signal may be there. -1 with e. */
int top_wait(struct top *t, int timeout_ms, struct err *e);
/* What was summed up since the last call; then the sums fade, or with -z start anew. */
void top_rates(struct top *t, struct top_rates *r);
void top_shoot(struct top *t, struct top_shot *s);
void top_shot_release(struct top_shot *s);
void top_fade(struct top *t);
/* The event behind that one, round and round; those that only carry sideband are left out. */
uint32_t top_next_event(const struct top *t, uint32_t event);
uint64_t top_now_ns(void);

/* --- top_text.c --- */
int top_text(struct top *t, struct err *e);
/* "PerfTop: ..." in perf's form, without an end of line. */
void top_headline(const struct top *t, const struct top_rates *r, struct out *o);

#endif
