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
	bool slices;        /* keep when and in which thread stacks of column 0 were sampled */
	uint32_t max_stack;
	unsigned threads;
	const char *event; /* only this event; NULL: the first event that has a sample, and all tracepoints */
	/*
	 * For exports: tell frames apart by their addresses, and count all events. See struct
	 * stack_frames.
	 */
	bool frames;
	bool each;     /* with frames: keep each sample with its time */
	bool no_lines; /* with frames: look up no lines either, so that no debug information is read */
	bool file_ids; /* with frames: the build-id of an object that was recorded without is that of its file */
	bool no_idle;  /* leave out the samples of idle CPUs */
};

enum stack_kind { STACK_USER, STACK_KERNEL, STACK_JIT, STACK_INLINED, STACK_TASK, STACK_UNKNOWN };
struct stack_name {
	const char *text; /* escaped: print it as it is */
	uint32_t len;
	enum stack_kind kind;
	const char *object; /* base name of the object of the first such frame; escaped, "" for tasks */
	/* With frames only. */
	uint32_t of;       /* its place, of a task its thread */
	uint32_t function; /* of frames.functions */
	uint32_t line;     /* 0 = unknown */
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
/* The part of a stack's weight in one slot of time and one thread. */
struct stack_slice {
	uint32_t node;
	uint16_t slot, track;
	uint64_t weight;
};
/* A thread that was sampled. */
struct stack_track {
	int32_t pid, tid;
	const char *comm; /* escaped; its last name */
};
enum { STACK_SLOTS = 20000, STACK_TRACKS = 65535 }; /* the most that there are */

/*
 * What exports know besides names. All texts are escaped, so they are valid UTF-8 without control bytes. Nothing here
 * depends on the number of workers: threads are in the order of their text, objects as the session met them, places by
 * object and offset, nodes as a walk over the tree meets them, callees in the order of their names.
 */
struct stack_map {
	const char *path, *build_id;   /* of the object; hexadecimal, "" = unknown */
	uint64_t start, length, pgoff; /* where it was mapped, the lowest such place; length 0: it was not */
	bool kernel;
};
struct stack_function {
	const char *name, *file; /* file: "" = unknown */
	uint32_t map;
	enum stack_kind kind;
};
/* An address: the function there and then the calls inlined into it, names[first .. first + n). */
struct stack_place {
	uint32_t first, n, map;
	uint64_t address; /* as if the object had been mapped at its map's start everywhere */
};
/* Its stacks are nodes [from .. to), of which the first is the thread itself; its samples are [at .. at + n). */
struct stack_thread {
	int32_t pid, tid;
	const char *comm, *cgroup;
	uint32_t name, from, to;
};
struct stack_event {
	const char *name; /* escaped */
	uint32_t number;  /* of the session's */
	uint64_t samples, weight;
};
/* Samples of one stack and event. */
struct stack_group {
	uint32_t node, event, thread;
	uint64_t weight, samples;
};
struct stack_sample {
	uint64_t time, weight; /* ns, 0 = unknown */
	uint32_t group, cpu;   /* ~0 = unknown */
};
struct stack_frames {
	VEC(struct stack_map) maps; /* [0] is none */
	VEC(struct stack_function) functions;
	VEC(struct stack_place) places;
	VEC(struct stack_thread) threads;
	VEC(struct stack_event) events;   /* those that have samples */
	VEC(struct stack_group) groups;   /* by node, then event */
	VEC(struct stack_sample) samples; /* by thread, event, time */
	struct strtab paths;
	struct u64map known_functions, known_tasks, known_events;
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
	/* With slices: the recording's time in slots of equal length; [0] of tracks: threads beyond the limit. */
	uint64_t slot_ns, first_ns; /* first_ns: when the first slot begins */
	uint32_t n_slots;
	VEC(struct stack_track) tracks;
	struct strtab comms;
	uint64_t total[2]; /* sums of weights */
	const char *event; /* name of the counted event, "" if several; lives as long as the first session */
	bool others;       /* other events were left out, and the user did not choose the event */
	struct stack_frames frames;
	/* Of the recording in column 0: the times of its first and last sample, {0, 0} = unknown; samples lost. */
	struct stacks_span {
		uint64_t first, last;
	} span;
	uint64_t lost;
};

struct stacks *stacks_new(const struct stacks_opts *opts);
/*
 * Add the samples that pass `filter`; the session has been walked. `column`: 0, or 1 for the
 * recording to compare with. -1 with e when it has no event with the wanted name.
 */
int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
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
 * Stacks from elsewhere: the number of a name (printable text; ';' and quotes are the caller's to
 * avoid), and the weight of one stack, outermost name first. 0 is no name, and is left out.
 */
uint32_t stacks_name(struct stacks *st, const char *text, enum stack_kind kind, const char *object);
void stacks_put(struct stacks *st, const uint32_t *names, size_t n, uint64_t weight, uint64_t samples);
/* Print the name that stacks give to a function: without parameters, escaped, with the mark of its kind. */
void stack_function_name(struct out *to, const char *symbol, const char *mark);
/* Sort by the text of whole lines: "a;b" before "a;b;c". */
void stacks_sort(struct stacks *st);
/* Reverse all stacks: innermost first, the task last. Call it before sorting. */
void stacks_reverse(struct stacks *st);
void stacks_free(struct stacks *st);

#endif
