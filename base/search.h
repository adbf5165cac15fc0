#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

static inline size_t search_u64(const void *first, size_t size, size_t n, uint64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)first + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Return how many items of a vec, sorted by their uint64_t `member`, have a `member` of at most
 * `key`. The last of these is the item at or before `key`.
 */
#define vec_count_up_to(v, member, key) \
	((v)->len ? search_u64(&(v)->items[0].member, sizeof((v)->items[0]), (v)->len, key) : (size_t)0)

#endif
