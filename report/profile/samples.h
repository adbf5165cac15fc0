#ifndef REPORT_PROFILE_SAMPLES_H
#define REPORT_PROFILE_SAMPLES_H

#include "report/profile/profile.h"
#include "report/profile/repeats.h"
#include "report/session/advance.h"

/*
 * The sample loop of all code that sums up samples. It owns chunks, look-ahead, filters and
 * repeats. The consumer keeps the loop and does its own work with each sample. Use one `struct
 * samples` per worker.
 *
 *	samples_init(&in, session, filter, notes);
 *	samples_open(&in, chunk);
 *	while ((n = samples_ahead(&in)))
 *		for (size_t i = 0; i < n; i++) {
 *			if (in.ahead[i].to)
 *				... a repeat: add samples_period() to number `to` ...
 *			else for (samples_take(&in, &in.ahead[i]); samples_next(&in, &arrival); )
 *				... add it, and samples_keep(&in, arrival.hash, number, thread) ...
 *		}
 *	samples_close(&in);
 *	samples_release(&in);
 *
 * Repeats: most samples differ from a recent one only in their time. A consumer that groups by
 * thread, place and chain only sets `repeats` before samples_init. For a repeat it then gets the
 * number of the earlier sample's group without any lookup.
 */

/* A sample in the look-ahead. We prefetch the memory that it needs. */
struct sample_ahead {
	struct record record; /* of a repeat: perhaps only body, size and misc */
	uint64_t hash;        /* from repeat_hash(); 0 = cannot be a repeat */
	uint64_t chain_hash;  /* of its chain, if `chain_hashed` */
	bool chain_hashed;
	uint32_t event;
	uint32_t to, thread; /* of the earlier sample, as passed to samples_keep(); to 0 = not a repeat */
};

/*
 * A sample to add. A group read becomes several of them. Pointers live until the next
 * samples_take().
 */
struct arrival {
	const struct record *record;
	const struct sample *sample;
	struct task task;
	uint32_t event, moment;
	uint32_t parallelism; /* threads that ran; 1 unless the session counts them */
	bool outside;         /* counts in the totals of its event, but in no row: see struct profile_filter */
	uint64_t period;
	uint64_t pos;  /* session_pos of its record */
	uint64_t time; /* by which the session sorts: the sample's time, or its position */
	uint64_t hash;
	const struct sample_ahead *ahead;
	const uint8_t *branch; /* for the consumer: the branch that counts */
};

enum { SAMPLES_AHEAD = 32 };

struct samples {
	/* Set before samples_init. */
	bool repeats;         /* look for repeats, if the filter allows it */
	bool by_ip, by_chain; /* what makes a repeat: the same address; the same call chain, if it has one */
	uint64_t bin_ns;      /* what makes a repeat: the same time bin of this length; 0 = any time */
	uint32_t n_bins;
	bool hash_chains; /* hash the chains also of samples that cannot be repeats */
	bool whole;       /* treat a sample that reads counters as one sample */

	struct session *session;
	const struct profile_filter *filter;
	struct format_notes *notes;
	struct lookup lookup;
	struct advance counters;
	struct repeat_plan *plans; /* by event */
	struct repeats seen;
	size_t n_tried, n_again; /* recent samples: looked up, found */
	size_t rest, rest_next;  /* number of samples that skip the lookup */
	size_t parallelism_hint;
	struct chunk chunk;
	struct records_copy copy;
	size_t number; /* number of the open chunk */
	bool ended;
	bool plain; /* see look_ahead_plain */
	struct sample_ahead ahead[SAMPLES_AHEAD];
	uint8_t fresh[SAMPLES_AHEAD]; /* the numbers of those that are no repeats */
	size_t n_fresh;
	struct sample sample; /* the sample that was taken */
	struct arrival taken;
	uint64_t next_read;
	enum { TAKEN_NONE, TAKEN_ONE, TAKEN_READ } state;
};

/* `filter` and `notes` must outlive `in`. Damage is counted in `notes`. */
void samples_init(struct samples *in, struct session *s, const struct profile_filter *filter,
		  struct format_notes *notes);
void samples_release(struct samples *in);

void samples_open(struct samples *in, size_t chunk);
void samples_close(struct samples *in);
/* Fill in->ahead. Return the number of samples, 0 at the end of the chunk. Skip other records. */
size_t samples_ahead(struct samples *in);
/*
 * Decode one sample of in->ahead. Then samples_next() returns its arrivals: none if the filter
 * drops it, usually one.
 */
void samples_take(struct samples *in, const struct sample_ahead *ahead);
bool samples_next(struct samples *in, struct arrival *a);
/* Remember the group of a sample: `to` > 0 is the consumer's number. */
static inline void samples_keep(struct samples *in, uint64_t hash, uint32_t to, uint32_t thread)
{
	if (hash && in->seen.lines)
		repeats_keep(&in->seen, (struct repeat){ .hash = hash, .thread = thread, .to = to });
}

/* Period and time of a repeat, the time as the session sorts. */
static inline uint64_t samples_period(const struct samples *in, const struct sample_ahead *a)
{
	const struct repeat_plan *plan = &in->plans[a->event];

	return plan->period >= 0 ? load_u64(a->record.body + plan->period) : plan->default_period;
}
static inline uint64_t samples_time(const struct samples *in, const struct sample_ahead *a)
{
	return in->session->sorted ? load_u64(a->record.body + in->plans[a->event].time)
				   : session_pos(a->record.stream, a->record.pos);
}

/* The number of the time bin that contains this time. */
static inline uint32_t samples_bin(const struct samples *in, uint64_t time)
{
	uint64_t first = in->session->first_time;

	return in->bin_ns && time > first ? (uint32_t)MIN((time - first) / in->bin_ns, in->n_bins - 1ull) : 0;
}

#endif
