#include "report/ftrace/stream.h"

#include "base/vec_edit.h"

struct stream_page {
	const uint8_t *bytes;
	size_t size;
	bool owned;
};

/* A CPU's pages. Those before `next_page` have been opened. */
struct lane {
	int cpu;
	VEC(struct stream_page) pages;
	size_t next_page;
	VEC(uint8_t *) done; /* pages to which delivered entries may point; freed later */
	struct trace_page page;
	bool open, has_head, behind;
	struct ftrace_event head; /* the next one to deliver */
	uint64_t newest_ns;       /* time of the newest entry read so far; for an empty page, the page's own time */
};

struct ftrace_stream {
	struct ftrace_meta *m;
	VEC(struct lane *) lanes;
	struct lane *current;          /* the lane of the last delivered entry */
	uint64_t safe_ns, patient_ns;  /* deliver entries up to safe_ns; up to patient_ns even without a follower */
	uint64_t newest_ns, before_ns; /* the newest time of all pages; of those from before this round */
	bool ended;
	size_t waiting;
	/* the lane with the oldest head, and the oldest head of the others; valid until new pages come */
	struct lane *leader;
	uint64_t others_ns;
};

struct ftrace_stream *ftrace_stream_new(struct ftrace_meta *m)
{
	struct ftrace_stream *s = xcalloc(1, sizeof(*s));

	s->m = m;
	return s;
}

static void free_done(struct lane *l)
{
	for (size_t i = 0; i < l->done.len; i++)
		free(l->done.items[i]);
	vec_clear(&l->done);
}

void ftrace_stream_free(struct ftrace_stream *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->lanes.len; i++) {
		struct lane *l = s->lanes.items[i];

		/* the page before next_page is open */
		for (size_t p = l->next_page - (l->open ? 1 : 0); p < l->pages.len; p++)
			if (l->pages.items[p].owned)
				free((uint8_t *)l->pages.items[p].bytes);
		free_done(l);
		vec_free(&l->done);
		vec_free(&l->pages);
		free(l);
	}
	vec_free(&s->lanes);
	free(s);
}

static struct lane *lane_of(struct ftrace_stream *s, int cpu)
{
	struct lane *l;

	for (size_t i = 0; i < s->lanes.len; i++)
		if (s->lanes.items[i]->cpu == cpu)
			return s->lanes.items[i];
	l = xcalloc(1, sizeof(*l));
	l->cpu = cpu;
	vec_push(&s->lanes, l);
	return l;
}

/* Return the time of the last entry in a page. */
static uint64_t last_time(struct ftrace_stream *s, const uint8_t *bytes, size_t size)
{
	struct trace_page p;
	struct trace_entry entry;

	if (trace_page_open(&p, &s->m->layout, bytes, size, NULL) < 0)
		return 0;
	while (trace_page_next(&p, &entry, NULL) > 0)
		;
	return p.time_ns;
}

void ftrace_stream_add(struct ftrace_stream *s, int cpu, const uint8_t *page, size_t size, bool lasting)
{
	struct lane *l = lane_of(s, cpu);
	uint8_t *copy = NULL;

	if (!lasting) {
		copy = xmalloc(size);
		memcpy(copy, page, size);
		/* not needed for a file: its pages last, and ftrace_stream_end() delivers all of them */
		l->newest_ns = MAX(l->newest_ns, last_time(s, page, size));
	}
	if (l->next_page > 64 && l->next_page * 2 > l->pages.len) {
		size_t gone = l->next_page - 1;

		vec_remove(&l->pages, 0, gone);
		l->next_page -= gone;
	}
	vec_push(&l->pages, (struct stream_page){ copy ? copy : page, size, !lasting });
	s->waiting += size;
	s->leader = NULL;
	s->newest_ns = MAX(s->newest_ns, l->newest_ns);
}

void ftrace_stream_behind(struct ftrace_stream *s, int cpu) { lane_of(s, cpu)->behind = true; }

