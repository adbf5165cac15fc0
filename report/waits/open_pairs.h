#ifndef REPORT_WAITS_OPEN_PAIRS_H
#define REPORT_WAITS_OPEN_PAIRS_H

#include "base/hash.h"

/*
 * Starts that wait for their end, by key. There are at most `most`, or OPEN_PAIRS_MOST if that is 0; if there are more,
 * drop the oldest and count them. With `nested`, starts of one key stack up, and an end takes the newest; otherwise the
 * newer one replaces the older one. Zeroed memory is empty.
 */
struct open_pair {
	uint64_t key, time, value; /* value: the user's */
	int32_t tid;
	uint32_t cpu, stack; /* stack: monitor_stack */
	bool open;
	bool covered;   /* a newer start of the same key is open */
	bool told;      /* the user's */
	uint32_t below; /* items + 1: the older start of the same key */
	uint32_t slot;  /* set here: its index in items, unique among open starts */
};
struct open_pairs {
	struct u64map index; /* key -> items + 1 */
	VEC(struct open_pair);
	VEC(uint32_t) unused; /* slots of items */
	size_t n;             /* open ones */
	size_t most;
	bool nested;
	uint64_t replaced, unmatched, dropped;
};
enum { OPEN_PAIRS_MOST = 65536 };
/* Add a start and return its slot. Without `nested`, replace and count an open start with the same key. */
uint32_t open_pairs_start(struct open_pairs *o, const struct open_pair *start);
/* Take an end. false: no start with this key was open; count it. */
bool open_pairs_end(struct open_pairs *o, uint64_t key, struct open_pair *start);
/* Forget all starts, and return how many were open. No counter includes them. */
size_t open_pairs_forget(struct open_pairs *o);
void open_pairs_free(struct open_pairs *o);

#endif
