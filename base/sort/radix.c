#include "base/sort/radix.h"

#include <stdbool.h>
#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS, FEW = 1 << 9 };

static void insert(struct radix_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct radix_item item = items[i];
		size_t to = i;

		for (; to && items[to - 1].key > item.key; to--)
			items[to] = items[to - 1];
		items[to] = item;
	}
}

/* Merge from[0 .. middle) and from[middle .. n). */
static void merge(const struct radix_item *from, size_t middle, size_t n, struct radix_item *to)
{
	size_t a = 0, b = middle;

	while (a < middle && b < n) {
		bool second = from[b].key < from[a].key;

		*to++ = from[second ? b : a];
		b += second;
		a += !second;
	}
	memcpy(to, from + (a < middle ? a : b), (a < middle ? middle - a : n - b) * sizeof(*to));
}

/* With few items, counting the digits would take longer than sorting. */
static void sort_few(struct radix_item *items, struct radix_item *spare, size_t n)
{
	enum { PIECE = 16 };
	struct radix_item *from = items, *to = spare;

	for (size_t i = 0; i < n; i += PIECE)
		insert(items + i, n - i < PIECE ? n - i : PIECE);
	for (size_t piece = PIECE; piece < n; piece *= 2) {
		for (size_t i = 0; i < n; i += 2 * piece)
			merge(from + i, n - i < piece ? n - i : piece, n - i < 2 * piece ? n - i : 2 * piece, to + i);
		from = to;
		to = from == items ? spare : items;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

/* Sort by the least significant digit first. Skip a digit that is the same in all keys. */
void radix_sort(struct radix_item *items, struct radix_item *spare, size_t n)
{
	struct radix_item *from = items, *to = spare;

	if (n < FEW) {
		sort_few(items, spare, n);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		size_t count[DIGITS] = { 0 }, sum = 0;

		for (size_t i = 0; i < n; i++)
			count[from[i].key >> shift & (DIGITS - 1)]++;
		if (count[from[0].key >> shift & (DIGITS - 1)] == n)
			continue;
		for (size_t d = 0; d < DIGITS; d++) {
			size_t here = count[d];

			count[d] = sum;
			sum += here;
		}
		for (size_t i = 0; i < n; i++)
			to[count[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		from = to;
		to = from == items ? spare : items;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}
