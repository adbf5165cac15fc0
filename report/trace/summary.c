/* Sum calls for each thread, or for all threads. */

#include "base/sort/sort.h"
#include "report/trace/trace_priv.h"

static struct call_sum *sum_of(struct call_sums *sums, int64_t number)
{
	uint32_t *at = u64map_put(&sums->index, (uint64_t)number, NULL);

	if (!*at) {
		vec_push(sums, (struct call_sum){ .number = (int32_t)number });
		*at = (uint32_t)sums->len;
	}
	return &sums->items[*at - 1];
}

static void add_code(struct call_sum *sum, int32_t code, uint64_t n)
{
	for (size_t i = 0; i < sum->codes.len; i++)
		if (sum->codes.items[i].code == code) {
			sum->codes.items[i].n += n;
			return;
		}
	vec_push(&sum->codes, (struct errno_count){ code, n });
}

static void count_error(struct call_sum *sum, int code)
{
	sum->errors++;
	add_code(sum, code, 1);
}

static unsigned bucket_of(double ms)
{
	uint64_t us = (uint64_t)(ms * 1000);

	return us ? MIN(64u - (unsigned)__builtin_clzll(us), TRACE_BUCKETS - 1u) : 0;
}

static struct traced_group *group_of(struct trace *t, uint64_t id)
{
	uint32_t *at = u64map_put(&t->group_of, id, NULL);

	if (!*at) {
		vec_push(&t->groups, (struct traced_group){ .id = id });
		*at = (uint32_t)t->groups.len;
	}
	return &t->groups.items[*at - 1];
}

void trace_sum_event(struct trace *t, struct traced_thread *thread, uint64_t cgroup)
{
	t->events++;
	thread->events++;
	if (t->opts->by == TRACE_SUMS_CGROUP)
		group_of(t, cgroup)->events++;
}

void trace_release_sums(struct trace *t)
{
	for (size_t i = 0; i < t->groups.len; i++)
		call_sums_release(&t->groups.items[i].sums);
	vec_free(&t->groups);
	u64map_free(&t->group_of);
}

void trace_sum_call(struct trace *t, struct traced_thread *thread, uint64_t cgroup, double ms, int64_t result)
{
	bool by_group = t->opts->by == TRACE_SUMS_CGROUP;
	struct call_sum *sum = sum_of(by_group ? &group_of(t, cgroup)->sums : &thread->sums, thread->call.number);

	sum->min_ms = sum->spread.n ? MIN(sum->min_ms, ms) : ms;
	sum->max_ms = MAX(sum->max_ms, ms);
	sum->total_ms += ms;
	spread_add(&sum->spread, ms);
	if (result < 0 && result >= -4095)
		count_error(sum, (int)-result);
	if (t->opts->histogram) {
		if (!sum->buckets)
			sum->buckets = xcalloc(TRACE_BUCKETS, sizeof(*sum->buckets));
		sum->buckets[bucket_of(ms)]++;
	}
}

void call_sums_release(struct call_sums *sums)
{
	for (size_t i = 0; i < sums->len; i++) {
		vec_free(&sums->items[i].codes);
		free(sums->items[i].buckets);
	}
	vec_free(sums);
	u64map_free(&sums->index);
}

/* ---- sums of parts ---- */

static void add_buckets(struct call_sum *sum, const uint32_t *buckets)
{
	if (!buckets)
		return;
	if (!sum->buckets)
		sum->buckets = xcalloc(TRACE_BUCKETS, sizeof(*sum->buckets));
	for (unsigned i = 0; i < TRACE_BUCKETS; i++)
		sum->buckets[i] += buckets[i];
}

static void merge(struct call_sum *sum, const struct call_sum *x)
{
	double n = sum->spread.n + x->spread.n, apart = x->spread.mean - sum->spread.mean;

	sum->errors += x->errors;
	for (size_t i = 0; i < x->codes.len; i++)
		add_code(sum, x->codes.items[i].code, x->codes.items[i].n);
	add_buckets(sum, x->buckets);
	if (!x->spread.n)
		return;
	sum->min_ms = sum->spread.n ? MIN(sum->min_ms, x->min_ms) : x->min_ms;
	sum->max_ms = MAX(sum->max_ms, x->max_ms);
	sum->total_ms += x->total_ms;
	/* Chan, Golub, LeVeque: updating formulae for the variance of two parts */
	sum->spread.m2 += x->spread.m2 + apart * apart * sum->spread.n * x->spread.n / n;
	sum->spread.mean += apart * x->spread.n / n;
	sum->spread.n = n;
}

