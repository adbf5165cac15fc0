/*
 * Recordings of counters (stat record): a table of the values of each round. Source:
 * strobe.data(5), "STAT", "STAT_ROUND", "THREAD_MAP".
 */
#include "base/bytes.h"
#include "report/script/print.h"

struct count_value {
	uint64_t count, enabled, running;
	int32_t cpu;
	uint32_t thread, event;
};

struct rounds {
	const struct perfdata *pd;
	struct out *o;
	VEC(int32_t) pids;              /* of the thread map */
	VEC(struct count_value) values; /* since the last round */
	bool headed;
};

static void take_threads(struct rounds *t, const struct record *r)
{
	enum { ENTRY = 24 }; /* u64 pid, char comm[16] */
	uint64_t n = load_u64(r->body);

	vec_clear(&t->pids);
	for (uint64_t i = 0; i < n && 8 + (i + 1) * ENTRY <= r->size; i++)
		vec_push(&t->pids, (int32_t)load_u64(r->body + 8 + i * ENTRY));
}

static void take_value(struct rounds *t, const struct record *r)
{
	int event = perfdata_event_by_id(t->pd, load_u64(r->body));

	if (event >= 0)
		vec_push(&t->values, (struct count_value){ .event = (uint32_t)event,
							   .cpu = (int32_t)load_u32(r->body + 8),
							   .thread = load_u32(r->body + 12),
							   .count = load_u64(r->body + 16),
							   .enabled = load_u64(r->body + 24),
							   .running = load_u64(r->body + 32) });
}

static int by_event(const void *a, const void *b)
{
	const struct count_value *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void print_round(struct rounds *t, uint64_t time)
{
	if (!t->headed)
		out_str(t->o, "CPU   THREAD             VAL             ENA             RUN            TIME EVENT\n");
	t->headed = true;
	if (t->values.len)
		qsort(t->values.items, t->values.len, sizeof(*t->values.items), by_event);
	for (size_t i = 0; i < t->values.len; i++) {
		const struct count_value *v = &t->values.items[i];

		out_fmt(t->o, "%3d %8d ", v->cpu, v->thread < t->pids.len ? t->pids.items[v->thread] : -1);
		out_u64_pad(t->o, v->count, 15, ' ');
		out_char(t->o, ' ');
		out_u64_pad(t->o, v->enabled, 15, ' ');
		out_char(t->o, ' ');
		out_u64_pad(t->o, v->running, 15, ' ');
		out_char(t->o, ' ');
		out_u64_pad(t->o, time, 15, ' ');
		out_char(t->o, ' ');
		out_name(t->o, t->pd->events[v->event].name);
		out_char(t->o, '\n');
	}
	vec_clear(&t->values);
}

void print_stat(const struct perfdata *pd, struct out *o)
{
	struct rounds t = { .pd = pd, .o = o };
	struct cursor c = { .pd = pd };
	struct record r;

	while (cursor_next(&c, &r)) {
		if (r.type == RECORD_THREAD_MAP && r.size >= 8)
			take_threads(&t, &r);
		else if (r.type == RECORD_STAT && r.size >= 40)
			take_value(&t, &r);
		else if (r.type == RECORD_STAT_ROUND && r.size >= 16)
			print_round(&t, load_u64(r.body + 8));
	}
	vec_free(&t.pids);
	vec_free(&t.values);
}
