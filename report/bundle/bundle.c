/* Find the places that a recording refers to, and write or compare their names and lines. */
#include "report/bundle/bundle.h"

#include "report/session/hits.h"

enum { MAX_FRAMES = 4096, INLINES_MAX = 128 };

/* The places that a recording's samples refer to, each once. Zeroed memory is empty; free it with vec_free. */
struct recorded_places {
	VEC(struct bundle_hit);
};

struct finder {
	struct recorded_places *places;
	struct idtable known; /* by object and offset */
};

static void found(void *ctx, const struct map_hit *place, enum hit_kind kind)
{
	struct finder *f = ctx;
	uint64_t hash = hash_mix(place->dso_off, place->dso);
	struct idtable_probe p = idtable_probe(&f->known, hash);
	uint32_t id;

	while ((id = idtable_next(&f->known, &p))) {
		struct bundle_hit *hit = &f->places->items[id - 1];

		if (hit->dso == place->dso && hit->dso_off == place->dso_off) {
			hit->sampled |= kind == HIT_SAMPLED;
			return;
		}
	}
	vec_push(f->places, (struct bundle_hit){ place->dso, kind == HIT_SAMPLED, place->dso_off });
	idtable_add(&f->known, hash, (uint32_t)f->places->len);
}

/* Find the places in a walked session. Count damaged records in its notes. */
static void recorded_places_find(struct session *s, struct recorded_places *places)
{
	struct finder f = { .places = places };
	struct hits hits = { .notes = &s->notes.format, .max_frames = MAX_FRAMES };
	struct cursor c = { .pd = s->pd };
	struct record r;

	while (cursor_next(&c, &r))
		if (r.type == RECORD_SAMPLE)
			sample_places(s, &hits, &r, found, &f);
	cursor_release(&c);
	hits_release(&hits);
	idtable_free(&f.known);
}

static bool has_copied_stacks(const struct session *s)
{
	for (size_t i = 0; i < s->pd->n_events; i++)
		if (s->pd->events[i].attr.sample_type & SAMPLE_STACK_USER)
			return true;
	return false;
}

int session_bundle(struct session *s, const struct bundle_want *want, void **bytes, size_t *len,
		   struct bundle_counts *counts, struct err *e)
{
	struct bundle_want all = *want;
	struct recorded_places places = { 0 };
	int status;

	all.unwind |= has_copied_stacks(s);
	recorded_places_find(s, &places);
	status = bundle_make(s->symbols, places.items, places.len, &all, bytes, len, counts, e);
	vec_free(&places);
	return status;
}

/* ---- comparison ---- */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_line(const struct source_line *a, const struct source_line *b)
{
	return a->line == b->line && same_text(a->file, b->file);
}

static bool same_name(struct session *a, struct session *b, const struct bundle_hit *h)
{
	return same_text(symbol_name(a->symbols, h->dso, dso_find(a->symbols, h->dso, h->dso_off)),
			 symbol_name(b->symbols, h->dso, dso_find(b->symbols, h->dso, h->dso_off)));
}

static bool same_place(struct session *a, struct session *b, const struct bundle_hit *h)
{
	struct inline_frame x[INLINES_MAX], y[INLINES_MAX];
	struct source_line outer_x, outer_y, line_x, line_y;
	size_t n = dso_inlines(a->symbols, h->dso, h->dso_off, x, INLINES_MAX, &outer_x);

	dso_source_line(a->symbols, h->dso, h->dso_off, &line_x);
	dso_source_line(b->symbols, h->dso, h->dso_off, &line_y);
	if (dso_inlines(b->symbols, h->dso, h->dso_off, y, INLINES_MAX, &outer_y) != n ||
	    !same_line(&outer_x, &outer_y) || !same_line(&line_x, &line_y))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_text(x[i].name, y[i].name) || !same_line(&x[i].at, &y[i].at))
			return false;
	return true;
}

/* Return whether the recording has only the last part of the object's path, as bundle --no-paths leaves it. */
static bool lacks_path(const struct symbols *s, uint32_t dso)
{
	return dso_kind(s, dso) == DSO_KIND_FILE && *dso_name(s, dso) != '/';
}

void bundle_compare(struct session *here, struct session *bundled, struct bundle_check *check)
{
	struct recorded_places places = { 0 };

	*check = (struct bundle_check){ 0 };
	recorded_places_find(here, &places);
	for (size_t i = 0; i < places.len; i++) {
		const struct bundle_hit *h = &places.items[i];
		bool name = same_name(here, bundled, h), place = same_place(here, bundled, h);

		check->places++;
		check->names += !name;
		check->lines += !place;
		check->pathless += !(name && place) && lacks_path(here->symbols, h->dso);
		if ((name && place) || check->object)
			continue;
		check->object = dso_name(here->symbols, h->dso);
		check->dso_off = h->dso_off;
	}
	vec_free(&places);
}
