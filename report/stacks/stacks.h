#ifndef REPORT_STACKS_STACKS_H
#define REPORT_STACKS_STACKS_H

#include "report/profile/profile.h"

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
 *
 * Example: print the stacks of a recording, one a line.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct stacks *st = stacks_new(&(struct stacks_opts){ .max_stack = 127, .threads = 1 });
 *	struct profile_filter all = { 0 };
 *	struct out o;
 *
 *	out_init_fd(&o, STDOUT_FILENO);
 *	if (s && session_walk(s, NULL) == 0 && stacks_add(st, s, &all, 0, NULL) == 0) {
 *		stacks_sort(st, 0);
 *		export_collapsed(st, false, &o); // report/stacks/export.h
 *	}
 *	out_flush(&o);
 *	out_release(&o);
 *	stacks_free(st);
 *	session_close(s);
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
	bool slices;        /* keep when and in which thread stacks of column 0 were sampled */
	uint32_t max_stack;
	unsigned threads;
	const char *event; /* only this event; NULL: the first event that has a sample, and all tracepoints */
	/* For exports: tell frames apart by their addresses, and count all events. */
	bool frames;
	bool each;     /* with frames: keep each sample with its time */
	bool no_lines; /* with frames: look up no lines either, so that no debug information is read */
	bool file_ids; /* with frames: the build-id of an object that was recorded without is that of its file */
	bool no_idle;  /* leave out the samples of idle CPUs */
};

enum stack_kind { STACK_USER, STACK_KERNEL, STACK_JIT, STACK_INLINED, STACK_TASK, STACK_UNKNOWN };
struct stacks;

struct stacks *stacks_new(const struct stacks_opts *opts);
/*
 * Add the samples that pass `filter`; the session has been walked. `column`: 0, or 1 for the
 * recording to compare with. -1 with e when it has no event with the wanted name.
 */
int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
	       struct err *e);
/*
 * The same for a session that was not walked yet, in steps (session_can_step): 1 when it must start again with a
 * walked session. Not with slices, nor with a filter by time.
 */
int stacks_add_steps(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
		     struct err *e);
/*
 * The same for samples that still arrive: take the chunks of the session that are due (session_feed), round by round.
 * stacks_growth_end adds them to the stacks, and frees the growth. `filter` must live until then. Between rounds the
 * session may be swept: mark what is in use first.
 */
struct stacks_growth *stacks_growth_new(struct stacks *st, struct session *s, const struct profile_filter *filter);
void stacks_growth_take(struct stacks_growth *g, size_t n_chunks);
void stacks_growth_mark(struct stacks_growth *g, struct session_roots *roots);
int stacks_growth_end(struct stacks_growth *g, struct err *e);
/*
 * For stacks of other programs: return the number of a name (printable text without ';' and quotes); add the weight
 * of one stack, outermost name first. 0 is no name, and is left out.
 */
uint32_t stacks_name(struct stacks *st, const char *text, enum stack_kind kind, const char *object);
void stacks_put(struct stacks *st, const uint32_t *names, size_t n, uint64_t weight, uint64_t samples);
/* Print the name that stacks give to a function: without parameters, escaped, with the mark of its kind. */
void stack_function_name(struct out *to, const char *symbol, const char *mark);
/*
 * Sort by the text of whole lines: "a;b" before "a;b;c". `least`: for a picture without boxes below this weight.
 * Stacks that differ only inside a part that is left out become one stack, which ends in that part. 0: keep all.
 */
void stacks_sort(struct stacks *st, uint64_t least);
/* Reverse all stacks: innermost first, the task last. Call it before sorting. */
void stacks_reverse(struct stacks *st);
void stacks_free(struct stacks *st);

/* Return true if no sample with a weight was added. */
bool stacks_are_empty(const struct stacks *st);
/* The name of the counted event, "" if several; lives as long as the first session. */
const char *stacks_event(const struct stacks *st);
/* With each sample kept: the time of the last one, 0 if there is none. */
uint64_t stacks_last_time(const struct stacks *st);
/* Set what exports say about a recording that still grows: the times of its samples, and how many were lost. */
void stacks_set_span(struct stacks *st, uint64_t first_ns, uint64_t last_ns, uint64_t lost);
/* Return true if other events were left out although the user did not choose an event. */
bool stacks_leave_out_events(const struct stacks *st);

#endif
