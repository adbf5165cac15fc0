#ifndef REPORT_DELIVERY_H
#define REPORT_DELIVERY_H

#include "report/session.h"

/*
 * The records of a walked session in the order of delivery, a window of some megabytes of them at a time, so that memory does not grow with the recording: only as
 * far as records of different times lie mixed are their places kept. Marks of rounds are there with as_they_lie only.
 *
 *	delivery_init; while (delivery_next(&d)) for (i < d.n) d.places.items[i] ...; delivery_release
 */
struct delivery {
	const struct session *session;
	bool as_they_lie;			/* in the order of the input instead */
	VEC(struct session_place) places;	/* of what was read: the first n are the window */
	size_t n;
	uint32_t *chunks;			/* their numbers, by the turn of their first record */
	size_t rested, next, step;		/* in chunks: what has been done with, what comes, how many at a time */
};

void delivery_init(struct delivery *d, const struct session *s, bool as_they_lie);
/* The next window; false when there is none. The records of the one before need not stay in memory. */
bool delivery_next(struct delivery *d);
void delivery_release(struct delivery *d);

#endif
