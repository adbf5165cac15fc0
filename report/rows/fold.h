#ifndef REPORT_ROWS_FOLD_H
#define REPORT_ROWS_FOLD_H

#include <regex.h>

#include "report/profile/profile.h"

/*
 * Fold the entries of a profile into rows, by the values of the keys. With `children` a sample
 * counts once for each row on its chain.
 */
struct fold_opts {
	/* Those of kind KEY_SITE, KEY_OTHER and KEY_CHAIN; the profile has the sample keys. */
	const struct key *const *keys;
	size_t n_keys;
	bool children;
	const regex_t *parent; /* functions with matching names are parents */
	bool only_with_parent;
	bool stacks; /* a row per distinct stack */
};

/* The CPU mode of a sample. */
enum { LEVEL_SYSTEM, LEVEL_USER, LEVEL_GUEST_SYSTEM, LEVEL_GUEST_USER, LEVELS };

struct row_sums {
	uint64_t period, children, samples, by_level[LEVELS];
	uint64_t latency, latency_children, weights[WEIGHTS]; /* with want_measures */
};
void row_sums_add(struct row_sums *to, const struct row_sums *s);

struct row {
	uint32_t event;
	uint32_t outer;        /* profile_outer() */
	uint32_t site, other;  /* numbers of classes */
	uint32_t parent;       /* site of the parent, 0 = none */
	uint32_t stack;        /* number of its stack, 0 = none or not wanted */
	uint32_t first_thread; /* of the first sample in this row */
	uint32_t first_site, first_other;
	uint64_t first_time;
	uint8_t first_mode; /* CPUMODE_* of the first sample */
	uint32_t max_depth; /* length of the longest stretch of chain in this row */
	uint32_t stretches; /* number of stretches */
	uint32_t next;      /* the next row of the same event, by number + 1; 0 = the last one */
	struct row_sums sums;
};

/* A stretch is the part of a chain that belongs to a row: from `pos` to its end. */
struct stretch {
	uint32_t entry, pos;
};

/* A chain that has the functions of a stack. */
struct fold_stack {
	uint32_t part, chain;
};

/* Sites whose key values are all equal. */
struct fold_classes {
	VEC(uint32_t) of;     /* by site: its class */
	VEC(uint32_t) sites;  /* one site of each class */
	VEC(uint64_t) values; /* of each class, one per key */
	struct idtable index;
};

struct fold_part;
struct fold {
	struct profile *profile;
	struct fold_opts opts;
	struct fold_classes classes, other_classes;
	VEC(uint8_t) site_flags;
	uint32_t **stack_of;           /* by part and chain: number of the stack; NULL without stacks */
	VEC(struct fold_stack) stacks; /* by number: a chain with this stack */
	/*
	 * By site: the first site with its name if the name matches the pattern of parents, else 0.
	 * NULL without a pattern.
	 */
	uint32_t *parent_of;
	struct fold_part *parts;
	VEC(struct row) rows;
	struct fold_event {
		uint32_t first, last; /* its rows, by number + 1; 0 = none */
	} * events;                   /* see fold_row() */
	struct idtable row_index;     /* of a profile that follows another one */
	/* By row, with branch_history: sums over all branches on its chains; else NULL. */
	struct branch_sums *branches;
	struct event_total *totals; /* per event: all samples that were not dropped */
	struct event_total *passed; /* per event: samples that are in rows */
	struct event_total *known;  /* per event: samples of entries that were not dropped */
};

struct fold *fold_new(struct profile *p, const struct fold_opts *opts);
/* Rows of a profile that follows another one can follow it, too, unless they differ by parents or by whole stacks. */
static inline bool fold_can_follow(const struct fold_opts *opts) { return !opts->parent && !opts->stacks; }
/* After profile_follow: bring rows and totals up to date. Pointers to rows become invalid. */
void fold_follow(struct fold *f);
void fold_free(struct fold *f);
/*
 * The row with this number + 1; NULL for 0. To walk the rows of one event, and not those of the others:
 *
 *	for (const struct row *r = fold_row(f, f->events[event].first); r; r = fold_row(f, r->next))
 */
static inline const struct row *fold_row(const struct fold *f, uint32_t id)
{
	return id ? &f->rows.items[id - 1] : NULL;
}
/* The site that a row shows: that of its first sample. */
static inline const struct site *fold_site(const struct fold *f, const struct row *r)
{
	return &f->profile->sites.items[r->first_site];
}
static inline const struct site *fold_other(const struct fold *f, const struct row *r)
{
	return &f->profile->sites.items[r->first_other];
}

/* The functions of the row's stack, in the order of chains; NULL and n = 0 if it has none. */
const uint32_t *fold_stack_sites(const struct fold *f, const struct row *r, size_t *n);

/*
 * Collect the stretches of some rows. `wanted` maps each row of the fold to a number below `n`,
 * plus 1; 0 = not wanted. lists[part * n + number] gets the stretches; the caller frees the items.
 */
struct stretch_list {
	VEC(struct stretch);
};
void fold_stretches(const struct fold *f, const uint32_t *wanted, size_t n, struct stretch_list *lists);
/* The same, but only the whole chains of the rows' own entries, not the stretches of callers. */
void fold_own_stretches(const struct fold *f, const uint32_t *wanted, size_t n, struct stretch_list *lists);

#endif
