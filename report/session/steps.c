/*
 * Walk in steps, and decode chunks between them. A chunk is due when a later round promises that no more records will
 * come that take effect before its last record.
 */
#include "base/parallel.h"
#include "base/phases.h"
#include "report/session/session_priv.h"

enum { STEP = 1 << 19, LEAST = 8 * STEP, KEPT = 16 }; /* KEPT: keep this many chunks that are not due in memory */

/* Can we walk in steps? Not if decoding needs the whole walk, for example if records are ordered by position. */
bool session_can_step(const struct session *s)
{
	const struct perfdata *pd = s->pd;

	if (pd->n_streams != 1 || pd->pipe || pd->dir || pd->compressed || pd->swap || !s->sorted ||
	    pd->sample_time < 0 || (s->priv->opts.parallelism && parallelism_known(pd)))
		return false;
	return s->priv->opts.chunk_size || stream_size(pd, 0) >= LEAST;
}

static uint64_t step_size(const struct session *s)
{
	return s->priv->opts.chunk_size ? s->priv->opts.chunk_size : (uint64_t)STEP;
}

size_t session_n_steps(const struct session *s) { return (size_t)(stream_size(s->pd, 0) / step_size(s)); }

/* Release the pages of chunks that wait for the end of a long round. */
static void rest_waiting(struct session *s, size_t n_due)
{
	struct session_priv *p = s->priv;

	if (s->chunks.len - n_due <= KEPT)
		return;
	for (size_t i = MAX(n_due, p->n_rested); i < s->chunks.len; i++)
		stream_rest(s->pd, 0, s->chunks.items[i].from, s->chunks.items[i].to);
	p->n_rested = s->chunks.len;
}

void session_rewrite(struct session *s)
{
	if (s->priv->stepping && s->priv->n_due)
		s->priv->late = true;
}

static void begin(struct session *s)
{
	struct session_priv *p = s->priv;

	p->stepping = true;
	p->open.first = NO_PLACE;
	progress_begin(s->progress, "reading", stream_size(s->pd, 0));
}

static void close_last(struct session *s, uint64_t end)
{
	struct session_priv *p = s->priv;

	p->open.to = end;
	if (end > p->open.from)
		vec_push(&s->chunks, p->open);
}

/* Walk one step. Store the number of chunks that are now due in *n_due. Return false at the end. */
static bool step(struct session *s, size_t *n_due)
{
	struct session_priv *p = s->priv;
	uint64_t end = stream_size(s->pd, 0);
	bool more;

	phase("walk");
	if (!p->stepping)
		begin(s);
	p->step_end = p->fed + step_size(s) * MAX(2 * parallel_threads(), 4u);
	session_walk_span(s, p->fed, end, &p->open);
	more = p->fed >= p->step_end && p->fed < end;
	if (!more)
		close_last(s, end);
	session_apply_sideband(s, more ? p->flushed : UINT64_MAX);
	if (p->deferred.len || s->priv->jitdumps.len || s->types[RECORD_HEADER_BUILD_ID])
		p->late = true;
	while (p->n_due < p->due_times.len && p->due_times.items[p->n_due] <= p->flushed)
		p->n_due++;
	if (!more) {
		p->n_due = s->chunks.len;
		vec_free(&p->pending);
		parallelism_count(&s->parallelism, s->pd);
	}
	rest_waiting(s, p->n_due);
	symbols_freeze(s->symbols);
	*n_due = p->n_due;
	return more;
}

bool session_is_late(const struct session *s) { return s->priv->late; }

bool session_steps(struct session *s, void (*decode)(void *ctx, size_t from, size_t to), void *ctx)
{
	size_t done = 0, n_due;
	bool more = true;

	while (more && !s->priv->late) {
		more = step(s, &n_due);
		phase("decode");
		if (!s->priv->late)
			decode(ctx, done, n_due);
		done = n_due;
	}
	return !s->priv->late;
}
