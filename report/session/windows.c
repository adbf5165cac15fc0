#include "report/session/windows.h"

#include "base/opt.h"
#include "base/search.h"

struct window_end {
	struct session_place place;
	bool opens;
};

static bool is_before(const struct session_place *a, const struct session_place *b)
{
	return a->time != b->time ? a->time < b->time : a->pos < b->pos;
}

static int end_compare(const void *a, const void *b)
{
	const struct window_end *x = a, *y = b;

	return is_before(&x->place, &y->place) ? -1 : is_before(&y->place, &x->place);
}

enum { FEW_EVENTS = 8 }; /* a message can list them */

/* Find the event with this name and store its number + 1; 0 if the name is NULL. */
static int event_named(const struct perfdata *pd, const char *name, const char *option, int *event, struct err *e)
{
	VEC(const char *) names = { 0 };

	*event = 0;
	for (size_t i = 0; name && i < pd->n_events; i++) {
		if (pd->events[i].name && !strcmp(pd->events[i].name, name))
			*event = (int)i + 1;
		if (pd->events[i].name && strncmp(pd->events[i].name, "dummy:", 6) != 0) /* the recorder's own event */
			vec_push(&names, pd->events[i].name);
	}
	if (!name || *event) {
		vec_free(&names);
		return 0;
	}
	vec_push(&names, NULL);
	err_set(e, "%s event not found (%s)", option, name);
	opt_try_near(e, name, names.items, pd->n_events > FEW_EVENTS ? "evlist" : NULL);
	vec_free(&names);
	return err_exit(e, EXIT_NOT_FOUND);
}

/* Return the place of a record; without times, only its position counts. */
static struct session_place place_of(const struct session *s, uint64_t time, uint64_t pos)
{
	return (struct session_place){ .time = s->sorted ? time : 0, .pos = pos };
}

static void look_at(struct windows *w, const struct session *s, const struct record *r)
{
	int event = r->type == RECORD_SAMPLE ? perfdata_event_of(s->pd, r) + 1 : 0;
	uint64_t time = 0;

	if (event <= 0 || (event != w->on && event != w->off))
		return;
	record_time(s->pd, r, &time);
	vec_push(&w->seen, (struct window_end){ .place = place_of(s, time, session_pos(r->stream, r->pos)),
						.opens = event == w->on });
}

/* Is the window open after this candidate? One event may both open and close. */
static bool after(const struct windows *w, const struct window_end *end, bool open)
{
	return w->on == w->off ? !open : end->opens;
}

/* Find the candidates that open a closed window or close an open one. */
static void find_turns(struct windows *w)
{
	bool open = w->open_first;

	if (w->seen.len)
		qsort(w->seen.items, w->seen.len, sizeof(*w->seen.items), end_compare);
	vec_clear(&w->ends);
	for (size_t i = 0; i < w->seen.len; i++) {
		struct window_end end = w->seen.items[i];

		end.opens = after(w, &end, open);
		if (end.opens != open)
			vec_push(&w->ends, end);
		open = end.opens;
	}
}

int windows_begin(struct windows *w, const struct session *s, const char *on, const char *off, bool with_ends,
		  struct err *e)
{
	*w = (struct windows){ .with_ends = with_ends };
	if (event_named(s->pd, on, "switch-on", &w->on, e) < 0 || event_named(s->pd, off, "switch-off", &w->off, e) < 0)
		return -1;
	w->given = w->on || w->off;
	w->open_first = !w->on;
	return 0;
}

int windows_find(struct windows *w, const struct session *s, const char *on, const char *off, bool with_ends,
		 struct err *e)
{
	struct cursor c = { .pd = s->pd };
	struct record r;

	if (windows_begin(w, s, on, off, with_ends, e) < 0)
		return -1;
	while (w->given && cursor_next(&c, &r))
		look_at(w, s, &r);
	find_turns(w);
	vec_free(&w->seen);
	return 0;
}

/* ---- of an input that still arrives ---- */

/* Drop candidates before all due samples, in position and in time. They only decide the state at the start. */
static void forget(struct windows *w, uint64_t pos)
{
	size_t n = 0;

	while (n < w->seen.len && w->seen.items[n].place.pos < pos) {
		w->open_first = after(w, &w->seen.items[n], w->open_first);
		n++;
	}
	w->seen.len -= n;
	if (n && w->seen.len)
		memmove(w->seen.items, w->seen.items + n, w->seen.len * sizeof(*w->seen.items));
}

/*
 * Find the windows of new records. Samples of a round may be earlier than those of the previous round, but not than
 * those of the round before.
 */
void windows_follow(struct windows *w, const struct session *s)
{
	uint64_t end = stream_size(s->pd, 0);
	struct chunk c;
	struct record r;
	int got;

	if (!w->given)
		return;
	forget(w, w->due_from);
	if (s->chunks.len)
		w->due_from = s->chunks.items[0].from;
	perfdata_chunk(s->pd, 0, w->looked_to, end, NULL, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c)))
		if (got > 0)
			look_at(w, s, &r);
	chunk_release(&c);
	w->looked_to = end;
	find_turns(w);
}

void windows_take_over(struct windows *w, struct windows *from)
{
	if (!w->given)
		return;
	windows_free(w);
	*w = *from;
	*from = (struct windows){ 0 };
}

/* ---- which samples count ---- */

bool windows_have(const struct windows *w, const struct session *s, uint64_t time, uint64_t pos)
{
	struct session_place at = place_of(s, time, pos);
	size_t low; /* how many ends are at or before the sample */

	if (!w->given)
		return true;
	low = search_count(i, w->ends.len, !is_before(&at, &w->ends.items[i].place));
	if (low && w->ends.items[low - 1].place.pos == pos)
		return w->with_ends;
	return low ? w->ends.items[low - 1].opens : w->open_first;
}

void windows_free(struct windows *w)
{
	vec_free(&w->ends);
	vec_free(&w->seen);
}
