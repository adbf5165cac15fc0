#ifndef REPORT_STACKS_DATA_H
#define REPORT_STACKS_DATA_H

#include "report/stacks/stacks.h"
#include "report/stacks/tree.h"

/* What stacks and flame graphs consist of, for the writers of forms, pages and tables. */

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
 * Its names are those with the numbers names[0 .. n), outermost first; slices are slices[slices .. slices +
 * n_slices). [1]: of the recording to compare with.
 */
struct stack {
	uint32_t *names;
	size_t slices;
	uint32_t n, n_slices;
	uint64_t weight[2], samples[2];
};
/* Prefetch the names of a stack that we will look at soon. */
static inline void stack_fetch_names(const struct stack *s)
{
	enum { NAMES = 16 }; /* of a cache line */

	__builtin_prefetch(s->names);
	if (s->n > 1)
		__builtin_prefetch(s->names + MIN(s->n, NAMES + 1u) - 1);
}
/* The part of a stack's weight in one slot of time and one thread. */
struct stack_slice {
	uint32_t stack;
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
	VEC(struct stack_name) names; /* [0] is no name */
	VEC(struct stack_slice) slices;
	/*
	 * Before stacks_sort, several stacks may be equal, and a 0 stands behind the names of each. With frames
	 * there is only a tree in the end.
	 */
	VEC(struct stack) stacks;
	VEC(uint32_t *) words; /* the memory of their names */
	struct arena put_words;
	struct idtable put;     /* what stacks_put added, by hash */
	struct stack_tree tree; /* keys are indices into names */
	/* With slices: the recording's time in slots of equal length; [0] of tracks: threads beyond the limit. */
	uint64_t slot_ns, first_ns; /* first_ns: when the first slot begins */
	uint32_t n_slots;
	VEC(struct stack_track) tracks;
	struct strtab comms;
	uint64_t total[2]; /* sums of weights */
	const char *event; /* name of the counted event, "" if several; lives as long as the first session */
	bool others;       /* other events were left out, and the user did not choose the event */
	struct stack_frames frames;
	/* For the recording in column 0: the times of its first and last sample, {0, 0} = unknown; samples lost. */
	struct stacks_span {
		uint64_t first, last;
	} span;
	uint64_t lost;
};

/* A tree of boxes, see flame.h. */
struct flame_box {
	uint32_t name;               /* id in stacks; 0: the root, which all stacks share */
	uint32_t depth;              /* 0: the root */
	uint32_t parent;             /* index; the root is its own parent */
	uint64_t start;              /* sum of the weights to its left */
	uint64_t weight[2], samples; /* [1]: in the recording to compare with */
	uint32_t wait;               /* of flame_waits: what nearly all of it is; 0: none or several */
};

struct flame {
	const struct stacks *stacks;
	VEC(struct flame_box) boxes; /* [0] is the root */
	uint32_t *leaf_of;           /* stack -> the box it ends in; 0 if that was left out */
	uint32_t depth;              /* of the deepest box */
};

#endif
