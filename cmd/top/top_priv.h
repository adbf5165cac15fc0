#ifndef CMD_TOP_TOP_PRIV_H
#define CMD_TOP_TOP_PRIV_H

#include <termios.h>

#include "cmd/report/live_rows.h"
#include "cmd/shared/feeding.h"
#include "record/live.h"
#include "record/record.h"
#include "report/live/history.h"

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
	bool batch;         /* text for logs */
	uint64_t history;   /* seconds that a key saves, or HISTORY_USUAL */
	const char *symbol; /* show the code of this function */
	const char *none;   /* target of options that are refused */
};

#define HISTORY_USUAL UINT64_MAX /* not given */

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
	struct live_rows rows;
	struct live_history *history; /* NULL: none is kept */
	bool own_only;                /* the user may watch only their own processes */
	struct err not_allowed;
	bool ended;                      /* nothing is left to record */
	uint64_t shown_ns;               /* time of the last refresh */
	uint64_t samples, kernel, exact; /* until the last refresh */
	/* As changed by keys: */
	uint32_t event; /* the event whose rows are shown */
	unsigned delay_ms;
	bool zero, frozen;
	uint64_t entries, least; /* as in top_opts */
	char *symbol;            /* show the code of this function; NULL: rows */
	/* For text: */
	double code_percent;   /* least share of an instruction that is shown */
	bool clear, keys, due; /* the output is a terminal; keys can arrive; one has changed what is shown */
	struct termios cooked; /* the terminal's modes before */
	char *note;            /* shown on the next pages; NULL: none */
	uint64_t note_ns;      /* since when */
};

/* Delay of the first page. */
enum { FIRST_MS = 150 };

/* --- top.c --- */
/* Seconds between refreshes, as -d takes them. -1 with e. */
int top_parse_delay(const char *text, double *seconds, struct err *e);

/* --- top_live.c --- */
int top_start(struct top *t, const struct top_opts *o, struct err *e);
void top_stop(struct top *t);
/*
 * Take in records for at most this time. 1: the time is over. 0: a key or a signal may have
 * arrived. -1 with e.
 */
int top_wait(struct top *t, int timeout_ms, struct err *e);
/* What happened since the last call. */
void top_rates(struct top *t, struct top_rates *r);
/* A refresh is over: the sums fade, or with -z start again; what nobody refers to is released. */
void top_fade(struct top *t);
void top_clear(struct top *t);
/*
 * Show other rows from now on; samples so far stay if they tell enough for them. -1 with e: nothing
 * was changed.
 */
int top_change_rows(struct top *t, const struct report_opts *opts, struct err *e);
/*
 * Save the last seconds as a recording in the current directory, and return a line that says where;
 * the caller frees it.
 */
char *top_save_here(struct top *t);
/* A name that no file of this directory has: "top.0.data"; the caller frees it. */
char *top_free_name(const char *suffix);
/* The next event after this one, in a circle; skip those that only carry sideband. */
uint32_t top_next_event(const struct top *t, uint32_t event);

/* --- top_text.c --- */
int top_text(struct top *t, struct err *e);
/* Print "(all, 2 CPUs)" in perf's form. */
void top_print_target(const struct top *t, struct out *o);
/* Print what strobe itself costs, and warnings, without a newline. */
void top_print_costs(const struct top *t, const struct live_costs *c, struct out *o);

/* --- top_keys.c --- */
/* Read each key at once, and do not show it; the modes of before. */
void top_raw_keys(struct top *t);
void top_usual_keys(const struct top *t);
/* Do what the keys say that were pressed. false: leave. */
bool top_read_keys(struct top *t);

/* --- top_code.c --- */
/* Print the code of t->symbol where it has samples. */
void top_put_code(struct top *t, const struct live_shot *s, struct out *o);

/* --- top_page.c --- */
/* Make a page of the last seconds, open it, and return a line that says where it is; the caller frees it. */
char *top_flame_page(struct top *t);

/* --- top_screen.c --- */
/* Show the browser if options and terminal allow it, until the user leaves. false: print text. */
bool top_screen(struct top *t, int *status, struct err *e);

#endif
