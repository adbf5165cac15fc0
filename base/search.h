#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Count the items of a sorted array that come before what is looked for. `before` is an expression of the index `i`:
 * true for the first items of [0, n), false for all others. The result is the index of the first other one.
 *
 *	first = search_count(i, v.len, v.items[i].start < start);
 */
#define search_count(i, n, before) \
	__extension__({ \
		size_t search_low_ = 0, search_high_ = (n); \
		while (search_low_ < search_high_) { \
			size_t i = search_low_ + (search_high_ - search_low_) / 2; \
			if (before) \
				search_low_ = i + 1; \
			else \
				search_high_ = i; \
		} \
		search_low_; \
	})

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
