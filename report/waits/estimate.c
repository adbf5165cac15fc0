/*
 * Estimate the rows of waits without stacks: if there are too many switches, the recorder takes stacks only in turns
 * (record/session/turns.c). We know the thread, the waker and the length of each such wait. We distribute it among the
 * known rows with the same names, first by waits of about the same length. The sums do not change.
 */
#include "report/waits/waits_priv.h"

/* Divide an integer into shares that add up to it. */
struct wait_share {
	uint64_t whole, given;
	double sum, seen; /* sums of weights: of all, and so far */
};

static uint64_t next_share(struct wait_share *s, double weight)
{
	uint64_t upto, before = s->given;

	s->seen += weight;
	upto = s->seen >= s->sum ? s->whole : (uint64_t)((double)s->whole * (s->seen / s->sum));
	s->given = MAX(upto, before);
	return s->given - before;
}

/* ---- times of threads ---- */

static double sum_of(const uint64_t *blocked)
{
	double sum = 0;

	for (int k = 0; k < WAIT_KINDS; k++)
		sum += (double)blocked[k];
	return sum;
}

static void estimate_thread(struct wait_thread *th, const uint64_t *others)
{
	struct wait_share s = { .whole = th->unseen };
	uint64_t like[WAIT_KINDS];

	memcpy(like, sum_of(th->blocked) > 0 ? th->blocked : others, sizeof(like));
	s.sum = sum_of(like);
	for (int k = 0; s.sum > 0 && k < WAIT_KINDS; k++)
		th->blocked[k] += next_share(&s, (double)like[k]);
	th->blocked[WAIT_OTHER] += s.whole - s.given;
	th->unseen = 0;
}

/* The known waits of a process. */
struct process_waits {
	uint64_t blocked[WAIT_KINDS];
};

/* Estimate the kinds of each thread's waits. If none of them is known, it waits like the threads of its process. */
static void estimate_threads(struct waits *w)
{
	VEC(struct process_waits) known = { 0 };
	struct u64map index = { 0 }; /* pid -> known + 1 */

	for (size_t i = 0; i < w->threads.len; i++) {
		const struct wait_thread *th = &w->threads.items[i];
		uint32_t *at = u64map_put(&index, (uint32_t)th->pid, NULL);

		if (!*at) {
			vec_push(&known, (struct process_waits){ 0 });
			*at = (uint32_t)known.len;
		}
		for (int kind = 0; kind < WAIT_KINDS; kind++)
			known.items[*at - 1].blocked[kind] += th->blocked[kind];
	}
	for (size_t i = 0; i < w->threads.len; i++) {
		struct wait_thread *th = &w->threads.items[i];

		if (th->unseen)
			estimate_thread(th, known.items[*u64map_find(&index, (uint32_t)th->pid) - 1].blocked);
	}
	vec_free(&known);
	u64map_free(&index);
}

/* ---- rows ---- */

static int by_names(const void *a, const void *b)
{
	const struct wait_row *x = *(struct wait_row *const *)a, *y = *(struct wait_row *const *)b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->waker > y->waker) - (x->waker < y->waker);
}

static bool may_be(const struct wait_row *part, const struct wait_row *seen)
{
	return part->unwanted == seen->unwanted && (part->unseen & UNSEEN_VICTIM || part->stack == seen->stack) &&
	       (part->unseen & UNSEEN_WAKER || part->waker_stack == seen->waker_stack);
}

struct wait_candidates {
	VEC(struct wait_row *);
};

static double weight_of(const struct wait_row *r, uint32_t bucket, bool any_length)
{
	return (double)(any_length ? r->waits.count : durations_in(&r->waits, bucket));
}

static void share_bucket(const struct wait_candidates *to, uint32_t bucket, uint64_t count, uint64_t ns)
{
	struct wait_share counts = { .whole = count }, times = { .whole = ns };
	bool any_length = false;

	for (int pass = 0; pass < 2 && !counts.sum; pass++) {
		any_length = pass;
		for (size_t i = 0; i < to->len; i++)
			counts.sum += weight_of(to->items[i], bucket, any_length);
	}
	times.sum = counts.sum;
	for (size_t i = 0; i < to->len; i++) {
		struct wait_row *r = to->items[i];
		double weight = weight_of(r, bucket, any_length);
		uint64_t n = next_share(&counts, weight), part_ns = next_share(&times, weight);

		durations_add_some(&r->waits, bucket, n, n ? part_ns : 0);
		if (!n)
			r->waits.total += part_ns;
		r->estimated += part_ns;
	}
}

static void share_row(struct wait_row *part, const struct wait_candidates *to)
{
	for (size_t i = 0; i < part->waits.buckets.len; i++) {
		const struct duration_bucket *b = &part->waits.buckets.items[i];

		share_bucket(to, b->bucket, b->count, b->total);
	}
	durations_clear(&part->waits);
}

void waits_estimate(struct waits *w)
{
	autofree struct wait_row **rows = xcalloc(w->rows.len + 1, sizeof(*rows));
	struct wait_candidates to = { 0 };
	size_t end;

	estimate_threads(w);
	if (!w->without)
		return;
	for (size_t i = 0; i < w->rows.len; i++)
		rows[i] = &w->rows.items[i];
	qsort(rows, w->rows.len, sizeof(*rows), by_names);
	for (size_t i = 0; i < w->rows.len; i = end) {
		for (end = i; end < w->rows.len && !by_names(&rows[i], &rows[end]);)
			end++;
		for (size_t k = i; k < end; k++) {
			vec_clear(&to);
			for (size_t n = i; rows[k]->unseen && n < end; n++)
				if (!rows[n]->unseen && may_be(rows[k], rows[n]))
					vec_push(&to, rows[n]);
			if (to.len)
				share_row(rows[k], &to);
		}
	}
	vec_free(&to);
}
