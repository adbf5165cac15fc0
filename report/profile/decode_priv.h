#ifndef REPORT_PROFILE_DECODE_PRIV_H
#define REPORT_PROFILE_DECODE_PRIV_H

#include "report/profile/map_versions.h"
#include "report/profile/profile_priv.h"
#include "report/profile/samples.h"
#include "report/session/chain.h"
#include "report/session/reference.h"
#include "report/tracepoint/trace_text.h"

/* A worker that turns samples into entries of its part: decode.c, chains.c, history.c. */
struct decoder {
	struct profile *profile;
	struct part *part;
	unsigned number;
	const uint32_t *order; /* of chunks; NULL: in order from number `first` on */
	size_t first;
	size_t n_chunks; /* chunks done */
	uint64_t began_ns;
	struct samples samples;
	struct ip_table frames; /* address -> frame */
	struct map_versions versions;
	uint64_t last_versions; /* of the chain that was looked up last */
	uint64_t *outer;        /* key values of the last sample */
	uint32_t last_outer;
	bool outer_known;
	bool keys_of_task; /* the event and the thread determine all keys, until sideband comes */
	struct sample_thread {
		uint32_t event, moment, pid, tid;
	} last_thread; /* of the last sample, with keys_of_task */
	struct trace_text *trace;
	struct out scratch;
	VEC(uint32_t) history_frames; /* of one sample */
	VEC(struct branch_sums) history_sums;
	/* With reference_graphs. Clear it for each chunk: the result must not depend on the number of workers. */
	struct reference reference;
	struct chain_buffer joined; /* a chain together with its unwound part */
	struct split_chain {
		const uint8_t *words; /* with markers; they lie in the chunk or in `ips` */
		uint64_t n;
		struct chain_buffer ips;
		size_t end;       /* its frames end here in part->words */
		uint32_t version; /* of its outermost frames; 0: unknown */
	} split;                  /* the chain that was split last */
};

/* Return the number of the map version in which to look up addresses of this mode. */
static inline uint32_t version_number(struct decoder *d, const struct arrival *a, unsigned mode)
{
	return map_versions_number(&d->versions, d->profile->session, &a->task, a->moment, mode);
}

/* --- chains.c --- */
/* Add a frame that ip_table_slot() does not find. */
uint32_t frame_new(struct decoder *d, const struct arrival *a, unsigned mode, uint32_t version, uint64_t ip);
/* Return the number of the frame at an address, `version` from version_number() for the mode. */
static inline uint32_t frame_number(struct decoder *d, const struct arrival *a, unsigned mode, uint32_t version,
				    uint64_t ip)
{
	const struct ip_slot *slot = ip_table_slot(&d->frames, version, ip);

	return slot->version ? slot->value : frame_new(d, a, mode, version, ip);
}

/*
 * Return the frame at an end of a branch. Nothing says in which mode the end is: use the first mode that maps the
 * address.
 */
uint32_t frame_anywhere(struct decoder *d, const struct arrival *a, uint64_t ip);
/* Return the number of the sample's chain in the part; add it if it is new. 0 = it has none. */
uint32_t chain_number(struct decoder *d, const struct arrival *a);
/* Prefetch the chains and entries that we need when we add the samples of the look-ahead. */
void fetch_chains(struct decoder *d);

/* --- history.c --- */
/* Return the number of the chain of the sample's branches for this entry, and add to its sums. 0 = it has none. */
uint32_t history_number(struct decoder *d, const struct arrival *a, const struct frame_entry *e);

#endif
