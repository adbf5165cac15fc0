/*
 * Make what is shown of a profile that grows: either a copy, which is named like the profile of a recording, or a named
 * profile that follows it. The follower keeps its names, chains and sites from one look to the next, and only adds what
 * is new.
 */
#include "report/profile/entries_priv.h"

#include "base/phases.h"

/* ---- a copy ---- */

#define COPY(to, from, member) vec_append(&(to)->member, (from)->member.items, (from)->member.len)

static void copy_texts(struct texts *to, const struct texts *from, size_t first)
{
	for (size_t i = first; i < from->table.texts.len; i++)
		texts_number(to, from->table.texts.items[i]);
}

static void copy_totals(const struct profile *p, struct part *to)
{
	const struct part *from = &p->parts[0];
	size_t n = p->session->pd->n_events;

	if (n) {
		memcpy(to->totals, from->totals, n * sizeof(*to->totals));
		memcpy(to->n_samples, from->n_samples, n * sizeof(*to->n_samples));
	}
	for (size_t i = 0; p->lost && i < n; i++) {
		to->totals[i].samples += (uint64_t)p->lost[i].samples;
		to->totals[i].period += (uint64_t)p->lost[i].period;
	}
	to->n_alone = from->n_alone;
	to->unwind_failed = from->unwind_failed;
}

/* The fractions that rounding cut off. They go to the next entry, so that the sums over many entries stay right. */
struct carry {
	double samples, period;
};

static uint64_t whole(double value, double *carry)
{
	uint64_t n = (uint64_t)(value + *carry);

	*carry += value - (double)n;
	return n;
}

static void copy_entries(const struct profile *p, struct part *to)
{
	const struct part *from = &p->parts[0];
	autofree struct carry *carries = xcalloc(p->session->pd->n_events, sizeof(*carries));

	vec_reserve(&to->found, from->found.len);
	for (size_t i = 0; i < from->found.len; i++) {
		struct frame_entry e = from->found.items[i];
		const struct faded *f = faded_of(p, i);

		if (!entry_is_alive(p, i))
			continue;
		if (f) {
			e.samples += whole(f->samples, &carries[e.event].samples);
			e.period += whole(f->period, &carries[e.event].period);
		}
		e.next = 0;
		if (!e.samples && !e.period)
			continue;
		vec_push(&to->found, e);
		if (i < from->measures.len)
			vec_push(&to->measures, from->measures.items[i]);
	}
	if (p->opts.want_measures && to->measures.len < to->found.len)
		vec_add(&to->measures, to->found.len - to->measures.len);
}

struct profile *profile_copy(const struct profile *p)
{
	struct profile *copy = profile_new(p->session, &p->opts, p->filter);
	const struct part *from = &p->parts[0];
	struct part *to = &copy->parts[0];

	to->frames.len = to->chains.len = to->chain_ends.len = 0; /* the copied arrays also have the items 0 */
	COPY(to, from, frames);
	COPY(to, from, outers);
	COPY(to, from, chains);
	COPY(to, from, chain_ends);
	COPY(to, from, words);
	COPY(to, from, branches);
	to->n_outers = from->n_outers;
	copy_entries(p, to);
	copy_texts(&to->texts, &from->texts, 1);
	copy_totals(p, to);
	return copy;
}

/* ---- a follower ---- */

struct follower {
	unsigned numbering, fades;                     /* of the followed profile at the last step */
	unsigned faded;                                /* times it faded before that step */
	VEC(uint32_t) frames, chains, entries, places; /* number in the followed profile -> own number */
	VEC(uint32_t) first_places;                    /* frame -> its first place + 1 */
	struct collector collector;
	struct part changed; /* see profile_changed(); its chains are the follower's */
};

void follower_free(struct follower *f)
{
	if (!f)
		return;
	vec_free(&f->frames);
	vec_free(&f->chains);
	vec_free(&f->entries);
	vec_free(&f->places);
	vec_free(&f->first_places);
	vec_free(&f->changed.entries);
	idtable_free(&f->collector.index);
	free(f);
}

bool profile_can_follow(const struct profile_opts *o)
{
	return !o->want_measures && !o->want_types && !o->branch_history && !o->keep_samples && o->no_quality;
}

static void follow_frames(struct profile *shown, const struct part *part)
{
	struct follower *f = shown->follower;
	struct naming n = { .p = shown, .from = (uint32_t)shown->frames.len };
	uint32_t from = (uint32_t)f->frames.len;

	vec_add(&f->frames, part->frames.len - from);
	merge_frames(shown, part, 1, MAX(from, 1u), (uint32_t *[]){ f->frames.items });
	name_frames(&n);
	make_sites(&n);
	naming_release(&n);
}

