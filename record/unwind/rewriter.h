#ifndef RECORD_UNWIND_REWRITER_H
#define RECORD_UNWIND_REWRITER_H

#include <sys/uio.h>

#include "base/out.h"
#include "events/events.h"
#include "format/features.h"

/*
 * Unwind user stacks while recording: the kernel copies registers and stack into the samples, and a helper thread
 * writes each sample anew, with a call chain in place of the copies.
 *
 *	rewriter_new -> (rewriter_put* -> rewriter_round -> rewriter_take*)*
 *		-> rewriter_flush -> rewriter_take* -> rewriter_free
 *
 * A round is what one look at all rings gave. It is unwound when the next one has come: a map that a sample needs may
 * lie in a ring that was looked at before the sample was written. So between rounds everything is older than what the
 * round after the next brings. Rounds with cut stacks, and those behind them, wait for some more rounds whose stacks
 * may continue them. The calls belong to one thread at a time.
 */
struct rewriter;

struct rewriter_opts {
	const uint32_t *numbers; /* per event of the list: its number in the file; it must live as long */
	const bool *unwinds;     /* per event of the list */
	uint32_t window;         /* bytes of stack that are copied, for the record */
	bool keep_stacks;        /* leave the copies in the samples */
};
/* NULL with e: the helper cannot start. */
struct rewriter *rewriter_new(const struct event_list *l, const struct rewriter_opts *opts, struct err *e);
void rewriter_free(struct rewriter *l);

/* Learn from records of what existed before. Call it between rounds. */
void rewriter_learn(struct rewriter *l, const void *records, size_t len);
/* Add whole records to the round. They are copied. */
void rewriter_put(struct rewriter *l, const struct iovec *iov, size_t n);
/* End the round. */
void rewriter_round(struct rewriter *l);
/* Is there room for another round? If not, the rings must wait; counted once per call. */
bool rewriter_has_room(struct rewriter *l);
/* Wait until all rounds are unwound. */
void rewriter_flush(struct rewriter *l);
/* Take what is ready: records to write, until the next call. false: nothing. */
bool rewriter_take(struct rewriter *l, struct iovec *iov);

/* Describe what was done so far in the features; memory comes from `arena`. */
void rewriter_describe(struct rewriter *l, struct features *f, struct arena *arena);

/* How many stacks there were so far, and how many of them go on behind their copies. */
void rewriter_cut(struct rewriter *l, uint64_t *samples, uint64_t *cut);
void rewriter_widened(struct rewriter *l, uint32_t window); /* so many bytes are copied from now on */

struct rewriter_count {
	uint64_t samples, frames; /* with a user stack */
	uint64_t ends[N_UNWOUND_ENDS];
	uint64_t judged, judged_cut; /* unwound; cut, before later stacks may have continued them */
	uint64_t cpu_ns;             /* that the helpers took */
	uint64_t waits;              /* how often there was no room for a round */
	uint64_t damaged;            /* samples that could not be read; they are written as they are */
	uint64_t asked, missed;      /* rules: looked up, and not in a cache */
	uint64_t objects, missing;   /* opened; not found */
	uint64_t table_bytes, table_rows;
	unsigned helpers; /* most that worked at once */
};
struct rewriter_count rewriter_count(struct rewriter *l);

#endif
