#ifndef REPORT_STACKS_LANES_H
#define REPORT_STACKS_LANES_H

#include "base/out.h"

/*
 * What each thread did, as a line over time, for a page: running, runnable, and what it waited for. Any number of
 * spans can be added: if there would be more than `most` pieces, neighbours are joined, the shortest first.
 *
 *	lanes_new -> lanes_add (each thread's spans by time) -> lanes_all -> lanes_free
 */
struct lane_span {
	uint32_t thread; /* its number, from 0 on without gaps worth mentioning */
	int32_t pid, tid;
	const char *comm;  /* foreign text */
	const char *label; /* of flame_waits */
	uint64_t from, to; /* ns */
	int32_t waker_tid; /* thread that ended it; -1 = none */
};

struct lanes *lanes_new(size_t most);
void lanes_add(struct lanes *l, const struct lane_span *s);
struct lane_piece {
	uint64_t from, to, ran; /* ns; ran: the part in which the thread ran */
	int32_t waker_tid;      /* thread that ended it; -1 = none */
	uint8_t what;           /* of flame_waits */
};
struct thread_lane {
	int32_t pid, tid;
	char comm[16]; /* foreign text */
	VEC(struct lane_piece) pieces;
};
/* One per thread number; those without pieces are no threads. */
const struct thread_lane *lanes_all(const struct lanes *l, size_t *n);
size_t lanes_pieces(const struct lanes *l); /* of all threads */
void lanes_free(struct lanes *l);

/*
 * The texts in stacks of wall-clock time for times in which a thread did not run, and their colours. [0]: none
 * or several.
 */
struct flame_wait {
	const char *label;
	uint8_t rgb[3];
};
extern const struct flame_wait flame_waits[];
extern const unsigned n_flame_waits;
/* 0: the text is none of these. Marks of kinds, as in "[lock]_[k]", do not matter. */
unsigned flame_wait_find(const char *text);

#endif
