#ifndef REPORT_ROWS_KEYS_H
#define REPORT_ROWS_KEYS_H

#include "report/rows/fold.h"

/*
 * What rows are grouped by and what columns show: one table a kind (keys_KIND.c), joined by keys.c. A key made from
 * samples gives a number per sample, one made from sites a number per site; rows with equal numbers are one row. Sums
 * are columns only.
 */
enum key_from {
	KEY_SUM,    /* of a row's samples: overhead, samples ... */
	KEY_SAMPLE, /* comm, pid, cpu ... */
	KEY_SITE,   /* of the sampled place or of the function in the chain: dso, symbol ... */
	KEY_OTHER,  /* the same of the place a branch came from */
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

struct key {
	const char *name, *alias; /* for --sort; alias NULL if there is none */
	const char *title;
	enum key_from from;
	/* The place among perf's keys: help lists by it, a prefix means the first. 0: behind all with a place. */
	int rank;
	unsigned needs;
	int width;                /* least width of the column, besides its title */
	struct sample_key sample; /* KEY_SAMPLE; with a field set, its functions stand for those below */
	/* KEY_SITE, KEY_OTHER. */
	uint64_t (*site)(const struct fold *f, const struct site *s);
	/* KEY_SUM: of the samples of one event; shown as a share of the event's total if `percent`. */
	uint64_t (*sum)(const struct row_sums *s);
	bool percent, of_latency; /* of_latency: of the total that parallelism leaves */
	bool mean;                /* the sum divided by the number of samples is shown */
	bool of_children;         /* with what the row called: nobody may have counted that */
	/* Negative: a is shown first. Sums: NULL, larger ones go first. */
	int (*compare)(const struct view *v, const struct row *a, const struct row *b);
	/* How rows lie before they are sorted by their sums, if not by compare: decides between equals. */
	int (*identity)(const struct view *v, const struct row *a, const struct row *b);
	bool regrouped; /* perf compares its texts once more when all samples are in; tells how equal rows lie */
	/* The column's text, not padded. Foreign text goes through out_name. */
	void (*text)(const struct view *v, const struct row *r, struct out *o);
	/* How wide the column has to be for this row; NULL: as wide as the text. */
	int (*text_width)(const struct view *v, const struct row *r);
	bool right;  /* right aligned */
	bool ragged; /* not padded where it is the last column */
	bool cut;    /* what does not fit is left out */
	bool fixed;  /* the column never gets wider */
};

/* All keys, in the order of help; NULL at the end. The caller frees the array. */
const struct key **keys_all(void);
/* The name that the key "comm" shows, as it was recorded: foreign. Lives as long as the session or buf. Only of views
 * with that key. */
const char *row_comm(const struct view *v, const struct row *r, char buf[16]);
/* By name or alias; a unique prefix does, as with perf. NULL if none. */
const struct key *key_find(const char *name, size_t len);

#endif
