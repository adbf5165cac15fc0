#ifndef REPORT_SESSION_HITS_H
#define REPORT_SESSION_HITS_H

#include "report/session/chain.h"

/* State that is kept from one sample to the next; start with zeroes. */
struct hits {
	struct lookup lookup;
	struct chain_buffer buffer;
	struct format_notes *notes; /* counts records that cannot be decoded; may be NULL */
};

/*
 * Call hit(ctx, dso) for the object of the sample's address and of each caller, again for each time
 * an object occurs. Unwind copied stacks. A record that cannot be decoded hits nothing.
 */
void sample_objects(const struct session *s, struct hits *h, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx);
void hits_release(struct hits *h);

#endif
