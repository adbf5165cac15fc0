/* Threads over time, in pieces. If there are too many pieces, join short neighbours. */
#include "report/stacks/lanes.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

const struct flame_wait flame_waits[] = {
	{ "", { 150, 150, 150 } },        { "[running]", { 74, 160, 84 } }, { "[runnable]", { 226, 190, 60 } },
	{ "[I/O]", { 90, 130, 225 } },    { "[lock]", { 205, 90, 190 } },   { "[pipe]", { 70, 175, 175 } },
	{ "[timer]", { 170, 170, 190 } }, { "[child]", { 150, 130, 90 } },  { "[fault]", { 225, 110, 70 } },
	{ "[poll]", { 140, 185, 215 } },  { "[idle]", { 205, 205, 205 } },  { "[other]", { 165, 145, 200 } },
};
const unsigned n_flame_waits = ARRAY_SIZE(flame_waits);

unsigned flame_wait_find(const char *text)
{
	for (unsigned i = 1; text[0] == '[' && i < n_flame_waits; i++) {
		size_t len = strlen(flame_waits[i].label);

		if (!strncmp(text, flame_waits[i].label, len) && (!text[len] || !strncmp(text + len, "_[", 2)))
			return i;
	}
	return 0;
}

struct lanes {
	VEC(struct thread_lane) lanes;
	size_t n, most;
	uint64_t least;       /* in ns: join shorter pieces */
	uint64_t first, last; /* of all */
};

struct lanes *lanes_new(size_t most)
{
	struct lanes *l = xcalloc(1, sizeof(*l));

	l->most = most;
	l->first = UINT64_MAX;
	return l;
}

/* Add a piece after `n` pieces, or join it to the last one. Return the new number of pieces. */
static size_t append(const struct lanes *l, struct lane_piece *pieces, size_t n, const struct lane_piece *p)
{
	enum { TOGETHER = 16 };
	struct lane_piece *last = n ? &pieces[n - 1] : NULL;
	bool both_short = last && p->to - p->from < l->least && p->to - last->from < TOGETHER * l->least;

	if (!last || last->to != p->from || (!both_short && last->what != p->what) ||
	    (!both_short && last->waker_tid != -1)) {
		pieces[n] = *p;
		return n + 1;
	}
	last->what = last->what == p->what ? p->what : 0;
	last->waker_tid = last->what ? p->waker_tid : -1;
	last->to = p->to;
	last->ran += p->ran;
	return n;
}

static void shrink(struct lanes *l)
{
	l->least = l->least ? 2 * l->least : 1000;
	l->n = 0;
	for (size_t i = 0; i < l->lanes.len; i++) {
		struct thread_lane *lane = &l->lanes.items[i];
		size_t n = 0;

		for (size_t k = 0; k < lane->pieces.len; k++) {
			struct lane_piece p = lane->pieces.items[k];

			n = append(l, lane->pieces.items, n, &p);
		}
		lane->pieces.len = n;
		l->n += n;
	}
}

void lanes_add(struct lanes *l, const struct lane_span *s)
{
	struct lane_piece p = { .from = s->from, .to = s->to, .waker_tid = s->waker_tid };
	struct thread_lane *lane;
	size_t before;

	while (l->lanes.len <= s->thread)
		vec_push(&l->lanes, (struct thread_lane){ 0 });
	lane = &l->lanes.items[s->thread];
	lane->pid = s->pid;
	lane->tid = s->tid;
	snprintf(lane->comm, sizeof(lane->comm), "%s", s->comm);
	p.what = (uint8_t)flame_wait_find(s->label);
	p.ran = p.what == 1 ? s->to - s->from : 0;
	l->first = MIN(l->first, s->from);
	l->last = MAX(l->last, s->to);
	before = lane->pieces.len;
	vec_push(&lane->pieces, p);
	lane->pieces.len = append(l, lane->pieces.items, before, &p);
	l->n += lane->pieces.len - before;
	while (l->n > l->most && l->least < l->last - l->first)
		shrink(l);
}

size_t lanes_pieces(const struct lanes *l) { return l->n; }

const struct thread_lane *lanes_all(const struct lanes *l, size_t *n)
{
	*n = l->lanes.len;
	return l->lanes.items;
}

void lanes_free(struct lanes *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->lanes.len; i++)
		vec_free(&l->lanes.items[i].pieces);
	vec_free(&l->lanes);
	free(l);
}
