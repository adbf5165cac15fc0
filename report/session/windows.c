#include "report/session/windows.h"

#include "base/opt.h"
#include "base/search.h"

static bool is_before(const struct session_place *a, const struct session_place *b)
{
	return a->time != b->time ? a->time < b->time : a->pos < b->pos;
}

static int end_compare(const void *a, const void *b)
{
	const struct window_end *x = a, *y = b;

	return is_before(&x->place, &y->place) ? -1 : is_before(&y->place, &x->place);
}

/* Find the event with this name and store its number + 1; 0 if the name is NULL. */
static int event_named(const struct perfdata *pd, const char *name, const char *option, int *event, struct err *e)
{
	VEC(const char *) names = { 0 };

	*event = 0;
	for (size_t i = 0; name && i < pd->n_events; i++) {
		if (pd->events[i].name && !strcmp(pd->events[i].name, name))
			*event = (int)i + 1;
		if (pd->events[i].name)
			vec_push(&names, pd->events[i].name);
	}
	if (!name || *event) {
		vec_free(&names);
		return 0;
	}
	vec_push(&names, NULL);
	err_set(e, "%s event not found (%s)", option, name);
	opt_try_near(e, name, names.items, "evlist");
	vec_free(&names);
	return -1;
}

/* A record without a time takes its place from its position. */
static struct session_place place_of(const struct session *s, uint64_t time, uint64_t pos)
{
	return (struct session_place){ .time = s->sorted ? time : 0, .pos = pos };
}

static void look_at(struct windows *w, const struct session *s, const struct record *r, int on, int off)
{
	int event = perfdata_event_of(s->pd, r) + 1;
	uint64_t time = 0;

	if (event <= 0 || (event != on && event != off))
		return;
	record_time(s->pd, r, &time);
	vec_push(&w->ends, (struct window_end){ .place = place_of(s, time, session_pos(r->stream, r->pos)),
						.opens = event == on });
}

/*
 * From the sorted candidates, keep those that change the state: open a closed window or close an
 * open one. The same event may do both.
 */
static void keep_turns(struct windows *w, bool same)
{
	bool open = w->open_first;
	size_t kept = 0;

	for (size_t i = 0; i < w->ends.len; i++) {
		struct window_end end = w->ends.items[i];

		if (same)
			end.opens = !open;
		if (end.opens == open)
			continue;
		open = end.opens;
		w->ends.items[kept++] = end;
	}
	w->ends.len = kept;
}

int windows_find(struct windows *w, const struct session *s, const char *on_name, const char *off_name, bool with_ends,
		 struct err *e)
{
	struct cursor c = { .pd = s->pd };
	struct record r;
	int on, off;

	if (event_named(s->pd, on_name, "switch-on", &on, e) < 0 ||
	    event_named(s->pd, off_name, "switch-off", &off, e) < 0)
		return -1;
	*w = (struct windows){ .given = on || off, .open_first = !on, .with_ends = with_ends };
	while (w->given && cursor_next(&c, &r))
		if (r.type == RECORD_SAMPLE)
			look_at(w, s, &r, on, off);
	if (w->ends.len)
		qsort(w->ends.items, w->ends.len, sizeof(*w->ends.items), end_compare);
	keep_turns(w, on && on == off);
	return 0;
}

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

void windows_free(struct windows *w) { vec_free(&w->ends); }
