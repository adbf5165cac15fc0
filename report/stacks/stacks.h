#ifndef REPORT_STACKS_STACKS_H
#define REPORT_STACKS_STACKS_H

#include "report/profile/profile.h"
#include "report/stacks/tree.h"

/*
 * Call stacks by name: each distinct stack once, with its weight. Collapsed lines and flame graphs
 * are made from them. The outermost frame is the task. Two recordings can be compared side by side.
 *
 *	stacks_new -> stacks_add (one or two sessions) -> stacks_sort -> stacks_free
 *
 * Names and weights are those that the well-known stackcollapse-perf.pl makes from the output of
 * perf script: it drops parameters and quotes, replaces ';' in names by ':', and shows a frame
 * without a symbol as its object in brackets. The weight is the sum of the periods (for
 * tracepoints, the number of samples).
 */
struct stacks_opts {
	bool pid, tid;              /* the task is comm-PID or comm-PID/TID */
	bool mark_kernel, mark_jit; /* append _[k] or _[j] to names */
	bool addresses;             /* show the address of frames without a symbol */
	bool lines;                 /* show file:line of frames; needs inlines */
	bool inlines;
	/*
	 * Follow the script in detail: leave out names that begin with a parenthesis, and show
	 * "[unknown] " for deleted files.
	 */
	bool as_script;
	bool count_samples; /* weights are numbers of samples */
	/*
	 * Keep when stacks of column 0 were sampled: divide the recording's time into so many bins;
	 * 0: do not.
	 */
	uint32_t time_bins;
	uint32_t max_stack;
	unsigned threads;
	const char *event; /* only this event; NULL: the first event that has a sample, and all tracepoints */
};

enum stack_kind { STACK_USER, STACK_KERNEL, STACK_JIT, STACK_INLINED, STACK_TASK, STACK_UNKNOWN };
struct stack_name {
	const char *text; /* escaped: print it as it is */
	uint32_t len;
	enum stack_kind kind;
	const char *object; /* base name of the object of the first such frame; escaped, "" for tasks */
};

/*
 * Names are names[words.items[at .. at + n)], outermost first; slices are slices[slices .. slices +
 * n_slices). [1]: of the recording to compare with.
 */
struct stack {
	size_t at, slices;
	uint32_t n, n_slices;
	uint64_t weight[2], samples[2];
};
struct stack_weight {
	uint64_t weight[2], samples[2];
};
/* The part of a stack's weight in one bin of time. */
struct stack_slice {
	uint32_t node, bin;
	uint64_t weight;
};

struct stacks {
	struct stacks_opts opts;
	struct strtab texts; /* an id is an index into names */
	struct strtab objects;
	VEC(struct stack_name) names;     /* [0] is no name */
	struct stack_tree tree;           /* keys are indices into names */
	VEC(struct stack_weight) weights; /* by node of the tree */
	VEC(struct stack_slice) slices;
	VEC(struct stack) stacks; /* filled by stacks_sort */
	VEC(uint32_t) words;
	uint64_t bin_ns;   /* length of a bin */
	uint64_t total[2]; /* sums of weights */
	const char *event; /* name of the counted event, "" if several; lives as long as the first session */
	bool others;       /* other events were left out, and the user did not choose the event */
};

struct stacks *stacks_new(const struct stacks_opts *opts);
/*
 * Add the samples that pass `filter`; the session has been walked. `column`: 0, or 1 for the
 * recording to compare with. -1 with e when it has no event with the wanted name.
 */
int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
	       struct err *e);
/* Sort by the text of whole lines: "a;b" before "a;b;c". */
void stacks_sort(struct stacks *st);
/* Reverse all stacks: innermost first, the task last. Call it before sorting. */
void stacks_reverse(struct stacks *st);
void stacks_free(struct stacks *st);

#endif
