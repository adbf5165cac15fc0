#ifndef REPORT_ROWS_KEYS_H
#define REPORT_ROWS_KEYS_H

#include "report/rows/fold.h"

/*
 * Keys: what rows are grouped by and what columns show. Each kind has a table (keys_KIND.c); keys.c
 * joins them. A key of samples gives a number per sample, a key of sites a number per site; rows
 * with equal numbers are one row. Sums are columns only.
 */
enum key_from {
	KEY_SUM,    /* sum over a row's samples: overhead, samples ... */
	KEY_SAMPLE, /* comm, pid, cpu ... */
	KEY_SITE,   /* of the sampled address or of the function in the chain: dso, symbol ... */
	KEY_OTHER,  /* the same for the source of a branch, or for the data that was accessed */
	KEY_CHAIN,  /* of the whole chain: parent */
};

enum key_needs {
	NEEDS_ADDRESS = 1,
	NEEDS_LINE = 2,
	NEEDS_LINES_APART = 4,
	NEEDS_BRANCH = 8,
	NEEDS_TRACE = 16,
	NEEDS_MEMORY = 32,
	NEEDS_PARALLELISM = 64,
	NEEDS_MEASURES = 128,
	NEEDS_STACKS = 256,
	NEEDS_TYPE = 512,
	NEEDS_NAMES = 1024
};

struct view;
struct view_place;

struct key {
	const char *name, *alias; /* for --sort; alias may be NULL */
	const char *title;
	enum key_from from;
	/*
	 * Rank among perf's keys: help sorts by it, and a prefix selects the first. 0: after all
	 * ranked keys.
	 */
	int rank;
	unsigned needs;
	int width;                /* minimum width of the column, apart from its title */
	struct sample_key sample; /* KEY_SAMPLE; if `field` is set, its functions replace those below */
	/* KEY_SITE, KEY_OTHER: equal numbers are one row. */
	uint64_t (*site)(const struct fold *f, const struct site *s);
	/*
	 * KEY_SUM: of the samples of one event; with `percent`, shown as a share of the event's
	 * total.
	 */
	uint64_t (*sum)(const struct row_sums *s);
	bool percent, of_latency; /* of_latency: a share of the total latency */
	bool mean;                /* show the sum divided by the number of samples */
	bool of_children;         /* includes callees; counted only with --children */
	/* Negative: a is shown first. For sums, NULL means larger ones first. */
	int (*compare)(const struct view *v, const struct row *a, const struct row *b);
	bool by_text; /* compare orders texts: a view ranks them once */
	/*
	 * The order of rows before they are sorted by sums; decides between rows with equal sums.
	 * NULL: compare.
	 */
	int (*identity)(const struct view *v, const struct row *a, const struct row *b);
	/* The same from what a view knows of its rows; NULL: identity. */
	int (*identity_at)(const struct view_place *a, const struct view_place *b);
	/*
	 * perf sorts by its text once more when all samples are in; this affects the order of equal
	 * rows.
	 */
	bool regrouped;
	/* Print the column's text without padding. Print foreign text with out_name. */
	void (*text)(const struct view *v, const struct row *r, struct out *o);
	/* The width that this row needs; NULL: that of the text. */
	int (*text_width)(const struct view *v, const struct row *r);
	bool right;  /* right aligned */
	bool ragged; /* not padded when it is the last column */
	bool cut;    /* cut what does not fit */
	bool fixed;  /* the column never grows */
};

/* All keys in the order of help, NULL at the end. The caller frees the array. */
const struct key **keys_all(void);
/*
 * The name that the key "comm" shows, as recorded: foreign text. Lives as long as the session or
 * buf. Only for views with this key.
 */
const char *row_comm(const struct view *v, const struct row *r, char buf[16]);
/* Print "[.] main", or the address if there is no symbol. `level`: key_level() of the CPU mode. */
void key_put_symbol(const struct view *v, const struct site *s, char level, uint64_t address, struct out *o);
char key_level(unsigned cpumode);
/* Print "file.c:12", or the known part of the place if its line is unknown. */
void key_put_line(const struct view *v, const struct site *s, struct out *o);
/* Find a key by name or alias, else, like perf, the first one by rank that begins with the text. NULL if none does. */
const struct key *key_find(const char *name, size_t len);

#endif
