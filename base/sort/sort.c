#include "base/sort/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"

enum { WORTH_IT = 20000 };

struct sorting {
	char *from, *to;       /* one holds the pieces, the other takes the merged pairs */
	size_t n, size, width; /* items, bytes per item, items per sorted run */
	int (*compare)(const void *a, const void *b, void *ctx);
	void *ctx;
};

static size_t run_end(const struct sorting *s, size_t run) { return MIN((run + 1) * s->width, s->n); }

static void sort_run(void *ctx, size_t run, unsigned worker)
{
	struct sorting *s = ctx;

	qsort_r(s->from + run * s->width * s->size, run_end(s, run) - run * s->width, s->size, s->compare, s->ctx);
}

/* Merge two runs into one of twice the width. Of equal items, those of the first run come first. */
static void merge_runs(void *ctx, size_t pair, unsigned worker)
{
	struct sorting *s = ctx;
	size_t size = s->size, left_end = MIN((pair * 2 + 1) * s->width, s->n),
	       right_end = MIN((pair * 2 + 2) * s->width, s->n);
	const char *left = s->from + pair * 2 * s->width * size, *middle = s->from + left_end * size, *right = middle,
		   *end = s->from + right_end * size;
	char *to = s->to + pair * 2 * s->width * size;

	for (; left < middle && right < end; to += size) {
		const char **side = s->compare(left, right, s->ctx) <= 0 ? &left : &right;

		memcpy(to, *side, size);
		*side += size;
	}
	memcpy(to, left, (size_t)(middle - left));
	memcpy(to + (middle - left), right, (size_t)(end - right));
}

void parallel_sort(void *items, size_t n, size_t size, unsigned threads,
		   int (*compare)(const void *a, const void *b, void *ctx), void *ctx)
{
	struct sorting s = { .from = items, .n = n, .size = size, .compare = compare, .ctx = ctx };
	char *other;

	if (threads < 2 || n < WORTH_IT) {
		qsort_r(items, n, size, compare, ctx);
		return;
	}
	s.width = (n + threads - 1) / threads;
	parallel_for((n + s.width - 1) / s.width, threads, sort_run, &s);
	s.to = other = xmalloc(n * size);
	while (s.width < n) {
		char *merged = s.to;

		parallel_for((n + 2 * s.width - 1) / (2 * s.width), threads, merge_runs, &s);
		s.to = s.from;
		s.from = merged;
		s.width *= 2;
	}
	if (s.from != items)
		memcpy(items, s.from, n * size);
	free(other);
}
