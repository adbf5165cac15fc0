#include "report/text/threads.h"

#include "base/hash.h"
#include "report/text/dump.h"

struct counted {
	int32_t pid, tid;
	uint64_t *values; /* by event */
};

struct threads {
	const struct perfdata *pd;
	VEC(struct counted) rows; /* in the order of their first record */
	struct u64map index;
	bool *seen; /* by event */
};

static void take_read(void *ctx, const struct record *r)
{
	struct threads *t = ctx;
	uint64_t who;
	bool is_new;
	uint32_t *at;
	int event;

	if (r->type != RECORD_READ || (event = perfdata_event_of(t->pd, r)) < 0)
		return;
	who = (uint64_t)load_u32(r->body) << 32 | load_u32(r->body + 4);
	at = u64map_put(&t->index, who, &is_new);
	if (is_new) {
		*at = (uint32_t)t->rows.len;
		vec_push(&t->rows, (struct counted){ .pid = (int32_t)(who >> 32),
						     .tid = (int32_t)who,
						     .values = xcalloc(t->pd->n_events, sizeof(uint64_t)) });
	}
	t->rows.items[*at].values[event] += load_u64(r->body + 8);
	t->seen[event] = true;
}

static int digits(uint64_t v) { return snprintf(NULL, 0, "%llu", (unsigned long long)v); }

/* Column widths: pid, tid, and the values of each event. */
struct widths {
	int pid, tid, name, count;
	int *events;
};

static void measure(const struct threads *t, struct widths *w)
{
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct counted *c = &t->rows.items[i];

		w->pid = MAX(w->pid, digits((uint32_t)c->pid));
		w->tid = MAX(w->tid, digits((uint32_t)c->tid));
		for (size_t e = 0; e < t->pd->n_events; e++) {
			w->events[e] =
				MAX(w->events[e], MAX(digits(c->values[e]), out_name_width(t->pd->events[e].name)));
			if (t->seen[e]) {
				w->name = MAX(w->name, out_name_width(t->pd->events[e].name));
				w->count = MAX(w->count, digits(c->values[e]));
			}
		}
	}
}

static void put_table(const struct threads *t, const struct widths *w, struct out *o)
{
	out_fmt(o, "# %*s  %*s", w->pid, "PID", w->tid, "TID");
	for (size_t e = 0; e < t->pd->n_events; e++) {
		if (!t->seen[e])
			continue;
		out_pad(o, ' ', 2 + w->events[e] - out_name_width(t->pd->events[e].name));
		out_name(o, t->pd->events[e].name);
	}
	out_char(o, '\n');
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct counted *c = &t->rows.items[i];

		out_fmt(o, "  %*d  %*d", w->pid, c->pid, w->tid, c->tid);
		for (size_t e = 0; e < t->pd->n_events; e++) {
			if (!t->seen[e])
				continue;
			out_str(o, "  ");
			out_u64_pad(o, c->values[e], w->events[e], ' ');
		}
		out_char(o, '\n');
	}
}

static void put_lines(const struct threads *t, const struct widths *w, struct out *o)
{
	out_fmt(o, "# %*s  %*s  %*s  %*s\n", w->pid, "PID", w->tid, "TID", w->name, "Name", w->count, "Count");
	for (size_t i = 0; i < t->rows.len; i++)
		for (size_t e = 0; e < t->pd->n_events; e++) {
			const struct counted *c = &t->rows.items[i];

			if (!t->seen[e])
				continue;
			out_fmt(o, "  %*d  %*d", w->pid, c->pid, w->tid, c->tid);
			out_pad(o, ' ', 2 + w->name - out_name_width(t->pd->events[e].name));
			out_name(o, t->pd->events[e].name);
			out_fmt(o, "  %*llu\n", w->count, (unsigned long long)c->values[e]);
		}
}

void threads_print(const struct perfdata *pd, bool raw, struct out *o)
{
	struct threads t = { .pd = pd, .seen = xcalloc(pd->n_events + 1, sizeof(bool)) };
	struct widths w = {
		.pid = 3, .tid = 3, .name = 4, .count = 5, .events = xcalloc(pd->n_events + 1, sizeof(int))
	};
	struct format_notes counted_already = { 0 };

	dump_walk(pd, false, &counted_already, take_read, &t);
	measure(&t, &w);
	if (t.rows.len && raw)
		put_lines(&t, &w, o);
	else if (t.rows.len)
		put_table(&t, &w, o);
	for (size_t i = 0; i < t.rows.len; i++)
		free(t.rows.items[i].values);
	vec_free(&t.rows);
	u64map_free(&t.index);
	free(t.seen);
	free(w.events);
}