/* Return the sum of squared deviations, in ms. */
static double deviations_of(const struct trace_count *c)
{
	long double squares = (long double)c->squares_high * 0x1p64L + (long double)c->squares_low;
	long double sum = (long double)c->total_ns, m2 = squares - sum * sum / (long double)c->n;

	return m2 > 0 ? (double)(m2 / 1e12L) : 0;
}

/* Find the sums of the thread or group with this id, and add this many events. */
static struct call_sums *sums_of(struct trace *t, int32_t id, uint64_t events)
{
	if (t->opts->by == TRACE_SUMS_CGROUP) {
		group_of(t, (uint32_t)id)->events += events;
		return &group_of(t, (uint32_t)id)->sums;
	}
	trace_thread(t, id)->events += events;
	return &trace_thread(t, id)->sums;
}

void trace_add_count(struct trace *t, const struct trace_count *c)
{
	uint64_t events = c->number < 0 ? c->n : 2 * c->n - c->unentered;
	struct call_sum sum = { .number = c->number, .errors = c->errors };
	struct call_sums *sums = sums_of(t, c->id, events);

	t->events += events;
	if (c->number < 0 || !c->n)
		return;
	sum.total_ms = (double)c->total_ns / 1e6;
	sum.min_ms = (double)c->min_ns / 1e6;
	sum.max_ms = (double)c->max_ns / 1e6;
	sum.spread = (struct spread){ (double)c->n, sum.total_ms / (double)c->n, deviations_of(c) };
	merge(sum_of(sums, c->number), &sum);
	add_buckets(sum_of(sums, c->number), c->buckets);
}

void trace_add_error_count(struct trace *t, const struct trace_error_count *c)
{
	add_code(sum_of(sums_of(t, c->id, 0), c->number), c->code, c->n);
}

/* ---- print ---- */