void ftrace_stream_round(struct ftrace_stream *s)
{
	uint64_t safe = s->before_ns;

	for (size_t i = 0; i < s->lanes.len; i++) {
		struct lane *l = s->lanes.items[i];

		if (l->behind)
			safe = MIN(safe, l->newest_ns);
		l->behind = false;
	}
	s->patient_ns = s->safe_ns;
	s->safe_ns = MAX(s->safe_ns, safe);
	s->before_ns = s->newest_ns;
}

void ftrace_stream_end(struct ftrace_stream *s) { s->ended = true; }

size_t ftrace_stream_waiting(const struct ftrace_stream *s) { return s->waiting; }

static void close_page(struct ftrace_stream *s, struct lane *l)
{
	struct stream_page *p = &l->pages.items[l->next_page - 1];

	s->waiting -= MIN(s->waiting, p->size);
	if (p->owned)
		vec_push(&l->done, (uint8_t *)p->bytes);
	l->open = false;
}

/* Fill the lane's head; open pages as needed. */
static void advance(struct ftrace_stream *s, struct lane *l)
{
	struct trace_entry entry;

	l->has_head = false;
	for (;;) {
		bool lost = false;

		if (!l->open) {
			struct stream_page *p;

			if (l->next_page >= l->pages.len)
				return;
			p = &l->pages.items[l->next_page++];
			l->open = true;
			if (trace_page_open(&l->page, &s->m->layout, p->bytes, p->size, NULL) < 0) {
				s->m->n_bad_pages++;
				close_page(s, l);
				continue;
			}
			lost = l->page.lost;
		}
		switch (trace_page_next(&l->page, &entry, NULL)) {
		case 1:
			l->head = (struct ftrace_event){ .time_ns = entry.time_ns, .cpu = l->cpu };
			if (lost) {
				l->head.lost = true;
				l->head.n_lost = l->page.n_lost;
			}
			ftrace_event_decode(s->m, &l->head, entry.data, entry.size);
			if (!l->head.format)
				s->m->n_unknown++;
			l->has_head = true;
			return;
		case -1: s->m->n_bad_pages++; break;
		}
		close_page(s, l);
	}
}

/* May we deliver the lane's head? No older entry may still come on another CPU. */
static bool may_go(const struct ftrace_stream *s, const struct lane *l)
{
	return s->ended || l->head.time_ns <= s->safe_ns;
}

/* Have we read entries after the head? */
static bool has_follower(const struct lane *l)
{
	return l->next_page < l->pages.len || (l->open && l->page.at < l->page.end);
}

/* Return the lane with the oldest head, and the time up to which it stays the oldest. */
static struct lane *find_leader(struct ftrace_stream *s)
{
	struct lane *first = NULL;

	s->others_ns = UINT64_MAX;
	for (size_t i = 0; i < s->lanes.len; i++) {
		struct lane *l = s->lanes.items[i];

		if (!l->has_head)
			advance(s, l);
		if (!l->has_head)
			continue;
		if (!first || l->head.time_ns < first->head.time_ns) {
			s->others_ns = first ? first->head.time_ns : UINT64_MAX;
			first = l;
		} else {
			s->others_ns = MIN(s->others_ns, l->head.time_ns);
		}
	}
	s->leader = first;
	return first;
}

int ftrace_stream_next(struct ftrace_stream *s, struct ftrace_event *ev)
{
	struct lane *l = s->leader;

	if (s->current && s->current->done.len)
		free_done(s->current);
	s->current = NULL;
	if (!l || !l->has_head || l->head.time_ns >= s->others_ns)
		l = find_leader(s);
	if (!l || !may_go(s, l) || (!s->ended && !has_follower(l) && l->head.time_ns > s->patient_ns))
		return 0;
	*ev = l->head;
	s->current = l;
	advance(s, l);
	return 1;
}

const struct ftrace_event *ftrace_stream_following(const struct ftrace_stream *s)
{
	return s->current && s->current->has_head ? &s->current->head : NULL;
}

void ftrace_stream_skip(struct ftrace_stream *s)
{
	if (s->current && s->current->has_head)
		advance(s, s->current);
}
