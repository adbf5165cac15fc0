/*
 * Walk over an input that still arrives. It is the walk of session_walk, but it stops at each round: if an earlier
 * record may still come, we wait for the end of the next round.
 */
#include "base/search.h"
#include "base/vec_edit.h"
#include "report/session/order_priv.h"
#include "report/session/session_priv.h"

/*
 * Cut rounds that do not end: limited memory is more important than the order of late records. As long as no round has
 * ended in a stream, and perhaps none will, take it in small pieces, like the chunks of a file.
 */
enum { ROUND_MOST = 256 << 20, PIECE = 2 << 20, ROUNDS_KEPT = 64 };

static bool is_endless(const struct session *s, uint64_t size)
{
	return size > (s->types[RECORD_FINISHED_ROUND] ? (uint64_t)ROUND_MOST : (uint64_t)PIECE);
}

static void close_chunk(struct session *s, uint64_t end, struct session_chunk *open)
{
	open->to = end;
	if (end > open->from)
		vec_push(&s->chunks, *open);
	*open = (struct session_chunk){ .stream = open->stream, .from = end, .first = NO_PLACE };
}

void feed_round(struct session *s, uint64_t end, struct session_chunk *open)
{
	s->priv->n_due = s->priv->n_ended;
	close_chunk(s, end, open);
	s->priv->n_ended = s->chunks.len;
	s->priv->round_from = end;
}

/* Add the places of the new records to those that wait. */
static void note_places(struct session *s, uint64_t from, uint64_t end)
{
	struct session_priv *p = s->priv;
	struct chunk c;
	struct record r;
	int got;

	perfdata_chunk(s->pd, 0, from, end, NULL, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c)))
		if (got > 0 && r.type != RECORD_FINISHED_ROUND)
			vec_push(&p->waiting, session_place_of(s, &r));
	chunk_release(&c);
	order_sort(p->waiting.items, p->waiting.len);
}

static size_t count_until(const struct session *s, uint64_t time)
{
	return search_count(i, s->priv->waiting.len, s->priv->waiting.items[i].time <= time);
}

/* Add to the session's notes what the input's notes have got since the last call. */
static void take_notes(struct session *s)
{
	const struct format_notes *from = &s->pd->notes;
	struct format_notes *to = &s->notes.format;

	to->bad_records += from->bad_records - s->priv->bad_records;
	s->priv->bad_records = from->bad_records;
	if (!from->cut)
		return;
	to->cut = true;
	to->cut_offset = from->cut_offset;
	to->cut_type = from->cut_type;
}

size_t session_feed(struct session *s, bool at_end)
{
	struct session_priv *p = s->priv;
	uint64_t end = stream_size(s->pd, 0), until;

	if (!p->live) {
		p->live = true;
		p->open.first = NO_PLACE;
		p->bad_records = s->notes.format.bad_records;
	}
	take_notes(s);
	session_walk_span(s, p->fed, end, &p->open);
	if (is_endless(s, end - p->round_from)) {
		session_end_round(s, end);
		feed_round(s, end, &p->open);
	}
	if (at_end) {
		close_chunk(s, end, &p->open);
		p->n_due = s->chunks.len;
	}
	if (!s->sorted && p->n_due < s->chunks.len)
		p->n_due = s->chunks.len; /* records are in order of position: no earlier one can come */
	until = at_end || !s->sorted ? UINT64_MAX : p->flushed;
	session_apply_sideband(s, until);
	if (p->opts.in_order) {
		note_places(s, p->fed, end);
		p->n_delivered = count_until(s, until);
	}
	p->fed = end;
	symbols_freeze(s->symbols);
	return p->n_due;
}

const struct session_place *session_due(const struct session *s, size_t *n)
{
	*n = s->priv->n_delivered;
	return s->priv->waiting.items;
}

/* Drop the rounds before the records that are left, except the last one: the others decide nothing any more. */
static void drop_rounds(struct session_priv *p, uint64_t pos)
{
	size_t n = 0;

	while (n < p->rounds.len && p->rounds.items[n].pos < pos)
		n++;
	if (n <= ROUNDS_KEPT)
		return;
	vec_remove(&p->rounds, 0, n - 1);
}

void session_settle(struct session *s, size_t n)
{
	struct session_priv *p = s->priv;
	uint64_t keep;

	n = MIN(n, s->chunks.len);
	vec_remove(&s->chunks, 0, n);
	p->n_due -= MIN(n, p->n_due);
	p->n_ended -= MIN(n, p->n_ended);
	vec_remove(&p->waiting, 0, p->n_delivered);
	p->n_delivered = 0;
	keep = s->chunks.len ? s->chunks.items[0].from : p->open.from;
	for (size_t i = 0; i < p->waiting.len; i++)
		keep = MIN(keep, p->waiting.items[i].pos);
	for (size_t i = 0; i < p->pending.len; i++)
		if (session_pos_stream(p->pending.items[i].pos) == 0)
			keep = MIN(keep, p->pending.items[i].pos);
	drop_rounds(p, keep);
	perfdata_drop(s->pd, keep);
}
