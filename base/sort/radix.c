#include "base/sort/radix.h"

#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS };

/* Sort by the least significant digit first. Skip a digit that is the same in all keys. */
void radix_sort(struct radix_item *items, struct radix_item *spare, size_t n)
{
	struct radix_item *from = items, *to = spare;

	for (unsigned shift = 0; n && shift < 64; shift += BITS) {
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
