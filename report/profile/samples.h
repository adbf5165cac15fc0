#ifndef REPORT_PROFILE_SAMPLES_H
#define REPORT_PROFILE_SAMPLES_H

#include "report/profile/profile.h"
#include "report/profile/repeats.h"
#include "report/session/advance.h"

/*
 * The sample loop of everything that sums samples up. It owns chunks, look-ahead, filters and repeats; the consumer
 * keeps the loop and does its own work with each sample. One `struct samples` per worker.
 *
 *	samples_init(&in, session, filter, notes);
 *	samples_open(&in, chunk);
 *	while ((n = samples_ahead(&in)))
 *		for (size_t i = 0; i < n; i++) {
 *			if (in.ahead[i].to)	... add to what the sample like it was added to: samples_period() ...
 *			else for (samples_take(&in, &in.ahead[i]); samples_next(&in, &arrival); )
 *				... add it, and samples_keep(&in, &arrival, where it went) ...
 *		}
 *	samples_close(&in);
 *	samples_release(&in);
 *
 * Repeats. Most samples differ from a recent one in nothing but their time. A consumer that sums by thread, place and
 * chain alone sets `repeats` before samples_init; it then learns of such a sample where the one like it went, without
 * any lookup.
 */

/* A sample in the look-ahead, so that the memory which it needs has come when it is its turn. */
struct sample_ahead {
	struct record record;
	uint64_t hash; /* see repeat_hash(); 0 = cannot be a repeat */
	uint32_t event;
	uint32_t to, thread; /* of the sample like it, as given to samples_keep(); to 0 = none is known */
};

/* One sample on its way, or one of the several that a group read stands for. Pointers live until the next
 * samples_take(). */
struct arrival {
	const struct record *record;
	const struct sample *sample;
	struct task task;
	uint32_t event, moment;
	uint32_t parallelism; /* threads that ran; 1 unless the session keeps it */
	bool outside;         /* counts in the totals of its event, but in no row: see struct profile_filter */
	uint64_t period;
	uint64_t pos;  /* session_pos of its record */
	uint64_t time; /* as the session sorts: the sample's time, or its position */
	uint64_t hash;
	const uint8_t *branch; /* the consumer's, where a branch is what counts */
};

enum { SAMPLES_AHEAD = 16 };

struct samples {
	/* Set before samples_init. */
	bool repeats;         /* look for repeats, if the filter allows to know samples by so little */
	bool by_ip, by_chain; /* repeats: equal where they were taken; equal in their call chain, if they have one */
	uint64_t bin_ns;      /* repeats: equal in the part of the recording's time, of this length; 0 = any time */
	uint32_t n_bins;
	bool whole; /* a sample that reads counters is one sample all the same */

	struct session *session;
	const struct profile_filter *filter;
	struct format_notes *notes;
	struct lookup lookup;
	struct advance counters;
	struct repeats seen;
	size_t n_tried, n_again; /* of late: samples looked for among the repeats, and found */
	size_t rest, rest_next;  /* so many samples are not looked for */
	size_t parallelism_hint;
	struct chunk chunk;
	size_t number; /* of the open chunk */
	bool ended;
	struct sample_ahead ahead[SAMPLES_AHEAD];
	struct sample sample; /* that was taken */
	struct arrival taken;
	uint64_t next_read;
	enum { TAKEN_NONE, TAKEN_ONE, TAKEN_READ } state;
};

/* What `filter` and `notes` point at must outlive it. Damage is counted in `notes`. */
void samples_init(struct samples *in, struct session *s, const struct profile_filter *filter,
		  struct format_notes *notes);
void samples_release(struct samples *in);

void samples_open(struct samples *in, size_t chunk);
void samples_close(struct samples *in);
/* Fill in->ahead. Returns how many samples there are, 0 at the end of the chunk. Records that are no samples are
 * skipped. */
size_t samples_ahead(struct samples *in);
/* Take one of in->ahead apart; then samples_next() gives what it stands for: nothing if the filter drops it, mostly one
 * arrival. */
void samples_take(struct samples *in, const struct sample_ahead *ahead);
bool samples_next(struct samples *in, struct arrival *a);
/* Remember where a sample went: `to` > 0 is the consumer's number. */
static inline void samples_keep(struct samples *in, uint64_t hash, uint32_t to, uint32_t thread)
{
	if (hash && in->seen.lines)
		repeats_keep(&in->seen, (struct repeat){ .hash = hash, .thread = thread, .to = to });
}

/* Of a repeat: its period, and its time as the session sorts. */
static inline uint64_t samples_period(const struct samples *in, const struct sample_ahead *a)
{
	const struct file_event *ev = &in->session->pd->events[a->event];

	return ev->layout.period >= 0 ? load_u64(a->record.body + ev->layout.period) : ev->default_period;
}
static inline uint64_t samples_time(const struct samples *in, const struct sample_ahead *a)
{
	const struct layout *l = &in->session->pd->events[a->event].layout;

	return in->session->sorted ? load_u64(a->record.body + l->time) : session_pos(a->record.stream, a->record.pos);
}

/* The number of the part of the recording's time in which that time lies. */
static inline uint32_t samples_bin(const struct samples *in, uint64_t time)
{
	uint64_t first = in->session->first_time;

	return in->bin_ns && time > first ? (uint32_t)MIN((time - first) / in->bin_ns, in->n_bins - 1ull) : 0;
}

#endif
