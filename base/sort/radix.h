#ifndef BASE_SORT_RADIX_H
#define BASE_SORT_RADIX_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sort by a number, digit by digit. The time depends only on the number of items. Items with equal
 * keys keep their order, so sort by several keys by sorting with the least important key first.
 * `spare` has room for n items.
 */
struct radix_item {
	uint64_t key, value;
};
void radix_sort(struct radix_item *items, struct radix_item *spare, size_t n);

#endif
