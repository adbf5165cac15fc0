/*
 * Print recordings of counters (stat record): a table of the values of each round. Source: strobe.data(5), "STAT",
 * "STAT_ROUND", "THREAD_MAP".
 */
#include "base/bytes.h"
#include "report/script/language.h"
#include "report/script/print.h"

struct count_value {
	uint64_t count, enabled, running;
	int32_t cpu;
	uint32_t thread, event;
};

struct rounds {
	const struct perfdata *pd;
	struct out *o;                  /* for text */
	struct interpreter *i;          /* for a script */
	struct count_value *before;     /* for a script: sums of each event up to the last round */
	bool apart, unscaled;           /* show a count for each CPU and thread; do not scale the counts */
	VEC(int32_t) pids;              /* of the thread map */
	VEC(struct count_value) values; /* since the last round */
	VEC(struct count_value) last;   /* of the last round, for a script */
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

/* ---- for scripts ---- */

/* Numbers of the record STAT_CONFIG. */
enum { TAG_AGGREGATION = 0, TAG_SCALE = 2, ALL_TOGETHER = 1 };

static void take_config(struct rounds *t, const struct record *r)
{
	uint64_t n = load_u64(r->body);

	for (uint64_t i = 0; i < n && 8 + (i + 1) * 16 <= r->size; i++) {
		uint64_t tag = load_u64(r->body + 8 + i * 16), value = load_u64(r->body + 16 + i * 16);

		if (tag == TAG_AGGREGATION)
			t->apart = value != ALL_TOGETHER;
		else if (tag == TAG_SCALE)
			t->unscaled = !value;
	}
}

static uint64_t scaled(const struct rounds *t, const struct count_value *v)
{
	if (t->unscaled || v->running >= v->enabled)
		return v->count;
	return v->running ? (uint64_t)((double)v->count * (double)v->enabled / (double)v->running) : 0;
}

/* Call the script's function for a count. It has the name of the event, with '_' for ':'. */
static void pass(struct rounds *t, const struct count_value *v, int32_t thread, uint64_t time)
{
	autofree char *name = xasprintf("stat__%s", t->pd->events[v->event].name);
	int64_t numbers[] = {
		v->cpu, thread, (int64_t)time, (int64_t)scaled(t, v), (int64_t)v->enabled, (int64_t)v->running
	};

	for (char *at = name; (at = strchr(at, ':'));)
		*at = '_';
	t->i->language->call_numbers(t->i, name, numbers, ARRAY_SIZE(numbers));
}

/* Return what was counted since the last round: the recording has counts from the start on. */
static struct count_value since_last(const struct rounds *t, const struct count_value *v)
{
	const struct count_value *last =
		t->last.len ? bsearch(v, t->last.items, t->last.len, sizeof(*v), by_event) : NULL;
	struct count_value since = *v;

	if (last) {
		since.count -= last->count;
		since.enabled -= last->enabled;
		since.running -= last->running;
	}
	return since;
}

/* Pass the counts of one event, which begin at `at`. Return where those of the next one begin. */
static size_t pass_event(struct rounds *t, size_t at, uint64_t time)
{
	struct count_value sum = { .event = t->values.items[at].event, .cpu = -1 };

	for (; at < t->values.len && t->values.items[at].event == sum.event; at++) {
		struct count_value v = since_last(t, &t->values.items[at]);

		sum.count += v.count;
		sum.enabled += v.enabled;
		sum.running += v.running;
		if (t->apart)
			pass(t, &v, v.thread < t->pids.len ? t->pids.items[v.thread] : -1, time);
	}
	if (!t->apart)
		pass(t, &sum, -1, time);
	return at;
}

static void pass_round(struct rounds *t, uint64_t time)
{
	if (t->values.len)
		qsort(t->values.items, t->values.len, sizeof(*t->values.items), by_event);
	for (size_t at = 0; at < t->values.len;)
		at = pass_event(t, at, time);
	t->i->language->call_numbers(t->i, "stat__interval", (const int64_t[]){ (int64_t)time }, 1);
	vec_clear(&t->last);
	for (size_t i = 0; i < t->values.len; i++)
		vec_push(&t->last, t->values.items[i]);
	vec_clear(&t->values);
}

/* ---- the records ---- */

static void walk(struct rounds *t, void (*round)(struct rounds *t, uint64_t time))
{
	struct cursor c = { .pd = t->pd };
	struct record r;

	while (cursor_next(&c, &r)) {
		if (r.type == RECORD_THREAD_MAP && r.size >= 8)
			take_threads(t, &r);
		else if (r.type == RECORD_STAT_CONFIG && r.size >= 8)
			take_config(t, &r);
		else if (r.type == RECORD_STAT && r.size >= 40)
			take_value(t, &r);
		else if (r.type == RECORD_STAT_ROUND && r.size >= 16)
			round(t, load_u64(r.body + 8));
	}
	vec_free(&t->pids);
	vec_free(&t->values);
	vec_free(&t->last);
}

void print_stat(const struct perfdata *pd, struct out *o) { walk(&(struct rounds){ .pd = pd, .o = o }, print_round); }

void script_stat(const struct perfdata *pd, struct interpreter *i, struct out *o)
{
	if (i->language->call_numbers)
		walk(&(struct rounds){ .pd = pd, .i = i }, pass_round);
	else
		print_stat(pd, o);
}