static void follow_outers(struct profile *shown, const struct part *part)
{
	size_t from = shown->outers.len;

	if (part->outers.len > from)
		vec_append(&shown->outers, part->outers.items + from, part->outers.len - from);
	shown->n_outers = MAX(part->n_outers, 1u);
	copy_texts(&shown->texts, &part->texts, MAX(shown->texts.table.texts.len, (size_t)1));
}

static void follow_chains(struct profile *shown, struct part *part)
{
	struct follower *f = shown->follower;
	struct part *own = &shown->parts[0];
	uint32_t from = (uint32_t)f->chains.len;

	vec_add(&f->chains, part->chains.len - from);
	f->collector.part = part;
	vec_move(&f->collector.chains, &own->chains);
	vec_move(&f->collector.words, &own->words);
	collect_chains(shown, &f->collector, from, f->frames.items, f->chains.items);
	vec_move(&own->chains, &f->collector.chains);
	vec_move(&own->words, &f->collector.words);
}

static struct entry named_entry(const struct profile *shown, const struct frame_entry *e)
{
	const struct follower *f = shown->follower;

	return (struct entry){ .event = e->event,
			       .outer = e->outer,
			       .chain = f->chains.items[e->chain],
			       .self = shown->leaf_sites.items[f->frames.items[e->frame]],
			       .other = shown->leaf_sites.items[f->frames.items[e->other_frame]],
			       .first_thread = e->first_thread,
			       .first_time = e->first_time,
			       .first_mode = e->first_mode,
			       .period = e->period,
			       .samples = e->samples };
}

/* Number the new entries. */
static void follow_entries(struct profile *shown, const struct part *part)
{
	struct follower *f = shown->follower;
	struct part *own = &shown->parts[0];

	for (size_t i = f->entries.len; i < part->found.len; i++) {
		struct entry e = named_entry(shown, &part->found.items[i]);
		uint32_t frame = f->frames.items[part->found.items[i].frame];

		vec_push(&f->entries, part_add_entry(own, &e));
		if (shown->opts.keep_places)
			vec_push(&f->places, part_place(own, f->first_places.items, frame, e.event));
	}
}

/* Set all sums again, from the faded ones. */
static void follow_sums(struct profile *shown, struct profile *p)
{
	struct follower *f = shown->follower;
	struct part *part = &p->parts[0], *own = &shown->parts[0];
	autofree struct carry *carries = xcalloc(p->session->pd->n_events, sizeof(*carries));

	for (size_t i = 0; i < own->entries.len; i++)
		own->entries.items[i].period = own->entries.items[i].samples = 0;
	for (size_t i = 0; i < own->places.len; i++)
		own->places.items[i].period = own->places.items[i].samples = 0;
	vec_add(&p->faded, part->found.len - p->faded.len);
	for (size_t i = 0; i < part->found.len; i++) {
		struct entry *to = &own->entries.items[f->entries.items[i]];
		struct carry *carry = &carries[part->found.items[i].event];
		struct frame_entry news;
		uint64_t samples, period;

		if (profile_settle(p, i, &news))
			vec_push(&f->changed.entries, named_entry(shown, &news));
		samples = whole(p->faded.items[i].samples, &carry->samples);
		period = whole(p->faded.items[i].period, &carry->period);
		to->samples += samples;
		to->period += period;
		if (i < f->places.len) {
			own->places.items[f->places.items[i]].samples += samples;
			own->places.items[f->places.items[i]].period += period;
		}
	}
	p->settled = true;
}

bool profile_follow(struct profile *shown, struct profile *p)
{
	struct follower *f = shown->follower;
	struct part *part = &p->parts[0], *own = &shown->parts[0];

	if (f->numbering != p->numbering)
		return false;
	phase("follow");
	f->faded = p->fades - f->fades;
	f->fades = p->fades;
	vec_clear(&f->changed.entries);
	follow_frames(shown, part);
	follow_outers(shown, part);
	follow_chains(shown, part);
	if (shown->opts.keep_places)
		vec_add(&f->first_places, shown->frames.len - f->first_places.len);
	follow_entries(shown, part);
	follow_sums(shown, p);
	copy_totals(p, own);
	f->changed.chains.items = own->chains.items;
	f->changed.words.items = own->words.items;
	return true;
}

struct profile *profile_new_follower(struct profile *p)
{
	struct profile *shown = profile_new(p->session, &p->opts, p->filter);

	shown->follower = xcalloc(1, sizeof(*shown->follower));
	shown->follower->numbering = p->numbering;
	vec_add(&shown->frames, 1);
	profile_follow(shown, p);
	return shown;
}

const struct part *profile_changed(const struct profile *shown, unsigned *fades)
{
	*fades = shown->follower->faded;
	return &shown->follower->changed;
}
