#ifndef RECORD_UNWIND_REWRITER_H
#define RECORD_UNWIND_REWRITER_H

#include <sys/uio.h>

#include "base/out.h"
#include "events/events.h"
#include "format/features.h"

/*
 * Unwind user stacks while recording: the kernel copies registers and stack into the samples, and a helper thread
 * rewrites each sample, with a call chain instead of the copies.
 *
 *	rewriter_new -> (rewriter_put* -> rewriter_round -> rewriter_take*)*
 *		-> rewriter_flush -> rewriter_take* -> rewriter_free
 *
 * A round has the data of one sweep over all rings. We unwind it when the next round has come, because a map for one of
 * its samples may be in a ring that we read before the sample was written. So all data of a round is older than the
 * data of the round after the next. Rounds with cut stacks, and the rounds after them, wait for more rounds, whose
 * stacks may continue them. Only one thread at a time may make these calls.
 */
struct rewriter;

struct rewriter_opts {
	const uint32_t
		*numbers;    /* per event of the list: its number in the file; it must live as long as the rewriter */
	const bool *unwinds; /* per event of the list */
	uint32_t window;     /* copied bytes of stack */
	bool keep_stacks;    /* leave the copies in the samples */
};
/* NULL with e: the helper cannot start. */
struct rewriter *rewriter_new(const struct event_list *l, const struct rewriter_opts *opts, struct err *e);
void rewriter_free(struct rewriter *l);

/* Apply records about existing processes. Call it between rounds. */
void rewriter_learn(struct rewriter *l, const void *records, size_t len);
/* Add whole records to the round. They are copied. */
void rewriter_put(struct rewriter *l, const struct iovec *iov, size_t n);
/* End the round. */
void rewriter_round(struct rewriter *l);
/* Return true if there is room for another round. If not, the rings must wait; each such call is counted. */
bool rewriter_has_room(struct rewriter *l);
/* Wait until all rounds are unwound. */
void rewriter_flush(struct rewriter *l);
/* Return records to write, valid until the next call. false: none are ready. */
bool rewriter_take(struct rewriter *l, struct iovec *iov);

/* Describe the unwinding so far in the features; memory comes from `arena`. */
void rewriter_describe(struct rewriter *l, struct features *f, struct arena *arena);

/* Return how many stacks there were so far, and how many of them are longer than their copies. */
void rewriter_cut(struct rewriter *l, uint64_t *samples, uint64_t *cut);
void rewriter_widened(struct rewriter *l, uint32_t window); /* the kernel copies this many bytes from now on */

struct rewriter_count {
	uint64_t samples, frames; /* with a user stack */
	uint64_t ends[N_UNWOUND_ENDS];
	uint64_t judged, judged_cut; /* unwound; cut, before later stacks may have continued them */
	uint64_t cpu_ns;             /* CPU time of the helpers */
	uint64_t waits;              /* how often there was no space for a round */
	uint64_t damaged;            /* unreadable samples; they are written unchanged */
	uint64_t asked, missed;      /* rules: looked up, and not in a cache */
	uint64_t objects, missing;   /* opened; not found */
	uint64_t table_bytes, table_rows;
	unsigned helpers; /* maximum number at the same time */
};
struct rewriter_count rewriter_count(struct rewriter *l);

#endif
