/*
 * Put code of JITs, from jitdump files, into the timeline. If the recording uses the clock of jitdumps, each piece
 * enters the timeline at its own time, like a map record. Otherwise we cannot know when a piece was there: it counts
 * for the whole recording, and we drop pieces that overlap.
 */
#include "base/search.h"
#include "report/session/session_priv.h"

#include <sys/mman.h>
#include <time.h>

enum { MAX_UNTIMED_MAPS = 1 << 24 }; /* limit, so that a JIT that maps again and again cannot fill our memory */

static bool clock_is_monotonic(const struct session *s)
{
	const struct attr *a = &s->pd->events[0].attr;

	return a->flags & ATTR_USE_CLOCKID && a->clockid == CLOCK_MONOTONIC;
}

static int by_start(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sort the pieces, and drop those that overlap others. Return how many are left. */
static size_t drop_overlaps(struct jit_code *codes, size_t n)
{
	autofree bool *drop = xcalloc(n + 1, sizeof(*drop));
	size_t widest = 0, kept = 0;

	if (n)
		qsort(codes, n, sizeof(*codes), by_start);
	for (size_t i = 1; i < n; i++) {
		if (codes[i].start < codes[widest].start + codes[widest].len)
			drop[i] = drop[widest] = codes[i].dso != codes[widest].dso;
		if (codes[i].start + codes[i].len > codes[widest].start + codes[widest].len)
			widest = i;
	}
	for (size_t i = 0; i < n; i++)
		if (!drop[i])
			codes[kept++] = codes[i];
	return kept;
}

static void push(struct session *s, const struct record_mmap *m, const struct jit_code *code,
		 struct session_place place)
{
	struct session_priv *p = s->priv;

	vec_push(&p->pending, (struct sideband){ .place = place, .pos = session_pos(JIT_STREAM, p->jit_codes.len) });
	vec_push(&p->jit_codes, (struct jit_map){ m->pid, m->tid, *code });
}

void timeline_see_jit(struct session *s, const struct record *r, const struct session_place *place)
{
	struct session_priv *p = s->priv;
	struct record_mmap m;
	struct jit_code *codes;
	enum reason problem;
	bool timed = false, is_new;
	size_t n;

	if (record_mmap(s->pd, r, &m) < 0 || !(m.prot & PROT_EXEC) || !is_jitdump(m.filename))
		return;
	u64map_put(&p->jitdumps, hash_mix(hash_bytes(m.filename, strlen(m.filename), 0), (uint32_t)m.pid), &is_new);
	if (!is_new)
		return;
	n = symbols_jitdump(s->symbols, m.filename, m.pid, m.has_ino ? m.ino : 0, &codes, &timed, &problem);
	if (s->sorted && timed && clock_is_monotonic(s)) {
		for (size_t i = 0; i < n; i++)
			push(s, &m, &codes[i], (struct session_place){ .time = codes[i].time_ns });
	} else if (n) {
		n = drop_overlaps(codes, n);
		for (size_t i = 0; i < n; i++)
			push(s, &m, &codes[i], *place);
		*u64map_put(&p->untimed, (uint32_t)m.pid, NULL) = (uint32_t)p->untimed_codes.len + 1;
		vec_push(&p->untimed_codes, (struct jit_codes){ .items = codes, .n = n });
		codes = NULL;
	}
	free(codes);
}

/* Map the untimed code again on top of new memory, which hides what was there before. */
void timeline_untimed_jit(struct session *s, int32_t pid, uint32_t space, const struct map_args *map)
{
	uint32_t *at = u64map_find(&s->priv->untimed, (uint32_t)pid);
	const struct jit_codes *c = at ? &s->priv->untimed_codes.items[*at - 1] : NULL;
	size_t low = search_count(i, c ? c->n : 0, c->items[i].start < map->start);

	for (; c && low < c->n && c->items[low].start - map->start < map->len &&
	       s->priv->n_untimed_maps++ < MAX_UNTIMED_MAPS;
	     low++)
		space_map(s->symbols, space,
			  &(struct map_args){ .time_ns = map->time_ns,
					      .start = c->items[low].start,
					      .len = c->items[low].len,
					      .dso = c->items[low].dso,
					      .prot = PROT_READ | PROT_EXEC });
}

void timeline_jit_release(struct session *s)
{
	struct session_priv *p = s->priv;

	for (size_t i = 0; i < p->untimed_codes.len; i++)
		free(p->untimed_codes.items[i].items);
	vec_free(&p->untimed_codes);
	vec_free(&p->jit_codes);
	u64map_free(&p->jitdumps);
	u64map_free(&p->untimed);
}
