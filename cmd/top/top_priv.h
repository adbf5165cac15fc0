#ifndef CMD_TOP_TOP_PRIV_H
#define CMD_TOP_TOP_PRIV_H

#include "cmd/report/report_priv.h"
#include "record/live.h"
#include "record/record.h"
#include "report/live/live.h"

/*
 * What the files of this command share: options of a recording and of a report, and the code that
 * connects them.
 */

struct top_opts {
	struct record_opts record;
	struct report_opts report;
	double delay;     /* seconds between refreshes */
	uint64_t rounds;  /* refreshes; 0 = until the end */
	uint64_t entries; /* number of rows, 0 = as many as fit */
	uint64_t least;   /* minimum number of samples of a row */
	bool zero;        /* each refresh shows only its own samples */
	bool hide_kernel, hide_user;
	bool batch;       /* text for logs */
	const char *none; /* target of options that are refused */
};

/* A refresh: rows of the samples so far. */
struct top_shot {
	struct run run; /* its own profile and fold; everything else belongs to the command */
};

/* What the kernel and strobe did between two refreshes. */
struct top_rates {
	struct live_costs costs;
	double seconds;
	uint64_t samples, kernel, exact; /* new samples */
};

struct top {
	const struct top_opts *o;
	struct record_opts record; /* after applying all settings */
	struct recording *recording;
	struct live_bytes source;
	struct live *live;
	struct run run;       /* fields, filters and appearance */
	struct profile *sums; /* the sums behind all refreshes */
	bool own_only;        /* the user may watch only their own processes */
	struct err not_allowed;
	bool ended;                      /* nothing is left to record */
	uint64_t shown_ns;               /* time of the last refresh */
	uint64_t samples, kernel, exact; /* until the last refresh */
	/* As changed by keys: */
	uint32_t event; /* the event whose rows are shown */
	unsigned delay_ms;
	bool zero, frozen;
	/* For text: */
	bool clear, keys; /* the output is a terminal; keys can arrive */
};

/* Delay of the first page. */
enum { FIRST_MS = 200 };

/* --- top_live.c --- */
int top_start(struct top *t, const struct top_opts *o, struct err *e);
void top_stop(struct top *t);
/*
 * Take in records for at most this time. 1: the time is over. 0: a key or a signal may have
 * arrived. -1 with e.
 */
int top_wait(struct top *t, int timeout_ms, struct err *e);
/* Return the sums so far; then the sums fade, or with -z start again. */
void top_rates(struct top *t, struct top_rates *r);
void top_shoot(struct top *t, struct top_shot *s);
void top_shot_release(struct top_shot *s);
void top_fade(struct top *t);
/* The next event after this one, in a circle; skip those that only carry sideband. */
uint32_t top_next_event(const struct top *t, uint32_t event);
uint64_t top_now_ns(void);

/* --- top_text.c --- */
int top_text(struct top *t, struct err *e);
/* Print "PerfTop: ..." in perf's form, without a newline. */
void top_headline(const struct top *t, const struct top_rates *r, struct out *o);

#endif
