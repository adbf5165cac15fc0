#ifndef REPORT_ROWS_FOLD_H
#define REPORT_ROWS_FOLD_H

#include <regex.h>

#include "report/profile/profile.h"

/*
 * Entries of a profile folded into rows: by the keys' numbers. With `children` a sample counts once for every row on
 * its chain.
 */
struct fold_opts {
	const struct key *const *keys; /* KEY_SITE, KEY_OTHER and KEY_CHAIN ones; the samples' are the profile's */
	size_t n_keys;
	bool children;
	const regex_t *parent; /* names that count as parents */
	bool only_with_parent;
	bool stacks; /* rows are of one stack each */
};

/* Where the CPU was: a sample counts in one of these. */
enum { LEVEL_SYSTEM, LEVEL_USER, LEVEL_GUEST_SYSTEM, LEVEL_GUEST_USER, LEVELS };

struct row_sums {
	uint64_t period, children, samples, by_level[LEVELS];
	uint64_t latency, latency_children, weights[WEIGHTS]; /* with want_measures */
};
void row_sums_add(struct row_sums *to, const struct row_sums *s);

struct row {
	uint32_t event;
	uint32_t outer;        /* profile_outer() */
	uint32_t site, other;  /* classes */
	uint32_t parent;       /* site of the parent, 0 = none */
	uint32_t stack;        /* number of its stack, 0 = none or not asked for */
	uint32_t first_thread; /* of the first sample of this row, and where that was */
	uint32_t first_site, first_other;
	uint64_t first_time;
	uint8_t first_mode; /* CPUMODE_* of that sample */
	uint32_t max_depth; /* longest stretch of chain that belongs to this row */
	uint32_t stretches; /* number of all of them */
	struct row_sums sums;
};

/* A stretch of chain that belongs to a row, from `pos` to its end. */
struct stretch {
	uint32_t entry, pos;
};

/* Where the functions of a stack are listed. */
struct fold_stack {
	uint32_t part, chain;
};

struct fold_part {
	uint32_t *order; /* entries, grouped */
	struct fold_group {
		uint32_t event, outer, parent, stack, from, to;
	} * groups;
	size_t n_groups;
	VEC(struct row) rows;
	uint32_t *global; /* row -> row of the fold */
};

struct fold {
	struct profile *profile;
	struct fold_opts opts;
	/* Sites whose numbers are all equal are of one class. */
	uint32_t *class_of, *other_class_of;          /* by site */
	VEC(uint32_t) class_sites, other_class_sites; /* a site of each class */
	uint8_t *site_flags;
	uint32_t **stack_of;           /* by part and chain: number of the stack; NULL without stacks */
	VEC(struct fold_stack) stacks; /* by number: a chain of it */
	uint32_t *parent_of; /* by site: the first site of that name if it matches the pattern of parents, else 0; NULL
				without one */
	struct fold_part *parts;
	VEC(struct row) rows;
	struct branch_sums *branches; /* by row: of all branches on its chains, with branch_history; else NULL */
	struct event_total *totals;   /* per event: all samples that were not dropped */
	struct event_total *passed;   /* those that are in rows */
};

struct fold *fold_new(struct profile *p, const struct fold_opts *opts);
void fold_free(struct fold *f);
/* What a row shows of its place is that of its first sample. */
static inline const struct site *fold_site(const struct fold *f, const struct row *r)
{
	return &f->profile->sites.items[r->first_site];
}
static inline const struct site *fold_other(const struct fold *f, const struct row *r)
{
	return &f->profile->sites.items[r->first_other];
}

/* --- fold_stacks.c --- */
void fold_number_stacks(struct fold *f);
void fold_free_stacks(struct fold *f);
/* The functions of the row's stack, in the order of chains; NULL and 0 if it has none. */
const uint32_t *fold_stack_sites(const struct fold *f, const struct row *r, size_t *n);

/*
 * The stretches of some rows: `wanted` tells for each row of the fold its number below `n`, plus 1; 0 = not asked for.
 * They are in lists[part * n + number], whose items are the caller's to free.
 */
struct stretch_list {
	VEC(struct stretch);
};
void fold_stretches(const struct fold *f, const uint32_t *wanted, size_t n, struct stretch_list *lists);

#endif
