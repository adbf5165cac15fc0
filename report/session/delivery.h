#ifndef REPORT_SESSION_DELIVERY_H
#define REPORT_SESSION_DELIVERY_H

#include "report/session/session.h"

/*
 * The records of a walked session in the order of delivery, a window of some megabytes of them at a time, so that
 * memory does not grow with the recording: the places are kept of as many records as lie mixed with others of other
 * times, the pages of those alone that are in the window. Rings of any size are read together,
 * some megabytes of each: a chunk's turn comes with its first record. Marks of rounds are there
 * with as_they_lie only.
 *
 *	delivery_init; while (delivery_next(&d)) for (i < d.n) d.window[i] ...; delivery_release
 */
struct delivery {
	const struct session *session;
	bool as_they_lie; /* in the order of the input instead */
	const struct session_place *window;
	size_t n; /* places in it */
	VEC(struct session_place)
	places; /* of what was read; those before `from` are delivered, the `due` that follow come before all that was
		   not read */
	size_t from, due;
	uint32_t *chunks; /* their numbers, by the turn of their first record */
	size_t next;      /* of these, to be read */
	VEC(struct delivery_chunk {
		uint32_t number;
		struct session_place last;
	})
	open; /* read, and not all delivered */
	uint64_t bytes_read, places_read;
};

void delivery_init(struct delivery *d, const struct session *s, bool as_they_lie);
/* The next window; false when there is none. The records of the one before need not stay in memory. */
bool delivery_next(struct delivery *d);
void delivery_release(struct delivery *d);

/* Opens records by their place; cheap for one that follows the last. Zeroed memory is one that was not used yet. */
struct place_reader {
	struct chunk chunk;
	size_t stream;
	bool open;
};
/* false: there is no record. */
bool place_open(struct place_reader *p, const struct session *s, uint64_t pos, struct record *r);
void place_reader_release(struct place_reader *p);

#endif
