#ifndef REPORT_STACKS_STACKS_H
#define REPORT_STACKS_STACKS_H

#include "report/profile/profile.h"
#include "report/stacks/tree.h"

/*
 * Call stacks by name, each distinct one once, with its weight: what collapsed lines and flame
 * graphs are made of. The outermost frame is the task. Two recordings can be held side by side.
 *
 *	stacks_new -> stacks_add (one or two sessions) -> stacks_sort -> stacks_free
 *
 * Names and weights are those that the well-known stackcollapse-perf.pl makes of script's text: parameters are left
 * out, ';' in a name is ':', quotes go, a frame without a symbol is its object in brackets, the
 * weight is the sum of the periods (1 per sample for tracepoints).
 */
struct stacks_opts {
	bool pid, tid;              /* the task is comm-PID, comm-PID/TID */
	bool mark_kernel, mark_jit; /* names end in _[k], _[j] */
	bool addresses;             /* frames without a symbol bear their address */
	bool lines;                 /* frames bear their file:line; needs inlines */
	bool inlines;
	bool as_script;     /* as the script has them: names that begin with a parenthesis are left out, "[unknown] " in
			       deleted files */
	bool count_samples; /* weights are numbers of samples */
	uint32_t time_bins; /* of column 0, keep when stacks were sampled: the recording's time in so many parts; 0: do
			       not */
	uint32_t max_stack;
	unsigned threads;
	const char *event; /* only this one; NULL: the first one that has a sample, and all tracepoints */
};

enum stack_kind { STACK_USER, STACK_KERNEL, STACK_JIT, STACK_INLINED, STACK_TASK, STACK_UNKNOWN };
struct stack_name {
	const char *text; /* escaped: printable as it is */
	uint32_t len;
	enum stack_kind kind;
	const char *object; /* base name of the object of the first such frame; escaped, "" for tasks */
};

/* names[words.items[at .. at + n)], outermost first; slices[slices .. slices + n_slices). [1]: of the recording to
 * compare with. */
struct stack {
	size_t at, slices;
	uint32_t n, n_slices;
	uint64_t weight[2], samples[2];
};
struct stack_weight {
	uint64_t weight[2], samples[2];
};
/* A stack's part in one bin of time. */
struct stack_slice {
	uint32_t node, bin;
	uint64_t weight;
};

struct stacks {
	struct stacks_opts opts;
	struct strtab texts; /* ids are indices of names */
	struct strtab objects;
	VEC(struct stack_name) names;     /* [0] is none */
	struct stack_tree tree;           /* keys are names */
	VEC(struct stack_weight) weights; /* of the nodes of the same numbers */
	VEC(struct stack_slice) slices;
	VEC(struct stack) stacks; /* once they are sorted */
	VEC(uint32_t) words;
	uint64_t bin_ns;   /* how long a bin is */
	uint64_t total[2]; /* weights */
	const char *event; /* name of the event that was taken, "" if several; lives as long as the first session */
	bool others;       /* there were events that were left out, and opts.event did not ask for that */
};

struct stacks *stacks_new(const struct stacks_opts *opts);
/*
 * Add the samples that `filter` lets pass; the session has been walked. `column`: 0, or 1 for a recording to compare
 * with. -1 with e when it has no event of the name asked for.
 */
int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
	       struct err *e);
/* In the order of their text as a whole, "a;b" before "a;b;c". */
void stacks_sort(struct stacks *st);
/* Turn all around: innermost first, the task last. Before sorting. */
void stacks_reverse(struct stacks *st);
void stacks_free(struct stacks *st);

#endif
