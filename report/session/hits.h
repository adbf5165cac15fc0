#ifndef REPORT_SESSION_HITS_H
#define REPORT_SESSION_HITS_H

#include "report/session/chain.h"

/* State that is kept from one sample to the next; start with zeroes. */
struct hits {
	struct lookup lookup;
	struct chain_buffer buffer;
	struct format_notes *notes; /* counts records that cannot be decoded; may be NULL */
	uint64_t max_frames;        /* of a stack that is unwound; 0 = 127, as perf */
};

/* The role of an address in its sample. Branches and data are looked for in user space and in the kernel. */
enum hit_kind { HIT_SAMPLED, HIT_CALLER, HIT_BRANCH, HIT_DATA };

/*
 * Call hit(ctx, place, kind) for each address of the sample that lies in an object, in the order of the enum. Unwind
 * copied stacks. A record that cannot be decoded hits nothing.
 */
void sample_places(const struct session *s, struct hits *h, const struct record *r,
		   void (*hit)(void *ctx, const struct map_hit *place, enum hit_kind kind), void *ctx);
/*
 * Call hit(ctx, dso) for the object of the sample's address and of each caller, again for each time
 * an object occurs.
 */
void sample_objects(const struct session *s, struct hits *h, const struct record *r,
		    void (*hit)(void *ctx, uint32_t dso), void *ctx);
void hits_release(struct hits *h);

#endif
