#ifndef REPORT_SESSION_HITS_H
#define REPORT_SESSION_HITS_H

#include "report/session/chain.h"

/* What finding them needs from one sample to the next; zeroed at first. */
struct hits {
	struct lookup lookup;
	struct chain_buffer buffer;
	struct format_notes *notes; /* counts records that cannot be decoded, when set */
};

/*
 * Call hit(ctx, dso) for each object that the sample's address or one of its callers lies in; for one that is hit
 * again, again. Copied stacks are unwound. A record that cannot be decoded hits nothing.
 */
void sample_objects(const struct session *s, struct hits *h, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx);
void hits_release(struct hits *h);

#endif
