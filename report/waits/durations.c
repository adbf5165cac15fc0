#include "report/waits/durations.h"

#include "base/vec_edit.h"

/* Return the bucket. Each duration below 8 has one; each power of two has eight: 8 * log2 + the next three bits. */
static uint32_t bucket_of(uint64_t ns)
{
	unsigned log = ns < 8 ? 3 : 63 - (unsigned)__builtin_clzll(ns);

	return ns < 8 ? (uint32_t)ns : log * 8 + ((ns >> (log - 3)) & 7);
}

/* Return the greatest duration of the bucket. */
static uint64_t bucket_end(uint32_t bucket)
{
	return bucket < 24 ? bucket : ((8ull + bucket % 8 + 1) << (bucket / 8 - 3)) - 1;
}

static void count_in(struct durations *d, uint32_t bucket, uint64_t count, uint64_t ns)
{
	size_t i = d->buckets.len;

	while (i && d->buckets.items[i - 1].bucket > bucket)
		i--;
	if (i && d->buckets.items[i - 1].bucket == bucket) {
		d->buckets.items[i - 1].count += count;
		d->buckets.items[i - 1].total += ns;
		return;
	}
	vec_insert(&d->buckets, i, (struct duration_bucket){ count, ns, bucket });
}

void durations_add(struct durations *d, uint64_t ns)
{
	d->min = d->count && d->min < ns ? d->min : ns;
	d->max = MAX(d->max, ns);
	d->total += ns;
	d->count++;
	count_in(d, bucket_of(ns), 1, ns);
}

void durations_add_some(struct durations *d, uint32_t bucket, uint64_t count, uint64_t ns)
{
	uint64_t each = count ? ns / count : 0;

	if (!count)
		return;
	d->min = d->count && d->min < each ? d->min : each;
	d->max = MAX(d->max, each);
	d->total += ns;
	d->count += count;
	count_in(d, bucket, count, ns);
}

uint64_t durations_in(const struct durations *d, uint32_t bucket)
{
	for (size_t i = 0; i < d->buckets.len && d->buckets.items[i].bucket <= bucket; i++)
		if (d->buckets.items[i].bucket == bucket)
			return d->buckets.items[i].count;
	return 0;
}

uint64_t durations_percentile(const struct durations *d, double percent)
{
	double seen = 0, limit = (double)d->count * percent / 100;

	for (size_t i = 0; i < d->buckets.len; i++) {
		seen += d->buckets.items[i].count;
		if (seen >= limit)
			return MIN(bucket_end(d->buckets.items[i].bucket), d->max);
	}
	return d->max;
}

void durations_clear(struct durations *d)
{
	vec_clear(&d->buckets);
	d->count = d->total = d->min = d->max = 0;
}

void durations_free(struct durations *d) { vec_free(&d->buckets); }