static int by_total(const void *a, const void *b)
{
	const struct call_sum *x = a, *y = b;

	if (x->total_ms != y->total_ms)
		return x->total_ms < y->total_ms ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_count(const void *a, const void *b)
{
	const struct errno_count *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : x->code - y->code;
}

static void print_codes(struct call_sum *sum, struct out *o)
{
	vec_sort(&sum->codes, by_count);
	for (size_t i = 0; i < sum->codes.len; i++) {
		const char *name = trace_errno_name(sum->codes.items[i].code);

		out_fmt(o, "\t\t\t\t%s: %llu\n", name ? name : "?", (unsigned long long)sum->codes.items[i].n);
	}
}

static void print_buckets(const struct call_sum *sum, struct out *o)
{
	enum { BAR = 40 };
	uint32_t most = 1;

	for (unsigned i = 0; i < TRACE_BUCKETS; i++)
		most = MAX(most, sum->buckets[i]);
	for (unsigned i = 0; i < TRACE_BUCKETS; i++) {
		if (!sum->buckets[i])
			continue;
		out_fmt(o, "      %10llu .. %-10llu us %10u |", i ? 1ull << (i - 1) : 0ull, 1ull << i, sum->buckets[i]);
		out_pad(o, '#', (long)((uint64_t)sum->buckets[i] * BAR / most));
		out_char(o, '\n');
	}
}

static void print_table(struct trace *t, struct call_sums *sums)
{
	struct out *o = t->out;
	size_t most = t->opts->max_sums ? t->opts->max_sums : sums->len;

	out_str(o, "   syscall            calls  errors  total       min       avg       max       stddev\n"
		   "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
		   "   --------------- --------  ------ -------- --------- --------- ---------     ------\n");
	vec_sort(sums, by_total);
	for (size_t i = 0; i < sums->len && i < most; i++) {
		struct call_sum *sum = &sums->items[i];

		out_str(o, "   ");
		out_name_pad(o, call_shape(t->shapes, sum->number)->name, -15);
		out_fmt(o, " %8.0f %6llu %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", sum->spread.n,
			(unsigned long long)sum->errors, sum->total_ms, sum->min_ms,
			sum->spread.n > 0 ? sum->total_ms / sum->spread.n : 0, sum->max_ms,
			spread_percent(&sum->spread));
		if (t->opts->errno_sums)
			print_codes(sum, o);
		if (sum->buckets)
			print_buckets(sum, o);
	}
	out_str(o, "\n\n");
}

static void print_head(const struct trace *t, uint64_t events, const struct traced_thread *thread)
{
	struct out *o = t->out;

	out_fmt(o, "%llu events", (unsigned long long)events);
	if (!thread) {
		out_str(o, "\n\n");
		return;
	}
	out_fmt(o, ", %.1f%%", t->events ? 100.0 * (double)events / (double)t->events : 0);
	if (thread->major_faults)
		out_fmt(o, ", %llu majfaults", (unsigned long long)thread->major_faults);
	if (thread->minor_faults)
		out_fmt(o, ", %llu minfaults", (unsigned long long)thread->minor_faults);
	if (thread->runtime_ms > 0)
		out_fmt(o, ", %.3f msec", thread->runtime_ms);
	out_str(o, "\n\n");
}

static int by_events(const void *a, const void *b)
{
	const struct traced_thread *x = *(struct traced_thread *const *)a, *y = *(struct traced_thread *const *)b;

	return x->events != y->events ? (x->events < y->events ? 1 : -1) : (x->tid > y->tid) - (x->tid < y->tid);
}

/* Add the sums of one thread to the sums of all. */
static void add_sums(struct call_sums *to, const struct call_sums *from)
{
	for (size_t i = 0; i < from->len; i++)
		merge(sum_of(to, from->items[i].number), &from->items[i]);
}

static void print_total(struct trace *t)
{
	struct call_sums all = { 0 };

	for (size_t i = 0; i < t->threads.len; i++)
		add_sums(&all, &t->threads.items[i]->sums);
	out_str(t->out, " total, ");
	print_head(t, t->events, NULL);
	print_table(t, &all);
	call_sums_release(&all);
}

static int by_group_events(const void *a, const void *b)
{
	const struct traced_group *x = a, *y = b;

	return x->events != y->events ? (x->events < y->events ? 1 : -1) : (x->id > y->id) - (x->id < y->id);
}

static void print_groups(struct trace *t)
{
	struct out *o = t->out;

	vec_sort(&t->groups, by_group_events);
	for (size_t i = 0; i < t->groups.len; i++) {
		struct traced_group *group = &t->groups.items[i];
		const char *name = session_cgroup(t->session, group->id);

		if (name) {
			out_char(o, ' ');
			out_name(o, name);
		} else {
			out_fmt(o, " cgroup %llu", (unsigned long long)group->id);
		}
		out_fmt(o, ", %llu events\n\n", (unsigned long long)group->events);
		if (group->sums.len)
			print_table(t, &group->sums);
	}
}

void trace_print_sums(struct trace *t)
{
	struct out *o = t->out;

	out_str(o, "\n Summary of events:\n\n");
	if (t->opts->by == TRACE_SUMS_CGROUP) {
		print_groups(t);
		return;
	}
	if (t->opts->by == TRACE_SUMS_TOTAL) {
		print_total(t);
		return;
	}
	vec_sort(&t->threads, by_events);
	for (size_t i = 0; i < t->threads.len; i++) {
		struct traced_thread *thread = t->threads.items[i];

		if (!thread->events)
			continue;
		if (thread->comm[0] == ':') /* its sums came before the record with its name */
			thread = trace_thread(t, thread->tid);
		out_char(o, ' ');
		out_name(o, thread->comm);
		out_fmt(o, " (%d), ", thread->tid);
		print_head(t, thread->events, thread);
		if (thread->sums.len)
			print_table(t, &thread->sums);
	}
}
