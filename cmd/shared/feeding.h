#ifndef CMD_SHARED_FEEDING_H
#define CMD_SHARED_FEEDING_H

#include "report/tui/tui.h"

#include "base/clock.h"

/*
 * A screen of data that still arrive. Everything runs on the screen's thread: what arrives is taken in while keys
 * are waited for, whichever screen is open, and the screen is woken when a page is due.
 */
struct feed {
	/* Take in what has come, without waiting for more. Not called while jobs of other threads read the data. */
	bool (*take_in)(struct feed *f); /* false: leave the screens */
	/* A page would be due now by the time; tell whether it is worth it. */
	bool (*is_due)(struct feed *f);
	void *of;         /* whose feed it is */
	uint64_t next_ns; /* when the next page is due, by now_ns() */
	unsigned delay_ms;
	bool due, wake; /* a page is due, and the screen does not know it yet */
};

/* From now on, while `t` waits for keys, serve the feed, which must outlive it. */
void feed_begin(struct tui *t, struct feed *f);

#endif
