#ifndef REPORT_SESSION_DELIVERY_H
#define REPORT_SESSION_DELIVERY_H

#include "report/session/session.h"

/*
 * The records of a walked session in the order of delivery, one window of some megabytes at a time.
 * Memory does not grow with the recording: we keep the places of records that overlap in time, and
 * only the pages in the window.
 *
 * Rings of any size are read together, some megabytes of each: the turn of a chunk comes with its
 * first record. Marks of rounds are delivered with as_they_lie only.
 *
 *	delivery_init(&d, session, false);
 *	while (delivery_next(&d))
 *		for (i = 0; i < d.n; i++) ... d.window[i] ...
 *	delivery_release(&d);
 */
struct delivery {
	const struct session *session;
	bool as_they_lie; /* deliver in the order of the input instead */
	const struct session_place *window;
	size_t n; /* places in the window */
	/*
	 * Places read so far: those before `from` are delivered; the next `due` ones come before
	 * everything not yet read.
	 */
	VEC(struct session_place) places;
	size_t from, due;
	uint32_t *chunks; /* chunk numbers, sorted by their first record */
	size_t next;      /* index into chunks: the next one to read */
	VEC(struct delivery_chunk {
		uint32_t number;
		struct session_place last;
	})
	open; /* chunks that are read but not wholly delivered */
	/* chunks that are read at the same time, and the places in each */
	VEC(struct delivery_part {
		struct delivery_chunk chunk;
		VEC(struct session_place) places;
	})
	parts;
	uint64_t bytes_read, places_read;
	struct records_copy copy; /* of the open chunks; empty if that is not possible */
	bool copy_failed;
};

void delivery_init(struct delivery *d, const struct session *s, bool as_they_lie);
/*
 * Return the next window; false when there is none. Records of the previous window may leave
 * memory.
 */
bool delivery_next(struct delivery *d);
void delivery_release(struct delivery *d);

/*
 * Open records by their place. A record that follows the last one is cheap. Zeroed memory has not
 * been used yet.
 */
struct place_reader {
	const struct records_copy *copy; /* of a delivery; NULL: read from the file. Release before it changes. */
	struct chunk chunk;
	size_t stream;
	bool open;
};
/* false: there is no record at this place. */
bool place_open(struct place_reader *p, const struct session *s, uint64_t pos, struct record *r);
void place_reader_release(struct place_reader *p);

/*
 * The same records one by one, for all that need no windows.
 *
 *	delivered_init(&in, session);
 *	while (delivered_next(&in, &r)) ... r, in.place ...
 *	delivered_release(&in);
 */
struct delivered {
	const struct session_place *place; /* of the record */
	struct delivery delivery;
	struct place_reader reader;
	size_t next; /* index into the window */
};
void delivered_init(struct delivered *d, const struct session *s);
/* false at the end. The record lives until the next call. */
bool delivered_next(struct delivered *d, struct record *r);
void delivered_release(struct delivered *d);

#endif
