#ifndef REPORT_PROFILE_VERIFY_H
#define REPORT_PROFILE_VERIFY_H

#include "report/profile/profile.h"

/*
 * Unwind stacks again with every unwinder, to check the one whose frames the report shows. Needs a
 * recording with stack copies.
 */
struct verify_peer {
	const char *name; /* of a second unwinder */
	uint64_t walked, same, shorter, longer, other;
};
struct verify_row;
enum { VERIFY_PEERS = 8 };
struct verify {
	uint64_t stacks, confirmed; /* distinct stacks; those for which a second unwinder found the same frames */
	struct verify_peer peers[VERIFY_PEERS];
	unsigned n_peers;
	VEC(struct verify_row) rows; /* disagreements, most stacks first */
};

/*
 * Unwind up to `n` distinct stacks of the samples that a decoded profile counts in rows. No other thread may use the
 * symbols of its session at the same time.
 */
void verify_stacks(const struct profile *p, uint64_t n, struct verify *v);
void verify_print(const struct session *s, const struct verify *v, struct out *out);
void verify_release(struct verify *v);

#endif
