#ifndef CMD_TOP_TOP_PRIV_H
#define CMD_TOP_TOP_PRIV_H

#include <termios.h>

#include "cmd/report/live_rows.h"
#include "cmd/shared/feeding.h"
#include "record/live.h"
#include "record/record.h"
#include "report/live/history.h"

/*
 * Declarations for all files of this command: options of a recording and of a report, and the code that
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
	uint64_t history;   /* how many seconds a key saves, or HISTORY_USUAL */
	const char *symbol; /* show the code of this function */
	const char *none;   /* target of refused options */
};

#define HISTORY_USUAL UINT64_MAX /* --history is not given */

/* Counts of the kernel and of strobe between two refreshes. */
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
	struct live_history *history; /* NULL: there is none */
	bool own_only;                /* the user may watch only their own processes */
	struct err not_allowed;
	bool ended;                      /* nothing is left to record */
	uint64_t shown_ns;               /* time of the last refresh */
	uint64_t samples, kernel, exact; /* until the last refresh */
	/* Keys change these: */
	uint32_t event; /* the event of the shown rows */
	unsigned delay_ms;
	bool zero, frozen;
	uint64_t entries, least; /* as in top_opts */
	char *symbol;            /* show the code of this function; NULL: rows */
	/* For text: */
	double code_percent;   /* least share of a shown instruction */
	bool clear, keys, due; /* the output is a terminal; the input has keys; a key has changed the page */
	struct termios cooked; /* the previous modes of the terminal */
	char *note;            /* shown on the next pages; NULL: none */
	uint64_t note_ns;      /* since when */
};

/* Delay of the first page. */
enum { FIRST_MS = 150 };

/* --- top.c --- */
/* Seconds between refreshes, as -d takes them. -1 with e. */
int top_parse_delay(const char *text, double *seconds, struct err *e);

/* --- live.c --- */
int top_start(struct top *t, const struct top_opts *o, struct err *e);
void top_stop(struct top *t);
/*
 * Take in records for at most this time. 1: the time is over. 0: a key or a signal may have
 * arrived. -1 with e: failed.
 */
int top_wait(struct top *t, int timeout_ms, struct err *e);
/* Return the counts since the last call. */
void top_rates(struct top *t, struct top_rates *r);
/* Finish a refresh: let the sums fade, or with -z start again at zero, and release unused memory. */
void top_fade(struct top *t);
void top_clear(struct top *t);
/*
 * Show other rows from now on; keep the samples so far if they are sufficient for the new rows. -1 with e: nothing
 * was changed.
 */
int top_change_rows(struct top *t, const struct report_opts *opts, struct err *e);
/*
 * Save the last seconds as a recording in the current directory, and return a message with its name;
 * the caller frees it.
 */
char *top_save_here(struct top *t);
/* Return an unused file name for this directory: "top.0.data"; the caller frees it. */
char *top_free_name(const char *suffix);
/* Return the next event in a circle; skip events that only carry sideband. */
uint32_t top_next_event(const struct top *t, uint32_t event);

/* --- text.c --- */
int top_text(struct top *t, struct err *e);
/*
 * Print "(all, 2 CPUs)" in perf's form. `shown_only`: print only the control group of the shown
 * event, not those of all events.
 */
void top_print_target(const struct top *t, bool shown_only, struct out *o);
/* Print the cost of strobe itself, and warnings, without a newline. */
void top_print_costs(const struct top *t, const struct live_costs *c, struct out *o);

/* --- keys.c --- */
/* Read each key at once without echo; restore the previous modes. */
void top_raw_keys(struct top *t);
void top_usual_keys(const struct top *t);
/* Handle the pressed keys. false: leave. */
bool top_read_keys(struct top *t);

/* --- code.c --- */
/* Print the code of t->symbol around its samples. */
void top_put_code(struct top *t, const struct live_shot *s, struct out *o);

/* --- page.c --- */
/* Make a page of the last seconds, open it, and return a message with its name; the caller frees it. */
char *top_flame_page(struct top *t);

/* --- screen.c --- */
/* Show the browser if options and terminal allow it, until the user leaves. false: print text. */
bool top_screen(struct top *t, int *status, struct err *e);

#endif
